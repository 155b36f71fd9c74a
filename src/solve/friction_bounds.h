/* solve/friction_bounds.h: friction bounds of near-rigid contacts, for models that need them before
 * the step.
 *
 * Lagged bounds friction by mu gamma_n0, with gamma_n0 from the deformation at the start of the
 * step. A near-rigid contact is deformed by 1e-8 m. The path of a link that turns or falls has an
 * error of 1e-7 m and more in a step, so this gamma_n0 means nothing: the feet of a robot that
 * sinks to its knees are open at the start of each step and loaded in it, and would have no
 * friction. For near-rigid contacts gamma_n0 is therefore
 *   the normal impulse of the last step, kept with the contact (step/anchors.h); for a new contact
 *     that of the deformation
 *   the normal impulse of this step, where the first one misses it: the island is solved again, a
 *     few times at most. Each solve is a convex problem; together they seek the fixed point
 *     gamma_n0 = gamma_n(gamma_n0)
 * A contact may slide shut without friction and be held open by friction, and would alternate. So
 * from its second renewal in a step on, a bound moves half of the way only. If friction still holds
 * the contact open, it has none for the rest of the step, so that the next step finds it closed. */
#ifndef LIMPET_SOLVE_FRICTION_BOUNDS_H
#define LIMPET_SOLVE_FRICTION_BOUNDS_H

#include "contact/problem.h"

// Whether there are such contacts among `count`.
bool limpet_friction_bounds_matter(int count, const limpet_contact_constants *constants);
/* Before the solve: bounds of an island's contacts from the normal part of the force that each
 * carried, where it pushed, over this step. */
void limpet_friction_bounds_resume(const limpet_contact_problem *problem,
                                   const limpet_island *island, const limpet_friction_bound *bound,
                                   limpet_contact_constants *constants);
// After it: carried (all contacts x 3) <- the normal forces of the island, of its impulses gamma.
void limpet_friction_bounds_carry(const limpet_contact_problem *problem,
                                  const limpet_island *island, const double *gamma,
                                  double *carried);
/* Renews the bounds of an island's contacts that miss their impulses gamma (count x 3), if together
 * they matter to it. Returns whether it did. */
bool limpet_friction_bounds_renew(const limpet_friction_bound *bound,
                                  const limpet_contact_settings *settings, int count,
                                  limpet_contact_constants *constants, const double *gamma);

#endif
