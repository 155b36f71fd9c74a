/* math/lu.c: see lu.h. */
#include "math/lu.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "math/dense.h"
#include "math/dense_table.h"

enum { CHUNK = 60 };  // rows of a triangle solved together

static void swap(double *x, int i, int j) {
  const double a = x[i];
  x[i] = x[j];
  x[j] = a;
}

int limpet_lu(int n, double *A, int *pivot) { return limpet_dense()->lu(n, A, pivot); }

void limpet_lu_solve(int n, const double *LU, const int *pivot, double *x) {
  limpet_dense()->lu_solve(n, LU, x);
  for (int i = n - 1; i >= 0; --i) swap(x, i, pivot[i]);
}

void limpet_lu_solve_transposed(int n, const double *LU, const int *pivot, double *x) {
  for (int i = 0; i < n; ++i) swap(x, i, pivot[i]);
  limpet_dense()->lu_solve_transposed(n, LU, x);
}

// Reciprocals of the diagonal T_ii = T[i stride] of m rows.
static void invert_diagonal(int m, const double *T, int stride, bool unit, double *inverse) {
  for (int i = 0; i < m; ++i) inverse[i] = unit ? 1.0 : 1.0 / T[i * stride];
}

// X (n x count, rows ldx apart) <- T^-1 X for a lower triangle T_ij = T[i row + j step]. `unit`:
// its diagonal is 1.
static void forward(int n, const double *T, int row, int step, bool unit, int count, double *X,
                    int ldx) {
  double inverse[CHUNK];
  for (int p = 0; p < n; p += CHUNK) {
    const int m = n - p < CHUNK ? n - p : CHUNK;
    const double *corner = T + p * (row + step);
    double *x = X + (size_t)p * (size_t)ldx;
    if (p > 0) limpet_dense()->sub_mul(m, count, p, T + p * row, row, step, X, ldx, x, ldx);
    invert_diagonal(m, corner, row + step, unit, inverse);
    limpet_dense()->solve_columns(m, count, corner, row, step, inverse, x, ldx);
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

static void swap_rows(int n, const int *pivot, int count, double *X) {
  for (int i = n - 1; i >= 0; --i)
    for (int c = 0; c < count && pivot[i] != i; ++c) {
      double *a = X + (size_t)i * (size_t)count + c, *b = X + (size_t)pivot[i] * (size_t)count + c;
      const double x = *a;
      *a = *b, *b = x;
    }
}

void limpet_lu_solve_many(int n, const double *LU, const int *pivot, int count, double *X) {
  forward(n, LU, n, 1, false, count, X, count);
  backward(n, LU, n, 1, true, count, X);
  swap_rows(n, pivot, count, X);
}

void limpet_cholesky_solve_many(int n, const double *L, int count, double *X) {
  forward(n, L, n, 1, false, count, X, count);
  backward(n, L, 1, n, false, count, X);
}

enum { STRIP = 8 };  // columns of a unit matrix solved together

// X (n x n) <- T^-1 of a lower triangle (n x n): column c is zero before row c.
static void invert_lower(int n, const double *T, double *X) {
  memset(X, 0, (size_t)n * (size_t)n * sizeof *X);
  for (int i = 0; i < n; ++i) X[i * (n + 1)] = 1.0;
  for (int c = 0; c < n; c += STRIP)
    forward(n - c, T + c * (n + 1), n, 1, false, n - c < STRIP ? n - c : STRIP, X + c * (n + 1), n);
}

void limpet_lu_inverse(int n, const double *LU, const int *pivot, double *X) {
  invert_lower(n, LU, X);
  backward(n, LU, n, 1, true, n, X);
  swap_rows(n, pivot, n, X);
}

void limpet_cholesky_inverse(int n, const double *L, double *X) {
  invert_lower(n, L, X);
  backward(n, L, 1, n, false, n, X);
}
