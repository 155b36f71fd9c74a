/* math/decompose.c: see decompose.h. */
#include "math/decompose.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "math/dense.h"

/* A <- T = Q' A Q by reflections of its rows, one after the other: the diagonal of T to `diagonal`
 * (n), what is beside it to A[k + 1, k]. Reflector k stays in row k beyond the diagonal and 2 over
 * its squared length on it, 0 for none. work (n). */
static void tridiagonalise(int n, double *A, double *diagonal, double *work) {
  for (int k = 0; k < n; ++k) {
    double *v = A + k * n + k + 1;
    const int size = n - k - 1;
    const double length = sqrt(limpet_dot(size, v, v));
    diagonal[k] = A[k * n + k];
    A[k * n + k] = 0.0;
    if (size == 0) continue;
    double *below = A + (k + 1) * n + k;
    *below = v[0];
    if (size == 1 || length <= fabs(v[0])) continue;
    *below = v[0] > 0.0 ? -length : length;
    v[0] -= *below;
    const double scale = 2.0 / limpet_dot(size, v, v);
    double *block = A + (k + 1) * n + k + 1;
    for (int i = 0; i < size; ++i) work[i] = scale * limpet_dot(size, block + i * n, v);
    limpet_axpy(size, -0.5 * scale * limpet_dot(size, work, v), v, work);
    for (int i = 0; i < size; ++i) {
      limpet_axpy(size, -v[i], work, block + i * n);
      limpet_axpy(size, -work[i], v, block + i * n);
    }
    A[k * n + k] = scale;
  }
}

// Q (n x n), the product of the reflectors that tridiagonalise left in A. work (n).
static void reflectors_multiply(int n, const double *A, double *work, double *Q) {
  memset(Q, 0, (size_t)(n * n) * sizeof *Q);
  for (int i = 0; i < n; ++i) Q[i * n + i] = 1.0;
  for (int k = n - 2; k >= 0; --k) {
    const double scale = A[k * n + k], *v = A + k * n + k + 1;
    const int size = n - k - 1;
    if (scale == 0.0) continue;
    double *block = Q + (k + 1) * n + k + 1;
    memset(work, 0, (size_t)size * sizeof *work);
    for (int i = 0; i < size; ++i) limpet_axpy(size, scale * v[i], block + i * n, work);
    for (int i = 0; i < size; ++i) limpet_axpy(size, -v[i], work, block + i * n);
  }
}

static void transpose(int n, double *A) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) {
      const double t = A[i * n + j];
      A[i * n + j] = A[j * n + i], A[j * n + i] = t;
    }
}

// Rotation of two vectors: (a, b) <- (c a - s b, s a + c b).
static void rotate(int n, double c, double s, double *restrict a, double *restrict b) {
  for (int j = 0; j < n; ++j) {
    const double t = a[j];
    a[j] = c * t - s * b[j];
    b[j] = s * t + c * b[j];
  }
}

/* One implicit QL step on rows l to m of a tridiagonal matrix, d (diagonal) and e (beside it), with
 * the shift by the eigenvalue near d[l] of its first two rows; the rows of V' turn along. */
static void ql_step(int n, int l, int m, double *d, double *e, double *transposed) {
  const double ratio = 0.5 * (d[l + 1] - d[l]) / e[l];
  double g = d[m] - d[l] + e[l] / (ratio + copysign(hypot(ratio, 1.0), ratio));
  double s = 1.0, c = 1.0, p = 0.0;
  for (int i = m - 1; i >= l; --i) {
    const double f = s * e[i], b = c * e[i], r = hypot(f, g);
    e[i + 1] = r;
    if (r == 0.0) {  // the matrix falls apart here
      d[i + 1] -= p, e[m] = 0.0;
      return;
    }
    s = f / r, c = g / r;
    const double before = d[i + 1] - p, t = (d[i] - before) * s + 2.0 * c * b;
    p = s * t;
    d[i + 1] = before + p;
    g = c * t - b;
    rotate(n, c, s, transposed + i * n, transposed + (i + 1) * n);
  }
  d[l] -= p, e[l] = g, e[m] = 0.0;
}

void limpet_symmetric_eigen(int n, double *A, double *work, double *lambda, double *V) {
  assert(n >= 0 && (n == 0 || (A && work && lambda && V)));
  enum { STEPS = 60 };  // for one eigenvalue; two or three are usual
  if (n == 0) return;
  tridiagonalise(n, A, lambda, work);
  double size = fabs(lambda[0]), *e = A;
  for (int k = 1; k < n; ++k) size = fmax(size, fmax(fabs(lambda[k]), fabs(A[k * n + k - 1])));
  reflectors_multiply(n, A, work, V);
  transpose(n, V);
  for (int k = 1; k < n; ++k) e[k - 1] = A[k * n + k - 1];
  e[n - 1] = 0.0;
  for (int l = 0; l < n; ++l)
    for (int step = 0; step < STEPS; ++step) {
      int m = l;
      while (m < n - 1 && fabs(e[m]) > DBL_EPSILON * size) ++m;
      if (m == l) break;
      ql_step(n, l, m, lambda, e, V);
    }
  transpose(n, V);
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
