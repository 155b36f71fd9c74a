/* control/plan_stages.c: a plan by stages: smoothed derivatives first, the plain ones last.
 *
 *   "smoothing": {"kind": "barrier", "energy": 1e-3, "range": 0.1, "slip_speed": 1e-3,
 *                 "rollouts": false, "iterations": 30}
 *   "smoothing": {"kind": "random", "samples": 16, "spread_position": 1e-3,
 *                 "spread_velocity": 1e-2, "spread_control": 0, "seed": 1}
 * or a list of these, one stage after the other. docs/trajectory-optimisation.md describes it. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "control/plan_read.h"

enum { STAGE_LIMIT = 100, ITERATIONS = 30 };

// --------------------------------------------------------------------------------------- file

static bool kind_read(limpet_gradient_smoothing *smoothing, const limpet_json *object) {
  const char *word;
  limpet_json member;
  if (!limpet_json_text(object, "kind", NULL, &word)) return false;
  limpet_json_member(&member, object, "kind");
  return (limpet_smoothing_find(word, &smoothing->kind) &&
          smoothing->kind != LIMPET_SMOOTHING_NONE) ||
         limpet_json_fail(&member, "'%.60s' is no smoothing; there are: barrier, random", word);
}

static bool whole_read(const limpet_json *object, const char *key, double most, double *value) {
  limpet_json member;
  if (!limpet_json_number(object, key, value, value)) return false;
  limpet_json_member(&member, object, key);
  return (*value >= 0.0 && *value <= most && *value == floor(*value)) ||
         limpet_json_fail(&member, "is %g; a whole number from 0 to %.0f is wanted", *value, most);
}

// A spread by its name, or by the one that it had before: "position" for "spread_position".
static bool spread_read(const limpet_json *object, const char *key, double *value) {
  const char *before = key + strlen("spread_");
  limpet_json member;
  if (!limpet_json_number(object, key, value, value) ||
      !limpet_json_number(object, before, value, value))
    return false;
  return !limpet_json_member(&member, object, before) ||
         !limpet_json_member(&member, object, key) ||
         limpet_json_fail(&member, "stands there twice: as %s, too", before);
}

static bool numbers_read(limpet_plan_stage *stage, const limpet_json *object) {
  limpet_gradient_smoothing *s = &stage->smoothing;
  double samples = s->samples, seed = (double)s->seed, iterations = ITERATIONS;
  if (!limpet_json_number(object, "energy", &s->energy, &s->energy) ||
      !limpet_json_number(object, "range", &s->range, &s->range) ||
      !limpet_json_number(object, "slip_speed", &s->slip_speed, &s->slip_speed) ||
      !spread_read(object, "spread_position", &s->spread_position) ||
      !spread_read(object, "spread_velocity", &s->spread_velocity) ||
      !spread_read(object, "spread_control", &s->spread_control) ||
      !whole_read(object, "samples", 1e6, &samples) || !whole_read(object, "seed", 1e15, &seed) ||
      !whole_read(object, "iterations", 1e6, &iterations))
    return false;
  s->samples = (int)samples, s->seed = (uint64_t)seed;
  stage->iteration_limit = (int)iterations;
  return true;
}

static bool stage_read(limpet_plan_stage *stage, const limpet_step_settings *step,
                       const limpet_json *object) {
  static const char *const of_barrier[] = {"kind",     "energy",     "range", "slip_speed",
                                           "rollouts", "iterations", NULL};
  // position, velocity and control are what spreads were called before
  static const char *const of_random[] = {
      "kind", "samples",    "spread_position", "spread_velocity", "spread_control",
      "seed", "iterations", "position",        "velocity",        "control",
      NULL};
  limpet_json member;
  limpet_error error;
  limpet_step_settings smoothed;
  stage->smoothing = limpet_gradient_smoothing_default();
  if (!json_is_object(object->value)) return limpet_json_fail(object, "must be an object {...}");
  if (!kind_read(&stage->smoothing, object)) return false;
  const bool barrier = stage->smoothing.kind == LIMPET_SMOOTHING_BARRIER;
  if (!limpet_json_keys(object, barrier ? of_barrier : of_random) || !numbers_read(stage, object))
    return false;
  if (limpet_json_member(&member, object, "rollouts")) {
    if (!json_is_boolean(member.value)) return limpet_json_fail(&member, "must be true or false");
    stage->rollouts = json_is_true(member.value);
  }
  if (limpet_gradient_smoothing_check(&stage->smoothing, &error) != LIMPET_OK)
    return limpet_json_fail(object, "%s", error.message);
  const char *reason =
      barrier ? limpet_gradient_smoothing_step(&stage->smoothing, step, &smoothed) : NULL;
  return !reason || limpet_json_fail(object, "%s", reason);
}

bool limpet_plan_stages_read(limpet_plan_task *task, const limpet_json *root) {
  limpet_json list;
  if (!limpet_json_member(&list, root, "smoothing")) return true;
  const bool several = json_is_array(list.value);
  if (several && !limpet_json_array(&list, root, "smoothing", STAGE_LIMIT)) return false;
  const size_t count = several ? json_array_size(list.value) : 1;
  limpet_plan_stage *stage = calloc(count, sizeof *stage);
  task->stage = stage;
  if (!stage) return limpet_json_fail(&list, "no memory");
  for (size_t i = 0; i < count; ++i) {
    const limpet_json element = several ? limpet_json_element(&list, i) : list;
    if (!stage_read(&stage[i], &task->step, &element)) return false;
  }
  task->stage_count = (int)count;
  return true;
}

// -------------------------------------------------------------------------------------- solve

typedef struct staged {
  const limpet_plan_settings *settings;
  int stage;
} staged;

static bool row_pass(void *context, const limpet_plan_iteration *row) {
  const staged *s = context;
  limpet_plan_iteration told = *row;
  told.stage = s->stage;
  return !s->settings->progress || s->settings->progress(s->settings->context, &told);
}

// One stage, or the plain run where `stage` is NULL; counts of the plan add up.
static limpet_plan_outcome stage_solve(const limpet_plan_task *task, const limpet_plan_stage *stage,
                                       limpet_plan *plan, staged *s) {
  limpet_plan_settings settings = *s->settings;
  limpet_plan_problem problem = task->problem;
  limpet_step_settings smoothed;
  settings.progress = row_pass, settings.context = s;
  if (s->stage > 0) settings.multiple_shooting = false;
  if (stage) {
    settings.gradient.smoothing = stage->smoothing;
    settings.iteration_limit = stage->iteration_limit;
    if (stage->rollouts &&
        !limpet_gradient_smoothing_step(&stage->smoothing, problem.step, &smoothed)) {
      problem.step = &smoothed;
      settings.gradient.smoothing.kind = LIMPET_SMOOTHING_NONE;
    }
  }
  return limpet_plan_solve(plan, &problem, &settings);
}

limpet_plan_outcome limpet_plan_task_solve(const limpet_plan_task *task, limpet_plan *plan,
                                           const limpet_plan_settings *settings) {
  assert(task && plan && settings);
  staged s = {.settings = settings};
  int iterations = 0, derivatives = 0;
  double derivative_time = 0.0, total_time = 0.0;
  limpet_plan_outcome outcome = LIMPET_PLAN_CONVERGED;
  for (s.stage = 0; s.stage <= task->stage_count; ++s.stage) {
    outcome =
        stage_solve(task, s.stage < task->stage_count ? &task->stage[s.stage] : NULL, plan, &s);
    iterations += plan->iterations, derivatives += plan->derivative_count;
    derivative_time += plan->derivative_time, total_time += plan->total_time;
    // a stage that leads nowhere is no end
    if (outcome >= LIMPET_PLAN_STOPPED) break;
  }
  plan->iterations = iterations, plan->derivative_count = derivatives;
  plan->derivative_time = derivative_time, plan->total_time = total_time;
  return outcome;
}
