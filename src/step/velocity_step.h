/* step/velocity_step.h: one step whose unknown is the velocity at its end, v, from the matrix A and the velocity v* without
 * contacts, which a scheme brings.
 *
 *   v  = argmin 1/2 |v - v*|_A^2 + contacts + constraints, everything evaluated at q0
 *   q1 = q0 (+) dt N(q0) v */
#ifndef LIMPET_STEP_VELOCITY_STEP_H
#define LIMPET_STEP_VELOCITY_STEP_H

#include "step/free_motion.h"
#include "step/scheme.h"

typedef limpet_outcome (*limpet_free_motion_function)(const limpet_model *model, limpet_data *data,
                                                      const limpet_step_settings *settings, limpet_arena *arena,
                                                      limpet_free_motion *motion);

limpet_outcome limpet_velocity_step(const limpet_model *model, limpet_data *data, const limpet_step_settings *settings,
                                    limpet_free_motion_function free_motion);

#endif
