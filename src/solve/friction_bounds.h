/* solve/friction_bounds.h: bounds of friction of near-rigid contacts, for models that take them as
 * known before the step.
 *
 * Lagged bounds friction by mu gamma_n0, gamma_n0 from the deformation at the start of the step. A
 * near-rigid contact is deformed by 1e-8 m, less than what a step errs by on the path of a link
 * that turns or falls (1e-7 m and more), so that gamma_n0 is anything: feet of a robot that sinks
 * to its knees are open at the start of each step and loaded in it, and would have no friction at
 * all. For them gamma_n0 is
 *   the normal impulse of the last step, kept with the contact (anchors.h of the step); new
 *     contacts: of the deformation that of this step, where the first one misses it: the island is
 *     solved again, a few times at most; each time is a convex
 *   problem, together they look for the fixed point gamma_n0 = gamma_n(gamma_n0)
 * A contact that slides shut without friction and is held open by it would go to and fro: from its
 * second renewal in a step on a bound goes half the way only, and what it has held open then gets
 * none in this step, so that the next finds it closed. */
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
