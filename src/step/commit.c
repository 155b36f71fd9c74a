/* step/commit.c: the third verb of a step: stage 7, results and the new state. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "contact/kept.h"
#include "contact/shear.h"
#include "dynamics/activation.h"
#include "math/vec3.h"
#include "model/history.h"
#include "model/workspace.h"
#include "step/anchors.h"
#include "step/assembly.h"
#include "step/prepared.h"
#include "step/rebound.h"
#include "step/reports.h"
#include "step/restrain.h"
#include "step/results.h"
#include "step/sensing.h"
#include "step/soft_motion.h"
#include "step/stage_clock.h"
#include "step/vertex_forces.h"

const limpet_solved_step *limpet_solved_step_of(const limpet_data *data) {
  return data->workspace->solved;
}

// For derivatives. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status keep_solved(limpet_data *data, const limpet_step_work *work,
                                 const limpet_step_solution *solution) {
  limpet_solved_step *solved = LIMPET_TAKE(work->arena, limpet_solved_step, 1);
  if (!solved) return LIMPET_ERROR_MEMORY;
  // field by field, as a whole is made elsewhere and copied
  solved->motion = work->motion, solved->collision = work->collision;
  solved->records = work->records;
  solved->problem = solution->problem, solved->solution = solution->contact;
  solved->energy = (limpet_energy_end){0};
  data->workspace->solved = solved;
  return LIMPET_OK;
}

/* Contact, constraint and sensor results, with the state at the start of the step, whose velocity
 * is v_start. LIMPET_OK or LIMPET_ERROR_MEMORY; v is then as it was. */
static limpet_status fill_results(limpet_data *data, const limpet_step_work *work,
                                  const limpet_step_solution *solution,
                                  const limpet_former_contacts *former, const double *end) {
  const limpet_model *model = data->model;
  const limpet_contact_problem *problem = &solution->problem;
  const size_t size = (size_t)model->nv * sizeof *data->v;
  double *kept = LIMPET_TAKE(work->arena, double, model->nv);
  double *tie_force = LIMPET_TAKE(work->arena, double, 3 * model->tie_count);
  if (!kept || !tie_force) return LIMPET_ERROR_MEMORY;
  memcpy(kept, data->v, size);
  if (work->v_start != data->v) memcpy(data->v, work->v_start, size);
  const bool failed =
      limpet_results_contacts(data, &work->records, problem, &solution->contact, work->arena) ||
      limpet_results_constraints(model, data, problem, &solution->contact, &work->motion,
                                 work->arena) ||
      limpet_results_servos(model, data, &work->motion, solution->contact.v, work->arena) ||
      limpet_vertex_forces(data, work, solution, tie_force) ||
      (!work->continues && limpet_step_sense(model, data, end, tie_force, work)) ||
      keep_solved(data, work, solution);
  if (!failed) {
    limpet_report_deformable_forces(data);
    limpet_report_friction(data, &work->records, problem, &solution->contact);
    limpet_report_overlap(data, former, &work->records, problem);
    limpet_report_surfaces(data, &work->collision);
    return LIMPET_OK;
  }
  memcpy(data->v, kept, size);
  return LIMPET_ERROR_MEMORY;
}

static void integrate(limpet_data *data, const limpet_step_work *work,
                      const limpet_step_solution *solution) {
  const limpet_model *model = data->model;
  const double *v = solution->v;
  memcpy(data->q, solution->q, (size_t)model->nq * sizeof *data->q);
  memcpy(data->tree_held, solution->held, (size_t)model->tree_count * sizeof *data->tree_held);
  limpet_step_keep_jams(work, data, solution, data->tree_jammed);
  for (int i = 0; i < model->nv; ++i) {
    data->warm_start[i] = v[i] - data->v[i];
    data->v[i] = v[i];
  }
  if (model->vertex_count > 0) {
    const size_t size = 3 * (size_t)model->vertex_count * sizeof *data->vertex_position;
    memcpy(data->vertex_position, solution->vertex_position, size);
    memcpy(data->vertex_velocity, solution->vertex_velocity, size);
  }
  limpet_activation_integrate(model, data, work->trees, work->settings.time_step);
  if (!work->continues) limpet_history_add_controls(model, data);
  data->time += work->settings.time_step;
}

// The shear that surfaces keep, by pair of the records. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status keep_shear(const limpet_step_work *work, const limpet_step_solution *solution,
                                limpet_anchors_next *next) {
  const limpet_contact_problem *problem = &solution->problem;
  const limpet_contact_records *records = &work->records;
  limpet_shear *shear = LIMPET_TAKE(work->arena, limpet_shear, records->pair_count);
  bool *keeps = LIMPET_TAKE_ZERO(work->arena, bool, records->pair_count);
  if (!shear || !keeps) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < problem->patch_count; ++i) {
    const limpet_patch *patch = &problem->patch[i];
    for (int first = patch->contact, end; first < patch->contact + patch->contact_count;
         first = end) {
      const int pair = records->record[problem->contact_source[first]].pair;
      end = limpet_shear_end(problem, records, first);
      if (limpet_shear_is_kept(problem, records, first))
        keeps[pair] =
            limpet_shear_next(problem, records, patch->point, first, end, solution->contact.gamma,
                              solution->contact.velocity, &shear[pair]);
    }
  }
  next->shear = shear, next->keeps_shear = keeps;
  return LIMPET_OK;
}

// What contacts carry into the next step. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status keep_contacts(limpet_data *data, const limpet_step_work *work,
                                   const limpet_step_solution *solution) {
  const limpet_contact_problem *problem = &solution->problem;
  limpet_anchors_next next = {.carried = problem->carried ? solution->contact.carried : NULL};
  if (problem->stretch) {
    double *stretch = LIMPET_TAKE(work->arena, double, 3 * problem->contact_count);
    double *rebound = LIMPET_TAKE(work->arena, double, problem->contact_count);
    double *taken = LIMPET_TAKE_ZERO(work->arena, double, problem->contact_count);
    if (!stretch || !rebound || !taken) return LIMPET_ERROR_MEMORY;
    const bool plain = limpet_step_is_plain(&work->settings);
    const limpet_options *options = &data->model->options;
    const bool falls = !(options->disabled & LIMPET_DISABLE_GRAVITY);
    const double slowest =
        falls ? 2.0 * work->settings.time_step * limpet_vec3_norm(options->gravity) : 0.0;
    limpet_contact_kept_next(problem, solution->contact.gamma, solution->contact.velocity, plain,
                             slowest, stretch, rebound);
    limpet_step_rebounds_taken(solution, rebound, plain, taken);
    next.stretch = stretch, next.rebound = rebound, next.taken = taken;
    if (problem->shear && keep_shear(work, solution, &next) != LIMPET_OK)
      return LIMPET_ERROR_MEMORY;
  }
  if (next.carried || next.stretch) limpet_anchors_store(data, &work->records, problem, &next);
  return LIMPET_OK;
}

// What still passes through deformable bodies was seen after the last attempt: the step is not
// solved.
static limpet_outcome tell_crossings(limpet_step_info *info, const limpet_step_info *seen,
                                     limpet_outcome outcome) {
  info->crossing_count = seen->crossing_count;
  info->crossing_depth = seen->crossing_depth;
  info->crossing_vertex = seen->crossing_vertex;
  return seen->crossing_count > 0 && outcome < LIMPET_OUTCOME_ITERATION_LIMIT
             ? LIMPET_OUTCOME_ITERATION_LIMIT
             : outcome;
}

static limpet_outcome take_over(limpet_data *data, const limpet_step_work *work,
                                const limpet_step_result *result,
                                const limpet_former_contacts *former) {
  const limpet_step_solution *solution = result->solution;
  memcpy(data->info.stage_time, work->info.stage_time, sizeof data->info.stage_time);
  limpet_stage_clock clock =
      limpet_stage_clock_start(work->settings.profile, data->info.stage_time);
  if (fill_results(data, work, solution, former, result->v)) return LIMPET_OUTCOME_OUT_OF_MEMORY;
  const limpet_soft_end end = {&solution->problem, &solution->contact, solution->vertex_velocity,
                               solution->vertex_position};
  if (work->motion.soft) limpet_soft_motion_turn(data->model, work->motion.soft, &end);
  limpet_energy_account account;
  double *momentum = NULL;
  if (keep_contacts(data, work, solution) != LIMPET_OK ||
      (work->settings.energy &&
       (limpet_report_momentum_begin(data, work, solution, &momentum) != LIMPET_OK ||
        limpet_report_energy_begin(data, work, solution, &former->energy, &account) != LIMPET_OK)))
    return LIMPET_OUTCOME_OUT_OF_MEMORY;
  integrate(data, work, solution);
  limpet_stage_clock_lap(&clock, LIMPET_STAGE_INTEGRATION);
  // a report: no part of the time of a step
  if (work->settings.energy) {
    if (limpet_report_deformables(data, work->arena)) return LIMPET_OUTCOME_OUT_OF_MEMORY;
    limpet_solved_step *solved = data->workspace->solved;
    solved->energy = limpet_report_energy_end(data, work, solution, &account);
    limpet_report_momentum_end(data, work, solution, momentum);
  }
  return limpet_report_outcome(solution->problem.model, &data->info,
                               tell_crossings(&data->info, &work->info, result->outcome));
}

limpet_outcome limpet_step_commit(const limpet_model *model, limpet_data *data,
                                  const limpet_step_prepared *prepared,
                                  const limpet_step_result *result) {
  assert(model && data && prepared && result && prepared->data == data && data->model == model);
  (void)model;
  limpet_workspace *workspace = data->workspace;
  assert(!prepared->work || prepared->work->opened == workspace->open_count);
  assert(workspace->open);
  const limpet_former_contacts former = limpet_former_contacts_of(data);
  workspace->solved = NULL;
  limpet_results_clear(data);
  data->info = result->info;
  data->info.energy_rise = NAN;  // until it is looked at
  limpet_outcome outcome = result->outcome;
  if (!limpet_outcome_failed(outcome)) outcome = take_over(data, prepared->work, result, &former);
  data->info.outcome = outcome;
  if (!limpet_outcome_failed(outcome)) data->clamped_count += data->info.clamped_controls;
  limpet_workspace_keep(workspace);
  limpet_results_memory(data);
  ++data->step_count;
  ++data->warning_count[outcome];
  return outcome;
}
