/* math/decompose.h: two orthogonal decompositions of small dense matrices, row-major; slow and
 * sure. */
#ifndef LIMPET_MATH_DECOMPOSE_H
#define LIMPET_MATH_DECOMPOSE_H

/* A = V diag(lambda) V' of a symmetric A (n x n, destroyed) by cyclic Jacobi rotations; column k
 * of V (n x n) belongs to lambda[k] (n), in no order. The singular value decomposition of A
 * where A is positive semidefinite. O(n^3) a sweep, some 8 sweeps. Golub, Van Loan, Matrix
 * Computations, 8.5. */
void limpet_symmetric_eigen(int n, double *A, double *lambda, double *V);

/* x = pseudo-inverse of A = V diag(lambda) V' times b: the least-squares solution of least norm.
 * Eigenvalues up to `cutoff` times the largest count as zero. Returns the rank. work (n). */
int limpet_symmetric_pseudo_solve(int n, const double *lambda, const double *V, double cutoff,
                                  const double *b, double *work, double *x);

/* An orthonormal basis of the null space of C (p x m): rows of N (room for m x m), C N' = 0; by
 * Householder reflections of C' with column pivoting. Pivots up to `cutoff` times the first count
 * as zero. Returns the dimension m - rank. C (p x m) is destroyed. work (p). */
int limpet_null_basis(int p, int m, double *C, double cutoff, double *work, double *N);

#endif
