/* optim/block_pivoting.c: see block_pivoting.h. */
#include "optim/block_pivoting.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"

size_t limpet_block_pivoting_memory_size(int n) {
  return ((size_t)n * (size_t)n + (size_t)n) * sizeof(double) +
         ((size_t)n + 1) / 2 * 2 * sizeof(int);
}

// x and w of a set. False: A over it is not positive definite.
static bool solve_set(int n, const double *A, const double *q, void *memory, double *x, double *w,
                      const bool *free) {
  double *factor = memory, *y = factor + (size_t)n * (size_t)n;
  int *at = (int *)(void *)(y + n), count = 0;
  for (int i = 0; i < n; ++i)
    if (free[i]) at[count++] = i;
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k <= i; ++k) factor[i * count + k] = A[at[i] * n + at[k]];
    y[i] = -q[at[i]];
  }
  if (limpet_cholesky(count, factor, count)) return false;
  limpet_cholesky_solve(count, factor, count, y);
  memset(x, 0, (size_t)n * sizeof *x);
  for (int i = 0; i < count; ++i) x[at[i]] = y[i];
  for (int i = 0; i < n; ++i) w[i] = free[i] ? 0.0 : q[i] + limpet_dot(n, A + i * n, x);
  return true;
}

enum {
  LEAST_ROUNDS = 30,  // and n more: far beyond what block pivoting needs
  PATIENCE = 3        // rounds in which all wrong ones change at once without fewer being wrong
};
static const double round_off = 1e-14;  // [-]  of the largest |q|: w above minus that is not wrong

int limpet_block_pivoting(int n, const double *A, const double *q, double tolerance, void *memory,
                          double *x, double *w, bool *free) {
  int fewest = n + 1, patience = 0;
  double size = 0.0;
  for (int i = 0; i < n; ++i) size = fmax(size, fabs(q[i]));
  for (int round = 1; round <= LEAST_ROUNDS + n; ++round) {
    if (!solve_set(n, A, q, memory, x, w, free)) return 0;
    double largest = 0.0;
    int wrong = 0, last = -1;
    for (int i = 0; i < n; ++i) largest = fmax(largest, fabs(x[i]));
    for (int i = 0; i < n; ++i)
      if (free[i] ? x[i] < -tolerance * largest : w[i] < -round_off * size) ++wrong, last = i;
    if (wrong == 0) {
      for (int i = 0; i < n; ++i) x[i] = fmax(x[i], 0.0);
      return round;
    }
    if (wrong < fewest) fewest = wrong, patience = PATIENCE;
    const bool all = patience-- > 0;
    for (int i = 0; i < n; ++i) {
      const bool is_wrong = free[i] ? x[i] < -tolerance * largest : w[i] < -round_off * size;
      if (is_wrong && (all || i == last)) free[i] = !free[i];
    }
  }
  return 0;
}
