/* optim/active_set.h: the dual active-set method of Goldfarb and Idnani for quadratic programmes
 * with linear rows.
 *
 * It walks over pairs (x, set) in which x is optimal for the rows of the set alone, with
 * multipliers >= 0, and takes in one violated row after the other; the dual objective rises with
 * each. Finite, exact at its end (no barrier to shrink), and warm from any guess: a guessed set is
 * made dual feasible by dropping the rows whose multipliers come out negative.
 *
 * Method of limpet_qp_solve; see qp.h for the structs. */
#ifndef LIMPET_OPTIM_ACTIVE_SET_H
#define LIMPET_OPTIM_ACTIVE_SET_H

#include "optim/qp.h"
#include "optim/qp_memory.h"

/* Solves a problem without cones. `guess`: rows whose multiplier in the solution is positive form
 * the first set. Fills all of the solution, and of the info the outcome, the changes, the count of
 * active rows and, where solved, the residuals. */
void limpet_active_set_solve(const limpet_qp_problem *problem, limpet_qp_memory *memory, bool guess,
                             limpet_qp_solution *solution, limpet_qp_info *info);

#endif
