/* step/velocity_step.h: one step whose unknown is the velocity at its end, v, from the matrix A and
 * the velocity v* without contacts, which a scheme brings.
 *
 *   v  = argmin 1/2 |v - v*|_A^2 + contacts + constraints, everything evaluated at q0
 *   q1 = q0 (+) dt N(q0) v */
#ifndef LIMPET_STEP_VELOCITY_STEP_H
#define LIMPET_STEP_VELOCITY_STEP_H

#include "collide/collide.h"
#include "contact/problem.h"
#include "step/free_motion.h"
#include "step/scheme.h"

// What the last step of a world solved, in its step memory: until its next step.
typedef struct limpet_velocity_record {
  limpet_free_motion motion;
  limpet_collision collision;
  limpet_contact_problem problem;
} limpet_velocity_record;

limpet_outcome limpet_velocity_step(const limpet_model *model, limpet_data *data,
                                    const limpet_step_settings *settings,
                                    limpet_free_motion_function free_motion);

// NULL: the last step failed, or there was none.
const limpet_velocity_record *limpet_velocity_record_of(const limpet_data *data);

/* Stage 5 for the poses in data: the problem from a free motion and contact points, not yet
 * partitioned. Contacts that are farther than `speculative` [m] and cannot close within the step
 * are left out; INFINITY: none. 0, or 1 without memory. */
int limpet_velocity_assemble(const limpet_model *model, limpet_data *data,
                             const limpet_step_settings *settings, double speculative,
                             limpet_arena *arena, const limpet_free_motion *motion,
                             const limpet_collision *collision, limpet_contact_problem *problem);

#endif
