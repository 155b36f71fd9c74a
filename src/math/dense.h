/* math/dense.h: small dense kernels, row-major, leading dimension given. They are compiled for
 * several instruction sets and chosen once per process; on one type of CPU the results are the same
 * bits at any thread count. */
#ifndef LIMPET_MATH_DENSE_H
#define LIMPET_MATH_DENSE_H

#include <stdbool.h>
#include <stddef.h>

/* A = L L' in place for the lower triangle of the symmetric positive definite A (n x n, leading
 * dimension lda); the strict upper triangle is not touched. Returns 0, or 1 + the row of the first
 * pivot that is not positive. */
int limpet_cholesky(int n, double *A, int lda);
// x = A^-1 x with the factor above.
void limpet_cholesky_solve(int n, const double *L, int lda, double *x);

/* x <- A^-1 x for a symmetric positive definite A (n x n, both triangles), whose zeros between
 * branches are spared. work: limpet_positive_work(n) doubles. False where A is not positive
 * definite; x is as it was then. */
bool limpet_positive_solve(int n, const double *A, int lda, double *work, double *x);
size_t limpet_positive_work(int n);
// The same with what the first one left in work.
void limpet_positive_again(int n, const double *work, double *x);

static inline bool limpet_is_zero(int n, const double *x) {
  for (int i = 0; i < n; ++i)
    if (x[i] != 0.0) return false;
  return true;
}

double limpet_dot(int n, const double *x, const double *y);
void limpet_axpy(int n, double a, const double *x, double *y);  // y += a x

#endif
