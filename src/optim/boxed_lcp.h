/* optim/boxed_lcp.h: boxed linear complementarity by Dantzig's principal pivoting.
 *
 *   w = A x + q,   lower <= x <= upper
 *   x_i at lower: w_i >= 0;   at upper: w_i <= 0;   between: w_i = 0
 * A symmetric positive definite. Unknowns enter one after the other; each is driven until its
 * condition holds, while those that entered before keep theirs by pivots between their bounds and w
 * = 0. The factor of the matrix of those with w = 0 gains and loses a row at a pivot, O(n^2); n
 * pivots or a few times that are usual. Friction: bounds of unknowns with `normal` >= 0 are -+
 * ratio x_normal, of the value that x_normal has when the first of them enters, as in ODE: order
 * unknowns so that these come last.
 * References: Cottle, Dantzig, Complementary pivot theory of mathematical programming, Linear
 * Algebra Appl. 1 (1968); Baraff, Fast contact force computation for nonpenetrating rigid bodies,
 * SIGGRAPH 1994. */
#ifndef LIMPET_OPTIM_BOXED_LCP_H
#define LIMPET_OPTIM_BOXED_LCP_H

#include <stddef.h>

typedef struct limpet_boxed_lcp {
  int n;
  const double *A;        // (n, n)
  const double *q;        // (n)
  double *lower, *upper;  // (n)  0 must not lie outside; those of friction are filled
  const int *normal;      // (n)  unknown whose value bounds this one; -1: none; NULL: none at all
  const double *ratio;    // (n)  [-]  mu
} limpet_boxed_lcp;

typedef enum limpet_boxed_lcp_outcome {
  LIMPET_BOXED_LCP_SOLVED,
  LIMPET_BOXED_LCP_PIVOT_LIMIT,  // 50 + 20 n pivots were not enough
  LIMPET_BOXED_LCP_FAILURE       // A is not positive definite, or a number is not finite
} limpet_boxed_lcp_outcome;

// [bytes] that a problem of n unknowns works in.
size_t limpet_boxed_lcp_memory_size(int n);
// x, w (n) are the results. `pivots` may be NULL.
limpet_boxed_lcp_outcome limpet_boxed_lcp_solve(const limpet_boxed_lcp *problem, void *memory,
                                                double *x, double *w, int *pivots);

#endif
