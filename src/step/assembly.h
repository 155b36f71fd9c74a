/* step/assembly.h: stage 5 of a step: from a free motion and contact points to the problem. */
#ifndef LIMPET_STEP_ASSEMBLY_H
#define LIMPET_STEP_ASSEMBLY_H

#include "contact/assemble.h"
#include "contact/problem.h"
#include "contact/record.h"
#include "step/free_motion.h"

// Distance [m] from which contacts take part: that of the settings, or where the normal law's force
// begins if that is farther.
double limpet_step_speculative_distance(const limpet_step_settings *settings);

// [m/s]  of masses that limits lead back, which do not slow them down; INFINITY: as fast as joints.
double limpet_step_limit_speed(const limpet_step_settings *settings);

// Whether what a contact holds moves by symplectic Euler before and after: contact/restitution.h.
bool limpet_step_is_plain(const limpet_step_settings *settings);

// What the assembly of a step is told. `speculative`: limpet_step_encounter.
limpet_assembly_settings limpet_step_assembly_settings(const limpet_step_settings *settings,
                                                       double speculative,
                                                       const limpet_free_motion *motion);

// Bodies that meet, or may: what stage 5 makes a problem of.
typedef struct limpet_step_encounter {
  limpet_free_motion *motion;         // without each other; of trees that are touched it changes
  const limpet_collision *collision;  // where they are near each other
  double speculative;  // [m]  contacts that are farther and cannot close within the step are left
                       // out; INFINITY: none
} limpet_step_encounter;

/* Records of contact points, and the problem at the poses in data, not yet partitioned. LIMPET_OK
 * or LIMPET_ERROR_MEMORY. */
limpet_status limpet_step_assemble(limpet_data *data, const limpet_step_settings *settings,
                                   const limpet_step_encounter *encounter, limpet_arena *arena,
                                   limpet_contact_records *records,
                                   limpet_contact_problem *problem);

#endif
