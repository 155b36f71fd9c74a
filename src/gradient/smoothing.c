/* gradient/smoothing.c: smoothed derivatives of a step: the barrier, and the adjoint.
 *
 * The barrier's derivatives are those of a step with barrier_law.c from the same state, whose
 * arrays the gradient shows. */
#include "gradient/smoothing.h"

#include <string.h>

// ----------------------------------------------------------------------------------- barrier

// Gradient and world of the smoothed step, made at the first call.
static bool smoothed_take(limpet_gradient_workspace *w) {
  if (!w->smoothed) w->smoothed = limpet_gradient_create(w->model);
  if (!w->smoothed_world) w->smoothed_world = limpet_data_create(w->model);
  return w->smoothed && w->smoothed_world;
}

static const char *barrier_fill(limpet_gradient *gradient) {
  limpet_gradient_workspace *w = gradient->workspace;
  limpet_gradient *inner = w->smoothed;
  limpet_step_settings smoothed;
  const char *reason =
      limpet_gradient_smoothing_step(&w->wanted.smoothing, &w->settings, &smoothed);
  if (reason) return reason;
  limpet_gradient_settings plain = w->wanted;
  plain.smoothing.kind = LIMPET_SMOOTHING_NONE;
  limpet_gradient_start(w->world, w->smoothed_world);
  limpet_gradient_step_plain(w->model, w->smoothed_world, &smoothed, &plain, inner);
  if (inner->reason) return inner->reason;
  gradient->dq = inner->dq, gradient->dv = inner->dv, gradient->kink = inner->kink;
  gradient->weak_count = inner->weak_count;
  gradient->carried_count = inner->carried_count;
  gradient->approximate = inner->approximate;
  return NULL;
}

const char *limpet_smoothing_fill(limpet_gradient *gradient, const limpet_data *data) {
  limpet_gradient_workspace *w = gradient->workspace;
  if (limpet_gradient_smoothing_check(&w->wanted.smoothing, NULL) != LIMPET_OK)
    return "a number of the smoothing is out of its range: limpet_gradient_smoothing_check";
  if (!smoothed_take(w)) return "out of memory";
  w->wanted.contacts = false;
  return w->wanted.smoothing.kind == LIMPET_SMOOTHING_BARRIER
             ? barrier_fill(gradient)
             : limpet_smoothing_random(gradient, data);
}

limpet_gradient *limpet_smoothing_differentiated(limpet_gradient *gradient) {
  const limpet_gradient_workspace *w = gradient->workspace;
  switch (w->wanted.smoothing.kind) {
    case LIMPET_SMOOTHING_NONE: return gradient;
    case LIMPET_SMOOTHING_BARRIER: return w->smoothed ? w->smoothed : gradient;
    case LIMPET_SMOOTHING_RANDOM: break;
  }
  return NULL;
}

// ----------------------------------------------------------------------------------- adjoint

// to (columns) = dq' weight_q + dv' weight_v; NULL: zero.
static void product(int nv, int columns, const double *dq, const double *dv, const double *weight_q,
                    const double *weight_v, double *to) {
  memset(to, 0, (size_t)columns * sizeof *to);
  for (int i = 0; i < nv; ++i)
    for (int j = 0; j < columns; ++j)
      to[j] += (weight_q ? weight_q[i] * dq[i * columns + j] : 0.0) +
               (weight_v ? weight_v[i] * dv[i * columns + j] : 0.0);
}

bool limpet_smoothing_adjoint(limpet_gradient *gradient, const double *weight_q,
                              const double *weight_v) {
  limpet_gradient_workspace *w = gradient->workspace;
  if (w->wanted.smoothing.kind == LIMPET_SMOOTHING_BARRIER) {
    limpet_gradient *inner = w->smoothed;
    if (!limpet_gradient_adjoint_plain(inner, weight_q, weight_v)) return false;
    gradient->adjoint = inner->adjoint;
    return true;
  }
  for (limpet_gradient_group group = 0; group <= LIMPET_GRADIENT_STIFFNESS; ++group) {
    double *to = *limpet_gradient_array(&gradient->adjoint, group);
    if (to)
      product(w->model->nv, limpet_gradient_width(w, group),
              *limpet_gradient_array(&gradient->dq, group),
              *limpet_gradient_array(&gradient->dv, group), weight_q, weight_v, to);
  }
  return true;
}
