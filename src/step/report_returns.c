/* step/report_returns.c: energy of rows and contacts that lead an error g back: what soft rows
 * store, and what near-rigid ones give as they close what was apart, inside or beyond a limit.
 *
 *   soft row        U = K g^2/2  of the g on which it acts;  at its end g + h (u1 + bias)
 *   near-rigid row  w = gamma (u0 + u1)/2       with u1 at most r,    r = -share g/(2 h)
 *   contact         w = gamma_n (v_n0 + v_n1)/2 with v_n1 at most r,  r = min(-g/h, 1/d)
 *   vertices        w = gamma_n min(v_n1, r)  of vertices that move by backward Euler, v_n1 alone
 *   W = (sum w)+
 *   u [m/s, rad/s] = a v of the row, at the start (0) and the end (1); gamma [N s, N m s]; K [N/m];
 *   r [m/s]: speed at which the law lets the error return, of the step; h [s]; d [s/m]
 * The impulse of a spring is -h K g1, so that it takes K h^2/2 (u1^2 + K g1^2/mass) from T + U: it
 * has no lead. An impulse gives gamma (u0 + u1)/2 to the kinetic energy. Where weight and springs
 * act as dt f1, as they do on such vertices, T + U falls by (v1 - v0)' M (v1 - v0)/2 and rises by
 * no more than gamma u1, part of which is what weight took beyond its own v0 + v1. A near-rigid row
 * has no energy of its own: what it gives comes from nothing but the error that it closes, and the
 * law allows that at the speed r. What goes beyond r is not counted: it is a rise. So is what a row
 * gives against its own error. What one thing gives another may take: where links are jammed both
 * are a hundred times their sum. Rows of vertices of soft bodies, and of bodies that the user
 * moves, are left out: report_energy.c has the work of these. Cost: the entries of the rows. */
#include <math.h>

#include "constraint/kind.h"
#include "contact/block.h"
#include "math/extremes.h"
#include "math/spatial.h"
#include "model/mocap.h"
#include "step/reports.h"
#include "step/soft_motion.h"

// Speeds of a row at the start and the end of the step; v, v_end (model nv). False: a vertex of a
// soft body is part of it.
static bool row_speeds(const limpet_contact_problem *problem, const limpet_island *island,
                       const limpet_constraint_row *row, const limpet_data *data,
                       const double *v_end, double *start, double *end) {
  const limpet_block *block = NULL;
  *start = *end = 0.0;
  for (int e = row->entry; e < row->entry + row->entry_count; ++e) {
    const int local = problem->entry_dof[e];
    // most rows stay within a block
    if (!block || local < block->offset || local >= block->offset + block->size)
      block =
          &problem->block[problem->dof_block[limpet_problem_global_dof(problem, island, local)]];
    const int dof = local - block->offset + block->dof;
    if (dof >= data->model->nv) return false;
    *start += problem->entry_value[e] * data->v[dof];
    *end += problem->entry_value[e] * v_end[dof];
  }
  return true;
}

// The part of an error on which a row acts.
static double acting(const limpet_constraint_row *row, double g) {
  if (row->lower < 0.0 && row->upper > 0.0) return g;
  return row->upper > 0.0 ? limpet_min(g, 0.0) : limpet_max(g, 0.0);
}

double limpet_report_stored_by_rows(const limpet_data *data, const limpet_step_work *work,
                                    const limpet_step_solution *solution, bool at_end) {
  const limpet_contact_problem *problem = &solution->problem;
  double sum = 0.0;
  for (int k = 0; k < problem->island_count; ++k) {
    const limpet_island *island = &problem->island[k];
    for (int i = island->row; i < island->row + island->row_count; ++i) {
      const limpet_constraint_row *row = &problem->row[i];
      double start, end;
      if (row->stiffness == 0.0 ||
          !row_speeds(problem, island, row, data, solution->contact.v, &start, &end))
        continue;
      const double g =
          acting(row, row->error + (at_end ? work->settings.time_step * (end + row->bias) : 0.0));
      sum += 0.5 * row->stiffness * g * g;
    }
  }
  return sum;
}

// Work of an impulse [N s] between the speeds `start` and `end`, which counts up to `led`; what is
// not led (0) only takes.
static double work_between(double impulse, double start, double end, double led) {
  if (impulse * led <= 0.0) return limpet_min(0.5 * impulse * (start + end), 0.0);
  return 0.5 * (impulse * start + limpet_min(impulse * end, impulse * led));
}

// Actuators, armature, whose energy is kinetic, springs of tendons, whose energy is potential, and
// loops that hang on bodies that the user moves.
static bool is_counted_elsewhere(const limpet_model *model, const limpet_constraint_row *row) {
  const limpet_constraint_kind *kind = limpet_constraint_kinds()[row->kind];
  if (kind == &limpet_constraint_actuator || kind == &limpet_constraint_tendon_armature ||
      kind == &limpet_constraint_tendon_spring)
    return true;
  const bool loop = kind == &limpet_constraint_connect || kind == &limpet_constraint_weld ||
                    kind == &limpet_constraint_distance;
  const int *body = model->loop_body + 2 * row->target;
  return loop && (limpet_body_on_mocap(model, body[0]) || limpet_body_on_mocap(model, body[1]));
}

static double work_of_rows(const limpet_data *data, const limpet_step_solution *solution) {
  const limpet_contact_problem *problem = &solution->problem;
  const limpet_model *model = data->model;
  double sum = 0.0;
  for (int k = 0; k < problem->island_count; ++k) {
    const limpet_island *island = &problem->island[k];
    for (int i = island->row; i < island->row + island->row_count; ++i) {
      const limpet_constraint_row *row = &problem->row[i];
      double start, end;
      if (row->stiffness != 0.0 || solution->contact.row_gamma[i] == 0.0 ||
          is_counted_elsewhere(model, row) ||
          !row_speeds(problem, island, row, data, solution->v, &start, &end))
        continue;
      const double led = acting(row, row->error) == 0.0 ? 0.0 : row->v_hat + row->bias;
      sum += work_between(solution->contact.row_gamma[i], start, end, led);
    }
  }
  return sum;
}

// Whether vertices of a side move with the velocity at the end of the step, by backward Euler.
static bool is_soft(const limpet_contact_problem *problem, const limpet_step_work *work,
                    const limpet_patch_side *side) {
  return problem->block[side->block].kind != &limpet_block_tree && work->motion.soft &&
         work->motion.soft->whole_compliance;
}

/* Normal speed of a contact that its soft sides make, at v (problem nv). W: its rows. */
static double soft_speed(const limpet_contact_problem *problem, const limpet_step_work *work,
                         const limpet_island *island, const limpet_patch *patch, const double *W,
                         const double *v) {
  double speed = 0.0;
  if (!work->motion.soft) return 0.0;
  for (int k = 0; k < patch->side_count; ++k) {
    const limpet_patch_side *side = &patch->side[k];
    if (!is_soft(problem, work, side)) continue;
    for (int c = 0; c < side->count; ++c)
      speed += limpet_spatial_dot(W + 12, side->column + 6 * c) *
               v[limpet_problem_global_dof(problem, island, side->dof[c])];
  }
  return speed;
}

static double work_of_contact(const limpet_step_work *work, const limpet_step_solution *solution,
                              const limpet_island *island, const limpet_patch *patch, int i) {
  const limpet_contact_problem *problem = &solution->problem;
  const limpet_contact_constants *c = &solution->contact.constants[i];
  const double *W = problem->contact_row + 18 * i;
  const bool parts = problem->rebound && problem->rebound[i] > 0.0;  // report_energy.c has it
  if (!c->near_rigid || parts || solution->contact.gamma[3 * i + 2] == 0.0) return 0.0;
  const double led = limpet_min(limpet_max(-c->distance, 0.0) / problem->dt, 1.0 / c->dissipation);
  const double end = soft_speed(problem, work, island, patch, W, solution->contact.v),
               soft = (led > 0.0 ? limpet_min(end, led) : end) -
                      soft_speed(problem, work, island, patch, W, problem->v_start);
  return work_between(solution->contact.gamma[3 * i + 2], c->normal_speed + soft,
                      solution->contact.velocity[3 * i + 2], led);
}

static double work_of_contacts(const limpet_step_work *work, const limpet_step_solution *solution) {
  const limpet_contact_problem *problem = &solution->problem;
  double sum = 0.0;
  for (int k = 0; k < problem->island_count; ++k) {
    const limpet_island *island = &problem->island[k];
    for (int p = island->patch; p < island->patch + island->patch_count; ++p) {
      const limpet_patch *patch = &problem->patch[p];
      for (int i = patch->contact; i < patch->contact + patch->contact_count; ++i)
        sum += work_of_contact(work, solution, island, patch, i);
    }
  }
  return sum;
}

double limpet_report_return_work(const limpet_data *data, const limpet_step_work *work,
                                 const limpet_step_solution *solution) {
  return limpet_max(work_of_rows(data, solution) + work_of_contacts(work, solution), 0.0);
}
