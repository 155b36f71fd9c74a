/* math/decompose.c: see decompose.h. */
#include "math/decompose.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "math/dense.h"

// Rotation in the plane (i, k) that makes A_ik zero, applied to A and V.
static void rotate(int n, double *A, double *V, int i, int k) {
  const double theta = 0.5 * (A[k * n + k] - A[i * n + i]) / A[i * n + k];
  const double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(1.0 + theta * theta));
  const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
  for (int j = 0; j < n; ++j) {
    const double a = A[j * n + i], b = A[j * n + k];
    A[j * n + i] = c * a - s * b, A[j * n + k] = s * a + c * b;
  }
  for (int j = 0; j < n; ++j) {
    const double a = A[i * n + j], b = A[k * n + j];
    A[i * n + j] = c * a - s * b, A[k * n + j] = s * a + c * b;
  }
  for (int j = 0; j < n; ++j) {
    const double a = V[j * n + i], b = V[j * n + k];
    V[j * n + i] = c * a - s * b, V[j * n + k] = s * a + c * b;
  }
}

void limpet_symmetric_eigen(int n, double *A, double *lambda, double *V) {
  assert(n >= 0 && (n == 0 || (A && lambda && V)));
  enum { SWEEPS = 30 };
  double size = 0.0;
  memset(V, 0, (size_t)(n * n) * sizeof *V);
  for (int i = 0; i < n; ++i) V[i * n + i] = 1.0, size = fmax(size, fabs(A[i * n + i]));
  bool changed = n > 1;
  for (int sweep = 0; sweep < SWEEPS && changed; ++sweep) {
    changed = false;
    for (int i = 0; i < n; ++i)
      for (int k = i + 1; k < n; ++k)
        if (fabs(A[i * n + k]) > 1e-17 * size) rotate(n, A, V, i, k), changed = true;
  }
  for (int i = 0; i < n; ++i) lambda[i] = A[i * n + i];
}

int limpet_symmetric_pseudo_solve(int n, const double *lambda, const double *V, double cutoff,
                                  const double *b, double *work, double *x) {
  assert(n >= 0 && cutoff >= 0.0);
  double largest = 0.0;
  int rank = 0;
  for (int k = 0; k < n; ++k) largest = fmax(largest, fabs(lambda[k]));
  for (int k = 0; k < n; ++k) {
    work[k] = 0.0;
    if (!(fabs(lambda[k]) > cutoff * largest)) continue;
    for (int i = 0; i < n; ++i) work[k] += V[i * n + k] * b[i];
    work[k] /= lambda[k];
    ++rank;
  }
  for (int i = 0; i < n; ++i) x[i] = limpet_dot(n, V + i * n, work);
  return rank;
}

// The largest of rows from .. p - 1 of C, beyond column `from`, swapped to `from`; returns its
// squared length there.
static double pivot(int p, int m, double *C, int from) {
  int best = from;
  double longest = -1.0;
  for (int i = from; i < p; ++i) {
    const double length = limpet_dot(m - from, C + i * m + from, C + i * m + from);
    if (length > longest) longest = length, best = i;
  }
  for (int j = 0; j < m && best != from; ++j) {
    const double t = C[best * m + j];
    C[best * m + j] = C[from * m + j], C[from * m + j] = t;
  }
  return longest;
}

int limpet_null_basis(int p, int m, double *C, double cutoff, double *work, double *N) {
  assert(p >= 0 && m >= 0 && cutoff >= 0.0);
  const int most = p < m ? p : m;
  int rank = 0;
  double first = 0.0;
  for (; rank < most; ++rank) {
    const double squared = pivot(p, m, C, rank), length = sqrt(squared);
    if (rank == 0) first = length;
    if (!(length > cutoff * first)) break;

    // the reflector replaces the row, beyond the diagonal and on it; work: 2 over its squared
    // length
    double *v = C + rank * m + rank;
    const int size = m - rank;
    const double alpha = v[0] > 0.0 ? -length : length;
    v[0] -= alpha;
    work[rank] = 2.0 / limpet_dot(size, v, v);
    for (int i = rank + 1; i < p; ++i) {
      double *row = C + i * m + rank;
      limpet_axpy(size, -work[rank] * limpet_dot(size, v, row), v, row);
    }
  }
  for (int k = rank; k < m; ++k) {
    double *row = N + (k - rank) * m;
    memset(row, 0, (size_t)m * sizeof *row);
    row[k] = 1.0;
    for (int r = rank - 1; r >= 0; --r) {
      const double *v = C + r * m + r;
      limpet_axpy(m - r, -work[r] * limpet_dot(m - r, v, row + r), v, row + r);
    }
  }
  return m - rank;
}
