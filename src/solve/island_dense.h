/* solve/island_dense.h: the dense Hessian of a small island.
 *
 * Up to LIMPET_DENSE_SMALL velocities it is padded to a multiple of four by a unit diagonal and
 * factored as L' L (math/dense_ltl.h), which leaves the zeros between branches and trees. Where the
 * island has a dense Jacobian, contacts are summed by rows:
 *   H = A + sum of B' G B   B, G: J and G of a contact, or, of a patch with more rows than six, the
 *                           columns S' of the patch and K = sum of W' G W */
#ifndef LIMPET_SOLVE_ISLAND_DENSE_H
#define LIMPET_SOLVE_ISLAND_DENSE_H

#include "solve/island_solver.h"

// H, its stride, and with a Jacobian what contacts need. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_island_dense_create(limpet_island_solver *solver, limpet_arena *arena);
// A into H, all else zero.
void limpet_island_dense_mass(limpet_island_solver *solver);
// H += what contacts and spins add, with `gram`.
void limpet_island_dense_contacts(limpet_island_solver *solver);
// False: H is not positive definite.
bool limpet_island_dense_factor(limpet_island_solver *solver);
void limpet_island_dense_solve(const limpet_island_solver *solver, double *x);

// K (6 x 6, symmetric, full) = sum of W' G W; false when nothing adds anything.
bool limpet_island_patch_stiffness(const limpet_island_solver *solver, const limpet_patch *patch,
                                   double K[36]);

#endif
