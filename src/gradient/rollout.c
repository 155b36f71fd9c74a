/* gradient/rollout.c: the adjoint of a rollout, with checkpoints: limpet/rollout_gradient.h has the
 * equations.
 *
 * The costates a_q, a_v (nv), and those of what steps leave to each other besides (carried.h), go
 * backwards through each step by a product with its Jacobian, which is not formed. Steps are made
 * in a world of their own, so that the caller's stays at the end of the rollout.
 * With deformable bodies the costate has their vertices, and goes by limpet_gradient_backward; what
 * they leave besides is held. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gradient/carried.h"
#include "limpet/rollout_gradient.h"
#include "model/workspace.h"

struct limpet_rollout_gradient_workspace {
  const limpet_model *model;
  int step_limit, interval;
  size_t state_size;
  double *checkpoint;  // (checkpoints x state size)  at steps 0, interval, 2 interval, ..
  double *segment;     // (interval x state size)  states before the steps of one interval
  double *a_q, *a_v;   // (nv)  costate; one array
  // the same of what the state carries besides, and that of the step before; one array each
  limpet_carried carried, former;
  // of deformable bodies: (vertex_count x 3)  costate; products of a step
  double *a_x, *a_dx;
  limpet_gradient_vector by;  // in one block, `by_block`
  double *by_block, *start_block;
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

// A vector of all that a step starts from in one block, which is returned; NULL: no memory.
static double *vector_make(const limpet_model *model, limpet_gradient_vector *x) {
  const size_t nv = (size_t)model->nv, nu = (size_t)model->nu, V = 3 * (size_t)model->vertex_count,
               d = (size_t)model->deformable_count;
  double *block = numbers(3 * nv + nu + 2 * V + 5 * d), *next = block;
  const struct {
    double **array;
    size_t count;
  } parts[] = {{&x->q, nv},
               {&x->v, nv},
               {&x->force, nv},
               {&x->control, nu},
               {&x->vertex_position, V},
               {&x->vertex_velocity, V},
               {&x->youngs_modulus, d},
               {&x->poissons_ratio, d},
               {&x->density, d},
               {&x->mass_damping, d},
               {&x->stiffness_damping, d}};
  for (size_t i = 0; block && i < sizeof parts / sizeof *parts; ++i) {
    *parts[i].array = next;
    next += parts[i].count;
  }
  return block;
}

static bool carried_make(const limpet_model *model, limpet_carried *carried) {
  const size_t anchors = (size_t)model->options.anchor_count;
  carried->change = numbers((size_t)model->nv + 4 * anchors);
  if (!carried->change) return false;
  carried->stretch = carried->change + model->nv;
  carried->rebound = carried->stretch + 3 * anchors;
  return true;
}

static bool workspace_fill(limpet_rollout_gradient_workspace *w, const limpet_model *model) {
  const size_t nv = (size_t)model->nv;
  w->model = model;
  w->state_size = (size_t)limpet_data_state_size(model);
  w->checkpoint = numbers(checkpoint_count(w->step_limit, w->interval) * w->state_size);
  w->segment = numbers((size_t)w->interval * w->state_size);
  w->a_q = numbers(2 * nv);
  w->a_v = w->a_q ? w->a_q + nv : NULL;
  const size_t V = 3 * (size_t)model->vertex_count;
  w->a_x = numbers(2 * V);
  w->a_dx = w->a_x ? w->a_x + V : NULL;
  w->by_block = vector_make(model, &w->by);
  w->world = limpet_data_create(model);
  w->step = limpet_gradient_create(model);
  w->wanted = limpet_gradient_settings_default();
  w->wanted.contacts = false;
  w->wanted.jacobians = false;
  if (w->step) w->step->workspace->carries_on = true;
  return carried_make(model, &w->carried) && carried_make(model, &w->former) && w->checkpoint &&
         w->segment && w->a_q && w->a_x && w->by_block && w->world && w->step;
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
  w->start_block = vector_make(model, &gradient->by_start);
  if (workspace_fill(w, model) && gradient->by_control && gradient->by_force && gradient->by_q &&
      gradient->by_v && w->start_block)
    return gradient;
  limpet_rollout_gradient_destroy(gradient);
  return NULL;
}

void limpet_rollout_gradient_destroy(limpet_rollout_gradient *gradient) {
  if (!gradient) return;
  limpet_rollout_gradient_workspace *w = gradient->workspace;
  limpet_gradient_destroy(w->step);
  limpet_data_destroy(w->world);
  free(w->checkpoint), free(w->segment), free(w->a_q);
  free(w->carried.change), free(w->former.change);
  free(w->a_x), free(w->by_block), free(w->start_block);
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

static bool goes_on(const pass *p, int step) {
  if (!p->request->go_on || p->request->go_on(p->request->context)) return true;
  return stop(p, step, "stopped");
}

static void control_set(const pass *p, int step, limpet_data *data) {
  const size_t nu = (size_t)p->w->model->nu;
  if (p->request->control && nu)
    memcpy(data->control, p->request->control + (size_t)step * nu, nu * sizeof(double));
}

static bool step_make(const pass *p, int step, limpet_data *data) {
  if (!goes_on(p, step)) return false;
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
      limpet_workspace_state_pack(data, w->checkpoint + (size_t)(k / w->interval) * w->state_size);
    if (!step_make(p, k, data)) return false;
  }
  return true;
}

// The state before a step: a checkpoint, or one of the segment.
static double *state_of(const limpet_rollout_gradient_workspace *w, int step) {
  const size_t place = (size_t)(step / w->interval), after = (size_t)(step % w->interval);
  return after == 0 ? w->checkpoint + place * w->state_size : w->segment + after * w->state_size;
}

// Stores the states before the steps first .. end - 1 of an interval.
static bool segment_fill(const pass *p, int first, int end) {
  limpet_rollout_gradient_workspace *w = p->w;
  limpet_workspace_state_unpack(w->world, state_of(w, first));
  for (int k = first; k < end - 1; ++k) {
    if (!step_make(p, k, w->world)) return false;
    limpet_workspace_state_pack(w->world, state_of(w, k + 1));
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
  row_add(p->w->a_x, request->weight_vertex_position, step, 3 * p->w->model->vertex_count);
  row_add(p->w->a_dx, request->weight_vertex_velocity, step, 3 * p->w->model->vertex_count);
  if (!request->loss && !request->vertex_loss) return;
  limpet_kinematics(p->w->model, data);
  if (request->loss)
    request->loss(request->context, step, p->w->model, data, p->w->a_q, p->w->a_v, by_control);
  if (request->vertex_loss)
    request->vertex_loss(request->context, step, p->w->model, data, p->w->a_x, p->w->a_dx);
}

static void numbers_add(int count, const double *from, double *to) {
  for (int i = 0; i < count; ++i) to[i] += from[i];
}

// The products of a step with deformable bodies: a <- A' a, and what the material gets.
static bool backward_soft(const pass *p, double *by_force, double *by_control) {
  limpet_rollout_gradient_workspace *w = p->w;
  const size_t nv = (size_t)w->model->nv, V = 3 * (size_t)w->model->vertex_count;
  const limpet_gradient_vector end = {
      .q = w->a_q, .v = w->a_v, .vertex_position = w->a_x, .vertex_velocity = w->a_dx};
  if (!limpet_gradient_backward(w->step, &end, &w->by)) return false;
  memcpy(w->a_q, w->by.q, nv * sizeof(double));
  memcpy(w->a_v, w->by.v, nv * sizeof(double));
  memcpy(w->a_x, w->by.vertex_position, V * sizeof(double));
  memcpy(w->a_dx, w->by.vertex_velocity, V * sizeof(double));
  memcpy(by_force, w->by.force, nv * sizeof(double));
  if (w->model->nu > 0) memcpy(by_control, w->by.control, (size_t)w->model->nu * sizeof(double));
  limpet_gradient_vector *sum = &p->gradient->by_start;
  const int count = w->model->deformable_count;
  numbers_add(count, w->by.youngs_modulus, sum->youngs_modulus);
  numbers_add(count, w->by.poissons_ratio, sum->poissons_ratio);
  numbers_add(count, w->by.density, sum->density);
  numbers_add(count, w->by.mass_damping, sum->mass_damping);
  numbers_add(count, w->by.stiffness_damping, sum->stiffness_damping);
  return true;
}

// The same without.
static bool backward_rigid(const pass *p, double *by_force, double *by_control) {
  limpet_rollout_gradient_workspace *w = p->w;
  const size_t nv = (size_t)w->model->nv, nu = (size_t)w->model->nu;
  if (w->wanted.smoothing.kind != LIMPET_SMOOTHING_NONE) {
    if (!limpet_gradient_adjoint(w->step, w->a_q, w->a_v)) return false;
  } else {
    const limpet_carried former = w->former;
    if (!limpet_gradient_adjoint_carried(w->step, w->a_q, w->a_v, &w->carried, &w->former))
      return false;
    w->former = w->carried, w->carried = former;
  }
  const limpet_gradient_arrays *adjoint = &w->step->adjoint;
  memcpy(w->a_q, adjoint->q, nv * sizeof(double));
  memcpy(w->a_v, adjoint->v, nv * sizeof(double));
  memcpy(by_force, adjoint->force, nv * sizeof(double));
  if (nu) memcpy(by_control, adjoint->control, nu * sizeof(double));
  return true;
}

// a <- A' a, and by_control, by_force of the step, from the state of the segment.
static bool step_back(const pass *p, int step) {
  limpet_rollout_gradient_workspace *w = p->w;
  const limpet_model *model = w->model;
  const size_t nv = (size_t)model->nv, nu = (size_t)model->nu;
  const double *state = state_of(w, step);
  if (!goes_on(p, step)) return false;
  limpet_workspace_state_unpack(w->world, state);
  control_set(p, step, w->world);
  ++p->gradient->steps_made;
  limpet_gradient_step(model, w->world, p->request->settings, &w->wanted, w->step);
  if (w->step->reason) return stop(p, step, w->step->reason);
  double *by_control = p->gradient->by_control + (size_t)step * nu,
         *by_force = p->gradient->by_force + (size_t)step * nv;
  const bool soft = model->deformable_count > 0;
  if (!(soft ? backward_soft : backward_rigid)(p, by_force, by_control))
    return stop(p, step, "the adjoint of the step could not be computed");
  p->gradient->kinks += limpet_gradient_meets_kink(w->step->workspace, w->step) ||
                        (soft && w->step->carried_count > 0);
  p->gradient->carried_steps += step > 0 && limpet_carried_misses(w->step->workspace);

  // the terms of the state before the step
  if (p->request->loss || p->request->vertex_loss) limpet_workspace_state_unpack(w->world, state);
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
      if (!step_back(p, k)) return false;
    end = first;
  }
  return true;
}

static bool has_delays(const limpet_model *model) {
  for (int i = 0; i < model->actuator_count; ++i)
    if (model->actuator_history[i] >= 0) return true;
  return false;
}

// Whether a motor has a state of its own, which moves with joints.
static bool has_motor_states(const limpet_model *model) {
  for (int i = 0; i < model->actuator_count; ++i)
    if (model->actuator_act_count[i] > 0 &&
        model->actuator_activation[i] == LIMPET_ACTIVATION_MOTOR)
      return true;
  return false;
}

// What controls do through activations in later steps is not known.
static void forget_activated(const pass *p) {
  const limpet_model *model = p->w->model;
  for (int i = 0; i < model->actuator_count; ++i)
    for (int k = 0; k < p->request->step_count && model->actuator_act_count[i] > 0; ++k)
      p->gradient->by_control[(size_t)k * (size_t)model->nu + (size_t)i] = NAN;
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
  gradient->kinks = gradient->carried_steps = gradient->steps_made = 0;
  if (has_delays(model))
    return stop(&p, 0, "controls act after a delay, which derivatives do not follow");
  if (has_motor_states(model))
    return stop(&p, 0, "motors have states of their own, which derivatives do not follow");
  inputs_copy(model, data, w->world);
  if (!forward(&p, data)) return false;

  // the costate at the end
  memset(w->a_q, 0, size);
  memset(w->a_v, 0, size);
  const size_t V = 3 * (size_t)model->vertex_count * sizeof(double);
  memset(w->a_x, 0, 2 * V);
  limpet_carried_clear(data, &w->carried);
  memset(gradient->by_start.youngs_modulus, 0,
         5 * (size_t)model->deformable_count * sizeof(double));
  limpet_data_state_copy(data, w->world);
  terms_add(&p, request->step_count, w->world, NULL);
  if (!backward(&p)) return false;
  forget_activated(&p);
  memcpy(gradient->by_q, w->a_q, size), memcpy(gradient->by_start.q, w->a_q, size);
  memcpy(gradient->by_v, w->a_v, size), memcpy(gradient->by_start.v, w->a_v, size);
  memcpy(gradient->by_start.vertex_position, w->a_x, V);
  memcpy(gradient->by_start.vertex_velocity, w->a_dx, V);
  return true;
}
