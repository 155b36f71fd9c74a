/* gradient/weighting.h: the results of a step, weighted, from its columns: adjoint.c. */
#ifndef LIMPET_GRADIENT_WEIGHTING_H
#define LIMPET_GRADIENT_WEIGHTING_H

#include "gradient/workspace.h"

typedef struct limpet_weighting {
  limpet_gradient_workspace *workspace;
  limpet_gradient_arrays *to;
  const double *dual;                 // (residual size)
  const double *weight_q, *weight_v;  // (nv)  NULL: zero
  const double *solved;               // (nv of the problem)  of what was solved for; NULL: zero
  double *change;  // (nv)  += by the change of the last step at ends; NULL: not wanted
} limpet_weighting;

/* Results weighted, from the change of the velocity that was solved for in w->velocity. through: by
 * differences of the end of the step. */
double limpet_weighting_end(const limpet_weighting *a, limpet_gradient_group group, int column,
                            bool through);
// In free flight: the derivatives of the column themselves, weighted.
double limpet_weighting_flight(const limpet_weighting *a, limpet_gradient_group group, int column,
                               const double *change, int island);
/* From columns: adjoint of the gradient; dual (residual size): receives that of the residual.
 * LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_weighting_columns(limpet_gradient *gradient, const limpet_weighting *a,
                                       double *dual);

#endif
