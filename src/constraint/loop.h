/* constraint/loop.h: what the constraint kinds connect, weld and distance share: two points P, Q on
 * two bodies A, B.
 *
 *   P, Q     [m, W]  with frames; the rotation vector `turn` [rad, W] takes the frame at P to the
 *            frame at Q; of welds, else zero
 *   columns  of B minus A, [angular; linear], each body's at a point of its own. Velocities that
 *            move both bodies are left out: they change no distance, and forces on both bodies must
 *            not push them
 *   bias     second-order part of the change of the error over the step (curved_path.h), of bodies
 *            alone all that is not its first order (loop_flight.c); zero if the settings say so */
#ifndef LIMPET_CONSTRAINT_LOOP_H
#define LIMPET_CONSTRAINT_LOOP_H

#include "constraint/kind.h"

typedef struct limpet_loop {
  double P[3], Q[3];
  double turn[3];
  double bias[6];  // [rad/s, m/s]
  int column_count;
  double D[36];  // of the columns: see delassus.h
} limpet_loop;

// Adds what the loops of a kind need, with `rows` rows each.
void limpet_loop_room(const limpet_model *model, limpet_loop_kind kind, int rows_each, int *rows,
                      int *entries);

// Whether a loop is of this kind and acts.
static inline bool limpet_loop_acts(const limpet_model *model, limpet_loop_kind kind, int index) {
  return model->loop_kind[index] == kind && model->loop_active[index] &&
         !(model->options.disabled & LIMPET_DISABLE_EQUALITY);
}

// P, Q, turn, bias. After limpet_velocity_kinematics.
void limpet_loop_state(const limpet_row_builder *builder, int index, limpet_loop *loop);

// The bias of a loop that holds a body alone (loop_flight.c). After P, Q.
void limpet_loop_fly(const limpet_row_builder *builder, int index, limpet_loop *loop);
// Whether a loop holds a body alone, of which settings know how it will move.
bool limpet_loop_flies(const limpet_model *model, const limpet_assembly_settings *settings,
                       int index);

/* Columns with A's at `at_a` and B's at `at_b`, into the builder's workspace; their number and D.
 * turns: also what D says of rotations. */
void limpet_loop_columns(const limpet_row_builder *builder, int index, const double at_a[3],
                         const double at_b[3], bool turns, limpet_loop *loop);

// w = ||D_block||_F/size of the diagonal block of D that begins at `first`.
double limpet_loop_weight(const limpet_loop *loop, int first, int size);

// Sum of the inverse weights of both bodies at the reference pose: [1/kg], of the rotations [1/(kg
// m^2)].
double limpet_loop_inverse_weight(const limpet_model *model, int index, bool rotation);

// The weight w of the loop's two bodies with what hangs on them: loop_load.h. P [m, W].
double limpet_loop_bear(const limpet_row_builder *builder, int index, const double P[3], bool turns,
                        double w);

/* Adds what the loops exert on bodies, mean over the last step, to wrench (body_count x 6)  [N m
 *   about the centre of mass,
 * N]  W. From the constraint arrays of data, with the poses of the start of the step. */
void limpet_loop_wrenches_add(const limpet_model *model, const limpet_data *data, double *wrench);

#endif
