/* step/prepare.c: the first verb of a step: stages 1 to 5, from the state to the problem. Their
 * numbers are those of docs/pipeline.md. */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "contact/assemble.h"
#include "contact/kept.h"
#include "dynamics/tree.h"
#include "model/workspace.h"
#include "step/anchors.h"
#include "step/assembly.h"
#include "step/detection.h"
#include "step/flight.h"
#include "step/input.h"
#include "step/prepared.h"
#include "step/restrain.h"
#include "step/soft_motion.h"

/* A scheme that starts from rest sees a world without velocities; those of the state come back with
 * rest_end. LIMPET_OK or LIMPET_ERROR_MEMORY. */
static limpet_status rest_begin(limpet_step_work *work, limpet_data *data, double **kept) {
  const size_t nv = (size_t)data->model->nv;
  work->v_start = data->v;
  *kept = NULL;
  if (!work->settings.scheme->from_rest) return LIMPET_OK;
  work->v_start = LIMPET_TAKE_ZERO(work->arena, double, nv);
  *kept = LIMPET_TAKE(work->arena, double, nv);
  if (!work->v_start || !*kept) return LIMPET_ERROR_MEMORY;
  memcpy(*kept, data->v, nv * sizeof *data->v);
  memset(data->v, 0, nv * sizeof *data->v);
  return LIMPET_OK;
}

static void rest_end(limpet_data *data, const double *kept) {
  if (kept) memcpy(data->v, kept, (size_t)data->model->nv * sizeof *data->v);
}

limpet_outcome limpet_step_pose(limpet_step_work *work, limpet_data *data,
                                limpet_stage_clock *clock) {
  const limpet_step_settings *settings = &work->settings;
  const limpet_collision *collision = &work->collision;
  limpet_contact_problem *problem = &work->problem;
  limpet_contact_records *records = &work->records;
  const limpet_step_encounter encounter = {
      .motion = &work->motion,
      .collision = collision,
      .speculative = limpet_step_speculative_distance(settings)};
  if (limpet_step_assemble(data, settings, &encounter, work->arena, records, problem) ||
      limpet_problem_partition(problem, work->arena) ||
      (settings->contact_model->memory != LIMPET_MEMORY_NONE &&
       limpet_anchors_load(data, records, work->arena, problem)))
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  if (problem->stretch) limpet_contact_kept_apply(problem, limpet_step_is_plain(settings));
  limpet_contact_records_find(records, problem);
  work->spent.restrained_rebounds = 0, work->rebounds = NULL;
  if (limpet_step_bound_returns(work, data) != LIMPET_OK) return LIMPET_OUTCOME_OUT_OF_MEMORY;
  if (!work->motion.soft) problem->v_start = work->v_start;
  work->info.pair_count = collision->pair_count;
  work->info.immovable_contacts = problem->immovable_count;
  work->info.swallowed_pairs = collision->swallowed_count;
  limpet_stage_clock_lap(clock, LIMPET_STAGE_ASSEMBLY);
  return LIMPET_OUTCOME_SOLVED;
}

static limpet_outcome run_stages(limpet_step_work *work, limpet_data *data) {
  const limpet_model *model = data->model;
  const limpet_step_settings *settings = &work->settings;
  const limpet_outcome input = limpet_input_check(data, &work->info);
  if (input != LIMPET_OUTCOME_SOLVED) return input;
  limpet_stage_clock clock = limpet_stage_clock_start(settings->profile, work->info.stage_time);

  // 1 kinematics: trees that the last step looked at where it ended are known
  const limpet_solved_step *last = limpet_solved_step_of(data);
  const bool looked = last && last->motion.flight;
  const limpet_known_poses known =
      looked ? limpet_flight_poses(last->motion.flight) : (limpet_known_poses){0};
  limpet_trees_kinematics_known(model, data, work->trees, looked ? &known : NULL);
  const bool lost = limpet_input_lose_poses(model, data, work->trees);
  limpet_trees_collider_kinematics(model, data, work->trees);
  limpet_trees_velocities(model, data, work->trees);
  limpet_stage_clock_lap(&clock, LIMPET_STAGE_KINEMATICS);

  // 2 dynamics
  limpet_free_motion *motion = &work->motion;
  limpet_outcome outcome =
      settings->scheme->free_motion(model, data, settings, work->trees, work->arena, motion);
  if (outcome != LIMPET_OUTCOME_SOLVED) return outcome;
  if (lost) limpet_input_fail_trees(model, data, motion);
  if (limpet_soft_motion_begin(model, data, settings, work->arena, &motion->soft))
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  limpet_stage_clock_lap(&clock, LIMPET_STAGE_DYNAMICS);

  // 3, 4 collision
  const limpet_detection detection = {model,  data,        settings, work->trees,
                                      motion, work->arena, &clock,   NULL};
  outcome = limpet_step_detect(&detection, NULL, &work->reach, &work->detected);
  work->collision = work->detected;
  work->before_pose = limpet_arena_mark_now(work->arena);
  return outcome == LIMPET_OUTCOME_SOLVED ? limpet_step_pose(work, data, &clock) : outcome;
}

limpet_outcome limpet_step_prepare_trees(const limpet_model *model, limpet_data *data,
                                         const limpet_step_settings *settings, double time_step,
                                         limpet_trees trees, limpet_step_prepared *prepared) {
  assert(model && data && settings && prepared && data->model == model && time_step > 0.0);
  assert(limpet_scheme_takes(settings->scheme, settings->contact_model));
  (void)model;
  limpet_arena *arena = limpet_workspace_open(data->workspace);
  limpet_step_work *work = LIMPET_TAKE(arena, limpet_step_work, 1);
  *prepared = (limpet_step_prepared){
      .outcome = LIMPET_OUTCOME_OUT_OF_MEMORY, .time_step = time_step, .data = data, .work = work};
  if (!work) return prepared->outcome;
  const size_t copied = offsetof(limpet_step_work, trees);  // settings
  memset((char *)work + copied, 0, sizeof *work - copied);
  work->settings = *settings;
  work->settings.time_step = time_step;
  work->trees = trees;
  work->arena = arena;
  work->opened = data->workspace->open_count;
  work->info.friction_contact = work->info.overlap_contact = LIMPET_NONE;
  work->info.crossing_vertex = work->info.surface_contact = LIMPET_NONE;

  double *kept;
  if (rest_begin(work, data, &kept)) return prepared->outcome;
  prepared->outcome = run_stages(work, data);
  rest_end(data, kept);
  return prepared->outcome;
}

limpet_outcome limpet_step_prepare(const limpet_model *model, limpet_data *data,
                                   const limpet_step_settings *settings, double time_step,
                                   limpet_step_prepared *prepared) {
  assert(model);
  return limpet_step_prepare_trees(model, data, settings, time_step, limpet_trees_all(model),
                                   prepared);
}
