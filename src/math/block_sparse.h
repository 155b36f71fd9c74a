/* math/block_sparse.h: Cholesky factorisation of a symmetric positive definite matrix made of dense
 * blocks.
 *
 * Block rows have sizes; the pattern is a set of pairs (i, j), i >= j, the diagonal included.
 * Order: approximate minimum degree on the block graph (AMD). The symbolic part depends on the
 * pattern only and is kept by the caller while the pattern stays. Supernodal: block columns with
 * nested patterns are merged where the fill this adds is small.
 *
 *   symbolic -> zero -> (block pointers: add entries) -> factor -> solve (often) */
#ifndef LIMPET_MATH_BLOCK_SPARSE_H
#define LIMPET_MATH_BLOCK_SPARSE_H

#include "base/arena.h"

typedef struct limpet_block_cholesky limpet_block_cholesky;

/* Symbolic factorisation, from `arena` (which keeps it): n blocks of size[i] rows, pair_count pairs
 * of block rows (any order, either triangle, repetitions allowed, the diagonal implied). NULL
 * without memory. */
limpet_block_cholesky *limpet_block_cholesky_create(limpet_arena *arena, int n, const int *size,
                                                    int pair_count, const int *pairs);
/* The same for a pattern that is factored often, in the order given (n), but for a postorder; NULL:
 * by minimum degree. It takes longer and makes factorisations faster: block_runs.c. */
limpet_block_cholesky *limpet_block_cholesky_create_in(limpet_arena *arena, int n, const int *size,
                                                       int pair_count, const int *pairs,
                                                       const int *order);

int limpet_block_cholesky_rows(const limpet_block_cholesky *factor);      // sum of sizes
long limpet_block_cholesky_doubles(const limpet_block_cholesky *factor);  // numbers stored
double limpet_block_cholesky_flops(
    const limpet_block_cholesky *factor);  // multiply-adds of one factorisation

void limpet_block_cholesky_zero(limpet_block_cholesky *factor);
/* Where the block (i, j) of the pattern is stored before factorisation: row-major with leading
 * dimension *stride; *transposed: the stored block is (j, i). For i == j the lower triangle
 * counts. */
double *limpet_block_cholesky_block(limpet_block_cholesky *factor, int i, int j, int *stride,
                                    int *transposed);
/* The same as an offset into limpet_block_cholesky_values, which holds as long as the factor does:
 * callers that add to the same blocks often look it up once. */
long limpet_block_cholesky_offset(const limpet_block_cholesky *factor, int i, int j, int *stride,
                                  int *transposed);
double *limpet_block_cholesky_values(
    limpet_block_cholesky *factor);  // (limpet_block_cholesky_doubles)

// Returns 0, or 1 + the block row in which a pivot is not positive.
int limpet_block_cholesky_factor(limpet_block_cholesky *factor);
// x = H^-1 x, in the caller's order of rows. Uses scratch of the factor: one solve at a time for
// each factor.
void limpet_block_cholesky_solve(const limpet_block_cholesky *factor, double *x);

#endif
