/* control/identify_gradient.c: how simulated trajectories change with the parameters, by the
 * derivatives of their steps.
 *
 *   S = d(q, v)/dtheta (2nv x p),   S_k+1 = A_k S_k + P_k,   S_0 = 0
 *   A: gradient.h, P: the columns of gradient/parameters.h, where each parameter moves all numbers
 *   that it sets
 *   r = log(q^-1 q_recorded)/noise:   dr = -T(-r)^-1 dq/noise, T of rotations: gradient/rotation.h
 * With deformable bodies S has rows of their vertices, and A S comes from products (p of them a
 * step: gradient_deformable.h). Cost of a step: its Jacobian, four assemblies for each parameter,
 * and 4 nv^2 p multiply-adds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/identify.h"
#include "gradient/parameters.h"
#include "gradient/rotation.h"
#include "limpet/gradient_deformable.h"

typedef struct forward {
  limpet_identify *fit;
  const limpet_model *model;
  limpet_data *data;
  limpet_gradient *gradient;
  limpet_gradient_parameters *parameters;
  double *theta, *trial;   // (p)
  int rows;                // 2 nv + 6 vertex_count
  double *S, *next;        // (rows x p)
  double *before, *after;  // (rows)  a column of S; NULL: no deformable bodies
  double *J;               // (p x row_count)
} forward;

static limpet_model *model_at(void *context, int index, double value, limpet_error *error) {
  forward *f = context;
  memcpy(f->trial, f->theta, (size_t)f->fit->parameter_count * sizeof *f->trial);
  f->trial[index] = value;
  return limpet_identify_assign(f->fit, f->trial)
             ? limpet_builder_compile(f->fit->workspace->builder, error)
             : NULL;
}

static bool forward_create(forward *f, limpet_identify *fit, const double *theta, double *J) {
  const size_t p = (size_t)fit->parameter_count;
  double *minimum = calloc(p, sizeof *minimum);
  limpet_error error;
  *f = (forward){
      .fit = fit, .J = J, .theta = calloc(p, sizeof(double)), .trial = calloc(p, sizeof(double))};
  if (!f->theta || !f->trial || !minimum) {
    free(minimum);
    return false;
  }
  memcpy(f->theta, theta, p * sizeof *theta);
  for (size_t i = 0; i < p; ++i) minimum[i] = fit->parameter[i].minimum;
  f->parameters =
      limpet_gradient_parameters_vary((int)p, theta, minimum, NULL, model_at, f, &error);
  free(minimum);
  f->model = limpet_identify_assign(fit, theta)
                 ? limpet_builder_compile(fit->workspace->builder, NULL)
                 : NULL;
  if (!f->model || !f->parameters) return false;
  f->rows = 2 * f->model->nv + 6 * f->model->vertex_count;
  const size_t size = (size_t)f->rows * p;
  if (f->model->deformable_count > 0) {
    f->before = calloc((size_t)f->rows, sizeof *f->before);
    f->after = calloc((size_t)f->rows, sizeof *f->after);
    if (!f->before || !f->after) return false;
  }
  f->data = limpet_data_create(f->model);
  f->gradient = limpet_gradient_create(f->model);
  f->S = calloc(size, sizeof *f->S), f->next = calloc(size, sizeof *f->next);
  return f->data && f->gradient && f->S && f->next;
}

static void forward_release(forward *f) {
  limpet_gradient_parameters_destroy(f->parameters);
  limpet_gradient_destroy(f->gradient);
  limpet_data_destroy(f->data);
  if (f->model) limpet_model_destroy((limpet_model *)f->model);
  free(f->theta), free(f->trial), free(f->S), free(f->next), free(f->before), free(f->after);
}

// to (nv x p) = Q S_q + V S_v + P
static void rows_advance(int nv, int p, const double *Q, const double *V, const double *S,
                         const double *P, double *to) {
  memcpy(to, P, (size_t)(nv * p) * sizeof *to);
  for (int i = 0; i < nv; ++i)
    for (int k = 0; k < nv; ++k)
      for (int j = 0; j < p; ++j)
        to[i * p + j] += Q[i * nv + k] * S[k * p + j] + V[i * nv + k] * S[(nv + k) * p + j];
}

// The parts of a column of S.
static limpet_gradient_vector column_of(const limpet_model *model, double *column) {
  const int nv = model->nv, V = 3 * model->vertex_count;
  return (limpet_gradient_vector){.q = column,
                                  .v = column + nv,
                                  .vertex_position = column + 2 * nv,
                                  .vertex_velocity = column + 2 * nv + V};
}

// next = A S + P by products, column by column. False: there are none.
static bool columns_advance(forward *f) {
  const limpet_model *model = f->model;
  const limpet_gradient_parameters *P = f->parameters;
  const int p = f->fit->parameter_count, nv = model->nv, V = 3 * model->vertex_count;
  const struct {
    const double *matrix;
    int rows;
  } part[] = {{P->dq, nv}, {P->dv, nv}, {P->vertex_position, V}, {P->vertex_velocity, V}};
  const limpet_gradient_vector before = column_of(model, f->before),
                               after = column_of(model, f->after);
  for (int j = 0; j < p; ++j) {
    for (int i = 0; i < f->rows; ++i) f->before[i] = f->S[i * p + j];
    if (!limpet_gradient_forward(f->gradient, &before, &after)) return false;
    for (int k = 0, row = 0; k < 4; ++k)
      for (int i = 0; i < part[k].rows; ++i, ++row)
        f->next[row * p + j] = f->after[row] + part[k].matrix[i * p + j];
  }
  return true;
}

// One step of the world and of S. False where it failed or has no derivative.
static bool step_advance(forward *f, const limpet_gradient_settings *wanted) {
  const int nv = f->model->nv, p = f->fit->parameter_count;
  limpet_gradient *g = f->gradient;
  limpet_gradient_step(f->model, f->data, &f->fit->workspace->step, wanted, g);
  if (g->reason || limpet_gradient_by_parameters(g, f->parameters)) return false;
  if (f->before) {
    if (!columns_advance(f)) return false;
  } else {
    rows_advance(nv, p, g->dq.q, g->dq.v, f->S, f->parameters->dq, f->next);
    rows_advance(nv, p, g->dv.q, g->dv.v, f->S, f->parameters->dv, f->next + nv * p);
  }
  double *S = f->S;
  f->S = f->next, f->next = S;
  for (int i = 0; i < f->rows * p; ++i)
    if (!isfinite(f->S[i])) return false;
  return true;
}

// Rows of J of one recorded row, `at` in the residual.
static void row_fill(const forward *f, const double *recorded, int at) {
  const limpet_model *model = f->model;
  const limpet_identify *fit = f->fit;
  const int nv = model->nv, p = fit->parameter_count;
  double *r = f->next;  // (nv)
  limpet_difference_position(model, r, f->data->q, recorded);
  for (int i = 0; i < nv; ++i)
    for (int j = 0; j < p; ++j) f->J[j * fit->row_count + at + i] = -f->S[i * p + j];
  for (int k = 0; k < model->joint_count; ++k) {
    const int dof = limpet_rotation_dof(model, k);
    double T[9], back[3];
    if (dof == LIMPET_NONE) continue;
    limpet_vec3_scale(back, -1.0, r + dof);
    limpet_rotation_log_change(T, back);
    for (int j = 0; j < p; ++j) {
      double *to = f->J + j * fit->row_count + at + dof, turned[3];
      limpet_mat3_mul_vec(turned, T, to);
      limpet_vec3_copy(to, turned);
    }
  }
  for (int i = 0; i < nv; ++i) {
    const double noise = fit->workspace->noise[i], share = noise > 0.0 ? 1.0 / noise : 0.0;
    for (int j = 0; j < p; ++j) f->J[j * fit->row_count + at + i] *= share;
  }
}

static bool trajectory_differentiate(forward *f, const limpet_identify_trajectory *t) {
  const limpet_model *model = f->model;
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  wanted.inputs = f->before != NULL, wanted.contacts = false;
  memset(f->S, 0, (size_t)f->rows * (size_t)f->fit->parameter_count * sizeof *f->S);
  limpet_identify_start(t, model, f->data);
  for (int row = 1; row < t->rows; ++row) {
    limpet_identify_drive(t, row, model, f->data);
    for (int step = t->step[row - 1]; step < t->step[row]; ++step)
      if (!step_advance(f, &wanted)) return false;
    row_fill(f, t->q + (size_t)row * (size_t)model->nq, t->first + (row - 1) * model->nv);
  }
  return true;
}

bool limpet_identify_jacobian(limpet_identify *fit, const double *theta, double *J) {
  forward f;
  bool good = forward_create(&f, fit, theta, J);
  for (int t = 0; good && t < fit->trajectory_count; ++t)
    good = trajectory_differentiate(&f, &fit->workspace->trajectory[t]);
  forward_release(&f);
  return good;
}
