/* step/results.c: contact and constraint results of a step, statistics, energies. */
#include "step/results.h"

#include <math.h>
#include <string.h>

#include "constraint/loop.h"
#include "contact/arrays.h"
#include "math/extremes.h"
#include "math/vec3.h"
#include "model/workspace.h"

void limpet_results_clear(limpet_data *data) {
  data->contact_count = 0;
  data->surface_count = 0;
  data->constraint_count = 0;
}

void limpet_results_solver(limpet_step_info *info, const limpet_solve_info *solve) {
  info->iterations = solve->iterations;
  info->iterations_total = solve->iterations_total;
  info->line_search_evaluations =
      solve->compliant.line_search_evaluations + solve->impulsive.line_search_evaluations;
  info->factorizations = solve->compliant.factorizations + solve->rigid.interior_iterations +
                         solve->impulsive.factorizations;
  info->newton_iterations = solve->compliant.newton_iterations;
  info->interior_iterations = solve->rigid.interior_iterations;
  info->active_set_changes = solve->rigid.active_set_changes;
  info->sweeps = solve->impulsive.sweeps;
  info->pivots = solve->impulsive.pivots;
  info->barrier_iterations = solve->impulsive.barrier_iterations;
  info->residual = solve->residual;
  info->condition_number = solve->condition_number;
  info->cost = solve->cost;
  info->island_count = solve->island_count;
  info->largest_island = solve->largest_island;
  info->failed_islands = solve->failed_islands;
}

void limpet_results_add_iterations(limpet_step_info *info, const limpet_step_info *before) {
  info->repeats = before->repeats;
  info->restrained_returns = before->restrained_returns;
  info->restrained_rebounds = before->restrained_rebounds;
  info->crossing_rounds = before->crossing_rounds;
  info->iterations += before->iterations;
  info->iterations_total += before->iterations_total;
  info->line_search_evaluations += before->line_search_evaluations;
  info->factorizations += before->factorizations;
  info->newton_iterations += before->newton_iterations;
}

// Length of a tangent row; anisotropic friction scales them.
static double row_scale(const limpet_contact_problem *problem, const double row[6]) {
  return problem->anisotropic ? limpet_vec3_norm(row + 3) : 1.0;
}

// Contact i of data: where it is from its record, what happened from contact k of the problem.
static void fill_contact(limpet_data *data, int i, const limpet_contact_records *records,
                         const limpet_contact_problem *problem,
                         const limpet_contact_solution *solution) {
  const limpet_contact_record *record = &records->record[i];
  const limpet_geom_pair *geoms = &records->pair[record->pair].geoms;
  data->contact_geom[2 * i] = geoms->geom_a;
  data->contact_geom[2 * i + 1] = geoms->geom_b;
  data->contact_feature[i] = record->feature;
  data->contact_distance[i] = record->distance;
  data->contact_area[i] = record->area;
  memcpy(data->contact_position + 3 * i, record->position, sizeof record->position);
  memcpy(data->contact_frame + 9 * i, record->frame, sizeof record->frame);

  const int k = record->contact;
  const limpet_contact_constants *constants = &solution->constants[k];
  const double *W = problem->contact_row + 18 * k, *gamma = solution->gamma + 3 * k;
  data->contact_stiffness[i] = constants->stiffness;
  data->contact_dissipation[i] = constants->dissipation;
  data->contact_friction[i] = constants->friction;
  data->contact_torsion[i] = solution->torsion[k] / problem->dt;
  for (int e = 0; e < 2; ++e)
    data->contact_rolling[2 * i + e] = solution->rolling[2 * k + e] / problem->dt;
  data->contact_slip_speed[i] = problem->model->slip_speed(constants, gamma);
  data->contact_sticks[i] = gamma[2] > 0.0 && problem->model->sticks(constants, gamma);
  for (int e = 0; e < 3; ++e) {
    const double scale = row_scale(problem, W + 6 * e);
    data->contact_velocity[3 * i + e] = solution->velocity[3 * k + e] / scale;
    data->contact_force[3 * i + e] = scale * gamma[e] / problem->dt;
  }
  data->contact_force[3 * i + 2] -= record->pull;
}

static void contact_statistics(limpet_data *data, const limpet_contact_records *records) {
  limpet_step_info *info = &data->info;
  for (int i = 0; i < data->contact_count; ++i) {
    const double *v = data->contact_velocity + 3 * i;
    if (!records->record[i].of_end)
      info->deepest_penetration = limpet_max(info->deepest_penetration, -data->contact_distance[i]);
    if (data->contact_force[3 * i + 2] > 0.0) ++info->touching_count;
    if (data->contact_sticks[i])
      info->largest_stiction_speed =
          limpet_max(info->largest_stiction_speed, sqrt(v[0] * v[0] + v[1] * v[1]));
  }
}

limpet_status limpet_results_contacts(limpet_data *data, const limpet_contact_records *records,
                                      const limpet_contact_problem *problem,
                                      const limpet_contact_solution *solution,
                                      limpet_arena *arena) {
  if (limpet_contact_arrays_take(data, records->count, arena)) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < records->count; ++i) fill_contact(data, i, records, problem, solution);
  data->contact_count = data->info.contact_count = records->count;
  contact_statistics(data, records);
  return limpet_results_surfaces(data, records, arena);
}

// The force of one row of an actuator; first: velocity of its island's only block, or -1.
static void move_actuator(limpet_data *data, const limpet_contact_problem *problem,
                          const limpet_island *island, const limpet_constraint_row *row, int first,
                          double force) {
  const int *entry_dof = problem->entry_dof + row->entry;
  const double *entry_value = problem->entry_value + row->entry;
  double *actuator = data->actuator_joint_force, *constraint = data->constraint_joint_force;
  data->actuator_force[row->target] = force;
  for (int e = 0; e < row->entry_count; ++e) {
    const int dof = first >= 0 ? first + entry_dof[e]
                               : limpet_problem_global_dof(problem, island, entry_dof[e]);
    actuator[dof] += entry_value[e] * force;
    constraint[dof] -= entry_value[e] * force;
  }
}

// Springs and dampers of tendons count as passive forces.
static void take_out(limpet_data *data, const limpet_contact_problem *problem,
                     const limpet_island *island, const limpet_constraint_row *row, double force) {
  for (int e = row->entry; e < row->entry + row->entry_count; ++e)
    data->constraint_joint_force[limpet_problem_global_dof(
        problem, island, problem->entry_dof[e])] -= problem->entry_value[e] * force;
}

// Actuators and springs count as such, not as constraints, in generalised forces.
static void move_rows(limpet_data *data, const limpet_contact_problem *problem) {
  const limpet_constraint_kind *const *kinds = limpet_constraint_kinds();
  for (int k = 0; k < problem->island_count; ++k) {
    const limpet_island *island = &problem->island[k];
    const int first =
        island->block_count == 1 ? problem->block[problem->island_block[island->block]].dof : -1;
    const limpet_constraint_row *row = problem->row + island->row;
    for (int i = 0; i < island->row_count; ++i) {
      const double force = data->constraint_force[island->row + i];
      if (kinds[row[i].kind] == &limpet_constraint_actuator)
        move_actuator(data, problem, island, &row[i], first, force);
      else if (kinds[row[i].kind] == &limpet_constraint_tendon_spring)
        take_out(data, problem, island, &row[i], force);
    }
  }
}

limpet_status limpet_results_constraints(const limpet_model *model, limpet_data *data,
                                         const limpet_contact_problem *problem,
                                         const limpet_contact_solution *solution,
                                         const limpet_free_motion *motion, limpet_arena *arena) {
  const int count = problem->row_count;
  const double rate = 1.0 / problem->dt;
  data->constraint_kind = LIMPET_TAKE(arena, int, count);
  data->constraint_target = LIMPET_TAKE(arena, int, count);
  data->constraint_component = LIMPET_TAKE(arena, int, count);
  data->constraint_error = LIMPET_TAKE(arena, double, count);
  data->constraint_force = LIMPET_TAKE(arena, double, count);
  if (!data->constraint_kind || !data->constraint_target || !data->constraint_component ||
      !data->constraint_error || !data->constraint_force)
    return LIMPET_ERROR_MEMORY;
  data->constraint_count = data->info.constraint_count = count;
  memcpy(data->actuator_joint_force, motion->explicit_force,
         (size_t)model->nv * sizeof *motion->explicit_force);
  for (int i = 0; i < model->nv; ++i) data->constraint_joint_force[i] = rate * solution->impulse[i];

  for (int i = 0; i < model->loop_count; ++i) {
    data->info.loop_gap = limpet_max(data->info.loop_gap, limpet_loop_gap(model, data, i));
    data->info.loop_turn = limpet_max(data->info.loop_turn, limpet_loop_turn(model, data, i));
  }

  const limpet_constraint_kind *const *kinds = limpet_constraint_kinds();
  double coupler_error = 0.0;
  int *kind = data->constraint_kind, *target = data->constraint_target,
      *component = data->constraint_component;
  double *error = data->constraint_error, *force = data->constraint_force;
  const limpet_constraint_row *row = problem->row;
  for (int i = 0; i < count; ++i, ++row) {
    kind[i] = row->kind, target[i] = row->target, component[i] = row->component;
    error[i] = row->error;
    force[i] = rate * solution->row_gamma[i];
    if (kinds[row->kind] == &limpet_constraint_coupler)
      coupler_error = limpet_max(coupler_error, fabs(row->error));
  }
  data->info.coupler_error = coupler_error;
  move_rows(data, problem);
  return LIMPET_OK;
}

limpet_status limpet_results_servos(const limpet_model *model, limpet_data *data,
                                    const limpet_free_motion *motion, const double *v,
                                    limpet_arena *arena) {
  if (!motion->servo_included) return LIMPET_OK;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  int *dof = LIMPET_TAKE(arena, int, 2 * model->nv);
  double *row = LIMPET_TAKE(arena, double, 2 * model->nv);
  if (!dof || !row) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < model->actuator_count; ++i) {
    if (!motion->servo_included[i]) continue;
    const int count = limpet_actuator_row(model, data, i, dof, row);
    double speed = 0.0;
    for (int k = 0; k < count; ++k) speed += row[k] * v[dof[k]];
    data->actuator_force[i] = motion->servo_force[i] - motion->servo_slope[i] * speed;
    for (int k = 0; k < count; ++k)
      data->actuator_joint_force[dof[k]] += row[k] * data->actuator_force[i];
  }
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

void limpet_results_memory(limpet_data *data) {
  const limpet_workspace *workspace = data->workspace;
  data->info.arena_growth = workspace->arena[0].growth_count + workspace->arena[1].growth_count;
  const size_t peak[2] = {limpet_arena_peak(&workspace->arena[0]),
                          limpet_arena_peak(&workspace->arena[1])};
  data->info.arena_peak = peak[0] > peak[1] ? peak[0] : peak[1];
}
