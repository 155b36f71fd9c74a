/* step/schemes.c: the table of stepping schemes, and limpet_step. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "step/look_through.h"
#include "step/scheme.h"
#include "step/soft_newton.h"

#define ROW(name) &limpet_scheme_##name,
static const limpet_scheme *const schemes[] = {LIMPET_SCHEME_LIST(ROW) NULL};
#undef ROW

const limpet_scheme *const *limpet_schemes(void) { return schemes; }

const limpet_scheme *limpet_scheme_find(const char *name) {
  assert(name);
  for (int i = 0; schemes[i]; ++i)
    if (strcmp(schemes[i]->descriptor.name, name) == 0) return schemes[i];
  return NULL;
}

const limpet_descriptor *limpet_scheme_descriptor(const limpet_scheme *scheme) {
  assert(scheme);
  return &scheme->descriptor;
}

bool limpet_scheme_takes(const limpet_scheme *scheme, const limpet_contact_model *model) {
  assert(scheme && model);
  return scheme->impulsive == (limpet_contact_model_family(model) == LIMPET_CONTACT_IMPULSIVE);
}

// Whether deformable bodies passed through each other by what an attempt found.
static bool look_through(limpet_step_prepared *prepared, const limpet_step_result *result) {
  limpet_step_work *work = prepared->work;
  if (!work) return false;
  limpet_stage_clock clock =
      limpet_stage_clock_start(work->settings.profile, work->info.stage_time);
  return limpet_step_look_through(prepared, result, &clock);
}

/* What is left of one linearised problem counts in the residual of the next, over the size of the
 * soft bodies alone: each round is solved finer than the last. Where doubles do not come so close,
 * the tolerance of the step decides. */
static void solve_rounds(limpet_step_prepared *prepared, const limpet_step_settings *settings,
                         limpet_step_result *result) {
  const double finer = 0.2, finest = fmin(1e-12, settings->tolerance);  // [-]
  limpet_step_settings of_rounds = *settings;
  limpet_soft_newton state = {0};
  while (limpet_step_relinearise(prepared, result, &state)) {
    prepared->work->spent = result->info;
    prepared->work->earlier_iterations = result->info.iterations;
    of_rounds.tolerance = fmax(finer * of_rounds.tolerance, finest);
    limpet_step_attempt(prepared, &of_rounds, result);
  }
}

static void solve_elastic_laws(limpet_step_prepared *prepared, const limpet_step_settings *settings,
                               limpet_step_result *result) {
  if (prepared->work && prepared->work->motion.soft) solve_rounds(prepared, settings, result);
  if (result->outcome == LIMPET_OUTCOME_PRECISION_LIMIT &&
      result->info.residual <= settings->tolerance)
    result->outcome = result->info.outcome = LIMPET_OUTCOME_SOLVED;
}

void limpet_step_solve(const limpet_model *model, limpet_data *data,
                       const limpet_step_settings *settings, double time_step,
                       limpet_step_prepared *prepared, limpet_step_result *result) {
  limpet_step_prepare(model, data, settings, time_step, prepared);
  limpet_step_attempt(prepared, settings, result);
  while (limpet_step_look_again(prepared, result)) limpet_step_attempt(prepared, settings, result);
  solve_elastic_laws(prepared, settings, result);
  while (prepared->work &&
         (limpet_step_laws_follow(prepared->work, model) || result->info.elastic_rounds > 0) &&
         look_through(prepared, result)) {
    limpet_step_attempt(prepared, settings, result);
    solve_elastic_laws(prepared, settings, result);
  }
}

limpet_outcome limpet_step(const limpet_model *model, limpet_data *data,
                           const limpet_step_settings *settings) {
  assert(model && data && data->model == model && settings);
  if (settings->scheme->advance) return settings->scheme->advance(model, data, settings);
  limpet_step_prepared prepared;
  limpet_step_result result;
  limpet_step_solve(model, data, settings, settings->time_step, &prepared, &result);
  return limpet_step_commit(model, data, &prepared, &result);
}
