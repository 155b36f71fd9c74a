/* math/lu.c: see lu.h. */
#include "math/lu.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "math/dense.h"
#include "math/dense_table.h"

static void swap_rows(int n, double *A, int i, int j) {
  for (int k = 0; k < n && i != j; ++k) {
    const double a = A[i * n + k];
    A[i * n + k] = A[j * n + k];
    A[j * n + k] = a;
  }
}

static void swap(double *x, int i, int j) {
  const double a = x[i];
  x[i] = x[j];
  x[j] = a;
}

enum {
  PANEL = LIMPET_LU_WORK,
  CHUNK = 60
};  // columns factored together; rows of a triangle solved together

/* Columns p .. p + m of the rows from p on, without pivots before them. columns (m x n): work, in
 * which each of them lies in one piece. 0, or 1 + the bad column. */
static int panel_factor(int n, int p, int m, double *A, double *columns, int *pivot) {
  const int rows = n - p;
  double *corner = A + (size_t)p * (size_t)(n + 1);
  limpet_dense()->transpose(rows, m, corner, n, columns, rows);
  for (int k = 0; k < m; ++k) {
    double *own = columns + k * rows;
    int best = k;
    for (int i = k + 1; i < rows; ++i)
      if (fabs(own[i]) > fabs(own[best])) best = i;
    pivot[p + k] = p + best;
    if (!(fabs(own[best]) > 0.0)) return 1 + p + k;
    for (int j = 0; j < m && best != k; ++j) swap(columns + j * rows, k, best);
    const double inverse = 1.0 / own[k];
    for (int i = k + 1; i < rows; ++i) own[i] *= inverse;
    for (int j = k + 1; j < m; ++j) {
      double *to = columns + j * rows;
      limpet_dense()->axpy(rows - k - 1, -to[k], own + k + 1, to + k + 1);
    }
  }
  // the other columns take their rows in the same order
  for (int k = 0; k < m; ++k)
    if (pivot[p + k] != p + k) swap_rows(n, A, p + k, pivot[p + k]);
  limpet_dense()->transpose(m, rows, columns, rows, corner, n);
  return 0;
}

int limpet_lu(int n, double *A, double *work, int *pivot) {
  static const double unit[PANEL] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  for (int p = 0; p < n; p += PANEL) {
    const int m = n - p < PANEL ? n - p : PANEL, rest = n - p - m;
    const int failed = panel_factor(n, p, m, A, work, pivot);
    if (failed) return failed;
    if (rest == 0) return 0;
    double *corner = A + (size_t)p * (size_t)(n + 1), *beside = corner + m,
           *below = corner + (size_t)m * (size_t)n;
    limpet_dense()->solve_columns(m, rest, corner, n, 1, unit, beside, n);
    limpet_dense()->sub_mul(rest, rest, m, below, n, 1, beside, n, below + m, n);
  }
  return 0;
}

void limpet_lu_solve(int n, const double *LU, const int *pivot, double *x) {
  for (int i = 0; i < n; ++i) swap(x, i, pivot[i]);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) x[i] -= LU[i * n + j] * x[j];
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) x[i] -= LU[i * n + j] * x[j];
    x[i] /= LU[i * n + i];
  }
}

// Reciprocals of the diagonal T_ii = T[i stride] of m rows.
static void invert_diagonal(int m, const double *T, int stride, bool unit, double *inverse) {
  for (int i = 0; i < m; ++i) inverse[i] = unit ? 1.0 : 1.0 / T[i * stride];
}

// X <- T^-1 X for a lower triangle T_ij = T[i row + j step]. `unit`: its diagonal is 1.
static void forward(int n, const double *T, int row, int step, bool unit, int count, double *X) {
  double inverse[CHUNK];
  for (int p = 0; p < n; p += CHUNK) {
    const int m = n - p < CHUNK ? n - p : CHUNK;
    const double *corner = T + p * (row + step);
    double *x = X + (size_t)p * (size_t)count;
    if (p > 0) limpet_dense()->sub_mul(m, count, p, T + p * row, row, step, X, count, x, count);
    invert_diagonal(m, corner, row + step, unit, inverse);
    limpet_dense()->solve_columns(m, count, corner, row, step, inverse, x, count);
  }
}

// The same for an upper one, from its last row: with both orders turned round it is a lower one.
static void backward(int n, const double *T, int row, int step, bool unit, int count, double *X) {
  double inverse[CHUNK];
  for (int p = (n - 1) / CHUNK * CHUNK; p >= 0; p -= CHUNK) {
    const int m = n - p < CHUNK ? n - p : CHUNK, rest = n - p - m, last = p + m - 1;
    const double *corner = T + last * (row + step);
    double *x = X + (size_t)p * (size_t)count;
    if (rest > 0)
      limpet_dense()->sub_mul(m, count, rest, T + p * row + (p + m) * step, row, step,
                              x + (size_t)m * (size_t)count, count, x, count);
    invert_diagonal(m, corner, -(row + step), unit, inverse);
    limpet_dense()->solve_columns(m, count, corner, -row, -step, inverse,
                                  X + (size_t)last * (size_t)count, -count);
  }
}

void limpet_lu_solve_many(int n, const double *LU, const int *pivot, int count, double *X) {
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < count && pivot[i] != i; ++c) {
      double *a = X + (size_t)i * (size_t)count + c, *b = X + (size_t)pivot[i] * (size_t)count + c;
      const double x = *a;
      *a = *b, *b = x;
    }
  forward(n, LU, n, 1, true, count, X);
  backward(n, LU, n, 1, false, count, X);
}

void limpet_cholesky_solve_many(int n, const double *L, int count, double *X) {
  forward(n, L, n, 1, false, count, X);
  backward(n, L, 1, n, false, count, X);
}

// By rows of the factors, which lie in one piece.
void limpet_lu_solve_transposed(int n, const double *LU, const int *pivot, double *x) {
  for (int i = 0; i < n; ++i) {
    const double *row = LU + i * n;
    x[i] /= row[i];
    for (int j = i + 1; j < n; ++j) x[j] -= row[j] * x[i];
  }
  for (int i = n - 1; i > 0; --i)
    for (int j = 0; j < i; ++j) x[j] -= LU[i * n + j] * x[i];
  for (int i = n - 1; i >= 0; --i) swap(x, i, pivot[i]);
}
