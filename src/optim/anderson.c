/* optim/anderson.c: see anderson.h. The few unknowns solve normal equations of columns scaled to
 * length 1, whose diagonal is raised by round-off's share, so that steps that repeat each other do
 * no harm. */
#include "optim/anderson.h"

#include <assert.h>
#include <math.h>

#include "math/dense.h"

enum { MEMORY = LIMPET_ANDERSON_MEMORY };

static const double round_off = 1e-12;  // [-]  of a column's squared length

size_t limpet_anderson_size(int n) { return 2 * (MEMORY + 1) * (size_t)n; }

void limpet_anderson_begin(limpet_anderson *anderson, int n, const double *weight, double *memory) {
  const size_t size = (size_t)n;
  *anderson = (limpet_anderson){.n = n,
                                .weight = weight,
                                .residual = memory,
                                .value = memory + size,
                                .residual_change = memory + 2 * size,
                                .value_change = memory + (2 + MEMORY) * size};
}

// Keeps the change from the step before in the ring, and its products with those kept.
static void keep_change(limpet_anderson *a, const double *residual, const double *g) {
  const size_t n = (size_t)a->n;
  const int slot = (a->count - 1) % MEMORY, kept = a->count < MEMORY ? a->count : MEMORY;
  double *dr = a->residual_change + (size_t)slot * n, *dg = a->value_change + (size_t)slot * n;
  for (size_t i = 0; i < n; ++i) {
    dr[i] = residual[i] - a->residual[i];
    dg[i] = g[i] - a->value[i];
  }
  for (int j = 0; j < kept; ++j)
    a->product[slot][j] = a->product[j][slot] =
        limpet_dot(a->n, dr, a->residual_change + (size_t)j * n);
}

/* Columns d_j of length 1, (d_i d_j) b = d_i r, share_j = b_j over the column's own length. */
bool limpet_anderson_mix(int count, const double *product, int stride, double *share) {
  double M[MEMORY * MEMORY], scale[MEMORY];
  bool any = false;
  assert(count <= MEMORY && product && share);
  for (int j = 0; j < count; ++j) {
    const double square = product[j * stride + j];
    scale[j] = square > 0.0 ? 1.0 / sqrt(square) : 0.0;
    any = any || square > 0.0;
  }
  for (int j = 0; j < count; ++j) {
    for (int l = 0; l < j; ++l) M[j * count + l] = product[j * stride + l] * scale[j] * scale[l];
    M[j * count + j] = 1.0 + round_off;
    share[j] *= scale[j];
  }
  const bool mixed = any && limpet_cholesky(count, M, count) == 0;
  if (mixed) limpet_cholesky_solve(count, M, count, share);
  for (int j = 0; j < count; ++j) share[j] = mixed ? share[j] * scale[j] : 0.0;
  return mixed;
}

void limpet_anderson_step(limpet_anderson *a, const double *g, double *y) {
  const size_t n = (size_t)a->n;
  double share[MEMORY];
  for (size_t i = 0; i < n; ++i) y[i] = a->weight[i] * (g[i] - y[i]);
  if (a->count > 0) keep_change(a, y, g);
  const int kept = a->count < MEMORY ? a->count : MEMORY;
  for (int j = 0; j < kept; ++j) share[j] = limpet_dot(a->n, a->residual_change + (size_t)j * n, y);
  limpet_anderson_mix(kept, &a->product[0][0], MEMORY, share);
  a->count++;
  for (size_t i = 0; i < n; ++i) {
    a->residual[i] = y[i];
    a->value[i] = y[i] = g[i];
  }
  for (int j = 0; j < kept; ++j) limpet_axpy(a->n, -share[j], a->value_change + (size_t)j * n, y);
}
