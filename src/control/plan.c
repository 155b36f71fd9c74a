/* control/plan.c: trajectory optimisation by iterated LQR: limpet/plan.h says what is minimised.
 *
 * Iteration: Jacobians of all knots and quadratic models of their costs; backward pass
 * (plan_backward.c); line search over step lengths s = 1, 1/2, ...:
 *   u' = control + s shift + gain (x' - x),   x'_k+1 = f(x'_k, u') moved by -(1 - s) gap
 * A step length is taken where the merit (cost, and with gaps their sum times the largest costate)
 * falls by settings.decrease of what the quadratic model expects. Where none is, or a matrix is not
 * positive definite, regularisation grows tenfold; after a full step it shrinks. */
#include "control/plan.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <time.h>

// [-]  regularisation: first value that is not zero, and its growth where no step length helps
static const double regularization_least = 1e-4, regularization_failed = 10.0;
static const double step_small = 0.1;  // [-]  shorter steps ask for more regularisation
enum {
  SMALL_DECREASES = 4,  // in a row end it where steps are short or regularised
  FULL_STEPS = 1        // in a row ask for less regularisation
};
// [m, rad, m/s, rad/s]  smaller gaps between pieces are round-off
static const double gap_closed = 1e-12;

limpet_plan_settings limpet_plan_settings_default(void) {
  limpet_gradient_settings gradient = limpet_gradient_settings_default();
  gradient.contacts = false;
  return (limpet_plan_settings){.iteration_limit = 200,
                                .cost_tolerance = 1e-6,
                                .control_regularization = 1.0,
                                .regularization_factor = 10.0,
                                .regularization_limit = 1e8,
                                .line_search_limit = 12,
                                .decrease = 1e-3,
                                .threads = 1,
                                .gradient = gradient};
}

const char *limpet_plan_outcome_word(limpet_plan_outcome outcome) {
  assert(outcome >= LIMPET_PLAN_CONVERGED && outcome <= LIMPET_PLAN_OUT_OF_MEMORY);
  switch (outcome) {
    case LIMPET_PLAN_CONVERGED: return "converged";
    case LIMPET_PLAN_ITERATION_LIMIT: return "iteration limit";
    case LIMPET_PLAN_NO_DESCENT: return "no further descent";
    case LIMPET_PLAN_STOPPED: return "stopped";
    case LIMPET_PLAN_BAD_START: return "bad start";
    case LIMPET_PLAN_NO_DERIVATIVE: return "no derivative";
    case LIMPET_PLAN_OUT_OF_MEMORY: break;
  }
  return "out of memory";
}

// ------------------------------------------------------------------------------------- costs

// Adds the model of the cost of a knot and returns its value; `quadratic` as limpet_plan_cost.
static double knot_cost(limpet_plan_workspace *w, int knot, const double *state,
                        const double *control, limpet_plan_quadratic *quadratic) {
  const limpet_plan_problem *problem = &w->problem;
  const double length = knot < problem->knot_count ? problem->hold * problem->step->time_step : 0.0;
  limpet_plan_world_set(w, state, control);
  return problem->cost(problem->context, w->model, w->world, knot, length, quadratic);
}

// Quadratic models of all costs.
static void costs_expand(limpet_plan *plan) {
  limpet_plan_workspace *w = plan->workspace;
  const size_t n = (size_t)w->n, m = (size_t)w->m, count = (size_t)plan->knot_count;
  memset(w->lx, 0, (count + 1) * n * sizeof(double));
  memset(w->lxx, 0, (count + 1) * n * n * sizeof(double));
  memset(w->lu, 0, count * m * sizeof(double));
  memset(w->luu, 0, count * m * m * sizeof(double));
  memset(w->lux, 0, count * m * n * sizeof(double));
  for (size_t k = 0; k <= count; ++k) {
    const bool last = k == count;
    limpet_plan_quadratic quadratic = {.x = w->lx + k * n,
                                       .u = last ? NULL : w->lu + k * m,
                                       .xx = w->lxx + k * n * n,
                                       .uu = last ? NULL : w->luu + k * m * m,
                                       .ux = last ? NULL : w->lux + k * m * n};
    knot_cost(w, (int)k, plan->state + k * w->state_size, last ? NULL : plan->control + k * m,
              &quadratic);
  }
}

// ---------------------------------------------------------------------------------- rollouts

// Largest entry and sum of all gaps.
static double gaps_measure(const limpet_plan *plan, double *sum) {
  const limpet_plan_workspace *w = plan->workspace;
  double most = 0.0, all = 0.0;
  for (int i = 0; i < plan->knot_count * w->n; ++i) {
    most = fmax(most, fabs(w->gap[i]));
    all += fabs(w->gap[i]);
  }
  *sum = all;
  return most;
}

// Control of a knot on the way: clamped, with feedback from `state`.
static void control_try(limpet_plan *plan, size_t k, double s, const double *state,
                        double *control) {
  limpet_plan_workspace *w = plan->workspace;
  const size_t n = (size_t)w->n, m = (size_t)w->m;
  limpet_plan_difference(w, plan->state + k * w->state_size, state, w->dx);
  for (size_t i = 0; i < m; ++i) {
    double u = plan->control[k * m + i] + s * w->shift[k * m + i];
    for (size_t j = 0; j < n; ++j) u += plan->gain[(k * m + i) * n + j] * w->dx[j];
    control[i] = fmin(fmax(u, w->lower[i]), w->upper[i]);
  }
}

// The world's state moved by -(1 - s) gap.
static void gap_leave(limpet_plan_workspace *w, const double *gap, double s) {
  const int nv = w->model->nv;
  if (s == 1.0) return;
  for (int i = 0; i < w->n; ++i) w->dx[i] = -(1.0 - s) * gap[i];
  limpet_integrate_position(w->model, w->world->q, w->world->q, w->dx, 1.0, false);
  for (int i = 0; i < nv; ++i) w->world->v[i] += w->dx[nv + i];
}

/* A rollout with step length s into try_control and try_state; s = 0: of the controls as they are.
 * Returns its cost, INFINITY where a step failed. */
static double rollout(limpet_plan *plan, double s) {
  limpet_plan_workspace *w = plan->workspace;
  const size_t m = (size_t)w->m, size = w->state_size;
  double cost = 0.0;
  memcpy(w->try_state, w->problem.start_state, size * sizeof(double));
  for (size_t k = 0; k < (size_t)plan->knot_count; ++k) {
    double *state = w->try_state + k * size, *control = w->try_control + k * m;
    if (s > 0.0) control_try(plan, k, s, state, control);
    else if (m) memcpy(control, plan->control + k * m, m * sizeof *control);
    cost += knot_cost(w, (int)k, state, control, NULL);
    limpet_data_state_write(w->model, w->world, state);
    if (!limpet_plan_knot_step(&w->problem, w->model, w->world)) {
      plan->failed_knot = (int)k;
      return INFINITY;
    }
    if (s > 0.0) gap_leave(w, w->gap + k * (size_t)w->n, s);
    limpet_data_state_read(w->model, w->world, state + size);
  }
  cost +=
      knot_cost(w, plan->knot_count, w->try_state + (size_t)plan->knot_count * size, NULL, NULL);
  return isfinite(cost) ? cost : INFINITY;
}

static void rollout_take(limpet_plan *plan) {
  limpet_plan_workspace *w = plan->workspace;
  double *control = plan->control, *state = plan->state;
  plan->control = w->try_control, plan->state = w->try_state;
  w->try_control = control, w->try_state = state;
}

// The gaps of the guess of states, and its cost.
static double pieces_open(limpet_plan *plan) {
  limpet_plan_workspace *w = plan->workspace;
  const size_t size = w->state_size, m = (size_t)w->m;
  double cost = 0.0;
  memcpy(plan->state, w->problem.start_state, size * sizeof(double));
  for (size_t k = 0; k < (size_t)plan->knot_count; ++k) {
    double *state = plan->state + k * size;
    cost += knot_cost(w, (int)k, state, plan->control + k * m, NULL);
    limpet_data_state_write(w->model, w->world, state);
    if (!limpet_plan_knot_step(&w->problem, w->model, w->world)) {
      plan->failed_knot = (int)k;
      return INFINITY;
    }
    limpet_data_state_read(w->model, w->world, w->try_state);
    limpet_plan_difference(w, state + size, w->try_state, w->gap + k * (size_t)w->n);
  }
  cost += knot_cost(w, plan->knot_count, plan->state + (size_t)plan->knot_count * size, NULL, NULL);
  return cost;
}

// --------------------------------------------------------------------------------- iteration

typedef struct search {
  limpet_plan_iteration *row;
  double regularization;
  int small;  // decreases below the tolerance in a row
  int full;   // full steps in a row
} search;

// Tries step lengths with the present gains. Returns whether one was taken.
static bool line_search(limpet_plan *plan, search *line) {
  limpet_plan_workspace *w = plan->workspace;
  double sum, s = 1.0;
  const double gap = gaps_measure(plan, &sum), weight = gap > gap_closed ? 2.0 * w->costate : 0.0;
  for (int i = 0; i < w->settings.line_search_limit; ++i, s *= 0.5) {
    const double expected = -(s * w->linear + 0.5 * s * s * w->square) + weight * s * sum;
    const double cost = rollout(plan, s);
    const double decrease = plan->cost - cost + weight * s * sum;
    if (!(cost < INFINITY) || !(decrease > 0.0 && decrease >= w->settings.decrease * expected))
      continue;
    line->row->step_length = s;
    line->row->expected = expected;
    rollout_take(plan);
    plan->cost = cost;
    for (int j = 0; j < plan->knot_count * w->n; ++j) w->gap[j] *= 1.0 - s;
    return true;
  }
  return false;
}

static void regularization_grow(search *line, double factor) {
  line->regularization = fmax(regularization_least, line->regularization * factor);
}

static void regularization_shrink(search *line, double factor) {
  line->regularization /= factor;
  if (line->regularization < regularization_least) line->regularization = 0.0;
}

typedef enum descent { DESCENT_MADE, DESCENT_END, DESCENT_NONE } descent;

/* One descent with as much regularisation as it takes. DESCENT_END: the model expects less than the
 * tolerance, or no step length decreases the cost and the model expects next to nothing. */
static descent descend(limpet_plan *plan, search *line) {
  limpet_plan_workspace *w = plan->workspace;
  double sum;
  for (; line->regularization <= w->settings.regularization_limit;
       regularization_grow(line, regularization_failed)) {
    if (!limpet_plan_backward(plan, line->regularization)) continue;
    const double expected = -(w->linear + 0.5 * w->square);
    line->row->expected = expected;
    line->row->regularization = line->regularization;
    const bool closed = gaps_measure(plan, &sum) <= gap_closed;
    if (line_search(plan, line)) return DESCENT_MADE;
    if (closed && expected <= w->settings.cost_tolerance * fabs(plan->cost)) return DESCENT_END;
  }
  return DESCENT_NONE;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int clamped_count(const limpet_plan *plan) {
  const limpet_plan_workspace *w = plan->workspace;
  int count = 0;
  for (int i = 0; i < plan->knot_count * w->m; ++i)
    count += plan->control[i] <= w->lower[i % w->m] || plan->control[i] >= w->upper[i % w->m];
  return count;
}

static bool row_tell(limpet_plan *plan, limpet_plan_iteration *row, double start) {
  double sum;
  const limpet_plan_settings *settings = &plan->workspace->settings;
  row->cost = plan->cost;
  row->gap = gaps_measure(plan, &sum);
  row->clamped = clamped_count(plan);
  row->total_time = seconds() - start;
  plan->total_time += row->total_time;
  plan->derivative_time += row->derivative_time;
  return !settings->progress || settings->progress(settings->context, row);
}

// Derivatives and models at the present trajectory.
static bool expand(limpet_plan *plan, limpet_plan_iteration *row) {
  const double start = seconds();
  const bool differentiated = limpet_plan_differentiate(plan);
  row->derivative_time = seconds() - start;
  for (int i = 0; i < plan->workspace->worker_count; ++i)
    row->differences += plan->workspace->worker[i].differences;
  if (differentiated) costs_expand(plan);
  return differentiated;
}

/* Whether a decrease ends it: less than the tolerance, by a full plain step, or several times in a
 * row, as short or regularised steps may be small where much is left to gain. */
static bool is_settled(const limpet_plan *plan, search *line, double decrease) {
  if (!(decrease <= plan->workspace->settings.cost_tolerance * fabs(plan->cost))) {
    line->small = 0;
    return false;
  }
  ++line->small;
  return (line->row->step_length == 1.0 && line->row->regularization == 0.0) ||
         line->small >= SMALL_DECREASES;
}

static limpet_plan_outcome iterate(limpet_plan *plan) {
  limpet_plan_workspace *w = plan->workspace;
  search line = {.regularization = w->settings.regularization_start};
  for (int i = 1; i <= w->settings.iteration_limit; ++i) {
    limpet_plan_iteration row = {.number = i};
    const double start = seconds(), before = plan->cost;
    double sum;
    const bool closed = gaps_measure(plan, &sum) <= gap_closed;
    line.row = &row;
    if (!expand(plan, &row)) return LIMPET_PLAN_NO_DERIVATIVE;
    const descent found = descend(plan, &line);
    plan->iterations = i;
    const bool goes_on = row_tell(plan, &row, start);
    if (found == DESCENT_END) return LIMPET_PLAN_CONVERGED;
    if (found == DESCENT_NONE) return LIMPET_PLAN_NO_DESCENT;
    if (!goes_on) return LIMPET_PLAN_STOPPED;
    if (closed && is_settled(plan, &line, before - plan->cost)) return LIMPET_PLAN_CONVERGED;
    line.full = row.step_length == 1.0 ? line.full + 1 : 0;
    if (row.step_length < step_small) regularization_grow(&line, w->settings.regularization_factor);
    else if (line.full >= FULL_STEPS)
      regularization_shrink(&line, w->settings.regularization_factor);
  }
  return LIMPET_PLAN_ITERATION_LIMIT;
}

// ------------------------------------------------------------------------------------- solve

// Limits of the controls: those of the problem, or the ranges of the actuators.
static void limits_take(limpet_plan_workspace *w) {
  const limpet_model *model = w->model;
  const bool clamped = !(model->options.disabled & LIMPET_DISABLE_CLAMP_CONTROL);
  for (int i = 0; i < w->m; ++i) {
    const bool limited = clamped && model->actuator_control_limited[i];
    w->lower[i] = w->problem.control_minimum ? w->problem.control_minimum[i]
                  : limited                  ? model->actuator_control_range[2 * i]
                                             : -INFINITY;
    w->upper[i] = w->problem.control_maximum ? w->problem.control_maximum[i]
                  : limited                  ? model->actuator_control_range[2 * i + 1]
                                             : INFINITY;
    assert(w->lower[i] <= w->upper[i]);
  }
}

// One world and gradient for each thread; they are kept.
static bool workers_take(limpet_plan_workspace *w, int count) {
  if (count == w->worker_count) return true;
  limpet_threads_destroy(w->threads);
  w->threads = count > 1 ? limpet_threads_create(count) : NULL;
  return limpet_plan_workers_create(w, limpet_threads_count(w->threads));
}

// The start of the optimisation: the trajectory of the guess and its cost.
static double guess_open(limpet_plan *plan) {
  limpet_plan_workspace *w = plan->workspace;
  memset(w->gap, 0, (size_t)(plan->knot_count * w->n) * sizeof(double));
  for (int i = 0; i < plan->knot_count * w->m; ++i)
    plan->control[i] = fmin(fmax(plan->control[i], w->lower[i % w->m]), w->upper[i % w->m]);
  if (w->settings.multiple_shooting) return pieces_open(plan);
  const double cost = rollout(plan, 0.0);
  if (cost < INFINITY) rollout_take(plan);
  return cost;
}

limpet_plan_outcome limpet_plan_solve(limpet_plan *plan, const limpet_plan_problem *problem,
                                      const limpet_plan_settings *settings) {
  assert(plan && problem && settings && problem->cost && problem->step && problem->start_state);
  assert(problem->knot_count > 0 && problem->knot_count <= plan->knot_limit && problem->hold > 0);
  limpet_plan_workspace *w = plan->workspace;
  w->problem = *problem, w->settings = *settings;
  plan->knot_count = problem->knot_count;
  plan->iterations = plan->derivative_count = 0;
  plan->derivative_time = plan->total_time = 0.0;
  plan->failed_knot = -1, plan->reason = NULL;
  if (!workers_take(w, settings->threads)) return LIMPET_PLAN_OUT_OF_MEMORY;
  limits_take(w);

  limpet_plan_iteration row = {0};
  const double start = seconds();
  plan->cost = guess_open(plan);
  if (!isfinite(plan->cost)) return LIMPET_PLAN_BAD_START;
  if (!row_tell(plan, &row, start)) return LIMPET_PLAN_STOPPED;
  return iterate(plan);
}

void limpet_plan_feedback(limpet_plan *plan, int knot, const limpet_data *data, double *control) {
  assert(plan && data && control && knot >= 0 && knot < plan->knot_count);
  limpet_plan_workspace *w = plan->workspace;
  limpet_data_state_read(w->model, data, w->try_state);
  control_try(plan, (size_t)knot, 0.0, w->try_state, control);
}

void limpet_plan_advance(limpet_plan *plan, int knots) {
  assert(plan && knots >= 0 && knots <= plan->knot_count);
  const size_t m = (size_t)plan->workspace->m, count = (size_t)plan->knot_count;
  if (m == 0 || count == 0 || knots == 0) return;
  const size_t keep = count - (size_t)knots;
  double *u = plan->control;
  double *last = plan->workspace->dx;  // (2 nv) or more
  memcpy(last, u + (count - 1) * m, m * sizeof *u);
  memmove(u, u + (size_t)knots * m, keep * m * sizeof *u);
  for (size_t k = keep; k < count; ++k) memcpy(u + k * m, last, m * sizeof *u);
}
