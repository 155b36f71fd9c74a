// solve/island_rows.h: the start of an island of constraint rows alone.
#ifndef LIMPET_SOLVE_ISLAND_ROWS_H
#define LIMPET_SOLVE_ISLAND_ROWS_H

#include "solve/island_solver.h"
#include "solve/solve.h"

/* Solves the linear problem that the rows pose where each is as it is at the guess: x is its
 * solution, and the island is evaluated there, cost and gradient in `newton`. `measure` is that of
 * x. False, with x and its evaluation anything: there are contacts or another guess is better. */
bool limpet_island_rows_start(limpet_island_solver *solver, const limpet_solve_start *start,
                              limpet_newton_measure *measure);

#endif
