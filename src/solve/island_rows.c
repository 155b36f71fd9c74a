/* solve/island_rows.c: an island of constraint rows alone, by the linear problem that they pose.
 *
 *   gamma_i = clamp(y_i, lower, upper),  y_i = (v_hat_i - a_i v)/R_i
 *   H (v - guess) = sum over rows a_i gamma_i(guess) - A (guess - v*)
 *   H             = A + sum over rows within their bounds  a_i a_i'/R_i
 * Rows are within their bounds, or at one, as they are at the guess. Where they are so at v, too, v
 * is the solution; else Newton's method goes on from there. This is its first step from the guess
 * without what it would ask there: cost, residual and the length of the step. From the free motion
 * the sums would be as large as stiff rows make them, and v as wrong as their round-off.
 *
 * Not where the velocity has hardly changed in the last step, beside what it is or what the free
 * motion would change: what rests, or moves evenly, is solved by the guess. Cost: a factor, a solve
 * and one evaluation. */
#include "solve/island_rows.h"

#include <string.h>

#include "solve/island.h"
#include "solve/island_jacobian.h"
#include "solve/row.h"

static const double even = 1e-5;  // [-]  such a change

// Whether the guess in x is as good as solved: see the head. work (n)
static bool is_even(const limpet_island_solver *s, const limpet_solve_start *start, double *work) {
  limpet_island_gather(s->problem, s->island, start->v, work);
  double change = 0.0, size = 0.0, fall = 0.0;
  for (int i = 0; i < s->n; ++i) {
    const double dv = s->x[i] - work[i], df = s->v_free[i] - work[i];
    change += dv * dv, size += work[i] * work[i], fall += df * df;
  }
  return change <= even * even * (size + fall);
}

// d <- the right-hand side at the place of the state.
static void rows_pull(const limpet_island_solver *s, double *d) {
  const limpet_contact_problem *p = s->problem;
  for (int i = 0; i < s->n; ++i) d[i] = -s->A_difference[i];
  for (int i = 0; i < s->island->row_count; ++i) {
    const limpet_constraint_row *row = &p->row[s->island->row + i];
    limpet_row_push(p, row, limpet_row_clamp(row, limpet_row_wanted(row, s->row_u[i])), d);
  }
}

bool limpet_island_rows_start(limpet_island_solver *s, const limpet_solve_start *start,
                              limpet_newton_measure *measure) {
  if (s->island->contact_count > 0 || !start->guess || start->known) return false;
  double *d = s->newton.direction;
  limpet_island_gather(s->problem, s->island, start->guess, s->x);
  if (is_even(s, start, d)) return false;
  limpet_island_place(s, s->x);
  rows_pull(s, d);
  if (!limpet_island_factor(s)) return false;
  limpet_island_back_solve(s, d);
  for (int i = 0; i < s->n; ++i) s->x[i] += d[i];
  s->newton.cost = limpet_island_evaluate(s, s->x, s->newton.gradient);
  s->newton.evaluated = true;
  limpet_island_measure(s, s->x, s->newton.gradient, measure);
  return true;
}
