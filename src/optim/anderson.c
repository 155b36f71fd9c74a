/* optim/anderson.c: see anderson.h. The few unknowns solve normal equations of columns scaled to
 * length 1, whose diagonal is raised by round-off's share, so that steps that repeat each other do
 * no harm. */
#include "optim/anderson.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/dense_table.h"

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

/* y <- the weighted residual r = g - y. Its change and that of g from the step before go into the
 * ring, the products of its change with those kept into `product`; share_j = d_j . r. Returns how
 * many are kept. */
static int keep_change(limpet_anderson *a, const double *g, double *y, double share[MEMORY]) {
  const size_t n = (size_t)a->n;
  const int slot = (a->count - 1) % MEMORY, kept = a->count < MEMORY ? a->count : MEMORY;
  double *dr = a->residual_change + (size_t)slot * n, *dg = a->value_change + (size_t)slot * n;
  limpet_dense()->weigh_change(a->n, a->weight, g, y, a->residual, a->value, dr, dg);
  double of_change[MEMORY];
  limpet_dense()->row_products(kept, a->n, a->residual_change, a->n, dr, y, of_change, share);
  for (int j = 0; j < kept; ++j) a->product[slot][j] = a->product[j][slot] = of_change[j];
  return kept;
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
  const size_t n = (size_t)a->n, size = n * sizeof *y;
  if (a->count == 0) {
    for (size_t i = 0; i < n; ++i) a->residual[i] = a->weight[i] * (g[i] - y[i]);
    memcpy(a->value, g, size);
    memcpy(y, g, size);
    a->count = 1;
    return;
  }
  double share[MEMORY];
  const int kept = keep_change(a, g, y, share);
  limpet_anderson_mix(kept, &a->product[0][0], MEMORY, share);
  a->count++;
  limpet_dense()->tmul_vec(kept, a->n, a->value_change, a->n, share, y);
  for (size_t i = 0; i < n; ++i) y[i] = g[i] - y[i];
}
