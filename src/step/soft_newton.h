/* step/soft_newton.h: contact and elasticity of nonlinear laws solved together. */
#ifndef LIMPET_STEP_SOFT_NEWTON_H
#define LIMPET_STEP_SOFT_NEWTON_H

#include "step/prepared.h"

// Between the attempts of one step; starts as zero.
typedef struct limpet_soft_newton {
  int rounds, halvings;
  double *v;        // (vertex_count x 3)  [m/s]  where the laws were last taken
  double *found;    // (vertex_count x 3)  [m/s]  that the attempt before found
  double residual;  // [-]  of the attempt before
} limpet_soft_newton;

/* After an attempt: whether the elastic laws have to be taken anew, where the attempt ended. If so,
 * the prepared step has a new problem and is to be attempted again; `result` cannot be committed
 * any more. Fills the elastic numbers of result->info, and its outcome where the laws stay
 * unsolved. prepared->outcome: solved or out of memory. */
bool limpet_step_relinearise(limpet_step_prepared *prepared, limpet_step_result *result,
                             limpet_soft_newton *state);

#endif
