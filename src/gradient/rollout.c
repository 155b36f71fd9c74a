/* gradient/rollout.c: the adjoint of a rollout, with checkpoints: limpet/rollout_gradient.h has the
 * equations.
 *
 * The costates a_q, a_v (nv) go backwards through each step by limpet_gradient_adjoint. Steps are
 * made in a world of their own, so that the caller's stays at the end of the rollout.
 * With deformable bodies the costate has their vertices, and goes by limpet_gradient_backward.
 * Where there is room the forward pass keeps the Jacobians of all steps, and nothing is made again:
 *   [a_q; a_v; by_force; by_control] = J' [a_q; a_v]    J (2 nv x 3 nv + nu) of a step */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gradient/workspace.h"
#include "limpet/rollout_gradient.h"
#include "math/dense.h"

struct limpet_rollout_gradient_workspace {
  const limpet_model *model;
  int step_limit, interval;
  size_t state_size;
  double *checkpoint;  // (checkpoints x state size)  at steps 0, interval, 2 interval, ..
  double *segment;     // (interval x state size)  states before the steps of one interval
  double *jacobian;    // (step_limit x 2 nv x 3 nv + nu)  of all steps; NULL: they are made again
  double *product;     // (3 nv + nu)
  double *a_q, *a_v;   // (nv)  costate; one array
  // of deformable bodies: (vertex_count x 3)  costate; products of a step
  double *a_x, *a_dx;
  limpet_gradient_vector by;  // in one block, `by_block`
  double *by_block, *start_block;
  limpet_data *world;     // where steps are made again
  limpet_gradient *step;  // and differentiated
  limpet_gradient_settings wanted;
};

// [bytes]  up to which the state before every step is kept, and Jacobians besides
static const double room_for_all = 64e6, room_for_jacobians = 128e6;

// Doubles of the Jacobians of one step, and how many columns they have.
static size_t column_count(const limpet_model *model) {
  return 3 * (size_t)model->nv + (size_t)model->nu;
}

static size_t jacobian_size(const limpet_model *model) {
  return 2 * (size_t)model->nv * column_count(model);
}

static bool keeps_jacobians(const limpet_model *model, int step_limit, int interval) {
  const double each = (double)limpet_data_state_size(model) + (double)jacobian_size(model);
  if (model->deformable_count > 0) return false;
  return interval == 0 && step_limit * each * (double)sizeof(double) <= room_for_jacobians;
}

static int interval_of(const limpet_model *model, int step_limit, int interval) {
  if (interval > 0) return interval < step_limit ? interval : step_limit;
  if (keeps_jacobians(model, step_limit, interval)) return 1;
  const double all = (double)step_limit * limpet_data_state_size(model) * (double)sizeof(double);
  return all <= room_for_all ? 1 : (int)ceil(sqrt((double)step_limit));
}

static size_t checkpoint_count(int step_limit, int interval) {
  return (size_t)((step_limit + interval - 1) / interval);
}

size_t limpet_rollout_gradient_memory(const limpet_model *model, int step_limit, int interval) {
  assert(model && step_limit > 0 && interval >= 0);
  const int k = interval_of(model, step_limit, interval);
  const size_t jacobians =
      keeps_jacobians(model, step_limit, interval) ? (size_t)step_limit * jacobian_size(model) : 0;
  return (jacobians +
          (checkpoint_count(step_limit, k) + (size_t)k) * (size_t)limpet_data_state_size(model)) *
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

static bool workspace_fill(limpet_rollout_gradient_workspace *w, const limpet_model *model,
                           bool jacobians) {
  const size_t nv = (size_t)model->nv;
  w->model = model;
  w->state_size = (size_t)limpet_data_state_size(model);
  w->checkpoint = numbers(checkpoint_count(w->step_limit, w->interval) * w->state_size);
  w->segment = numbers((size_t)w->interval * w->state_size);
  if (jacobians) w->jacobian = numbers((size_t)w->step_limit * jacobian_size(model));
  w->product = numbers(column_count(model));
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
  w->wanted.jacobians = jacobians;
  return w->checkpoint && w->segment && (w->jacobian || !jacobians) && w->product && w->a_q &&
         w->a_x && w->by_block && w->world && w->step;
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
  const bool jacobians = keeps_jacobians(model, step_limit, interval);
  if (workspace_fill(w, model, jacobians) && gradient->by_control && gradient->by_force &&
      gradient->by_q && gradient->by_v && w->start_block)
    return gradient;
  limpet_rollout_gradient_destroy(gradient);
  return NULL;
}

void limpet_rollout_gradient_destroy(limpet_rollout_gradient *gradient) {
  if (!gradient) return;
  limpet_rollout_gradient_workspace *w = gradient->workspace;
  limpet_gradient_destroy(w->step);
  limpet_data_destroy(w->world);
  free(w->checkpoint), free(w->segment), free(w->jacobian), free(w->product), free(w->a_q);
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

static void rows_copy(int rows, const double *from, int width, double *to, size_t stride) {
  for (int i = 0; i < rows; ++i)
    if (width > 0)
      memcpy(to + (size_t)i * stride, from + (size_t)i * (size_t)width, (size_t)width * sizeof *to);
}

// Rows of dq, then of dv; columns q, v, force, control.
static void jacobian_keep(const limpet_model *model, const limpet_gradient *step, double *to) {
  const int nv = model->nv;
  const size_t stride = column_count(model);
  for (int part = 0; part < 2; ++part, to += (size_t)nv * stride) {
    const limpet_gradient_arrays *a = part == 0 ? &step->dq : &step->dv;
    if (a->q) rows_copy(nv, a->q, nv, to, stride);
    if (a->v) rows_copy(nv, a->v, nv, to + nv, stride);
    rows_copy(nv, a->force, nv, to + 2 * nv, stride);
    rows_copy(nv, a->control, model->nu, to + 3 * nv, stride);
  }
}

// A step with its Jacobians. A step without derivatives is made, and is the one to tell of.
static bool step_differentiate(const pass *p, int step, limpet_data *data) {
  limpet_rollout_gradient_workspace *w = p->w;
  control_set(p, step, data);
  p->gradient->steps_made += 2;
  const limpet_outcome outcome =
      limpet_gradient_step(w->model, data, p->request->settings, &w->wanted, w->step);
  if (limpet_outcome_failed(outcome)) return stop(p, step, "the step failed");
  if (w->step->reason) {
    stop(p, step, w->step->reason);
    return true;
  }
  p->gradient->kinks += w->step->weak_count > 0;
  p->gradient->carried_steps += step > 0 && limpet_gradient_knows_past(w->step->workspace);
  jacobian_keep(w->model, w->step, w->jacobian + (size_t)step * jacobian_size(w->model));
  return true;
}

// Steps through the rollout and stores the checkpoints; states that only a loss reads are not kept
// without one.
static bool forward(const pass *p, limpet_data *data) {
  limpet_rollout_gradient_workspace *w = p->w;
  const bool states = !w->jacobian || p->request->loss;
  for (int k = 0; k < p->request->step_count; ++k) {
    if (states && k % w->interval == 0)
      limpet_data_state_read(w->model, data,
                             w->checkpoint + (size_t)(k / w->interval) * w->state_size);
    if (!(w->jacobian ? step_differentiate : step_make)(p, k, data)) return false;
  }
  return !p->gradient->reason;
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
  if (!limpet_gradient_adjoint(w->step, w->a_q, w->a_v)) return false;
  const limpet_gradient_arrays *adjoint = &w->step->adjoint;
  memcpy(w->a_q, adjoint->q, nv * sizeof(double));
  memcpy(w->a_v, adjoint->v, nv * sizeof(double));
  memcpy(by_force, adjoint->force, nv * sizeof(double));
  if (nu) memcpy(by_control, adjoint->control, nu * sizeof(double));
  return true;
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
  double *by_control = p->gradient->by_control + (size_t)step * nu,
         *by_force = p->gradient->by_force + (size_t)step * nv;
  const bool soft = model->deformable_count > 0;
  if (!(soft ? backward_soft : backward_rigid)(p, by_force, by_control))
    return stop(p, step, "the adjoint of the step could not be computed");
  p->gradient->kinks +=
      w->step->weak_count > 0 || (soft && w->step->carried_count + w->step->vertex_kink_count > 0);
  p->gradient->carried_steps += step > 0 && limpet_gradient_knows_past(w->step->workspace);

  // the terms of the state before the step
  limpet_data_state_write(model, w->world, state);
  control_set(p, step, w->world);
  terms_add(p, step, w->world, by_control);
  return true;
}

// The same from the Jacobians that were kept.
static void step_back_kept(const pass *p, int step) {
  limpet_rollout_gradient_workspace *w = p->w;
  const limpet_model *model = w->model;
  const int nv = model->nv, columns = (int)column_count(model);
  const double *row = w->jacobian + (size_t)step * jacobian_size(model);
  memset(w->product, 0, (size_t)columns * sizeof *w->product);
  for (int i = 0; i < 2 * nv; ++i, row += columns) limpet_axpy(columns, w->a_q[i], row, w->product);
  memcpy(w->a_q, w->product, 2 * (size_t)nv * sizeof *w->a_q);
  memcpy(p->gradient->by_force + (size_t)step * (size_t)nv, w->product + 2 * nv,
         (size_t)nv * sizeof(double));
  double *by_control = p->gradient->by_control + (size_t)step * (size_t)model->nu;
  if (model->nu > 0)
    memcpy(by_control, w->product + 3 * nv, (size_t)model->nu * sizeof *by_control);
  if (p->request->loss) {
    limpet_data_state_write(model, w->world, w->checkpoint + (size_t)step * w->state_size);
    control_set(p, step, w->world);
  }
  terms_add(p, step, w->world, by_control);
}

static bool backward(const pass *p) {
  limpet_rollout_gradient_workspace *w = p->w;
  int end = p->request->step_count;
  for (int k = end - 1; k >= 0 && w->jacobian; --k) step_back_kept(p, k);
  if (w->jacobian) return true;
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
  memset(gradient->by_start.youngs_modulus, 0,
         5 * (size_t)model->deformable_count * sizeof(double));
  double *const full = w->segment;
  limpet_data_state_read(model, data, full);
  limpet_data_state_write(model, w->world, full);
  terms_add(&p, request->step_count, w->world, NULL);
  if (!backward(&p)) return false;
  forget_activated(&p);
  memcpy(gradient->by_q, w->a_q, size), memcpy(gradient->by_start.q, w->a_q, size);
  memcpy(gradient->by_v, w->a_v, size), memcpy(gradient->by_start.v, w->a_v, size);
  memcpy(gradient->by_start.vertex_position, w->a_x, V);
  memcpy(gradient->by_start.vertex_velocity, w->a_dx, V);
  return true;
}
