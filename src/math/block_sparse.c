/* math/block_sparse.c: numeric part of the block-sparse Cholesky factorisation H = L L'.
 *
 * Supernode by supernode in the order of elimination, right-looking: with D (w x w) its diagonal
 * block and P (w x r) its block row of the upper factor,
 *   D = L L',   P <- L^-1 P,   and H[R, R] -= P' P for the rows R that P reaches,
 * the last by the list of outer products that the symbolic part has laid out (block_symbolic.c).
 * Solves: y = L^-1 b forward, x = L^-T y backward over the supernodes. Reference: Davis, Direct
 * Methods for Sparse Linear Systems, chapter 4.
 * Memory: what the symbolic part took. Cost: limpet_block_cholesky_flops multiply-adds. Sums run in
 * a fixed order. */
#include "math/block_sparse.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "math/block_symbolic.h"
#include "math/dense.h"
#include "math/dense_table.h"

int limpet_block_cholesky_rows(const limpet_block_cholesky *factor) { return factor->row_count; }

long limpet_block_cholesky_doubles(const limpet_block_cholesky *factor) {
  return factor->value_count;
}

double limpet_block_cholesky_flops(const limpet_block_cholesky *factor) {
  double flops = 0.0;
  for (int s = 0; s < factor->supernode_count; ++s) {
    const double w = factor->supernode[s].width, r = factor->supernode[s].below;
    flops += w * (w * w / 6.0 + 0.5 * r * (w + r));
  }
  return flops;
}

double *limpet_block_cholesky_values(limpet_block_cholesky *factor) { return factor->values; }

void limpet_block_cholesky_zero(limpet_block_cholesky *factor) {
  memset(factor->values, 0, (size_t)factor->value_count * sizeof(double));
}

long limpet_block_cholesky_offset(const limpet_block_cholesky *factor, int i, int j, int *stride,
                                  int *transposed) {
  assert(i >= 0 && i < factor->n && j >= 0 && j < factor->n);
  int p = factor->position[i], q = factor->position[j];
  const int swapped = p > q;  // the later block of the two is i
  if (swapped) {
    const int t = p;
    p = q, q = t;
  }
  const limpet_supernode *s = &factor->supernode[factor->owner[p]];
  const int first = factor->row[p] - s->row;
  if (q <= s->last) {  // in the diagonal block: rows of the later block, lower triangle
    *stride = s->width;
    *transposed = !swapped && p != q;
    return s->diagonal + (long)(factor->row[q] - s->row) * s->width + first;
  }

  // in the panel: rows of the earlier block
  const int *list = factor->list + s->list;
  int low = 0, high = s->list_count - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (list[middle] < q) low = middle + 1;
    else high = middle;
  }
  assert(s->list_count > 0 && list[low] == q && "the block is not in the pattern");
  *stride = s->stride;
  *transposed = swapped;
  return s->panel + (long)first * s->stride + factor->column[s->list + low];
}

double *limpet_block_cholesky_block(limpet_block_cholesky *factor, int i, int j, int *stride,
                                    int *transposed) {
  return factor->values + limpet_block_cholesky_offset(factor, i, j, stride, transposed);
}

// The caller's block that owns row `row` of a supernode.
static int block_of_row(const limpet_block_cholesky *factor, const limpet_supernode *s, int row) {
  int p = s->first;
  while (p < s->last && factor->row[p + 1] - s->row <= row) ++p;
  return factor->block[p];
}

int limpet_block_cholesky_factor(limpet_block_cholesky *factor) {
  assert(factor);
  const limpet_dense_table *dense = limpet_dense();
  double *values = factor->values;
  for (int k = 0; k < factor->supernode_count; ++k) {
    const limpet_supernode *s = &factor->supernode[k];
    double *D = values + s->diagonal, *P = values + s->panel, *inverse = factor->inverse + s->row;
    const int failed = dense->cholesky(s->width, D, s->width, inverse);
    if (failed) return 1 + block_of_row(factor, s, failed - 1);
    if (s->below == 0) continue;
    dense->panel_solve(s->width, s->below, D, inverse, P, s->stride);
    dense->panel_update(s->update_count, factor->update + s->update, s->width, P, s->stride,
                        values);
  }
  return 0;
}

enum { BODY = 6 };  // rows of a free body, which heaps are made of

// to <- from, of a block's rows.
static inline void rows_copy(int size, const double *from, double *to) {
  if (size == BODY) memcpy(to, from, BODY * sizeof *to);
  else memcpy(to, from, (size_t)size * sizeof *to);
}

static void rows_gather(const limpet_block_cholesky *factor, const limpet_supernode *s,
                        const double *x, double *y) {
  const int *list = factor->list + s->list, *column = factor->column + s->list;
  for (int k = 0; k < s->list_count; ++k) {
    const int row = factor->row[list[k]];
    rows_copy(factor->row[list[k] + 1] - row, x + row, y + column[k]);
  }
}

static void rows_subtract(const limpet_block_cholesky *factor, const limpet_supernode *s,
                          const double *y, double *x) {
  const int *list = factor->list + s->list, *column = factor->column + s->list;
  for (int k = 0; k < s->list_count; ++k) {
    const int row = factor->row[list[k]], size = factor->row[list[k] + 1] - row;
    double *to = x + row;
    const double *from = y + column[k];
    if (size == BODY)
      for (int i = 0; i < BODY; ++i) to[i] -= from[i];
    else
      for (int i = 0; i < size; ++i) to[i] -= from[i];
  }
}

void limpet_block_cholesky_solve(const limpet_block_cholesky *factor, double *b) {
  assert(factor && (factor->n == 0 || b));
  const limpet_dense_table *dense = limpet_dense();
  double *x = factor->x, *y = factor->y, *values = factor->values;
  for (int p = 0; p < factor->n; ++p)
    rows_copy(factor->row[p + 1] - factor->row[p], b + factor->origin[p], x + factor->row[p]);

  for (int k = 0; k < factor->supernode_count; ++k) {
    const limpet_supernode *s = &factor->supernode[k];
    const double *D = values + s->diagonal, *P = values + s->panel;
    if (limpet_is_zero(s->width, x + s->row)) continue;  // forces on few nodes
    if (s->only_bodies) {
      dense->bodies_forward(s->list_count, factor->list + s->list, factor->row, D,
                            factor->inverse + s->row, P, s->stride, x + s->row, x);
      continue;
    }
    dense->panel_forward(s->width, s->below, D, factor->inverse + s->row, P, s->stride, x + s->row,
                         y);
    rows_subtract(factor, s, y, x);
  }
  for (int k = factor->supernode_count - 1; k >= 0; --k) {
    const limpet_supernode *s = &factor->supernode[k];
    const double *D = values + s->diagonal, *P = values + s->panel;
    if (s->only_bodies) {
      dense->bodies_backward(s->list_count, factor->list + s->list, factor->row, D,
                             factor->inverse + s->row, P, s->stride, x + s->row, x);
      continue;
    }
    rows_gather(factor, s, x, y);
    dense->panel_backward(s->width, s->below, D, factor->inverse + s->row, P, s->stride, x + s->row,
                          y);
  }

  for (int p = 0; p < factor->n; ++p)
    rows_copy(factor->row[p + 1] - factor->row[p], x + factor->row[p], b + factor->origin[p]);
}
