/* math/lu.c: see lu.h. */
#include "math/lu.h"

#include <math.h>

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
      const double share = A[i * n + k] /= A[k * n + k];
      for (int j = k + 1; j < n; ++j) A[i * n + j] -= share * A[k * n + j];
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

void limpet_lu_solve_transposed(int n, const double *LU, const int *pivot, double *x) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) x[i] -= LU[j * n + i] * x[j];
    x[i] /= LU[i * n + i];
  }
  for (int i = n - 1; i >= 0; --i)
    for (int j = i + 1; j < n; ++j) x[i] -= LU[j * n + i] * x[j];
  for (int i = n - 1; i >= 0; --i) swap(x, i, pivot[i]);
}
