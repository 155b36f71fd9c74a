/* step/free_motion.h: the momentum matrix A and the velocity v* without contacts and constraints. */
#ifndef LIMPET_STEP_FREE_MOTION_H
#define LIMPET_STEP_FREE_MOTION_H

#include "base/arena.h"
#include "limpet/step.h"

typedef struct limpet_free_motion {
  double *A;               // (mass_size)  blocks of trees as data->mass_matrix
  double *momentum;        // (nv)  A v*
  double *v_free;          // (nv)  v*
  double *explicit_force;  // (nv)  generalised force of the actuators that are not part of the solve
} limpet_free_motion;

/* After limpet_velocity_kinematics. Fills mass_matrix, bias, tendon, passive and actuator arrays of data. Outcome: solved,
 * numerical failure (A not positive definite) or out of memory. */
limpet_outcome limpet_free_motion_compute(const limpet_model *model, limpet_data *data, const limpet_step_settings *settings,
                                          limpet_arena *arena, limpet_free_motion *motion);

#endif
