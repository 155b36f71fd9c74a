/* math/lu.h: dense LU factorisation with partial pivoting, for small matrices without symmetry.
 *
 *   P A = L U,  A row-major (n x n)
 * Cost: 2 n^3/3 operations, n^2 twice for a solution. */
#ifndef LIMPET_MATH_LU_H
#define LIMPET_MATH_LU_H

/* A <- L below the diagonal (its own is 1) and U; pivot (n): row that was swapped with row i. work:
 * (LIMPET_LU_WORK n). 0, or 1 + the column without a pivot: A is singular in doubles. */
enum { LIMPET_LU_WORK = 6 };
int limpet_lu(int n, double *A, double *work, int *pivot);
// x <- A^-1 x
void limpet_lu_solve(int n, const double *LU, const int *pivot, double *x);
// X (n x count) <- A^-1 X, all columns at once.
void limpet_lu_solve_many(int n, const double *LU, const int *pivot, int count, double *X);
// The same for a factor A = L L' of limpet_cholesky (n x n).
void limpet_cholesky_solve_many(int n, const double *L, int count, double *X);
// x <- A'^-1 x
void limpet_lu_solve_transposed(int n, const double *LU, const int *pivot, double *x);

#endif
