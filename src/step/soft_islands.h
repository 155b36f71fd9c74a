/* step/soft_islands.h: islands of deformable bodies that are solved in rounds: bodies that contacts
 * connect, named by their first one. */
#ifndef LIMPET_STEP_SOFT_ISLANDS_H
#define LIMPET_STEP_SOFT_ISLANDS_H

#include "step/soft_newton.h"

// Rounds with the exact H of laws that are linear in other steps, at most.
enum { LIMPET_SOFT_EXACT_ROUNDS = 2 };

// One attempt and what is known of those before.
typedef struct limpet_soft_attempt {
  const limpet_step_work *work;
  const limpet_data *data;
  const limpet_step_solution *solution;
  limpet_soft_newton *state;
} limpet_soft_attempt;

// Whether the law of a body is never linear in a step.
bool limpet_soft_is_nonlinear(const limpet_model *model, int d);
// Bodies that are solved in rounds.
bool limpet_soft_takes(const limpet_model *model, const limpet_soft_motion *soft, int d);
/* Whether nothing hangs on a body but bodies that sets of its vertices are tied to: its H is in no
 * stiffness but that of the rows of sets, which give way by beta^2/(4 pi^2) (soft_sets.c). */
bool limpet_soft_only_sets(const limpet_soft_body *body);
// Whether an island is called after body d.
bool limpet_soft_is_island(const limpet_soft_newton *state, int d);

/* Islands of the attempt. What it found in islands that have other bodies than before is combined
 * with nothing older. */
void limpet_soft_find_islands(const limpet_soft_attempt *a);
// Which islands the attempt balances; returns rho of the worst one, or one that is not a number.
double limpet_soft_judge_islands(const limpet_soft_attempt *a);
bool limpet_soft_all_met(const limpet_soft_attempt *a);

// rho of an island at a place that was measured; 0: there is no force.
double limpet_soft_rho(const limpet_soft_attempt *a, int island, int place);
// rho of an island at a place, of which v and impulse are those of all vertices.
double limpet_soft_measure(const limpet_soft_attempt *a, int island, int place, const double *v,
                           const double *impulse);
// How often the laws of all bodies of an island were taken.
int limpet_soft_rounds(const limpet_soft_attempt *a, int island);

#endif
