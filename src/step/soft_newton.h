/* step/soft_newton.h: contact and elasticity of nonlinear laws solved together. */
#ifndef LIMPET_STEP_SOFT_NEWTON_H
#define LIMPET_STEP_SOFT_NEWTON_H

#include "step/prepared.h"
#include "step/soft_history.h"
#include "step/soft_motion.h"

// Between the attempts of one step; starts as zero.
typedef struct limpet_soft_newton {
  int rounds;
  // (vertex_count x 3) each
  double *v, *impulse;            // [m/s], [N s]  where the laws were last taken
  double *found, *found_impulse;  // [m/s], [N s]  that the attempt found
  double *trial, *trial_impulse;  // [m/s], [N s]  between the two
  double *rest;                   // [N s]  R - impulse of what was measured last; scratch
  double residual;                // [-]  rho at v
  limpet_soft_history history;    // of what attempts found, with their residuals
  // the best attempt: what a commit reads of it
  limpet_step_solution *solution;
  limpet_contact_problem problem;
  limpet_contact_records records;
  limpet_soft_body *body;  // (soft->count)
  double rho, least;       // [-]  its rho, and how bad it is
} limpet_soft_newton;

// Whether elastic laws are taken anew after the first attempt: some are not linear within a step.
bool limpet_step_laws_follow(const limpet_step_work *work, const limpet_model *model);

/* After an attempt: whether the elastic laws have to be taken anew, where the attempt ended. If so,
 * the prepared step has a new problem and is to be attempted again; `result` cannot be committed
 * any more. Fills the elastic numbers of result->info, and its outcome where the laws stay
 * unsolved. prepared->outcome: solved or out of memory. */
bool limpet_step_relinearise(limpet_step_prepared *prepared, limpet_step_result *result,
                             limpet_soft_newton *state);

#endif
