/* step/vertex_forces.c: see vertex_forces.h.
 *
 *   vertex that is an unknown   (impulse of the problem)/dt;  its tie: the forces of its rows
 *   vertex that is clamped, or  R/dt, R: residual of the body's step (limpet_fem_step_residual), of
 *   moves with others as one    contacts and the support together;  its tie: R/dt - contacts
 * A contact gives a vertex its weight times the force on B. */
#include "step/vertex_forces.h"

#include <string.h>

#include "collide/soft.h"
#include "constraint/kind.h"
#include "dynamics/body_forces.h"
#include "fem/rigid_set.h"
#include "math/vec3.h"
#include "step/soft_motion.h"
#include "step/soft_sets.h"

// Whether a tie holds its vertex fast: its body cannot move, or it moves with others as one.
static bool clamps(const limpet_model *model, const limpet_contact_problem *problem, int tie) {
  return model->body_tree[model->tie_body[tie]] < 0 ||
         limpet_soft_in_set(problem, model->tie_vertex[tie]);
}

static bool is_clamped(const limpet_model *model, const limpet_contact_problem *problem, int d) {
  for (int t = model->deformable_tie[d]; t < model->deformable_tie[d + 1]; ++t)
    if (clamps(model, problem, t)) return true;
  return false;
}

static void forces_of_rows(const limpet_data *data, const limpet_contact_problem *problem,
                           double *tie_force) {
  for (int i = 0; i < data->constraint_count; ++i)
    if (limpet_constraint_kinds()[data->constraint_kind[i]] == &limpet_constraint_tie &&
        !clamps(data->model, problem, data->constraint_target[i]))
      tie_force[3 * data->constraint_target[i] + data->constraint_component[i]] =
          data->constraint_force[i];
}

// What supports of one body give, contacts on the same vertices included.
static limpet_status supports_of(limpet_data *data, const limpet_step_work *work,
                                 const limpet_step_solution *solution, int d, double *tie_force) {
  const limpet_model *model = data->model;
  const int first = model->deformable_vertex[d], count = model->deformable_vertex[d + 1] - first;
  const limpet_soft_body *body = &work->motion.soft->body[d];
  if (!is_clamped(model, &solution->problem, d) || body->failed) return LIMPET_OK;
  const limpet_arena_mark mark = limpet_arena_mark_now(work->arena);
  double *R = LIMPET_TAKE(work->arena, double, 3 * (size_t)count);
  if (!R) return LIMPET_ERROR_MEMORY;
  const double *v = solution->vertex_velocity + 3 * first;
  if (body->step->rigid && body->step->input.fixed_count == 0)
    limpet_fem_rigid_residual(body->step, v, R);
  else limpet_fem_step_residual(body->step, v, R);
  for (int t = model->deformable_tie[d]; t < model->deformable_tie[d + 1]; ++t) {
    if (!clamps(model, &solution->problem, t)) continue;
    const int vertex = model->tie_vertex[t];
    double *force = tie_force + 3 * t;
    limpet_vec3_scale(force, 1.0 / solution->problem.dt, R + 3 * (vertex - first));
    limpet_vec3_copy(data->vertex_force + 3 * vertex, force);
  }
  limpet_arena_release(work->arena, mark);
  return LIMPET_OK;
}

// Takes what contacts give to vertices off their ties.
static void take_contacts_off(const limpet_data *data, const limpet_contact_records *records,
                              const int *tie_of, double *tie_force) {
  for (int i = 0; i < data->contact_count; ++i) {
    const limpet_soft_link *link = records->record[i].link;
    if (!link) continue;
    double force[3];
    limpet_mat3_tmul_vec(force, data->contact_frame + 9 * i, data->contact_force + 3 * i);
    for (int k = 0; k < link->count; ++k) {
      const int tie = tie_of[link->vertex[k]];
      if (tie == LIMPET_NONE) continue;
      limpet_vec3_addmul(tie_force + 3 * tie, tie_force + 3 * tie, -link->weight[k], force);
    }
  }
}

static limpet_status forces_of_supports(limpet_data *data, const limpet_step_work *work,
                                        const limpet_step_solution *solution, double *tie_force) {
  const limpet_model *model = data->model;
  bool clamped = false;
  for (int d = 0; d < model->deformable_count && !clamped; ++d)
    clamped = is_clamped(model, &solution->problem, d);
  if (!clamped) return LIMPET_OK;
  const limpet_arena_mark mark = limpet_arena_mark_now(work->arena);
  int *tie_of = LIMPET_TAKE(work->arena, int, model->vertex_count);
  if (!tie_of) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < model->vertex_count; ++i) tie_of[i] = LIMPET_NONE;
  for (int t = 0; t < model->tie_count; ++t)
    if (clamps(model, &solution->problem, t)) tie_of[model->tie_vertex[t]] = t;
  for (int d = 0; d < model->deformable_count; ++d)
    if (supports_of(data, work, solution, d, tie_force)) return LIMPET_ERROR_MEMORY;
  take_contacts_off(data, &work->records, tie_of, tie_force);
  limpet_arena_release(work->arena, mark);
  return LIMPET_OK;
}

limpet_status limpet_vertex_forces(limpet_data *data, const limpet_step_work *work,
                                   const limpet_step_solution *solution, double *tie_force) {
  const limpet_model *model = data->model;
  const limpet_contact_problem *problem = &solution->problem;
  for (int i = 0; i < model->vertex_count; ++i) {
    const int dof = problem->vertex_dof[i];
    for (int k = 0; k < 3; ++k)
      data->vertex_force[3 * i + k] =
          dof == LIMPET_NONE ? 0.0 : solution->contact.impulse[dof + k] / problem->dt;
  }
  if (model->tie_count == 0) return LIMPET_OK;
  memset(tie_force, 0, 3 * (size_t)model->tie_count * sizeof *tie_force);
  forces_of_rows(data, problem, tie_force);
  return work->motion.soft ? forces_of_supports(data, work, solution, tie_force) : LIMPET_OK;
}

void limpet_tie_wrenches_add(const limpet_model *model, const limpet_data *data,
                             const double *tie_force, double *wrench) {
  for (int t = 0; t < model->tie_count; ++t) {
    const int body = model->tie_body[t];
    double place[3];
    limpet_mat3_mul_vec(place, data->body_rotation + 9 * body, model->tie_position + 3 * t);
    limpet_vec3_add(place, place, data->body_position + 3 * body);
    limpet_body_force_add(data, body, place, -1.0, tie_force + 3 * t, wrench);
  }
}
