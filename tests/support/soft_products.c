// tests/support/soft_products.c: see soft_products.h.
#include "soft_products.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shared_data.h"

soft_vector soft_vector_make(const limpet_model *model) {
  const int V = 3 * model->vertex_count, nv = model->nv, d = model->deformable_count;
  soft_vector x = {.count = 2 * V + 3 * nv + model->nu + 5 * d};
  x.block = calloc((size_t)x.count + 1, sizeof *x.block);
  double *next = x.block;
  double **arrays[] = {&x.at.q,
                       &x.at.v,
                       &x.at.force,
                       &x.at.vertex_position,
                       &x.at.vertex_velocity,
                       &x.at.control,
                       &x.at.youngs_modulus,
                       &x.at.poissons_ratio,
                       &x.at.density,
                       &x.at.mass_damping,
                       &x.at.stiffness_damping};
  const int counts[] = {nv, nv, nv, V, V, model->nu, d, d, d, d, d};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
    *arrays[k] = next;
    next += counts[k];
  }
  return x;
}

static void fill(unsigned long *seed, double *array, int count, double size) {
  for (int i = 0; i < count; ++i) array[i] = random_uniform(seed, -size, size);
}

soft_vector soft_direction_make(const limpet_model *model, unsigned long *seed) {
  soft_vector x = soft_vector_make(model);
  fill(seed, x.at.q, model->nv, 1e-3), fill(seed, x.at.v, model->nv, 0.1),
      fill(seed, x.at.force, model->nv, 0.01);
  fill(seed, x.at.vertex_position, 3 * model->vertex_count, 1e-4);
  fill(seed, x.at.vertex_velocity, 3 * model->vertex_count, 0.1);
  fill(seed, x.at.control, model->nu, 0.1);
  return x;
}

bool soft_end_of(const mjcf_world *w, limpet_data *data, const limpet_data *from,
                 const soft_vector *x, double s, double *q, double *rest) {
  const limpet_model *model = w->model;
  const int nv = model->nv, V = 3 * model->vertex_count;
  double *move = calloc((size_t)nv + 1, sizeof *move);
  limpet_data_state_copy(from, data);
  for (int i = 0; i < nv; ++i) {
    move[i] = s * x->at.q[i];
    data->v[i] += s * x->at.v[i];
    data->applied_force[i] = from->applied_force[i] + s * x->at.force[i];
  }
  for (int i = 0; i < model->nu; ++i) data->control[i] = from->control[i] + s * x->at.control[i];
  limpet_integrate_position(model, data->q, from->q, move, 1.0, false);
  for (int i = 0; i < V; ++i) {
    data->vertex_position[i] += s * x->at.vertex_position[i];
    data->vertex_velocity[i] += s * x->at.vertex_velocity[i];
  }
  const bool solved = limpet_step(model, data, &w->settings) == LIMPET_OUTCOME_SOLVED;
  memcpy(q, data->q, (size_t)model->nq * sizeof *q);
  memcpy(rest, data->v, (size_t)nv * sizeof *rest);
  memcpy(rest + nv, data->vertex_position, (size_t)V * sizeof *rest);
  memcpy(rest + nv + V, data->vertex_velocity, (size_t)V * sizeof *rest);
  free(move);
  return solved;
}

// (nv, nv + 2 V)  derivative of the end along x; whether all steps were solved
static bool difference(const mjcf_world *w, const limpet_data *from, const soft_vector *x,
                       double width, double *d) {
  static const double place[4] = {-2.0, -1.0, 1.0, 2.0},
                      share[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
  const limpet_model *model = w->model;
  const int nv = model->nv, count = nv + 6 * model->vertex_count;
  limpet_data *data = limpet_data_create(model);
  double *q0 = calloc((size_t)model->nq + 1, sizeof *q0),
         *q = calloc((size_t)model->nq + 1, sizeof *q), *dq = calloc((size_t)nv + 1, sizeof *dq),
         *rest = calloc((size_t)count + 1, sizeof *rest);
  memset(d, 0, (size_t)(nv + count) * sizeof *d);
  bool solved = soft_end_of(w, data, from, x, 0.0, q0, rest);
  for (int k = 0; k < 4; ++k) {
    solved &= soft_end_of(w, data, from, x, place[k] * width, q, rest);
    limpet_difference_position(model, dq, q0, q);
    for (int i = 0; i < nv; ++i) d[i] += share[k] / width * dq[i];
    for (int i = 0; i < count; ++i) d[nv + i] += share[k] / width * rest[i];
  }
  free(q0), free(q), free(dq), free(rest);
  limpet_data_destroy(data);
  return solved;
}

// Largest difference over the largest entry.
static double distance(int count, const double *a, const double *b) {
  double worst = 0.0, most = 0.0;
  for (int i = 0; i < count; ++i)
    worst = fmax(worst, fabs(a[i] - b[i])), most = fmax(most, fabs(b[i]));
  return most > 0.0 ? worst / most : worst;
}

double soft_dot(int count, const double *x, const double *y, double *size) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += x[i] * y[i], *size += fabs(x[i] * y[i]);
  return sum;
}

bool soft_products_check(mjcf_world *w, const char *what, double tolerance, unsigned long *seed) {
  const limpet_model *model = w->model;
  const int nv = model->nv, V = 3 * model->vertex_count, count = 2 * nv + 2 * V;
  limpet_data *from = limpet_data_create(model);
  limpet_data_state_copy(w->data, from);
  if (model->nu > 0) memcpy(from->control, w->data->control, (size_t)model->nu * sizeof(double));
  soft_vector x = soft_direction_make(model, seed), moved = soft_vector_make(model),
              weight = soft_direction_make(model, seed), by = soft_vector_make(model);
  limpet_gradient *gradient = limpet_gradient_create(model);
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  wanted.contacts = false, wanted.jacobians = false;
  assert_int_equal(limpet_gradient_step(model, w->data, &w->settings, &wanted, gradient),
                   LIMPET_OUTCOME_SOLVED);
  if (gradient->reason) fail_msg("%s: %s", what, gradient->reason);
  bool smooth = !gradient->carried_count && !gradient->weak_count && !gradient->vertex_kink_count &&
                !gradient->approximate;
  assert_true(limpet_gradient_forward(gradient, &x.at, &moved.at));

  double *d = calloc((size_t)count + 1, sizeof *d);
  double error[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
  for (double width = 1e-1; width > 1e-7; width *= 0.1) {
    if (!difference(w, from, &x, width, d)) continue;
    error[0] = fmin(error[0], distance(nv, moved.at.q, d));
    error[1] = fmin(error[1], distance(nv, moved.at.v, d + nv));
    error[2] = fmin(error[2], distance(V, moved.at.vertex_position, d + 2 * nv));
    error[3] = fmin(error[3], distance(V, moved.at.vertex_velocity, d + 2 * nv + V));
  }

  // no width had steps that were solved to the last digits: nothing to compare with
  if (isinf(error[0])) smooth = false;

  // backwards against forwards
  double size = 0.0;
  assert_true(limpet_gradient_backward(gradient, &weight.at, &by.at));
  const double ahead = soft_dot(nv, weight.at.q, moved.at.q, &size) +
                       soft_dot(nv, weight.at.v, moved.at.v, &size) +
                       soft_dot(V, weight.at.vertex_position, moved.at.vertex_position, &size) +
                       soft_dot(V, weight.at.vertex_velocity, moved.at.vertex_velocity, &size);
  const double back = soft_dot(x.count, x.block, by.block, &size);
  for (int k = 0; k < 4 && smooth; ++k)
    if (!(error[k] < tolerance))
      fail_msg("%s: products are off by %.2g (pose), %.2g (velocity), %.2g and %.2g (vertices)",
               what, error[0], error[1], error[2], error[3]);
  // the solve of stiff ties loses digits both ways, and that of what hardly ends does
  const double lost = strstr(what, "tied") ? 1e-10 : isinf(error[0]) ? 1e-11 : 1e-12;
  assert_true(fabs(ahead - back) < lost * size);
  free(d), free(x.block), free(moved.block), free(weight.block), free(by.block);
  limpet_gradient_destroy(gradient);
  limpet_data_destroy(from);
  return smooth;
}
