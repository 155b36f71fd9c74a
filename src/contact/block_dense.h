/* contact/block_dense.h: what kinds of blocks with a dense symmetric matrix, row-major, have in
 * common: see block.h. */
#ifndef LIMPET_CONTACT_BLOCK_DENSE_H
#define LIMPET_CONTACT_BLOCK_DENSE_H

#include "contact/block.h"

void limpet_block_dense_apply(const limpet_block *block, const double *x, double *y);
void limpet_block_dense_diagonal(const limpet_block *block, double *to);
void limpet_block_dense_copy(const limpet_block *block, bool lower, double *to, size_t stride);
size_t limpet_block_dense_factor_size(const limpet_block *block);
bool limpet_block_dense_factor(const limpet_block *block, double *to);
void limpet_block_dense_solve(const limpet_block *block, const double *factor_of, double *x);

#endif
