/* step/gyration.h: the gyroscopic torque of bodies that float alone, over a whole step. */
#ifndef LIMPET_STEP_GYRATION_H
#define LIMPET_STEP_GYRATION_H

#include "limpet/data.h"
#include "limpet/model.h"
#include "model/trees.h"

typedef enum limpet_gyration_stage {
  LIMPET_GYRATION_FREE,  // in free flight
  LIMPET_GYRATION_HELD   // with the impulses of the step
} limpet_gyration_stage;

/* Parts in which a body takes the turn of a step of dt [s] from w [rad/s], of at most half a radian
 * each; 0: too many, it turns steadily. */
int limpet_gyration_count(double dt, const double w[3]);
/* Those of a body alone. Another number is another result: where the world holds them
 * (workspace.h) they are those of the step around which differences are taken, and where it keeps
 * them no fewer than those of the last step. */
int limpet_gyration_parts(const limpet_data *data, int tree, limpet_gyration_stage stage, double dt,
                          const double w[3]);
/* w [rad/s], in axes of a body of inertia I [kg m^2]: that after dt [s] without torques, in
 * `count` parts. turn (quaternion): from its axes after to those before; NULL: not asked for. */
void limpet_gyration_turn(const double I[9], double dt, int count, double w[3], double turn[4]);
/* The same, with its derivatives by w (3 x 3, row-major): of w after it, and of the turn, as a
 * rotation vector in the axes after it. False, and nothing is set: a body that turns more than 32
 * rad, or whose turn is not found, which limpet_gyration_turn lets turn steadily. */
bool limpet_gyration_turn_change(const double I[9], double dt, int count, double w[3],
                                 double turn[4], double w_by_w[9], double turn_by_w[9]);
// The same of a body, which may be a sphere or a cube: these turn steadily.
void limpet_gyration_turn_body(const double I[9], double dt, int count, double w[3],
                               double turn[4]);

/* force (nv) of the trees += mean gyroscopic torque during the next dt [s], less that at its start,
 * which is part of data->bias. Reads mass_matrix and v. */
void limpet_gyration_add(const limpet_model *model, const limpet_data *data, limpet_trees trees,
                         double dt, double *force);

#endif
