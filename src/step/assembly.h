/* step/assembly.h: stage 5 of a step: from a free motion and contact points to the problem. */
#ifndef LIMPET_STEP_ASSEMBLY_H
#define LIMPET_STEP_ASSEMBLY_H

#include "collide/collide.h"
#include "contact/problem.h"
#include "step/free_motion.h"

// Distance [m] from which contacts take part: that of the settings, or where the normal law's force
// begins if that is farther.
double limpet_step_speculative_distance(const limpet_step_settings *settings);

/* The problem at the poses in data, not yet partitioned. Contacts that are farther than
 * `speculative` [m] and cannot close within the step are left out; INFINITY: none. 0, or 1 without
 * memory. */
int limpet_step_assemble(const limpet_model *model, limpet_data *data,
                         const limpet_step_settings *settings, double speculative,
                         limpet_arena *arena, const limpet_free_motion *motion,
                         const limpet_collision *collision, limpet_contact_problem *problem);

#endif
