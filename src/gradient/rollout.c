/* gradient/rollout.c: the adjoint of a rollout, with checkpoints: limpet/rollout_gradient.h has the
 * equations.
 *
 * The costates a_q, a_v (nv) go backwards through each step by limpet_gradient_adjoint. Steps are
 * made in a world of their own, so that the caller's stays at the end of the rollout. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "limpet/rollout_gradient.h"

struct limpet_rollout_gradient_workspace {
  const limpet_model *model;
  int step_limit, interval;
  size_t state_size;
  double *checkpoint;     // (checkpoints x state size)  at steps 0, interval, 2 interval, ..
  double *segment;        // (interval x state size)  states before the steps of one interval
  double *a_q, *a_v;      // (nv)  costate
  limpet_data *world;     // where steps are made again
  limpet_gradient *step;  // and differentiated
  limpet_gradient_settings wanted;
};

// [bytes]  up to which the state before every step is kept
static const double room_for_all = 64e6;

static int interval_of(const limpet_model *model, int step_limit, int interval) {
  if (interval > 0) return interval < step_limit ? interval : step_limit;
  const double all = (double)step_limit * limpet_data_state_size(model) * (double)sizeof(double);
  return all <= room_for_all ? 1 : (int)ceil(sqrt((double)step_limit));
}

static size_t checkpoint_count(int step_limit, int interval) {
  return (size_t)((step_limit + interval - 1) / interval);
}

size_t limpet_rollout_gradient_memory(const limpet_model *model, int step_limit, int interval) {
  assert(model && step_limit > 0 && interval >= 0);
  const int k = interval_of(model, step_limit, interval);
  return (checkpoint_count(step_limit, k) + (size_t)k) * (size_t)limpet_data_state_size(model) *
         sizeof(double);
}

static double *numbers(size_t count) { return calloc(count + 1, sizeof(double)); }

static bool workspace_fill(limpet_rollout_gradient_workspace *w, const limpet_model *model) {
  const size_t nv = (size_t)model->nv;
  w->model = model;
  w->state_size = (size_t)limpet_data_state_size(model);
  w->checkpoint = numbers(checkpoint_count(w->step_limit, w->interval) * w->state_size);
  w->segment = numbers((size_t)w->interval * w->state_size);
  w->a_q = numbers(nv), w->a_v = numbers(nv);
  w->world = limpet_data_create(model);
  w->step = limpet_gradient_create(model);
  w->wanted = limpet_gradient_settings_default();
  w->wanted.contacts = w->wanted.jacobians = false;
  return w->checkpoint && w->segment && w->a_q && w->a_v && w->world && w->step;
}

limpet_rollout_gradient *limpet_rollout_gradient_create(const limpet_model *model, int step_limit,
                                                        int interval) {
  assert(model && step_limit > 0 && interval >= 0);
  limpet_rollout_gradient *gradient = calloc(1, sizeof *gradient);
  limpet_rollout_gradient_workspace *w = calloc(1, sizeof *w);
  if (!gradient || !w) {
    free(gradient), free(w);
    return NULL;
  }
  gradient->workspace = w;
  gradient->reason = "no rollout was made yet";
  w->step_limit = step_limit, w->interval = interval_of(model, step_limit, interval);
  const size_t steps = (size_t)step_limit, nv = (size_t)model->nv;
  gradient->by_control = numbers(steps * (size_t)model->nu);
  gradient->by_force = numbers(steps * nv);
  gradient->by_q = numbers(nv), gradient->by_v = numbers(nv);
  if (workspace_fill(w, model) && gradient->by_control && gradient->by_force && gradient->by_q &&
      gradient->by_v)
    return gradient;
  limpet_rollout_gradient_destroy(gradient);
  return NULL;
}

void limpet_rollout_gradient_destroy(limpet_rollout_gradient *gradient) {
  if (!gradient) return;
  limpet_rollout_gradient_workspace *w = gradient->workspace;
  limpet_gradient_destroy(w->step);
  limpet_data_destroy(w->world);
  free(w->checkpoint), free(w->segment), free(w->a_q), free(w->a_v);
  free(gradient->by_control), free(gradient->by_force);
  free(gradient->by_q), free(gradient->by_v);
  free(w);
  free(gradient);
}

// ------------------------------------------------------------------------------------- passes

typedef struct pass {
  limpet_rollout_gradient *gradient;
  limpet_rollout_gradient_workspace *w;
  const limpet_rollout_gradient_request *request;
} pass;

static bool stop(const pass *p, int step, const char *reason) {
  p->gradient->step = step;
  p->gradient->reason = reason;
  return false;
}

static void control_set(const pass *p, int step, limpet_data *data) {
  const size_t nu = (size_t)p->w->model->nu;
  if (p->request->control && nu)
    memcpy(data->control, p->request->control + (size_t)step * nu, nu * sizeof(double));
}

static bool step_make(const pass *p, int step, limpet_data *data) {
  control_set(p, step, data);
  ++p->gradient->steps_made;
  if (!limpet_outcome_failed(limpet_step(p->w->model, data, p->request->settings))) return true;
  return stop(p, step, "the step failed");
}

// Steps through the rollout and stores the checkpoints.
static bool forward(const pass *p, limpet_data *data) {
  limpet_rollout_gradient_workspace *w = p->w;
  for (int k = 0; k < p->request->step_count; ++k) {
    if (k % w->interval == 0)
      limpet_data_state_read(w->model, data,
                             w->checkpoint + (size_t)(k / w->interval) * w->state_size);
    if (!step_make(p, k, data)) return false;
  }
  return true;
}

// Stores the states before the steps first .. end - 1 of an interval.
static bool segment_fill(const pass *p, int first, int end) {
  limpet_rollout_gradient_workspace *w = p->w;
  memcpy(w->segment, w->checkpoint + (size_t)(first / w->interval) * w->state_size,
         w->state_size * sizeof(double));
  limpet_data_state_write(w->model, w->world, w->segment);
  for (int k = first; k < end - 1; ++k) {
    if (!step_make(p, k, w->world)) return false;
    limpet_data_state_read(w->model, w->world,
                           w->segment + (size_t)(k + 1 - first) * w->state_size);
  }
  return true;
}

static void row_add(double *to, const double *weight, int step, int count) {
  for (int i = 0; weight && i < count; ++i)
    to[i] += weight[(size_t)step * (size_t)count + (size_t)i];
}

// Adds the gradient of the terms of step k to the costate; `data` is at that state.
static void terms_add(const pass *p, int step, limpet_data *data, double *by_control) {
  const limpet_rollout_gradient_request *request = p->request;
  const int nv = p->w->model->nv, nu = p->w->model->nu;
  row_add(p->w->a_q, request->weight_q, step, nv);
  row_add(p->w->a_v, request->weight_v, step, nv);
  if (by_control) row_add(by_control, request->weight_control, step, nu);
  if (!request->loss) return;
  limpet_kinematics(p->w->model, data);
  request->loss(request->context, step, p->w->model, data, p->w->a_q, p->w->a_v, by_control);
}

// a <- A' a, and by_control, by_force of the step, from the state of the segment.
static bool step_back(const pass *p, int step, const double *state) {
  limpet_rollout_gradient_workspace *w = p->w;
  const limpet_model *model = w->model;
  const size_t nv = (size_t)model->nv, nu = (size_t)model->nu;
  limpet_data_state_write(model, w->world, state);
  control_set(p, step, w->world);
  ++p->gradient->steps_made;
  limpet_gradient_step(model, w->world, p->request->settings, &w->wanted, w->step);
  if (w->step->reason) return stop(p, step, w->step->reason);
  if (!limpet_gradient_adjoint(w->step, w->a_q, w->a_v))
    return stop(p, step, "the adjoint of the step could not be computed");
  p->gradient->kinks += w->step->weak_count > 0;

  const limpet_gradient_arrays *adjoint = &w->step->adjoint;
  memcpy(w->a_q, adjoint->q, nv * sizeof(double));
  memcpy(w->a_v, adjoint->v, nv * sizeof(double));
  memcpy(p->gradient->by_force + (size_t)step * nv, adjoint->force, nv * sizeof(double));
  double *by_control = p->gradient->by_control + (size_t)step * nu;
  if (nu) memcpy(by_control, adjoint->control, nu * sizeof(double));

  // the terms of the state before the step
  limpet_data_state_write(model, w->world, state);
  control_set(p, step, w->world);
  terms_add(p, step, w->world, by_control);
  return true;
}

static bool backward(const pass *p) {
  limpet_rollout_gradient_workspace *w = p->w;
  int end = p->request->step_count;
  for (int first = (end - 1) / w->interval * w->interval; first >= 0; first -= w->interval) {
    if (!segment_fill(p, first, end)) return false;
    for (int k = end - 1; k >= first; --k)
      if (!step_back(p, k, w->segment + (size_t)(k - first) * w->state_size)) return false;
    end = first;
  }
  return true;
}

static bool has_delays(const limpet_model *model) {
  for (int i = 0; i < model->actuator_count; ++i)
    if (model->actuator_history[i] >= 0) return true;
  return false;
}

// The inputs that all steps share.
static void inputs_copy(const limpet_model *model, const limpet_data *from, limpet_data *to) {
  memcpy(to->control, from->control, (size_t)model->nu * sizeof(double));
  memcpy(to->applied_force, from->applied_force, (size_t)model->nv * sizeof(double));
  memcpy(to->applied_wrench, from->applied_wrench, 6 * (size_t)model->body_count * sizeof(double));
}

bool limpet_rollout_gradient_compute(limpet_rollout_gradient *gradient, const limpet_model *model,
                                     limpet_data *data,
                                     const limpet_rollout_gradient_request *request) {
  assert(gradient && model && data && data->model == model && request && request->settings);
  limpet_rollout_gradient_workspace *w = gradient->workspace;
  assert(w->model == model && request->step_count > 0 && request->step_count <= w->step_limit);
  const pass p = {gradient, w, request};
  const size_t size = (size_t)model->nv * sizeof(double);
  w->wanted.smoothing =
      request->smoothing ? *request->smoothing : limpet_gradient_smoothing_default();
  gradient->reason = NULL;
  gradient->step = -1;
  gradient->kinks = gradient->steps_made = 0;
  if (has_delays(model))
    return stop(&p, 0, "controls act after a delay, which derivatives do not follow");
  inputs_copy(model, data, w->world);
  if (!forward(&p, data)) return false;

  // the costate at the end
  memset(w->a_q, 0, size);
  memset(w->a_v, 0, size);
  double *const full = w->segment;
  limpet_data_state_read(model, data, full);
  limpet_data_state_write(model, w->world, full);
  terms_add(&p, request->step_count, w->world, NULL);
  if (!backward(&p)) return false;
  memcpy(gradient->by_q, w->a_q, size);
  memcpy(gradient->by_v, w->a_v, size);
  return true;
}
