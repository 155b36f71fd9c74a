/* gradient/law_change.h: impulses of the contacts of one island, to first order in the change of
 * what they depend on: velocity at the contact, distance, stiffness, friction, ...
 *
 *   gamma_1 = gamma_0 + sum dgamma/dp (p_1 - p_0)
 * Laws of contact have far smaller scales than motion: near-rigid contacts are 1e-8 m deep,
 * sticking ones slip with 1e-6 m/s. A difference of the residual over a micrometre would cross
 * their kinks. So the change p_1 - p_0 is that of the difference, and the law itself is
 * differentiated along it on its own scale: four points within `law_share` of the distance to its
 * nearest switch, whose error is of fourth order. */
#ifndef LIMPET_GRADIENT_LAW_CHANGE_H
#define LIMPET_GRADIENT_LAW_CHANGE_H

#include "solve/island_solver.h"

/* `base`: at the solution, impulses and Hessians of contacts evaluated. `other`: an island of the
 * same contacts, rows and spins, placed at the solution (limpet_island_place); its impulses
 * contact_gamma, row_gamma, spins.tau are filled. */
void limpet_law_change(const limpet_island_solver *base, limpet_island_solver *other);

#endif
