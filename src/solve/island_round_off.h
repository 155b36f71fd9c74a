/* solve/island_round_off.h: how small the residual of an island may become in doubles. */
#ifndef LIMPET_SOLVE_ISLAND_ROUND_OFF_H
#define LIMPET_SOLVE_ISLAND_ROUND_OFF_H

#include "solve/island_solver.h"

/* What round-off may leave of the residual at the state that was evaluated last, in the norm of
 * limpet_newton_measure. Writes to vectors of the ray. */
double limpet_island_round_off(limpet_island_solver *solver);

#endif
