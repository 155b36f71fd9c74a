/* step/attempt.c: the second verb of a step: stage 6, the problem solved. Writes no state, and
 * nothing of what prepare left. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "model/workspace.h"
#include "solve/friction_bounds.h"
#include "solve/solve.h"
#include "step/prepared.h"
#include "step/results.h"
#include "step/stage_clock.h"

// Threads live with the world; asking for another number replaces them.
static void pool_destroy(void *object) { limpet_threads_destroy(object); }

static limpet_threads *pool_of(limpet_data *data, int threads) {
  if (threads <= 1) return NULL;
  limpet_workspace *workspace = data->workspace;
  limpet_threads *pool = workspace->object[LIMPET_SLOT_STEP];
  if (pool && limpet_threads_count(pool) == threads) return pool;
  limpet_threads_destroy(pool);
  workspace->object[LIMPET_SLOT_STEP] = pool = limpet_threads_create(threads);
  workspace->destroy[LIMPET_SLOT_STEP] = pool_destroy;
  return pool;
}

// Whether contacts carry forces from step to step.
static bool carries(const limpet_step_settings *settings) {
  const limpet_contact_model *model = settings->contact_model;
  return model->anchored || (model->resumes && settings->warm_start) ||
         (model->bound_friction && settings->friction_passes > 0);
}

static void *copy_of(limpet_arena *arena, const void *from, size_t size) {
  void *copy = limpet_arena_take(arena, size);
  if (copy) memcpy(copy, from, size);
  return copy;
}

/* What this attempt solves: the problem as prepared, with constants and carried forces of its own,
 * which a solve may change. 0, or 1 without memory. */
static int copy_problem(const limpet_step_work *work, const limpet_step_settings *settings,
                        limpet_contact_problem *problem) {
  const size_t count = (size_t)work->problem.contact_count;
  *problem = work->problem;
  problem->constants = copy_of(work->arena, problem->constants, count * sizeof *problem->constants);
  if (!carries(settings)) problem->carried = NULL;
  else
    problem->carried =
        copy_of(work->arena, work->problem.carried, 3 * count * sizeof *problem->carried);
  if (!problem->constants || (carries(settings) && !problem->carried)) return 1;
  if (problem->carried && problem->model->bound_friction) limpet_friction_bounds_resume(problem);
  return 0;
}

static limpet_solve_settings solve_settings(const limpet_step_settings *settings) {
  limpet_solve_settings solver = {.newton = limpet_newton_settings_default(),
                                  .friction_passes = settings->friction_passes,
                                  .dense_limit = settings->dense_limit,
                                  .condition_number = settings->condition_number};
  solver.newton.tolerance = settings->tolerance;
  solver.newton.iteration_limit = settings->iteration_limit;
  return solver;
}

static limpet_outcome solve(const limpet_step_work *work, limpet_data *data,
                            const limpet_step_settings *settings, limpet_step_solution *solution,
                            limpet_step_info *info) {
  const limpet_solve_settings solver = solve_settings(settings);
  const int nv = data->model->nv;
  double *guess = settings->warm_start ? LIMPET_TAKE(work->arena, double, nv) : NULL;
  double *v = solution->v = LIMPET_TAKE(work->arena, double, nv);
  solution->impulse = LIMPET_TAKE(work->arena, double, nv);
  if ((settings->warm_start && !guess) || !v || !solution->impulse)
    return LIMPET_OUTCOME_OUT_OF_MEMORY;

  // start from the old velocity, or from its last change carried on
  for (int i = 0; i < nv; ++i) {
    v[i] = work->v_start[i];
    if (guess) guess[i] = work->v_start[i] + data->warm_start[i];
  }
  limpet_solve_info solved;
  if (limpet_problem_solve(&solution->problem, &solver, pool_of(data, settings->threads),
                           work->arena, guess, v, solution->impulse, &solved))
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  limpet_results_solver(info, &solved);

  for (int i = 0; i < nv; ++i)
    if (!isfinite(v[i])) return LIMPET_OUTCOME_NUMERICAL_FAILURE;
  return solved.outcome;
}

// v at the end of the step: what was solved for, and what the scheme adds to it. NULL: no memory.
static const double *velocity_at_end(const limpet_step_work *work, int nv, const double *v) {
  const double *after = work->motion.after;
  if (!after) return v;
  double *end = LIMPET_TAKE(work->arena, double, nv);
  for (int i = 0; end && i < nv; ++i) end[i] = v[i] + after[i];
  return end;
}

limpet_outcome limpet_step_attempt(const limpet_step_prepared *prepared,
                                   const limpet_step_settings *settings,
                                   limpet_step_result *result) {
  assert(prepared && settings && result);
  const limpet_step_work *work = prepared->work;
  *result = (limpet_step_result){.outcome = prepared->outcome};
  if (work) result->info = work->info;
  if (prepared->outcome != LIMPET_OUTCOME_SOLVED) return result->outcome;
  assert(work->opened == prepared->data->workspace->open_count);
  assert(settings->scheme == work->settings.scheme &&
         settings->contact_model == work->settings.contact_model);

  limpet_stage_clock clock = limpet_stage_clock_start(settings->profile, result->info.stage_time);
  limpet_step_solution *solution = LIMPET_TAKE_ZERO(work->arena, limpet_step_solution, 1);
  result->outcome = LIMPET_OUTCOME_OUT_OF_MEMORY;
  if (!solution || copy_problem(work, settings, &solution->problem)) return result->outcome;
  limpet_outcome outcome = solve(work, prepared->data, settings, solution, &result->info);
  if (!limpet_outcome_failed(outcome)) {
    result->solution = solution;
    result->v = velocity_at_end(work, prepared->data->model->nv, solution->v);
    if (!result->v) outcome = LIMPET_OUTCOME_OUT_OF_MEMORY;
  }
  limpet_stage_clock_lap(&clock, LIMPET_STAGE_SOLVE);
  return result->outcome = result->info.outcome = outcome;
}
