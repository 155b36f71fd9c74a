/* tests/support/golden_tangent.h: changes of state as the golden gradients have them, and ours.
 *
 * There a change of state is, for a free body, a rotation vector and a translation in W, and
 * velocities are angular, linear in W. Ours are linear in W and angular in the axes of the body.
 * With R the body's axes, w its angular velocity in W:
 *   pose      d_ours = (x, R' r)                          r, x: rotation vector, translation
 *   velocity  dv_ours = (x', R' (dw - r x w))             a turn with w held turns it in the body
 *   force     (f, R' m)                                   m moment, f force */
#ifndef LIMPET_TEST_GOLDEN_TANGENT_H
#define LIMPET_TEST_GOLDEN_TANGENT_H

#include "limpet/data.h"

enum { GOLDEN_TANGENT_SIZE = 40 };  // velocities, at most

// What the map of coordinates depends on, of one state.
typedef struct golden_frame {
  double R[GOLDEN_TANGENT_SIZE][9];  // of each free joint
  double w[GOLDEN_TANGENT_SIZE][3];  // [rad/s]  W
} golden_frame;

golden_frame golden_frame_of(const limpet_model *model, const double *q, const double *v);
// A change (x, v) of golden state into ours, in place; v zero: a pose alone.
void golden_change_to_ours(const limpet_model *model, const golden_frame *f, double *x, double *v);
// A generalised force, golden to ours.
void golden_force_to_ours(const limpet_model *model, const golden_frame *f, double *force);
// A change of our state into golden, in place: the inverse of golden_change_to_ours.
void golden_change_back(const limpet_model *model, const golden_frame *f, double *x, double *v);

#endif
