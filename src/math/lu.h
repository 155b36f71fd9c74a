/* math/lu.h: dense LU factorisation with partial pivoting, for small matrices without symmetry.
 *
 *   A P' = L U,  A row-major (n x n): columns change places, see dense_lu.h
 * Cost: 2 n^3/3 operations, n^2 twice for a solution. */
#ifndef LIMPET_MATH_LU_H
#define LIMPET_MATH_LU_H

/* A <- L and above its diagonal U (its own is 1); pivot (n): column that was swapped with column i.
 * 0, or 1 + the row without a pivot: A is singular in doubles. */
int limpet_lu(int n, double *A, int *pivot);
// x <- A^-1 x
void limpet_lu_solve(int n, const double *LU, const int *pivot, double *x);
// X (n x count) <- A^-1 X, all columns at once.
void limpet_lu_solve_many(int n, const double *LU, const int *pivot, int count, double *X);
// The same for a factor A = L L' of limpet_cholesky (n x n).
void limpet_cholesky_solve_many(int n, const double *L, int count, double *X);
// X (n x n) = A^-1, of either factor: 2 n^3/3 multiply-adds.
void limpet_lu_inverse(int n, const double *LU, const int *pivot, double *X);
void limpet_cholesky_inverse(int n, const double *L, double *X);
// x <- A'^-1 x
void limpet_lu_solve_transposed(int n, const double *LU, const int *pivot, double *x);

#endif
