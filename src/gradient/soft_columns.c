/* gradient/soft_columns.c: how the equations of trees and contacts change with the vertices in
 * contact, and the end of the step with what was solved for.
 *
 *   by_x, by_v, by_w   [r(-2E) - 8 r(-E) + 8 r(+E) - r(+2E)]/(12 E), E = 2 settings.difference of
 *                      positions, 20 of velocities, 1e-3 of w
 * Trees stay where they are, so their dynamics are made once. Cost: 12 assemblies with their search
 * of contacts for each unknown of a vertex that is touched; two flights for each velocity and input
 * of trees that fly. */
#include <math.h>
#include <string.h>

#include "gradient/flight.h"
#include "gradient/soft_arms.h"
#include "gradient/soft_stiffening.h"
#include "limpet/dynamics.h"
#include "math/dense.h"
#include "step/scheme.h"

// E over settings.difference. Points of deformable bodies change their features often: near.
static const double position_width = 2.0, velocity_width = 20.0;
static const double weight_width = 1e-3;  // [-]  of w
enum { PLACES = 4 };
static const double place[PLACES] = {-2.0, -1.0, 1.0, 2.0},
                    share[PLACES] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0},
                    bend[PLACES] = {-0.5, 2.0, 2.0, -0.5}, bend_rest = -3.0;
// [-]  what a jump of the slope does to velocities, over what the column does to them
static const double kink_share = 1e-6;
static const double kink_floor = 1e-12;  // [-]  of the residual: round-off of its terms, over E

static limpet_status take(limpet_gradient_workspace *w) {
  limpet_soft_gradient *soft = w->soft;
  const size_t size = (size_t)w->residual.size, all = (size_t)soft->unknowns * size,
               places = 3 * (size_t)soft->places * size, nv = (size_t)w->model->nv,
               inputs = 3 * nv + (size_t)w->model->nu;
  soft->by_x = LIMPET_TAKE_ZERO(&w->arena, double, places);
  soft->by_v = LIMPET_TAKE_ZERO(&w->arena, double, places);
  soft->by_w = LIMPET_TAKE_ZERO(&w->arena, double, 2 * all);
  soft->scale = LIMPET_TAKE_ZERO(&w->arena, double, 2 * soft->unknowns);
  soft->end_by_v = LIMPET_TAKE_ZERO(&w->arena, double, 2 * nv * nv);
  soft->end_by_input = LIMPET_TAKE_ZERO(&w->arena, double, 2 * nv * inputs);
  const bool none = !soft->by_x || !soft->by_v || !soft->by_w || !soft->scale || !soft->end_by_v ||
                    !soft->end_by_input;
  return none ? LIMPET_ERROR_MEMORY : LIMPET_OK;
}

// A number of the probe's world, and how it is differentiated.
typedef struct difference {
  double *number;
  double width;
  double scale;  // of the slope
} difference;

/* column (size) += the slope of r along one number; jump (size; NULL: not wanted) += 2 J(E) -
 * J(2E), J the jump of the slope: zero to third order where r is smooth. other (size): work. */
static limpet_residual_outcome slope(limpet_probe *probe, limpet_arena *arena, difference along,
                                     double *column, double *jump, double *other) {
  const double base = *along.number;
  limpet_residual_outcome outcome = LIMPET_RESIDUAL_DONE;
  for (int k = 0; k < PLACES && outcome == LIMPET_RESIDUAL_DONE; ++k) {
    *along.number = base + place[k] * along.width;
    outcome = limpet_probe_evaluate(probe, arena, other);
    limpet_axpy(probe->residual->size, share[k] * along.scale / along.width, other, column);
    if (jump) limpet_axpy(probe->residual->size, bend[k] / along.width, other, jump);
  }
  *along.number = base;
  return outcome;
}

// The largest change of a velocity by a change of the residual. dv (problem nv): work.
static double effect_of(const limpet_residual *residual, const double *change, double *dv) {
  double most = 0.0;
  limpet_residual_forward(residual, change, -1, dv);
  for (int i = 0; i < residual->solved->problem.nv; ++i) most = fmax(most, fabs(dv[i]));
  return most;
}

static double largest(int count, const double *x) {
  double most = 0.0;
  for (int i = 0; i < count; ++i) most = fmax(most, fabs(x[i]));
  return most;
}

// Whether the slope along a vertex jumps. rest (size): the residual where it is.
static bool is_kink(const limpet_gradient_workspace *w, const double *column, const double *rest,
                    double width, double *jump) {
  const limpet_residual *residual = &w->residual;
  limpet_axpy(residual->size, bend_rest / width, rest, jump);
  const double floor = kink_floor * largest(residual->size, rest) / width;
  return largest(residual->size, jump) > floor &&
         effect_of(residual, jump, w->velocity) >
             kink_share * effect_of(residual, column, w->velocity);
}

// By positions and velocities of vertices.
static limpet_residual_outcome contact_columns(limpet_gradient_workspace *w, limpet_probe *probe,
                                               double *other) {
  limpet_soft_gradient *soft = w->soft;
  double *rest = other + w->residual.size, *jump = rest + w->residual.size;
  const size_t size = (size_t)w->residual.size;
  const double near = position_width * w->wanted.difference,
               wide = velocity_width * w->wanted.difference;
  limpet_residual_outcome outcome = limpet_probe_evaluate(probe, &w->arena, rest);
  for (int i = 0; i < 3 * soft->places && outcome == LIMPET_RESIDUAL_DONE; ++i) {
    memset(jump, 0, size * sizeof *jump);
    const size_t at = (size_t)i * size;
    const int number = 3 * soft->vertex[i / 3] + i % 3;
    const difference moved = {w->world->vertex_position + number, near, 1.0},
                     pushed = {w->world->vertex_velocity + number, wide, 1.0};
    outcome = slope(probe, &w->arena, moved, soft->by_x + at, jump, other);
    if (outcome == LIMPET_RESIDUAL_DONE)
      soft->kinks += is_kink(w, soft->by_x + at, rest, near, jump);
    if (outcome == LIMPET_RESIDUAL_DONE)
      outcome = slope(probe, &w->arena, pushed, soft->by_v + at, NULL, other);
  }
  return outcome;
}

// By ln w_i, which contacts see.
static limpet_residual_outcome weight_columns(limpet_gradient_workspace *w, limpet_probe *probe,
                                              double *other) {
  limpet_soft_gradient *soft = w->soft;
  limpet_residual_outcome outcome = LIMPET_RESIDUAL_DONE;
  for (int i = 0; i < soft->unknowns && outcome == LIMPET_RESIDUAL_DONE; ++i) {
    double *weight = &soft->weight[i];
    soft->scale[i] = *weight;
    if (!soft->touched[i] || !soft->assembled.whole_compliance) continue;
    const difference weighed = {weight, weight_width * *weight, *weight};
    outcome = slope(probe, &w->arena, weighed, soft->by_w + (size_t)i * (size_t)w->residual.size,
                    NULL, other);
  }
  return outcome;
}

// By -ln A_ii, which rows see, and contacts that hold the rest of the body fast.
static limpet_residual_outcome diagonal_columns(limpet_gradient_workspace *w, limpet_probe *probe,
                                                double *other) {
  limpet_soft_gradient *soft = w->soft;
  limpet_residual_outcome outcome = LIMPET_RESIDUAL_DONE;
  const limpet_contact_problem *problem = &soft->solved.problem;
  const bool seen = problem->row_count > 0 || !soft->assembled.whole_compliance;
  for (int d = 0; d < w->model->deformable_count && seen; ++d) {
    const limpet_soft_body *body = &soft->motion->body[d];
    const int n = body->size;
    for (int i = 0; i < n && outcome == LIMPET_RESIDUAL_DONE; ++i) {
      const int own = problem->block[body->block].dof - w->model->nv + i, k = soft->unknowns + own;
      const limpet_mesh_matrix *mesh = body->mesh;
      double *A = mesh ? &mesh->value[9L * (mesh->begin[i / 3 + 1] - 1) + 4 * (i % 3)]
                       : &body->matrix[(size_t)i * ((size_t)n + 1)];
      soft->scale[k] = *A;
      if (!soft->touched[own]) continue;
      const difference weighed = {A, weight_width * *A, -*A};
      outcome = slope(probe, &w->arena, weighed, soft->by_w + (size_t)k * (size_t)w->residual.size,
                      NULL, other);
    }
  }
  return outcome;
}

// Pose and velocity at the end as limpet_gradient_pass_end leaves them, to a row.
static void keep_end(const limpet_gradient_workspace *w, double *row) {
  const size_t nv = (size_t)w->model->nv;
  memcpy(row, w->shift, nv * sizeof *row);
  memcpy(row + nv, w->velocity, nv * sizeof *row);
}

// Of trees that fly: what was solved for is held.
static void end_of_inputs(limpet_gradient_workspace *w, limpet_gradient_group group, int count,
                          double **row) {
  const int nv = w->model->nv;
  for (int j = 0; j < count; ++j, *row += 2 * nv) {
    memset(w->velocity, 0, (size_t)nv * sizeof *w->velocity);
    limpet_gradient_pass_end(w, group, j);
    keep_end(w, *row);
  }
}

// The same in closed form, all columns of a group at once.
static limpet_status close_inputs(limpet_gradient_workspace *w, double *row) {
  const int nv = w->model->nv, nu = w->model->nu;
  const size_t n = (size_t)nv, all = n * (3 * n + 2 * (size_t)nu);
  const limpet_arena_mark mark = limpet_arena_mark_now(&w->arena);
  double *held = LIMPET_TAKE_ZERO(&w->arena, double, 2 * all);
  if (!held) return LIMPET_ERROR_MEMORY;
  limpet_gradient end = {0};
  limpet_gradient_arrays *half[2] = {&end.dq, &end.dv};
  for (int k = 0; k < 2; ++k, held += all) {
    half[k]->q = held, half[k]->v = held + n * n, half[k]->force = held + 2 * n * n;
    half[k]->control = held + 3 * n * n, half[k]->stiffness = half[k]->control + n * (size_t)nu;
  }
  if (limpet_gradient_fill_ends(w, &end)) return LIMPET_ERROR_MEMORY;
  limpet_gradient_add_start(w, end.dq.q);
  for (limpet_gradient_group group = 0; group <= LIMPET_GRADIENT_CONTROL; ++group) {
    const int width = limpet_gradient_width(w, group);
    for (int j = 0; j < width; ++j, row += 2 * nv)
      for (int i = 0; i < nv; ++i) {
        row[i] = (*limpet_gradient_array(&end.dq, group))[i * width + j];
        row[nv + i] = (*limpet_gradient_array(&end.dv, group))[i * width + j];
      }
  }
  limpet_arena_release(&w->arena, mark);
  return LIMPET_OK;
}

static limpet_status ends(limpet_gradient_workspace *w) {
  const int nv = w->model->nv;
  double *row = w->soft->end_by_v;
  for (int j = 0; j < nv; ++j, row += 2 * nv) {
    memset(w->velocity, 0, (size_t)nv * sizeof *w->velocity);
    w->velocity[j] = 1.0;
    limpet_gradient_pass_end(w, LIMPET_GRADIENT_GROUPS, 0);
    keep_end(w, row);
  }
  row = w->soft->end_by_input;
  if (!w->flies) return close_inputs(w, row);
  end_of_inputs(w, LIMPET_GRADIENT_Q, nv, &row);
  end_of_inputs(w, LIMPET_GRADIENT_V, nv, &row);
  end_of_inputs(w, LIMPET_GRADIENT_FORCE, nv, &row);
  end_of_inputs(w, LIMPET_GRADIENT_CONTROL, w->model->nu, &row);
  return LIMPET_OK;
}

limpet_residual_outcome limpet_soft_gradient_fill(limpet_gradient_workspace *w,
                                                  limpet_probe *probe) {
  const limpet_model *model = w->model;
  if (!w->soft) return LIMPET_RESIDUAL_DONE;
  double *other = LIMPET_TAKE(&w->arena, double, 3 * (size_t)w->residual.size);
  if (!other || take(w)) return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  limpet_free_motion motion;
  limpet_kinematics(model, w->world);
  limpet_geom_kinematics(model, w->world, false);
  limpet_velocity_kinematics(model, w->world);
  if (w->settings.scheme->free_motion(model, w->world, &w->settings, limpet_trees_all(model),
                                      &w->arena, &motion) != LIMPET_OUTCOME_SOLVED)
    return LIMPET_RESIDUAL_SINGULAR;
  probe->kept = &motion;
  limpet_residual_outcome outcome = contact_columns(w, probe, other);
  if (outcome == LIMPET_RESIDUAL_DONE) outcome = weight_columns(w, probe, other);
  if (outcome == LIMPET_RESIDUAL_DONE) outcome = diagonal_columns(w, probe, other);
  probe->kept = NULL;
  if (outcome != LIMPET_RESIDUAL_DONE) return outcome;
  if (ends(w)) return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  const int kinks = limpet_soft_gradient_weight_kinks(w);
  if (kinks < 0) return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  w->soft->kinks += kinks;
  if (limpet_soft_arms_make(w)) return LIMPET_RESIDUAL_OUT_OF_MEMORY;
  return limpet_soft_stiffening_make(w) ? LIMPET_RESIDUAL_OUT_OF_MEMORY : LIMPET_RESIDUAL_DONE;
}
