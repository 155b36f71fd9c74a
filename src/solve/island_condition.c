/* solve/island_condition.c: condition number of the Hessian of one island.
 *
 *   cond = ||H||_1 ||H^-1||_1,  ||B||_1 = largest column sum of |B_ij|
 * The norm of the inverse is a lower bound that is nearly always exact: ascent of the convex
 * function ||H^-1 x||_1 over the corners of the unit ball, each step two solves.
 * References: Hager, Condition estimates, SIAM J. Sci. Stat. Comput. 5 (1984); Higham, Accuracy and
 * Stability of Numerical Algorithms (2002), section 15.3. Castro et al. plot LAPACK's 1/rcond,
 * which is the same number. */
#include <math.h>
#include <string.h>

#include "solve/island_dense.h"

enum { ASCENT_LIMIT = 5 };

static double norm_of(int n, const double *H, int stride, double *sums) {
  memset(sums, 0, (size_t)n * sizeof *sums);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      const double size = fabs(H[(size_t)i * (size_t)stride + (size_t)j]);
      sums[j] += size;
      if (j < i) sums[i] += size;
    }
  double largest = 0.0;
  for (int i = 0; i < n; ++i) largest = fmax(largest, sums[i]);
  return largest;
}

// ||H^-1||_1 by the factor; x, y: n doubles each.
static double inverse_norm(const limpet_island_solver *s, double *x, double *y) {
  const int n = s->n;
  double norm = 0.0;
  for (int i = 0; i < n; ++i) x[i] = 1.0 / n;
  for (int round = 0; round < ASCENT_LIMIT; ++round) {
    memcpy(y, x, (size_t)n * sizeof *y);
    limpet_island_dense_solve(s, y);
    double sum = 0.0, product = 0.0;
    for (int i = 0; i < n; ++i) sum += fabs(y[i]);
    if (sum <= norm) break;
    norm = sum;

    // gradient of ||H^-1 x||_1; the corner that it points to, unless x is the best already
    for (int i = 0; i < n; ++i) y[i] = y[i] < 0.0 ? -1.0 : 1.0;
    limpet_island_dense_solve(s, y);
    int best = 0;
    for (int i = 0; i < n; ++i) {
      product += y[i] * x[i];
      if (fabs(y[i]) > fabs(y[best])) best = i;
    }
    if (fabs(y[best]) <= product) break;
    memset(x, 0, (size_t)n * sizeof *x);
    x[best] = 1.0;
  }
  return norm;
}

double limpet_island_condition(limpet_island_solver *solver, limpet_arena *arena) {
  const int n = solver->n;
  limpet_island_solver dense = *solver;
  dense.sparse = NULL;
  double *x = LIMPET_TAKE(arena, double, n), *y = LIMPET_TAKE(arena, double, n);
  if (!x || !y || limpet_island_dense_create(&dense, arena) != LIMPET_OK) return NAN;
  limpet_island_assemble(&dense, NULL);
  const double norm = norm_of(n, dense.H, dense.H_stride, x);
  return limpet_island_dense_factor(&dense) ? norm * inverse_norm(&dense, x, y) : INFINITY;
}
