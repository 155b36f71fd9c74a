/* step/soft_history.c: see soft_history.h.
 *
 * Points x_i, the newest x_0, with residuals r_i. Near a solution r is nearly affine in x, so
 *   x = x_0 + sum b_i (x_i - x_0),  b least in |r_0 + sum b_i (r_i - r_0)|
 * has nearly that residual. Where an iteration contracts a few directions slowly, it takes them out
 * at once: Anderson's acceleration (optim/anderson.h) of attempts whose residual is not the step to
 * the next one. Cost: 2 n for each pair of points. */
#include "step/soft_history.h"

#include <string.h>

#include "optim/anderson.h"

enum { MOST = LIMPET_SOFT_HISTORY, SHARES = LIMPET_ANDERSON_MEMORY };

bool limpet_soft_history_add(limpet_soft_history *history, limpet_arena *arena, long n,
                             const double *v, const double *impulse, const double *rest) {
  const int at = history->count == 0 ? 0 : (history->newest + 1) % MOST;
  double **to[] = {&history->v[at], &history->impulse[at], &history->rest[at]};
  const double *from[] = {v, impulse, rest};
  for (int k = 0; k < 3; ++k) {
    if (!*to[k]) *to[k] = LIMPET_TAKE(arena, double, n);
    if (!*to[k]) return false;
    memcpy(*to[k], from[k], (size_t)n * sizeof **to[k]);
  }
  history->newest = at;
  if (history->count < MOST) ++history->count;
  return true;
}

int limpet_soft_history_place(const limpet_soft_history *history, int back) {
  return (history->newest + MOST - back) % MOST;
}

// (r_i - r_0) . (r_j - r_0), or for j = 0 with -r_0.
static double product_of(const limpet_soft_history *history, long n, int i, int j) {
  const double *newest = history->rest[history->newest],
               *a = history->rest[limpet_soft_history_place(history, i)],
               *b = history->rest[limpet_soft_history_place(history, j)];
  double sum = 0.0;
  if (j == 0)
    for (long k = 0; k < n; ++k) sum -= (a[k] - newest[k]) * newest[k];
  else
    for (long k = 0; k < n; ++k) sum += (a[k] - newest[k]) * (b[k] - newest[k]);
  return sum;
}

int limpet_soft_history_shares(const limpet_soft_history *history, long n, double *share) {
  const int m = history->count - 1;
  double A[SHARES * SHARES];
  if (m < 1) return 0;
  for (int i = 0; i < m; ++i) {
    share[i] = product_of(history, n, i + 1, 0);
    for (int j = 0; j <= i; ++j) A[i * SHARES + j] = product_of(history, n, i + 1, j + 1);
  }
  return limpet_anderson_mix(m, A, SHARES, share) ? m : 0;
}
