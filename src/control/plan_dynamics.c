/* control/plan_dynamics.c: the dynamics of a plan's knots and their Jacobians.
 *
 *   x_k+1 = f(x_k, u_k):  hold steps;   A = A_hold .. A_1,   B = sum over j of A_hold .. A_j+1 B_j
 * A_j, B_j by limpet_gradient_step in a world of each thread. Where a step has no derivative
 * (iteration limit) central differences of that step stand in, which are counted. */
#include <math.h>
#include <string.h>

#include "control/plan.h"

// [m, rad, m/s, rad/s, control]  half width of differences that stand in for a derivative
static const double stand_in_width = 1e-6;

void limpet_plan_difference(const limpet_plan_workspace *w, const double *from, const double *to,
                            double *x) {
  const int nq = w->model->nq, nv = w->model->nv;
  // a state begins with time, q, v
  limpet_difference_position(w->model, x, from + 1, to + 1);
  for (int i = 0; i < nv; ++i) x[nv + i] = to[1 + nq + i] - from[1 + nq + i];
}

void limpet_plan_world_set(limpet_plan_workspace *w, const double *state, const double *control) {
  limpet_data_state_write(w->model, w->world, state);
  if (control && w->m) memcpy(w->world->control, control, (size_t)w->m * sizeof *control);
  limpet_kinematics(w->model, w->world);
  limpet_velocity_kinematics(w->model, w->world);
}

bool limpet_plan_knot_step(const limpet_plan_problem *problem, const limpet_model *model,
                           limpet_data *world) {
  for (int j = 0; j < problem->hold; ++j)
    if (limpet_outcome_failed(limpet_step(model, world, problem->step))) return false;
  return true;
}

// ------------------------------------------------------------------------------ one step

// Column of A (by the state) or B (by the control) from two ends of a difference.
static void column_put(const limpet_plan_workspace *w, limpet_plan_worker *worker, double width,
                       double *to, int stride) {
  const int nq = w->model->nq, nv = w->model->nv;
  const double *low = worker->ends, *high = low + nq + nv;
  limpet_difference_position(w->model, worker->product, low, high);
  for (int i = 0; i < nv; ++i) {
    to[i * stride] = worker->product[i] / (2.0 * width);
    to[(nv + i) * stride] = (high[nq + i] - low[nq + i]) / (2.0 * width);
  }
}

// A step from `state`, moved along coordinate `index` of (q, v, u); its end into `end` (nq + nv).
static bool moved_step(const limpet_plan_workspace *w, limpet_plan_worker *worker,
                       const double *state, const double *control, int index, double by,
                       double *end) {
  const limpet_model *model = w->model;
  limpet_data *world = worker->world;
  limpet_data_state_write(model, world, state);
  memcpy(world->control, control, (size_t)w->m * sizeof *control);
  if (index < model->nv) {
    memset(worker->product, 0, (size_t)model->nv * sizeof(double));
    worker->product[index] = by;
    limpet_integrate_position(model, world->q, world->q, worker->product, 1.0, false);
  } else if (index < w->n) {
    world->v[index - model->nv] += by;
  } else {
    world->control[index - w->n] += by;
  }
  const limpet_outcome outcome = limpet_step(model, world, w->problem.step);
  memcpy(end, world->q, (size_t)model->nq * sizeof *end);
  memcpy(end + model->nq, world->v, (size_t)model->nv * sizeof *end);
  return !limpet_outcome_failed(outcome);
}

// A and B of a step by differences; false where a step failed.
static bool step_by_differences(const limpet_plan_workspace *w, limpet_plan_worker *worker,
                                const double *state, const double *control) {
  const int ends = w->model->nq + w->model->nv;
  for (int i = 0; i < w->n + w->m; ++i) {
    for (int side = 0; side < 2; ++side)
      if (!moved_step(w, worker, state, control, i, side ? stand_in_width : -stand_in_width,
                      worker->ends + side * ends))
        return false;
    if (i < w->n) column_put(w, worker, stand_in_width, worker->A + i, w->n);
    else column_put(w, worker, stand_in_width, worker->B + i - w->n, w->m);
  }
  return true;
}

static void blocks_copy(const limpet_plan_workspace *w, const limpet_gradient *g, double *A,
                        double *B) {
  const size_t nv = (size_t)w->model->nv, n = (size_t)w->n, m = (size_t)w->m;
  for (size_t i = 0; i < nv; ++i) {
    memcpy(A + i * n, g->dq.q + i * nv, nv * sizeof *A);
    memcpy(A + i * n + nv, g->dq.v + i * nv, nv * sizeof *A);
    memcpy(A + (nv + i) * n, g->dv.q + i * nv, nv * sizeof *A);
    memcpy(A + (nv + i) * n + nv, g->dv.v + i * nv, nv * sizeof *A);
    if (m == 0) continue;
    memcpy(B + i * m, g->dq.control + i * m, m * sizeof *B);
    memcpy(B + (nv + i) * m, g->dv.control + i * m, m * sizeof *B);
  }
}

static bool all_finite(const double *x, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!isfinite(x[i])) return false;
  return true;
}

// A, B of one step from the worker's world, which moves on by it.
static bool step_differentiate(const limpet_plan_workspace *w, limpet_plan_worker *worker,
                               double *state, const double *control) {
  const size_t n = (size_t)w->n, m = (size_t)w->m;
  limpet_gradient *g = worker->gradient;
  limpet_data_state_read(w->model, worker->world, state);
  ++worker->steps;
  limpet_gradient_step(w->model, worker->world, w->problem.step, &w->settings.gradient, g);
  if (!g->reason) {
    blocks_copy(w, g, worker->A, worker->B);
    if (all_finite(worker->A, n * n) && all_finite(worker->B, n * m)) return true;
  }
  ++worker->differences;
  worker->reason = g->reason ? g->reason : "a derivative of the step is not finite";
  if (!step_by_differences(w, worker, state, control)) return false;
  limpet_data_state_write(w->model, worker->world, state);
  memcpy(worker->world->control, control, m * sizeof *control);
  return !limpet_outcome_failed(limpet_step(w->model, worker->world, w->problem.step));
}

// ---------------------------------------------------------------------------------- knots

// C (rows x columns) = A (rows x inner) D (inner x columns)
static void product(int rows, int inner, int columns, const double *A, const double *D, double *C) {
  for (int i = 0; i < rows; ++i) {
    double *row = C + (size_t)i * (size_t)columns;
    memset(row, 0, (size_t)columns * sizeof *row);
    for (int k = 0; k < inner; ++k) {
      const double a = A[i * inner + k];
      if (a == 0.0) continue;
      for (int j = 0; j < columns; ++j) row[j] += a * D[k * columns + j];
    }
  }
}

// A <- A_j A,  B <- A_j B + B_j
static void knot_append(const limpet_plan_workspace *w, limpet_plan_worker *worker, double *A,
                        double *B) {
  const int n = w->n, m = w->m;
  product(n, n, n, worker->A, A, worker->product);
  memcpy(A, worker->product, (size_t)(n * n) * sizeof *A);
  product(n, n, m, worker->A, B, worker->product);
  for (int i = 0; i < n * m; ++i) B[i] = worker->product[i] + worker->B[i];
}

static void knot_differentiate(void *context, int knot, int thread) {
  limpet_plan *plan = context;
  const limpet_plan_workspace *w = plan->workspace;
  limpet_plan_worker *worker = &w->worker[thread];
  const size_t n = (size_t)w->n, m = (size_t)w->m, k = (size_t)knot;
  double *A = w->A + k * n * n, *B = w->B + k * n * m;
  double *state = worker->ends + 2 * (w->model->nq + w->model->nv);
  const double *control = plan->control + k * m;
  limpet_data_state_write(w->model, worker->world, plan->state + k * w->state_size);
  if (m) memcpy(worker->world->control, control, m * sizeof *control);
  for (int j = 0; j < w->problem.hold; ++j) {
    if (!step_differentiate(w, worker, state, control)) {
      if (worker->knot < 0 || knot < worker->knot) worker->knot = knot;
      return;
    }
    if (j > 0) {
      knot_append(w, worker, A, B);
      continue;
    }
    memcpy(A, worker->A, n * n * sizeof *A);
    memcpy(B, worker->B, n * m * sizeof *B);
  }
}

bool limpet_plan_differentiate(limpet_plan *plan) {
  limpet_plan_workspace *w = plan->workspace;
  for (int i = 0; i < w->worker_count; ++i) {
    w->worker[i].knot = -1;
    w->worker[i].differences = w->worker[i].steps = 0;
  }
  limpet_threads_run(w->threads, plan->knot_count, knot_differentiate, plan);
  plan->failed_knot = -1;
  for (int i = 0; i < w->worker_count; ++i) {
    const limpet_plan_worker *worker = &w->worker[i];
    plan->derivative_count += worker->steps;
    if (worker->knot < 0 || (plan->failed_knot >= 0 && plan->failed_knot < worker->knot)) continue;
    plan->failed_knot = worker->knot;
    plan->reason = worker->reason;
  }
  return plan->failed_knot < 0;
}
