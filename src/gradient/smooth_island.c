/* gradient/smooth_island.c: see smooth_island.h. Dense: n^3/6 multiply-adds for the factor, n^2 for
 * a solution.
 * Reference: Castro, Han, Masterjohn, Irrotational Contact Fields, on gradients by the implicit
 * function theorem. */
#include "gradient/smooth_island.h"

#include <limits.h>
#include <string.h>

#include "math/dense.h"
#include "solve/island.h"
#include "solve/island_solver.h"

limpet_outcome limpet_smooth_island_begin(limpet_smooth_island *smooth,
                                          const limpet_contact_problem *problem,
                                          const limpet_contact_constants *constants, int island,
                                          const double *v, limpet_arena *arena) {
  const limpet_island *one = &problem->island[island];
  const int n = one->size;
  *smooth = (limpet_smooth_island){
      .n = n, .x = LIMPET_TAKE(arena, double, n), .L = LIMPET_TAKE(arena, double, n *n)};
  double *gradient = LIMPET_TAKE(arena, double, n);
  limpet_island_solver solver;
  if (!smooth->x || !smooth->L || !gradient ||
      limpet_island_solver_create(&solver, problem, island, INT_MAX, arena) != LIMPET_OK)
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  memcpy(solver.own_constants, constants + one->contact,
         (size_t)one->contact_count * sizeof *constants);
  limpet_island_gather(problem, one, v, smooth->x);
  limpet_island_evaluate(&solver, smooth->x, gradient);
  limpet_island_assemble(&solver, NULL);
  memcpy(smooth->L, solver.H, (size_t)n * (size_t)n * sizeof *smooth->L);
  return limpet_cholesky(n, smooth->L, n) ? LIMPET_OUTCOME_NUMERICAL_FAILURE
                                          : LIMPET_OUTCOME_SOLVED;
}

limpet_outcome limpet_smooth_island_evaluate(const limpet_smooth_island *smooth,
                                             const limpet_contact_problem *problem, int island,
                                             limpet_arena *arena, double *r) {
  limpet_island_solver solver;
  if (limpet_island_solver_create(&solver, problem, island, INT_MAX, arena) != LIMPET_OK)
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  limpet_island_evaluate(&solver, smooth->x, r);
  return LIMPET_OUTCOME_SOLVED;
}

void limpet_smooth_island_solve(const limpet_smooth_island *smooth, const double *x, double *y) {
  if (x != y) memcpy(y, x, (size_t)smooth->n * sizeof *y);
  limpet_cholesky_solve(smooth->n, smooth->L, smooth->n, y);
  for (int i = 0; i < smooth->n; ++i) y[i] = -y[i];
}
