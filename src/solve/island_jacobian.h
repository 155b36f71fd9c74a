/* solve/island_jacobian.h: J of a small island as one dense matrix.
 *
 * Velocities of contacts and the impulse of their forces are two products in each evaluation. By
 * patches (island.h) they take 6 multiply-adds for each column and 18 for each contact, one by one;
 * a dense J takes 3 n for each contact, four at once, and no look-up. Islands of a robot have one
 * where that is less than eight times the other number. Rows, patch by patch: three of each
 * contact, or, of a patch with many of them, S', by which contacts move as W S x and push as S' W'
 * gamma; then two of each spin, about its axes; rows of constraints have few entries and stay
 * sparse. Patches between free bodies have rows of contacts, which sweeps take. */
#ifndef LIMPET_SOLVE_ISLAND_JACOBIAN_H
#define LIMPET_SOLVE_ISLAND_JACOBIAN_H

#include "solve/island_solver.h"

// Takes and fills solver->J, or leaves it NULL. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_island_jacobian_create(limpet_island_solver *solver, limpet_arena *arena);

// As limpet_island_speeds and limpet_island_impulse, by J where there is one.
void limpet_island_solver_speeds(const limpet_island_solver *solver, const double *x,
                                 double *contact, double *row);
void limpet_island_solver_impulse(const limpet_island_solver *solver, const double *contact,
                                  const double *row, double *impulse);
/* With solver->row_values: velocities of contacts (contacts x 3) from what they hold of the rows of
 * J, and these from the impulses of contacts. */
void limpet_patch_rows_speeds(const limpet_island_solver *solver, double *contact);
void limpet_patch_rows_push(const limpet_island_solver *solver, const double *contact);
// Of spins: w (spins x 2) = J x; impulse += J' tau. By J, which must be there.
void limpet_island_jacobian_turn(const limpet_island_solver *solver, const double *x, double *w);
void limpet_island_jacobian_twist(const limpet_island_solver *solver, const double *tau,
                                  double *impulse);

#endif
