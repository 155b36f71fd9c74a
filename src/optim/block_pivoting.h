/* optim/block_pivoting.h: linear complementarity by block principal pivoting.
 *
 *   w = A x + q,   x >= 0,  w >= 0,  x'w = 0,     A symmetric positive definite
 * The unknowns of a set F are free, w = 0, those of the others vanish; all whose sign is wrong
 * change sides at once. Where that does not make their number smaller, three times in a row, only
 * the last of them changes, which ends for every such A (Murty), but not soon: Dantzig's method
 * (boxed_lcp.h) is for those. From a set that is nearly right it takes one to three factorisations,
 * of F. References: Judice, Pires, A block principal pivoting algorithm for large-scale strictly
 * monotone linear complementarity problems, Computers Oper. Res. 21 (1994); Murty, Linear
 * complementarity, linear and nonlinear programming (1988), 4.2. */
#ifndef LIMPET_OPTIM_BLOCK_PIVOTING_H
#define LIMPET_OPTIM_BLOCK_PIVOTING_H

#include <stdbool.h>
#include <stddef.h>

// [bytes] that a problem of n unknowns works in.
size_t limpet_block_pivoting_memory_size(int n);
/* x, w (n) are the results, free (n) the set: a guess on entry, that of the solution on return. An
 * unknown counts as negative below -tolerance times the largest, a w below -1e-14 of the largest of
 * q. Returns the number of factorisations, 0 where 30 + n were not enough or A is not positive
 * definite. */
int limpet_block_pivoting(int n, const double *A, const double *q, double tolerance, void *memory,
                          double *x, double *w, bool *free);

#endif
