/* gradient/active_rows.h: which rows of an island's programme hold, where its multipliers are not
 * unique.
 *
 * A body at rest touches with more rows than it has velocities. The active-set method gives forces
 * to as few rows as it can, and the derivative on these alone would let the body slip the way that
 * the others block. So the multipliers are taken from the middle of all that balance the forces,
 * which gives one to every row that can have one: the limit of the interior-point method. */
#ifndef LIMPET_GRADIENT_ACTIVE_ROWS_H
#define LIMPET_GRADIENT_ACTIVE_ROWS_H

#include "optim/qp_derivative.h"
#include "solve/island_programme.h"

typedef struct limpet_active_rows {
  // x and slack of the programme; multipliers as above, in memory of their own
  limpet_qp_solution solution;
  limpet_qp_derivative derivative;  // of that solution
  int tight_count;
  int *tight;           // (tight_count)  linear rows without slack
  int weak_count;       // rows and cones that touch without a force: x has a kink
  int dependent_count;  // tight rows in the span of the others
} limpet_active_rows;

typedef enum limpet_active_outcome {
  LIMPET_ACTIVE_DONE,
  LIMPET_ACTIVE_OUT_OF_MEMORY,
  LIMPET_ACTIVE_SINGULAR
} limpet_active_outcome;

// Of a solved programme, whose workspace is used.
limpet_active_outcome limpet_active_rows_find(limpet_island_programme *programme,
                                              limpet_arena *arena, limpet_active_rows *rows);

/* The fastest rate at which a tight row leaves zero, for a change `dr` (n) of the forces and `ds`
 * (rows) of the slacks with x held, and the change `dx` (n) of x that follows. INFINITY where a
 * cone stands at a kink. */
double limpet_active_rows_rate(const limpet_active_rows *rows, const double *dr, const double *ds,
                               const double *dx);

#endif
