/* math/block_inverse.h: parts of the inverse of a block-sparse symmetric positive definite
 * matrix. */
#ifndef LIMPET_MATH_BLOCK_INVERSE_H
#define LIMPET_MATH_BLOCK_INVERSE_H

#include "math/block_sparse.h"

// Numbers of workspace for `columns` rows of the matrix, and integers.
long limpet_block_inverse_doubles(const limpet_block_cholesky *factor, int columns);
long limpet_block_inverse_ints(const limpet_block_cholesky *factor, int blocks);

/* W = (H^-1)_CC, C the rows of `count` block rows, each once, in the order given; W is square with
 * leading dimension ldw, both triangles. work, index: as counted above.
 * Cost: solves with L' on the paths from these blocks to the root of the elimination tree. */
void limpet_block_inverse_part(const limpet_block_cholesky *factor, int count, const int *blocks,
                               double *W, int ldw, double *work, int *index);

/* diagonal (rows of the matrix, in the caller's order) <- that of H^-1. work: as many numbers as
 * the first function says. Cost: two to three factorisations. */
long limpet_block_inverse_diagonal_doubles(const limpet_block_cholesky *factor);
void limpet_block_inverse_diagonal(const limpet_block_cholesky *factor, double *diagonal,
                                   double *work);

// Multiply-adds of it. index (limpet_block_inverse_ints): scratch.
double limpet_block_inverse_flops(const limpet_block_cholesky *factor, int count, const int *blocks,
                                  int *index);

#endif
