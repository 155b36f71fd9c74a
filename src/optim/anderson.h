/* optim/anderson.h: Anderson acceleration of a fixed-point iteration y = g(y).
 *
 *   r_k = g(y_k) - y_k,   b = argmin |r_k - sum_j b_j (r_j+1 - r_j)|,   j: the steps before, as
 * many as are kept, y_{k+1} = g(y_k) - sum_j b_j (g(y_j+1) - g(y_j)). For linear g this is GMRES on
 * y - g(y) = 0, and it needs no transposed product. Cost: (3 memory + 4) n multiply-adds a step.
 * Reference: Walker, Ni, Anderson acceleration for fixed-point iterations, SIAM J. Numer. Anal. 49
 * (2011). */
#ifndef LIMPET_OPTIM_ANDERSON_H
#define LIMPET_OPTIM_ANDERSON_H

#include <stdbool.h>
#include <stddef.h>

enum { LIMPET_ANDERSON_MEMORY = 5 };  // steps that are kept besides the present one

typedef struct limpet_anderson {
  int n;
  int count;                               // steps since the start
  const double *weight;                    // (n)  residuals are measured in weight_i r_i
  double *residual, *value;                // (n)  weighted r, and g, of the step before
  double *residual_change, *value_change;  // (memory x n)  from step to step, as rings
  // products of the changes of r with each other
  double product[LIMPET_ANDERSON_MEMORY][LIMPET_ANDERSON_MEMORY];
} limpet_anderson;

/* share (count, at most LIMPET_ANDERSON_MEMORY) <- argmin |r - sum_j share_j d_j|, from the
 * products d_j . d_l (rows `stride` apart) and, in share, d_j . r. False: they are not finite, or
 * there are none, and the shares are 0. */
bool limpet_anderson_mix(int count, const double *product, int stride, double *share);
// Doubles of memory that it needs.
size_t limpet_anderson_size(int n);
// `memory`: limpet_anderson_size(n) doubles.
void limpet_anderson_begin(limpet_anderson *anderson, int n, const double *weight, double *memory);
// y (n) <- the next iterate, from g = g(y) (n).
void limpet_anderson_step(limpet_anderson *anderson, const double *g, double *y);

#endif
