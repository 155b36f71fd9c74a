/* gradient/random_smoothing.c: derivatives of the mean over scattered steps.
 *
 *   d/dx of 1/N sum f_s,   f_s = log of the end of the plain step to that of sample s
 * Columns of rotations: (q exp(delta)) exp(xi) = q exp(xi) exp(R(xi)' delta). Rows of rotations:
 * rotation.h.
 * Numbers: deviate.h. Samples are summed in their order. */
#include <string.h>

#include "gradient/deviate.h"
#include "gradient/rotation.h"
#include "gradient/smoothing.h"
#include "math/quaternion.h"

// Three columns at `dof` of A (rows x width) <- A R'.
static void columns_turn(double *A, int rows, int width, int dof, const double R[9]) {
  for (int i = 0; i < rows; ++i) {
    double *at = A + (size_t)i * (size_t)width + dof, turned[3];
    limpet_mat3_mul_vec(turned, R, at);
    limpet_vec3_copy(at, turned);
  }
}

// Three rows at `dof` of A (.. x width) <- T A.
static void rows_turn(double *A, int width, int dof, const double T[9]) {
  double *at = A + (size_t)dof * (size_t)width;
  for (int j = 0; j < width; ++j) {
    const double column[3] = {at[j], at[width + j], at[2 * width + j]};
    double turned[3];
    limpet_mat3_mul_vec(turned, T, column);
    for (int i = 0; i < 3; ++i) at[i * width + j] = turned[i];
  }
}

// ----------------------------------------------------------------------------------- samples

/* Moves the world of samples from the start to sample `index`; the displacement of the pose into
 * xi (nv). */
static void sample_place(const limpet_gradient_workspace *w, int index, double *xi) {
  const limpet_gradient_smoothing *s = &w->wanted.smoothing;
  const limpet_model *model = w->model;
  limpet_data *world = w->smoothed_world;
  const double sign = index % 2 ? -1.0 : 1.0;
  const int nv = model->nv, pair = index / 2;
  limpet_gradient_start(w->world, world);
  for (int i = 0; i < nv; ++i) {
    xi[i] = sign * s->spread_position * limpet_deviate(s->seed, pair, i);
    if (s->spread_velocity > 0.0)
      world->v[i] += sign * s->spread_velocity * limpet_deviate(s->seed, pair, nv + i);
  }
  limpet_integrate_position(model, world->q, world->q, xi, 1.0, false);
  for (int i = 0; i < model->nu && s->spread_control > 0.0; ++i)
    world->control[i] += sign * s->spread_control * limpet_deviate(s->seed, pair, 2 * nv + i);
}

// The sample's matrices into the coordinates of the start and of the plain step's end.
static void sample_turn(const limpet_gradient_workspace *w, const limpet_gradient *sample,
                        const limpet_data *data, const double *xi, double *d) {
  const limpet_model *model = w->model;
  const int nv = model->nv;
  limpet_difference_position(model, d, data->q, w->smoothed_world->q);
  for (int j = 0; j < model->joint_count; ++j) {
    const int dof = limpet_rotation_dof(model, j);
    double quaternion[4], R[9], T[9];
    if (dof == LIMPET_NONE) continue;
    limpet_quaternion_exp(quaternion, xi + dof);
    limpet_quaternion_to_matrix(R, quaternion);
    limpet_rotation_log_change(T, d + dof);
    for (limpet_gradient_group group = 0; group <= LIMPET_GRADIENT_STIFFNESS; ++group) {
      const int width = limpet_gradient_width(w, group);
      limpet_gradient_arrays dq = sample->dq, dv = sample->dv;
      double *by = *limpet_gradient_array(&dq, group);
      if (!by) continue;
      if (group == LIMPET_GRADIENT_Q) {
        columns_turn(by, nv, width, dof, R);
        columns_turn(*limpet_gradient_array(&dv, group), nv, width, dof, R);
      }
      rows_turn(by, width, dof, T);
    }
  }
}

static void mean_add(const limpet_gradient_workspace *w, const limpet_gradient_arrays *from,
                     int rows, limpet_gradient_arrays *to) {
  const double share = 1.0 / w->wanted.smoothing.samples;
  limpet_gradient_arrays source = *from;
  for (limpet_gradient_group group = 0; group <= LIMPET_GRADIENT_STIFFNESS; ++group) {
    const double *x = *limpet_gradient_array(&source, group);
    double *y = *limpet_gradient_array(to, group);
    const size_t count = (size_t)rows * (size_t)limpet_gradient_width(w, group);
    for (size_t i = 0; y && x && i < count; ++i) y[i] += share * x[i];
  }
}

const char *limpet_smoothing_random(limpet_gradient *gradient, const limpet_data *data) {
  limpet_gradient_workspace *w = gradient->workspace;
  limpet_gradient *sample = w->smoothed;
  const int nv = w->model->nv;
  double *xi = LIMPET_TAKE(&w->arena, double, nv), *d = LIMPET_TAKE(&w->arena, double, nv);
  limpet_gradient_settings plain = w->wanted;
  plain.smoothing.kind = LIMPET_SMOOTHING_NONE;
  plain.jacobians = true;
  if (!xi || !d || limpet_gradient_take(w, nv, &gradient->dq) ||
      limpet_gradient_take(w, nv, &gradient->dv) || limpet_gradient_take(w, 1, &gradient->kink) ||
      limpet_gradient_take(w, 1, &gradient->adjoint))
    return "out of memory";
  for (int i = 0; i < w->wanted.smoothing.samples; ++i) {
    sample_place(w, i, xi);
    limpet_gradient_step_plain(w->model, w->smoothed_world, &w->settings, &plain, sample);
    if (sample->reason) return sample->reason;
    sample_turn(w, sample, data, xi, d);
    mean_add(w, &sample->dq, nv, &gradient->dq);
    mean_add(w, &sample->dv, nv, &gradient->dv);
    mean_add(w, &sample->kink, 1, &gradient->kink);
    gradient->weak_count += sample->weak_count;
    gradient->approximate |= sample->approximate;
  }
  return NULL;
}
