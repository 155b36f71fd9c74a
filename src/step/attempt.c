/* step/attempt.c: the second verb of a step: stage 6, the problem solved. Writes no state, and
 * nothing of what prepare left. */
#include <assert.h>
#include <string.h>

#include "model/workspace.h"
#include "solve/solve.h"
#include "step/flight.h"
#include "step/prepared.h"
#include "step/results.h"
#include "step/soft_motion.h"
#include "step/soft_sets.h"
#include "step/stage_clock.h"
#include "step/step_threads.h"

// Whether contacts carry forces from step to step.
static bool carries(const limpet_step_settings *settings) {
  switch (settings->contact_model->memory) {
    case LIMPET_MEMORY_NONE: return false;
    case LIMPET_MEMORY_SPRING: return true;
    case LIMPET_MEMORY_WARM_START: return settings->warm_start;
  }
  return false;
}

// Iterations that an attempt may take: the limit is that of a step, of a round of elastic laws, of
// a step anew with weaker returns, and of a coupled model's look.
static int iterations_left(const limpet_step_work *work, const limpet_step_settings *settings) {
  const int left = settings->iteration_limit - (work->spent.iterations - work->earlier_iterations);
  return left > 0 ? left : 0;
}

static limpet_solve_settings solve_settings(const limpet_step_work *work, const limpet_data *data,
                                            const limpet_step_settings *settings) {
  limpet_solve_settings solver = {.newton = limpet_newton_settings_default(),
                                  .plain_hessian = settings->plain_hessian,
                                  .dense_limit = settings->dense_limit,
                                  .condition_number = settings->condition_number,
                                  .keeps_solvers = data->workspace->derivatives_follow};
  solver.newton.tolerance = settings->tolerance;
  solver.newton.iteration_limit = iterations_left(work, settings);
  solver.newton.line_search_tolerance = settings->line_search_tolerance;
  return solver;
}

/* Velocities v (vertex_count x 3) of vertices that take part, and of sets of them. At rest sets
 * move against what leads their vertices back. */
static void guess_vertices(const limpet_step_work *work, const limpet_model *model,
                           const limpet_contact_problem *problem, const double *v, double *guess) {
  for (int b = 0; b < problem->block_count; ++b) {
    const limpet_block *block = &problem->block[b];
    if (block->kind == &limpet_block_tree) continue;
    limpet_soft_unknowns(&work->motion.soft->body[block->owner],
                         v + 3 * model->deformable_vertex[block->owner], true, guess + block->dof);
  }
}

// The attempt whose islands stay as they were solved, where it was asked for no less; NULL: none.
static const limpet_step_solution *kept_by(const limpet_step_work *work,
                                           const limpet_step_settings *settings) {
  const bool stays = work->kept && work->kept->tolerance <= settings->tolerance &&
                     settings->warm_start && !settings->condition_number;
  return stays ? work->kept : NULL;
}

static limpet_outcome solve(const limpet_step_work *work, limpet_data *data,
                            const limpet_step_settings *settings, limpet_step_solution *solution,
                            limpet_step_info *info) {
  const limpet_solve_settings solver = solve_settings(work, data, settings);
  const int nv = solution->problem.nv;
  const double *v_start = solution->problem.v_start;
  double *guess = settings->warm_start ? LIMPET_TAKE(work->arena, double, nv) : NULL;
  if (settings->warm_start && !guess) return LIMPET_OUTCOME_OUT_OF_MEMORY;

  // start from the old velocity, or from its last change carried on, or from the last attempt, of
  // which unknowns that are no joints' may have other numbers
  for (int i = 0; guess && i < nv; ++i) {
    const bool joint = i < data->model->nv;
    if (work->found && joint) guess[i] = work->found[i];
    else guess[i] = v_start[i] + (joint ? data->warm_start[i] : 0.0);
  }
  if (guess)
    guess_vertices(work, data->model, &solution->problem,
                   work->found_vertices ? work->found_vertices : data->vertex_velocity, guess);
  const limpet_step_solution *kept = solution->kept;
  const limpet_solved_islands solved = {.problem = kept ? &kept->problem : NULL,
                                        .solution = kept ? &kept->contact : NULL,
                                        .island = work->kept_island};
  const limpet_solve_start start = {.v = v_start,
                                    .guess = guess,
                                    .known = work->found ? work->known : NULL,
                                    .solved = kept ? &solved : NULL};
  limpet_contact_solution *contact = &solution->contact;
  if (limpet_problem_solve(&solution->problem, &solver, &start,
                           limpet_step_threads(data, settings->threads), work->arena,
                           contact) != LIMPET_OK)
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  limpet_results_solver(info, &contact->info);
  limpet_results_add_iterations(info, &work->spent);
  return contact->info.outcome;
}

// Blocks that are still, and those of islands that failed, stay where and as they are.
static void keep_still(const limpet_data *data, limpet_step_solution *solution) {
  for (int b = 0; b < solution->problem.block_count; ++b) {
    const limpet_block *block = &solution->problem.block[b];
    if (block->kind != &limpet_block_tree) continue;  // limpet_soft_motion_end
    if (!block->still && !solution->contact.held[b]) continue;
    memcpy(solution->v + block->dof, data->v + block->dof, (size_t)block->size * sizeof *data->v);
    memcpy(solution->q + block->position, data->q + block->position,
           (size_t)block->positions * sizeof *data->q);
    if (b < data->model->tree_count) solution->held[b] = data->tree_held[b];
  }
}

static void integrate_blocks(const limpet_step_work *work, const limpet_data *data, const double *v,
                             limpet_step_solution *solution) {
  for (int b = 0; b < solution->problem.block_count; ++b) {
    const limpet_block *block = &solution->problem.block[b];
    block->kind->integrate(block, data->model, solution->q, data->q, v, work->settings.time_step,
                           work->settings.compatibility.first_order_rotation);
  }
}

static limpet_status end_soft(const limpet_step_work *work, const limpet_data *data,
                              limpet_step_solution *solution) {
  const int count = 3 * data->model->vertex_count;
  solution->vertex_velocity = LIMPET_TAKE(work->arena, double, count);
  solution->vertex_position = LIMPET_TAKE(work->arena, double, count);
  if (!solution->vertex_velocity || !solution->vertex_position) return LIMPET_ERROR_MEMORY;
  const limpet_soft_end end = {&solution->problem, &solution->contact, solution->vertex_velocity,
                               solution->vertex_position};
  return limpet_soft_motion_end(data->model, data, work->motion.soft, work->arena, &end);
}

/* Positions and velocities at the end of the step: v is what was solved for, and what the scheme
 * adds to it. */
static limpet_status end_step(const limpet_step_work *work, const limpet_data *data,
                              limpet_step_solution *solution, limpet_step_info *info) {
  const limpet_model *model = data->model;
  const limpet_free_motion *motion = &work->motion;
  solution->v = LIMPET_TAKE(work->arena, double, model->nv);
  solution->q = LIMPET_TAKE(work->arena, double, model->nq);
  solution->held = LIMPET_TAKE_ZERO(work->arena, double, model->tree_count);
  if (!solution->v || !solution->q || !solution->held) return LIMPET_ERROR_MEMORY;
  const double *v = solution->contact.v;
  memcpy(solution->v, v, (size_t)model->nv * sizeof *v);
  if (motion->flight) {
    if (limpet_flight_end(data, &work->settings, work->arena, motion, solution, info) != LIMPET_OK)
      return LIMPET_ERROR_MEMORY;
  } else {
    integrate_blocks(work, data, motion->moves_before ? data->v : v, solution);
    for (int i = 0; motion->after && i < model->nv; ++i) solution->v[i] += motion->after[i];
  }
  if (info->failed_islands > 0 || work->trees.tree) keep_still(data, solution);
  return motion->soft ? end_soft(work, data, solution) : LIMPET_OK;
}

limpet_outcome limpet_step_attempt(const limpet_step_prepared *prepared,
                                   const limpet_step_settings *settings,
                                   limpet_step_result *result) {
  assert(prepared && settings && result);
  const limpet_step_work *work = prepared->work;
  result->outcome = prepared->outcome;
  result->v = NULL, result->solution = NULL;
  result->info = work ? work->info : (limpet_step_info){0};
  if (prepared->outcome != LIMPET_OUTCOME_SOLVED) return result->outcome;
  assert(work->opened == prepared->data->workspace->open_count);
  assert(settings->scheme == work->settings.scheme &&
         settings->contact_model == work->settings.contact_model);

  limpet_stage_clock clock =
      limpet_stage_clock_start(settings->profile, prepared->work->info.stage_time);
  limpet_step_solution *solution = LIMPET_TAKE_ZERO(work->arena, limpet_step_solution, 1);
  result->outcome = LIMPET_OUTCOME_OUT_OF_MEMORY;
  if (!solution) return result->outcome;
  solution->problem = work->problem;
  solution->tolerance = settings->tolerance;
  solution->kept = kept_by(work, settings), solution->moved = work->moved;
  if (!carries(settings)) solution->problem.carried = NULL;
  limpet_outcome outcome = solve(work, prepared->data, settings, solution, &result->info);
  if (!limpet_outcome_failed(outcome)) {
    result->solution = solution;
    if (end_step(work, prepared->data, solution, &result->info) != LIMPET_OK)
      outcome = LIMPET_OUTCOME_OUT_OF_MEMORY;
    result->v = solution->v;
  }
  limpet_stage_clock_lap(&clock, LIMPET_STAGE_SOLVE);
  return result->outcome = result->info.outcome = outcome;
}
