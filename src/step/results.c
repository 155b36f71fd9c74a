/* step/results.c: contact and constraint results of a step, statistics, energies. */
#include "step/results.h"

#include <math.h>
#include <string.h>

#include "constraint/loop.h"
#include "math/vec3.h"
#include "model/workspace.h"

void limpet_results_clear(limpet_data *data) {
  data->contact_count = 0;
  data->constraint_count = 0;
}

void limpet_results_solver(limpet_step_info *info, const limpet_solve_info *solve) {
  info->iterations = solve->iterations;
  info->iterations_total = solve->iterations_total;
  info->line_search_evaluations =
      solve->compliant.line_search_evaluations + solve->impulsive.line_search_evaluations;
  info->factorizations = solve->compliant.factorizations + solve->rigid.interior_iterations +
                         solve->impulsive.factorizations;
  info->residual = solve->residual;
  info->condition_number = solve->condition_number;
  info->cost = solve->cost;
  info->island_count = solve->island_count;
  info->largest_island = solve->largest_island;
}

static int take_contacts(limpet_data *data, int count, limpet_arena *arena) {
  data->contact_geom = LIMPET_TAKE(arena, int, 2 * count);
  data->contact_feature = LIMPET_TAKE(arena, uint64_t, count);
  data->contact_position = LIMPET_TAKE(arena, double, 3 * count);
  data->contact_frame = LIMPET_TAKE(arena, double, 9 * count);
  data->contact_distance = LIMPET_TAKE(arena, double, count);
  data->contact_velocity = LIMPET_TAKE(arena, double, 3 * count);
  data->contact_force = LIMPET_TAKE(arena, double, 3 * count);
  data->contact_stiffness = LIMPET_TAKE(arena, double, count);
  data->contact_dissipation = LIMPET_TAKE(arena, double, count);
  data->contact_friction = LIMPET_TAKE(arena, double, count);
  data->contact_slip_speed = LIMPET_TAKE(arena, double, count);
  data->contact_torsion = LIMPET_TAKE(arena, double, count);
  data->contact_sticks = LIMPET_TAKE(arena, bool, count);
  return !data->contact_geom || !data->contact_feature || !data->contact_position ||
         !data->contact_frame || !data->contact_distance || !data->contact_velocity ||
         !data->contact_force || !data->contact_stiffness || !data->contact_dissipation ||
         !data->contact_friction || !data->contact_slip_speed || !data->contact_torsion ||
         !data->contact_sticks;
}

// Length of a tangent row; anisotropic friction scales them.
static double row_scale(const limpet_contact_problem *problem, const double row[6]) {
  return problem->anisotropic ? limpet_vec3_norm(row + 3) : 1.0;
}

// Contact `to` of data from contact `from` of the problem.
static void fill_contact(limpet_data *data, const limpet_contact_problem *problem,
                         const limpet_contact_solution *solution, const limpet_patch *patch,
                         int from, const limpet_collision *collision, int to) {
  const limpet_collision_contact *source = &collision->contact[problem->contact_source[from]];
  const limpet_collision_pair *pair = &collision->pair[source->pair];
  const limpet_contact_constants *constants = &solution->constants[from];
  const double *W = problem->contact_row + 18 * from;
  data->contact_geom[2 * to] = pair->geom_a;
  data->contact_geom[2 * to + 1] = pair->geom_b;
  data->contact_feature[to] = source->point.feature;
  data->contact_distance[to] = source->point.distance;
  data->contact_stiffness[to] = constants->stiffness;
  data->contact_dissipation[to] = constants->dissipation;
  data->contact_friction[to] = constants->friction;
  const double *gamma = solution->gamma + 3 * from;
  data->contact_torsion[to] = solution->torsion[from] / problem->dt;
  data->contact_slip_speed[to] = problem->model->slip_speed(constants, gamma);
  data->contact_sticks[to] = gamma[2] > 0.0 && problem->model->sticks(constants, gamma);

  // r = 1/2 sum e x (r x e) gives the lever back
  double *position = data->contact_position + 3 * to;
  limpet_vec3_copy(position, patch->point);
  for (int e = 0; e < 3; ++e) {
    const double scale = row_scale(problem, W + 6 * e);
    double part[3];
    limpet_vec3_scale(data->contact_frame + 9 * to + 3 * e, 1.0 / scale, W + 6 * e + 3);
    limpet_vec3_cross(part, W + 6 * e + 3, W + 6 * e);
    limpet_vec3_addmul(position, position, 0.5 / (scale * scale), part);
    data->contact_velocity[3 * to + e] = solution->velocity[3 * from + e] / scale;
    data->contact_force[3 * to + e] = scale * gamma[e] / problem->dt;
  }
}

static void contact_statistics(limpet_data *data) {
  limpet_step_info *info = &data->info;
  for (int i = 0; i < data->contact_count; ++i) {
    const double *v = data->contact_velocity + 3 * i;
    info->deepest_penetration = fmax(info->deepest_penetration, -data->contact_distance[i]);
    if (data->contact_force[3 * i + 2] > 0.0) ++info->touching_count;
    if (data->contact_sticks[i])
      info->largest_stiction_speed = fmax(info->largest_stiction_speed, hypot(v[0], v[1]));
  }
}

int limpet_results_contacts(limpet_data *data, const limpet_contact_problem *problem,
                            const limpet_contact_solution *solution,
                            const limpet_collision *collision, limpet_arena *arena) {
  const int count = problem->contact_count;
  data->info.pair_count = collision->pair_count;
  data->info.contact_count = count;
  if (take_contacts(data, count, arena)) return 1;

  // place of each contact: its rank among the sources that were kept
  int *rank = LIMPET_TAKE_ZERO(arena, int, collision->contact_count + 1);
  if (!rank) return 1;
  for (int i = 0; i < count; ++i) rank[problem->contact_source[i] + 1] = 1;
  for (int i = 0; i < collision->contact_count; ++i) rank[i + 1] += rank[i];
  for (int i = 0; i < problem->patch_count; ++i) {
    const limpet_patch *patch = &problem->patch[i];
    for (int k = patch->contact; k < patch->contact + patch->contact_count; ++k)
      fill_contact(data, problem, solution, patch, k, collision, rank[problem->contact_source[k]]);
  }
  data->contact_count = count;
  contact_statistics(data);
  return 0;
}

int limpet_results_constraints(const limpet_model *model, limpet_data *data,
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
    return 1;
  data->constraint_count = data->info.constraint_count = count;
  memcpy(data->actuator_joint_force, motion->explicit_force,
         (size_t)model->nv * sizeof *motion->explicit_force);
  for (int i = 0; i < model->nv; ++i) data->constraint_joint_force[i] = rate * solution->impulse[i];

  for (int i = 0; i < model->loop_count; ++i)
    data->info.loop_gap = fmax(data->info.loop_gap, limpet_loop_gap(model, data, i));

  // actuators count as actuators, not as constraints, in generalised forces
  const limpet_constraint_kind *const *kinds = limpet_constraint_kinds();
  const limpet_island *island = problem->island;
  for (int i = 0; i < count; ++i) {
    const limpet_constraint_row *row = &problem->row[i];
    const double force = rate * solution->row_gamma[i];
    data->constraint_kind[i] = row->kind;
    data->constraint_target[i] = row->target;
    data->constraint_component[i] = row->component;
    data->constraint_error[i] = row->error;
    data->constraint_force[i] = force;
    if (kinds[row->kind] != &limpet_constraint_actuator) continue;
    data->actuator_force[row->target] = force;
    while (i >= island->row + island->row_count) ++island;
    for (int e = row->entry; e < row->entry + row->entry_count; ++e) {
      const int dof = limpet_problem_global_dof(problem, island, problem->entry_dof[e]);
      data->actuator_joint_force[dof] += problem->entry_value[e] * force;
      data->constraint_joint_force[dof] -= problem->entry_value[e] * force;
    }
  }
  return 0;
}

int limpet_results_servos(const limpet_model *model, limpet_data *data,
                          const limpet_free_motion *motion, const double *v, limpet_arena *arena) {
  if (!motion->servo_included) return 0;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  int *dof = LIMPET_TAKE(arena, int, 2 * model->nv);
  double *row = LIMPET_TAKE(arena, double, 2 * model->nv);
  if (!dof || !row) return 1;
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
  return 0;
}

void limpet_results_energy(const limpet_model *model, limpet_data *data,
                           const limpet_contact_problem *problem,
                           const limpet_contact_solution *solution) {
  limpet_kinematics(model, data);
  limpet_velocity_kinematics(model, data);
  limpet_mass_matrix(model, data);
  limpet_tendon_kinematics(model, data);
  data->info.kinetic_energy = limpet_kinetic_energy(model, data);
  data->info.potential_energy = limpet_potential_energy(model, data);
  for (int i = 0; i < problem->contact_count; ++i) {
    const limpet_contact_constants *constants = &solution->constants[i];
    data->info.contact_energy += problem->model->energy(
        constants, constants->distance + problem->dt * solution->velocity[3 * i + 2]);
  }
}

void limpet_results_memory(limpet_data *data) {
  const limpet_workspace *workspace = data->workspace;
  data->info.arena_growth = workspace->arena[0].growth_count + workspace->arena[1].growth_count;
  data->info.arena_peak = workspace->arena[0].peak > workspace->arena[1].peak
                              ? workspace->arena[0].peak
                              : workspace->arena[1].peak;
}
