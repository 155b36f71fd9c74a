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

int limpet_lu(int n, double *A, int *pivot) {
  for (int k = 0; k < n; ++k) {
    int p = k;
    for (int i = k + 1; i < n; ++i)
      if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
    pivot[k] = p;
    if (!(fabs(A[p * n + k]) > 0.0)) return 1 + k;
    swap_rows(n, A, k, p);
    for (int i = k + 1; i < n; ++i) {
      double *row = A + (size_t)i * (size_t)n;
      row[k] /= A[k * n + k];
      limpet_axpy(n - k - 1, -row[k], A + k * (n + 1) + 1, row + k + 1);
    }
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

enum { ROWS = 6 };  // solved together: the height of a tile of products

// Rows p .. p + m of X <- T^-1 X for a triangle T_ij = T[i row + j step] on the diagonal, from its
// first row on (`up`: from its last one). `unit`: its diagonal is 1.
static void triangle_solve(int m, const double *T, int row, int step, bool up, bool unit, int count,
                           double *X) {
  for (int k = 0; k < m; ++k) {
    const int i = up ? m - 1 - k : k;
    double *x = X + (size_t)i * (size_t)count;
    for (int j = up ? i + 1 : 0; j < (up ? m : i); ++j)
      limpet_axpy(count, -T[i * row + j * step], X + (size_t)j * (size_t)count, x);
    const double inverse = unit ? 1.0 : 1.0 / T[i * (row + step)];
    for (int c = 0; c < count && !unit; ++c) x[c] *= inverse;
  }
}

// X <- T^-1 X for a lower triangle.
static void forward(int n, const double *T, int row, int step, bool unit, int count, double *X) {
  for (int p = 0; p < n; p += ROWS) {
    const int m = n - p < ROWS ? n - p : ROWS;
    double *x = X + (size_t)p * (size_t)count;
    if (p > 0) limpet_dense()->sub_mul(m, count, p, T + p * row, row, step, X, count, x, count);
    triangle_solve(m, T + p * (row + step), row, step, false, unit, count, x);
  }
}

// The same for an upper one.
static void backward(int n, const double *T, int row, int step, bool unit, int count, double *X) {
  for (int p = (n - 1) / ROWS * ROWS; p >= 0; p -= ROWS) {
    const int m = n - p < ROWS ? n - p : ROWS, rest = n - p - m;
    double *x = X + (size_t)p * (size_t)count;
    if (rest > 0)
      limpet_dense()->sub_mul(m, count, rest, T + p * row + (p + m) * step, row, step,
                              x + (size_t)m * (size_t)count, count, x, count);
    triangle_solve(m, T + p * (row + step), row, step, true, unit, count, x);
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

void limpet_lu_solve_transposed(int n, const double *LU, const int *pivot, double *x) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) x[i] -= LU[j * n + i] * x[j];
    x[i] /= LU[i * n + i];
  }
  for (int i = n - 1; i >= 0; --i)
    for (int j = i + 1; j < n; ++j) x[i] -= LU[j * n + i] * x[j];
  for (int i = n - 1; i >= 0; --i) swap(x, i, pivot[i]);
}
