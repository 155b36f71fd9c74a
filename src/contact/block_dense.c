/* contact/block_dense.c: see block_dense.h. */
#include "contact/block_dense.h"

#include <string.h>

#include "math/dense.h"
#include "math/dense_table.h"
#include "math/ltl.h"

enum { SMALL_BLOCK = 12 };  // rows up to which a call of a kernel costs more than it saves
enum { PIECE = 56 };        // rows that a kernel sums at once
enum { BODY = 6 };          // rows of a body that floats alone

// As apply, for the size that heaps are made of: its loops unroll.
static void apply_body(const double *A, const double *x, double *y) {
  double sum[BODY];
  memcpy(sum, y, sizeof sum);
  for (int c = 0; c < BODY; ++c)
    for (int r = 0; r < BODY; ++r) sum[r] += x[c] * A[c * BODY + r];
  memcpy(y, sum, sizeof sum);
}

enum { STRIP = 4, WIDE = 8 };  // rows that are summed at once

// Two numbers at a time, which every 64-bit processor can do.
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

// The same for WIDE rows of a matrix of n columns, for STRIP, for two and for one.
static void apply_wide(int n, const double *A, const double *x, double *y) {
  pair sum[WIDE / 2];
#pragma GCC unroll 4
  for (int k = 0; k < WIDE / 2; ++k) sum[k] = *(const pair *)(y + 2 * k);
  for (int c = 0; c < n; ++c, A += n) {
    const pair v = {x[c], x[c]};
#pragma GCC unroll 4
    for (int k = 0; k < WIDE / 2; ++k) sum[k] += v * *(const pair *)(A + 2 * k);
  }
#pragma GCC unroll 4
  for (int k = 0; k < WIDE / 2; ++k) *(pair *)(y + 2 * k) = sum[k];
}

static void apply_strip(int n, const double *A, const double *x, double *y) {
  pair low = *(const pair *)y, high = *(const pair *)(y + 2);
  for (int c = 0; c < n; ++c, A += n) {
    low += x[c] * *(const pair *)A;
    high += x[c] * *(const pair *)(A + 2);
  }
  *(pair *)y = low, *(pair *)(y + 2) = high;
}

static void apply_pair(int n, const double *A, const double *x, double *y) {
  pair sum = *(const pair *)y;
  for (int c = 0; c < n; ++c, A += n) sum += x[c] * *(const pair *)A;
  *(pair *)y = sum;
}

static double apply_row(int n, const double *A, const double *x, double y) {
  for (int c = 0; c < n; ++c) y += x[c] * A[c * n];
  return y;
}

void limpet_block_dense_apply(const limpet_block *block, const double *x, double *y) {
  // by rows of the symmetric matrix
  const int n = block->size;
  const double *A = block->matrix;
  if (n == BODY) {
    apply_body(A, x, y);
    return;
  }
  if (n == 2) {  // two hinges
    apply_pair(2, A, x, y);
    return;
  }
  if (n > SMALL_BLOCK) {
    for (int r = 0; r < n; r += PIECE) {
      double sum[PIECE];
      const int rows = n - r < PIECE ? n - r : PIECE;
      limpet_dense()->tmul_vec(n, rows, A + r, n, x, sum);
      for (int i = 0; i < rows; ++i) y[r + i] += sum[i];
    }
    return;
  }
  int r = 0;
  if (n >= WIDE) apply_wide(n, A, x, y), r = WIDE;
  for (; r + STRIP <= n; r += STRIP) apply_strip(n, A + r, x, y + r);
  if (r + 2 <= n) apply_pair(n, A + r, x, y + r), r += 2;
  for (; r < n; ++r) y[r] = apply_row(n, A + r, x, y[r]);
}

void limpet_block_dense_diagonal(const limpet_block *block, double *to) {
  for (int i = 0; i < block->size; ++i) to[i] = block->matrix[i * block->size + i];
}

void limpet_block_dense_copy(const limpet_block *block, bool lower, double *to, size_t stride) {
  const int n = block->size;
  for (int i = 0; i < n; ++i)
    memcpy(to + (size_t)i * stride, block->matrix + i * n,
           (size_t)(lower ? i + 1 : n) * sizeof *to);
}

// Rows of a factor: those of trees have zeros between branches.
static int rows_of_factor(const limpet_block *block) {
  return limpet_ltl_pays(block->size) ? limpet_ltl_padded(block->size) : block->size;
}

size_t limpet_block_dense_factor_size(const limpet_block *block) {
  const size_t rows = (size_t)rows_of_factor(block);
  return rows * rows;
}

bool limpet_block_dense_factor(const limpet_block *block, double *to) {
  const int n = block->size, rows = rows_of_factor(block);
  if (limpet_ltl_pays(n)) {
    limpet_ltl()->copy(n, block->matrix, n, to);
    return limpet_ltl()->factor(rows, to, rows) == 0;
  }
  memcpy(to, block->matrix, limpet_block_dense_factor_size(block) * sizeof *to);
  return limpet_cholesky(n, to, n) == 0;
}

void limpet_block_dense_solve(const limpet_block *block, const double *factor_of, double *x) {
  const int n = block->size, rows = rows_of_factor(block);
  if (!limpet_ltl_pays(n)) {
    limpet_cholesky_solve(n, factor_of, n, x);
    return;
  }
  double padded[LIMPET_LTL_LIMIT];
  memcpy(padded, x, (size_t)n * sizeof *x);
  for (int i = n; i < rows; ++i) padded[i] = 0.0;
  limpet_ltl()->solve(rows, factor_of, rows, padded);
  memcpy(x, padded, (size_t)n * sizeof *x);
}
