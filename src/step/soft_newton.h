/* step/soft_newton.h: contact and elasticity of nonlinear laws solved together. */
#ifndef LIMPET_STEP_SOFT_NEWTON_H
#define LIMPET_STEP_SOFT_NEWTON_H

#include "step/prepared.h"
#include "step/soft_history.h"
#include "step/soft_motion.h"

// Squares of what is left of a body's momentum residual, and of its scale [N^2 s^2].
typedef struct limpet_soft_balance {
  double rest, scale;
} limpet_soft_balance;

// Where the law of a body was last taken, where the attempt ended, and between the two.
enum { LIMPET_SOFT_AT, LIMPET_SOFT_FOUND, LIMPET_SOFT_TRIAL, LIMPET_SOFT_PLACES };

// What is known of one body; of an island what its first body has.
typedef struct limpet_soft_member {
  int island;  // its first body; LIMPET_NONE: it is not solved here
  int rounds;  // how often its law was taken
  bool met;    // the laws of its island balance what the last attempt found
  // of a law that is linear in other steps: whether it was last taken with the exact H, how often
  bool exact;
  int exact_rounds;
  bool keeps;  // the law is taken with the H and the factor of the last round
  limpet_soft_balance balance[LIMPET_SOFT_PLACES];
  limpet_soft_history history;  // of an island: where attempts led, with their residuals
} limpet_soft_member;

// Between the attempts of one step; starts as zero.
typedef struct limpet_soft_newton {
  int rounds;
  limpet_soft_member *member;  // (soft->count)
  // (vertex_count x 3) each
  double *v, *impulse;            // [m/s], [N s]  where the laws were last taken
  double *found, *found_impulse;  // [m/s], [N s]  that the attempt found
  double *trial, *trial_impulse;  // [m/s], [N s]  between the two
  double *rest;                   // [N s]  R - impulse of what was measured last; scratch
  double *packed[3];              // v, impulse, rest of one island; scratch
  // the best attempt: what a commit reads of it
  limpet_step_solution *solution;
  limpet_contact_problem problem;
  limpet_contact_records records;
  limpet_soft_body *body;  // (soft->count)
  double rho, least;       // [-]  its rho of the worst island, and how bad it is
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
