/* math/decompose.h: two orthogonal decompositions of small dense matrices, row-major. */
#ifndef LIMPET_MATH_DECOMPOSE_H
#define LIMPET_MATH_DECOMPOSE_H

/* A = V diag(lambda) V' of a symmetric A (n x n, destroyed) by reflections to a tridiagonal matrix
 * and implicit QL steps; column k of V (n x n) belongs to lambda[k] (n), in no order. Errors are
 * round-off of the largest eigenvalue, for small ones too. The singular value decomposition of A
 * where A is positive semidefinite. 9 n^3 operations. work (n). Bowdler, Martin, Reinsch,
 * Wilkinson, The QR and QL algorithms for symmetric matrices, Numerische Mathematik 11 (1968). */
void limpet_symmetric_eigen(int n, double *A, double *work, double *lambda, double *V);

/* x = pseudo-inverse of A = V diag(lambda) V' times b: the least-squares solution of least norm.
 * Eigenvalues up to `cutoff` times the largest count as zero. Returns the rank. work (n). */
int limpet_symmetric_pseudo_solve(int n, const double *lambda, const double *V, double cutoff,
                                  const double *b, double *work, double *x);

/* An orthonormal basis of the null space of C (p x m): rows of N (room for m x m), C N' = 0; by
 * Householder reflections of C' with column pivoting. Pivots up to `cutoff` times the first count
 * as zero. Returns the dimension m - rank. C (p x m) is destroyed. work (p). */
int limpet_null_basis(int p, int m, double *C, double cutoff, double *work, double *N);

#endif
