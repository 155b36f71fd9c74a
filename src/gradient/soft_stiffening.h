/* gradient/soft_stiffening.h: solutions of the equations of trees and contacts where the
 * compliances of deformable bodies follow the end of the step.
 *
 * Laws that are not linear in a step have H, and with it the stiffness of near-rigid contacts and
 * ties, follow v, but where contacts found them balanced at the first look (soft_product.h). With B
 * the slopes of r by ln w and -ln A_ii (soft_gradient.h), g_i the gradient of z.H z by v, and v_C =
 * x_C: dx = S (dr + B W dx_C),     W_i = -g_i' H^-1 E_C A/w_i and transposed   dual = S'(y + E_C W'
 * B' dual). Both by rounds, until they stand: the effect is small. Cost: one solve with H and one
 * product with A for each number; of a solution a few solves of the islands. */
#ifndef LIMPET_GRADIENT_SOFT_STIFFENING_H
#define LIMPET_GRADIENT_SOFT_STIFFENING_H

#include "gradient/workspace.h"

typedef struct limpet_soft_stiffening {
  int count;        // numbers of w and A that follow the end of the step; 0: none
  int *number;      // (count)  among all 2 unknowns
  double *by_x;     // (count x unknowns)  W
  double *total;    // (residual size)  work
  double *weights;  // (problem nv)  work
  double *dw;       // (2 count)  work: of a round and of the last
} limpet_soft_stiffening;

// Fills w->soft->stiffening, after all slopes. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_soft_stiffening_make(limpet_gradient_workspace *w);

/* limpet_residual_forward and limpet_residual_adjoint of the workspace, with what bodies do to
 * compliances; without bodies the same. Where rounds do not settle the rate is infinite, and the
 * adjoint returns false. */
double limpet_soft_solve(limpet_gradient_workspace *w, const double *change, int island,
                         double *dv);
bool limpet_soft_solve_adjoint(limpet_gradient_workspace *w, const double *weight, double *dual);

#endif
