// optim/block_rows.c: see block_rows.h.
#include "optim/block_rows.h"

double limpet_block_rows_dot(const limpet_block_rows *z, int i, const double *u) {
  const int *range = z->range + i / 3 * 4;
  const double *row = z->W + i * z->n;
  double sum = 0.0;
  for (int a = 0; a < 4; a += 2)
    for (int j = range[a]; j < range[a] + range[a + 1]; ++j) sum += row[j] * u[j];
  return sum;
}

void limpet_block_rows_axpy(const limpet_block_rows *z, int i, double a, double *u) {
  const int *range = z->range + i / 3 * 4;
  const double *row = z->W + i * z->n;
  for (int b = 0; b < 4; b += 2)
    for (int j = range[b]; j < range[b] + range[b + 1]; ++j) u[j] += a * row[j];
}

double limpet_block_rows_product(const limpet_block_rows *z, int i, int k) {
  const int *from = z->range + i / 3 * 4, *to = z->range + k / 3 * 4;
  double sum = 0.0;
  for (int a = 0; a < 4; a += 2)
    for (int b = 0; b < 4; b += 2)
      if (from[a + 1] > 0 && to[b + 1] > 0 && from[a] == to[b])
        for (int j = from[a]; j < from[a] + from[a + 1]; ++j)
          sum += z->W[i * z->n + j] * z->W[k * z->n + j];
  return sum;
}
