/* optim/anderson.c: see anderson.h. The few unknowns a solve normal equations, whose diagonal is
 * raised by round-off's share, so that steps that repeat each other do no harm. */
#include "optim/anderson.h"

#include "math/dense.h"

enum { KEPT = LIMPET_ANDERSON_MEMORY + 1 };

static const double round_off = 1e-12;  // [-]  of the trace of the normal equations

size_t limpet_anderson_size(int n) { return 2 * KEPT * (size_t)n; }

void limpet_anderson_begin(limpet_anderson *anderson, int n, const double *weight, double *memory) {
  *anderson = (limpet_anderson){
      .n = n, .weight = weight, .residual = memory, .value = memory + KEPT * (size_t)n};
}

/* product[l] = sum over i of (r_j - r_k)_i (r_l - r_k)_i for the first `count` of `place`; returns
 * that of (r_j - r_k)_i r_k_i. All at once: each sum waits for its own additions alone. */
static double products(const limpet_anderson *a, int k, int j, int count, const int *place,
                       double product[LIMPET_ANDERSON_MEMORY]) {
  const size_t n = (size_t)a->n;
  const double *rk = a->residual + (size_t)k * n, *rj = a->residual + (size_t)j * n;
  const double *r[LIMPET_ANDERSON_MEMORY];
  double sum[LIMPET_ANDERSON_MEMORY] = {0.0}, last = 0.0;
  for (int l = 0; l < LIMPET_ANDERSON_MEMORY; ++l)
    r[l] = l < count ? a->residual + (size_t)place[l] * n : rk;
  for (size_t i = 0; i < n; ++i) {
    const double from = rk[i], d = rj[i] - from;
    for (int l = 0; l < LIMPET_ANDERSON_MEMORY; ++l) sum[l] += d * (r[l][i] - from);
    last += d * from;
  }
  for (int l = 0; l < count; ++l) product[l] = sum[l];
  return last;
}

// The coefficients of the kept steps other than `now`, whose places are `place` (count).
static void mix(const limpet_anderson *a, int now, int count, const int *place, double *share) {
  double M[LIMPET_ANDERSON_MEMORY * LIMPET_ANDERSON_MEMORY], trace = 0.0;
  for (int j = 0; j < count; ++j) {
    share[j] = -products(a, now, place[j], j + 1, place, M + j * count);
    trace += M[j * count + j];
  }
  for (int j = 0; j < count; ++j) M[j * count + j] += round_off * trace;
  if (count == 0 || !(trace > 0.0) || limpet_cholesky(count, M, count)) {
    for (int j = 0; j < count; ++j) share[j] = 0.0;
    return;
  }
  limpet_cholesky_solve(count, M, count, share);
}

void limpet_anderson_step(limpet_anderson *anderson, const double *g, double *y) {
  const size_t n = (size_t)anderson->n;
  const int now = anderson->count++ % KEPT;
  double *residual = anderson->residual + (size_t)now * n;
  double *value = anderson->value + (size_t)now * n;
  for (size_t i = 0; i < n; ++i) {
    residual[i] = anderson->weight[i] * (g[i] - y[i]);
    value[i] = g[i];
  }

  // the steps before
  const int kept = anderson->count < KEPT ? anderson->count : KEPT;
  int place[LIMPET_ANDERSON_MEMORY] = {0}, count = 0;
  for (int j = 0; j < kept; ++j)
    if (j != now) place[count++] = j;
  double share[LIMPET_ANDERSON_MEMORY] = {0};
  mix(anderson, now, count, place, share);

  for (size_t i = 0; i < n; ++i) y[i] = value[i];
  for (int j = 0; j < count; ++j) {
    const double *other = anderson->value + (size_t)place[j] * n;
    for (size_t i = 0; i < n; ++i) y[i] += share[j] * (other[i] - value[i]);
  }
}
