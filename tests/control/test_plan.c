/* tests/control/test_plan.c: trajectory optimisation: the known solution of a linear system in one
 * iteration, limits, a cost that never rises, derivatives over held controls, gaps that close,
 * threads that do not matter, a receding horizon. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/plan.h"
#include "mjcf_text.h"

// Costs of joints: 1/2 sum of weights times (value - target)^2; per second where a knot has length.
typedef struct quadratic_cost {
  double q, v, u;        // running, per second
  double end_q, end_v;   // at the end
  const double *target;  // (nv)  of the coordinates; joints of one coordinate
} quadratic_cost;

static double joint_cost(void *context, const limpet_model *model, limpet_data *data, int knot,
                         double length, limpet_plan_quadratic *quadratic) {
  (void)knot;
  const quadratic_cost *c = context;
  const int nv = model->nv;
  const bool last = length == 0.0;
  const double wq = last ? c->end_q : length * c->q, wv = last ? c->end_v : length * c->v;
  double sum = 0.0;
  for (int i = 0; i < nv; ++i) {
    const double e = data->q[i] - c->target[i], v = data->v[i];
    sum += 0.5 * (wq * e * e + wv * v * v);
    if (!quadratic) continue;
    quadratic->x[i] += wq * e, quadratic->x[nv + i] += wv * v;
    quadratic->xx[i * 2 * nv + i] += wq;
    quadratic->xx[(nv + i) * 2 * nv + nv + i] += wv;
  }
  for (int i = 0; i < model->nu && !last; ++i) {
    const double u = data->control[i], w = length * c->u;
    sum += 0.5 * w * u * u;
    if (quadratic) quadratic->u[i] += w * u, quadratic->uu[i * model->nu + i] += w;
  }
  return sum;
}

typedef struct task {
  limpet_model *model;
  limpet_data *data;
  limpet_step_settings step;
  limpet_plan_problem problem;
  limpet_plan_settings settings;
  limpet_plan *plan;
  quadratic_cost cost;
  double *start;
} task;

static const double zeros[8];

static void task_open(task *t, const char *text, int knots, double time_step) {
  *t = (task){.model = mjcf_load(text)};
  t->data = limpet_data_create(t->model);
  t->step = limpet_step_settings_default(t->model);
  t->step.time_step = time_step;
  t->step.tolerance = 1e-12;
  t->cost = (quadratic_cost){0.1, 0.01, 0.01, 100.0, 10.0, zeros};
  t->start = calloc((size_t)limpet_data_state_size(t->model), sizeof(double));
  limpet_data_state_read(t->model, t->data, t->start);
  t->problem = (limpet_plan_problem){.step = &t->step,
                                     .knot_count = knots,
                                     .hold = 1,
                                     .start_state = t->start,
                                     .cost = joint_cost,
                                     .context = &t->cost};
  t->settings = limpet_plan_settings_default();
  t->plan = limpet_plan_create(t->model, knots, NULL);
  assert_non_null(t->plan);
}

static void task_close(task *t) {
  limpet_plan_destroy(t->plan);
  limpet_data_destroy(t->data);
  limpet_model_destroy(t->model);
  free(t->start);
}

// A slider of 2 kg on a motor, no gravity: v+ = v + h u/2, q+ = q + h v+.
static const char *const slider = MODEL(
    "<option gravity='0 0 0'/><worldbody><body><joint name='x' type='slide' axis='1 0 0'/><geom "
    "size='.1' mass='2' contype='0'/></body></worldbody><actuator><motor joint='x'/></actuator>");
static const double slider_mass = 2.0;

/* The optimal controls of the slider by the Riccati recursion, from the closed form of the step.
 * Where the position moves with: v+ (share 1). */
static void riccati(const task *t, double *u) {
  enum { LIMIT = 64 };
  const int N = t->problem.knot_count;
  const double h = t->step.time_step, b = h / slider_mass;
  const double A[4] = {1.0, h, 0.0, 1.0}, B[2] = {h * b, b};
  const quadratic_cost *c = &t->cost;
  double P[3] = {c->end_q, 0.0, c->end_v}, K[LIMIT][2];  // symmetric: 00, 01, 11
  assert_true(N <= LIMIT);
  for (int k = N; k-- > 0;) {
    const double PB[2] = {P[0] * B[0] + P[1] * B[1], P[1] * B[0] + P[2] * B[1]};
    const double R = h * c->u + B[0] * PB[0] + B[1] * PB[1];
    const double PA[4] = {P[0] * A[0] + P[1] * A[2], P[0] * A[1] + P[1] * A[3],
                          P[1] * A[0] + P[2] * A[2], P[1] * A[1] + P[2] * A[3]};
    for (int j = 0; j < 2; ++j) K[k][j] = -(B[0] * PA[j] + B[1] * PA[2 + j]) / R;
    const double S[3] = {h * c->q + A[0] * PA[0] + A[2] * PA[2] - K[k][0] * R * K[k][0],
                         A[0] * PA[1] + A[2] * PA[3] - K[k][0] * R * K[k][1],
                         h * c->v + A[1] * PA[1] + A[3] * PA[3] - K[k][1] * R * K[k][1]};
    memcpy(P, S, sizeof P);
  }
  double x[2] = {t->start[1], t->start[2]};  // a state begins with time, q, v
  for (int k = 0; k < N; ++k) {
    u[k] = K[k][0] * x[0] + K[k][1] * x[1];
    const double next[2] = {x[0] + h * x[1] + B[0] * u[k], x[1] + B[1] * u[k]};
    memcpy(x, next, sizeof x);
  }
}

static void linear_system_in_one_iteration(void **state) {
  (void)state;
  enum { N = 50 };
  task t;
  double u[N], worst = 0.0, most = 0.0;
  task_open(&t, slider, N, 0.02);
  t.step.compatibility.plain_flight = true;  // q moves with the velocity at the end of the step
  t.start[1] = 1.0, t.start[2] = -0.3;
  t.settings.iteration_limit = 1;
  t.settings.gradient.difference = 1e-2;  // of a linear step exact at any width
  limpet_plan_solve(t.plan, &t.problem, &t.settings);
  riccati(&t, u);
  for (int k = 0; k < N; ++k) {
    worst = fmax(worst, fabs(t.plan->control[k] - u[k]));
    most = fmax(most, fabs(u[k]));
  }
  // 1e-10: round-off of a hundred products, and of differences over 1e-2
  if (!(worst <= 1e-10 * most)) printf("controls are off by %g of %g\n", worst, most);
  assert_true(worst <= 1e-10 * most);
  assert_int_equal(t.plan->iterations, 1);

  // and nothing is left to improve
  t.settings.iteration_limit = 10;
  assert_int_equal(limpet_plan_solve(t.plan, &t.problem, &t.settings), LIMPET_PLAN_CONVERGED);
  assert_true(t.plan->iterations <= 4);  // round-off decides whether the last step is a whole one
  task_close(&t);
}

/* With limits the optimum of this convex problem is where the gradient of the cost, by the adjoint
 * of the linear system, points out of the box at controls at a limit and vanishes elsewhere. */
static void limits_are_met(void **state) {
  (void)state;
  enum { N = 50 };
  task t;
  task_open(&t, slider, N, 0.02);
  t.step.compatibility.plain_flight = true;
  t.start[1] = 1.0;
  t.cost.u = 1.0;
  const double least = -2.0, most = 1.2, h = t.step.time_step, b = h / slider_mass;
  t.problem.control_minimum = &least, t.problem.control_maximum = &most;
  t.settings.cost_tolerance = 1e-14;
  limpet_plan_solve(t.plan, &t.problem, &t.settings);
  double a[2], size = 0.0;
  int at_limit = 0;
  const int S = limpet_data_state_size(t.model);
  const double *end = t.plan->state + N * S;
  a[0] = t.cost.end_q * end[1], a[1] = t.cost.end_v * end[2];
  for (int k = N; k-- > 0;) {
    const double u = t.plan->control[k], *x = t.plan->state + k * S;
    const double g = h * t.cost.u * u + h * b * a[0] + b * a[1];
    size = fmax(size, fabs(h * b * a[0]) + fabs(b * a[1]));
    assert_true(u >= least && u <= most);
    if (u == least) assert_true(g >= -1e-7 * size);
    else if (u == most) assert_true(g <= 1e-7 * size);
    else assert_true(fabs(g) <= 1e-7 * size);
    at_limit += u == least || u == most;
    a[1] += h * a[0] + h * t.cost.v * x[2];
    a[0] += h * t.cost.q * x[1];
  }
  if (!(at_limit > 5 && at_limit < N - 5)) printf("%d controls at a limit\n", at_limit);
  assert_true(at_limit > 5 && at_limit < N - 5);
  task_close(&t);
}

// A pendulum of 1 m on a motor that is too weak to lift it at once.
static const char *const pendulum = MODEL(
    "<compiler angle='radian'/><worldbody><body><joint name='swing' axis='0 1 0' damping='.05'/>"
    "<geom size='.05' pos='0 0 -.5' mass='1' contype='0'/></body></worldbody><actuator><motor "
    "joint='swing' ctrllimited='true' ctrlrange='-2.5 2.5'/></actuator>");

typedef struct trace {
  int rows;
  double cost, worst_rise;
} trace;

static bool trace_row(void *context, const limpet_plan_iteration *row) {
  trace *t = context;
  if (t->rows > 0) t->worst_rise = fmax(t->worst_rise, row->cost - t->cost);
  t->cost = row->cost;
  ++t->rows;
  return true;
}

static void pendulum_open(task *t, int hold) {
  static const double upright[1] = {3.14159265358979};
  task_open(t, pendulum, 100 / hold, 0.02);
  t->problem.hold = hold;
  t->cost = (quadratic_cost){0.1, 0.0, 0.01, 200.0, 20.0, upright};
}

static void pendulum_swings_up_and_the_cost_never_rises(void **state) {
  (void)state;
  for (int hold = 1; hold <= 4; hold *= 4) {
    task t;
    trace seen = {0};
    pendulum_open(&t, hold);
    t.settings.progress = trace_row, t.settings.context = &seen;
    const limpet_plan_outcome outcome = limpet_plan_solve(t.plan, &t.problem, &t.settings);
    assert_true(outcome == LIMPET_PLAN_CONVERGED || outcome == LIMPET_PLAN_NO_DESCENT);
    assert_true(seen.rows > 3 && seen.worst_rise <= 0.0);
    const double *end = t.plan->state + t.problem.knot_count * limpet_data_state_size(t.model);
    if (!(fabs(end[1] - t.cost.target[0]) < 0.05)) printf("hold %d: ends at %g\n", hold, end[1]);
    assert_true(fabs(end[1] - t.cost.target[0]) < 0.05 && fabs(end[2]) < 0.3);
    for (int k = 0; k < t.problem.knot_count; ++k) assert_true(fabs(t.plan->control[k]) <= 2.5);
    task_close(&t);
  }
}

// The states of a plan are those that limpet_step reaches with its controls, bit for bit.
static void states_are_those_of_steps(void **state) {
  (void)state;
  task t;
  pendulum_open(&t, 4);
  limpet_plan_solve(t.plan, &t.problem, &t.settings);
  const size_t size = (size_t)limpet_data_state_size(t.model);
  double *now = calloc(size, sizeof *now);
  limpet_data_state_write(t.model, t.data, t.start);
  for (int k = 0; k <= t.problem.knot_count; ++k) {
    limpet_data_state_read(t.model, t.data, now);
    assert_memory_equal(now, t.plan->state + (size_t)k * size, size * sizeof *now);
    if (k == t.problem.knot_count) break;
    t.data->control[0] = t.plan->control[k];
    for (int j = 0; j < 4; ++j) limpet_step(t.model, t.data, &t.step);
  }
  free(now);
  task_close(&t);
}

static void threads_do_not_matter(void **state) {
  (void)state;
  double first[100];
  for (int threads = 1; threads <= 3; threads += 2) {
    task t;
    pendulum_open(&t, 1);
    t.settings.threads = threads;
    limpet_plan_solve(t.plan, &t.problem, &t.settings);
    if (threads == 1) memcpy(first, t.plan->control, sizeof first);
    assert_memory_equal(first, t.plan->control, sizeof first);
    task_close(&t);
  }
}

/* Multiple shooting from states on a straight line to the target: the gaps close, and the plan is
 * as good as that of single shooting. */
static void gaps_of_the_guess_close(void **state) {
  (void)state;
  task t;
  pendulum_open(&t, 1);
  const size_t size = (size_t)limpet_data_state_size(t.model);
  for (int k = 0; k <= 100; ++k) {
    memcpy(t.plan->state + (size_t)k * size, t.start, size * sizeof(double));
    t.plan->state[(size_t)k * size + 1] = t.cost.target[0] * k / 100.0;
  }
  t.settings.multiple_shooting = true;
  limpet_plan_solve(t.plan, &t.problem, &t.settings);
  const double *end = t.plan->state + 100 * size;
  assert_true(fabs(end[1] - t.cost.target[0]) < 0.05);

  // no gap is left: the controls alone give the same cost
  const double cost = t.plan->cost;
  t.settings.multiple_shooting = false;
  t.settings.iteration_limit = 0;
  limpet_plan_solve(t.plan, &t.problem, &t.settings);
  assert_true(fabs(t.plan->cost - cost) <= 1e-9 * cost);
  task_close(&t);
}

/* Model predictive control: the plan is solved anew at every step of the world, from where the
 * world is, with a warm start of one iteration; a push on the way is not known to the plan. */
static void receding_horizon_holds_the_slider(void **state) {
  (void)state;
  enum { N = 40, STEPS = 200, PUSHED = 50 };
  task t;
  task_open(&t, slider, N, 0.02);
  t.start[1] = 1.0;
  limpet_data_state_write(t.model, t.data, t.start);
  t.settings.iteration_limit = 2;
  // begin-loop
  for (int step = 0; step < STEPS; ++step) {
    limpet_data_state_read(t.model, t.data, t.start);
    limpet_plan_solve(t.plan, &t.problem, &t.settings);
    t.data->control[0] = t.plan->control[0];
    t.data->applied_force[0] = step == PUSHED ? 20.0 : 0.0;
    limpet_step(t.model, t.data, &t.step);
    limpet_plan_advance(t.plan, 1);
  }
  // end-loop
  if (!(fabs(t.data->q[0]) < 1e-2)) printf("ends at %g\n", t.data->q[0]);
  assert_true(fabs(t.data->q[0]) < 1e-2 && fabs(t.data->v[0]) < 1e-2);
  task_close(&t);
}

// Feedback: at the planned state the plan itself, beside it the linear law.
static void feedback_leads_back(void **state) {
  (void)state;
  task t;
  double u;
  task_open(&t, slider, 40, 0.02);
  t.start[1] = 1.0;
  limpet_plan_solve(t.plan, &t.problem, &t.settings);
  limpet_data_state_write(t.model, t.data, t.plan->state + 5 * limpet_data_state_size(t.model));
  limpet_plan_feedback(t.plan, 5, t.data, &u);
  assert_true(fabs(u - t.plan->control[5]) <= 1e-12);
  t.data->q[0] += 0.01;
  limpet_plan_feedback(t.plan, 5, t.data, &u);
  assert_true(fabs(u - t.plan->control[5] - 0.01 * t.plan->gain[5 * 2]) <= 1e-12);
  assert_true(t.plan->gain[5 * 2] < 0.0);
  task_close(&t);
}

static bool stop_at_once(void *context, const limpet_plan_iteration *row) {
  (void)context, (void)row;
  return false;
}

static void ends_are_named(void **state) {
  (void)state;
  task t;
  pendulum_open(&t, 1);
  t.settings.iteration_limit = 2;
  assert_int_equal(limpet_plan_solve(t.plan, &t.problem, &t.settings), LIMPET_PLAN_ITERATION_LIMIT);
  t.settings.progress = stop_at_once;
  assert_int_equal(limpet_plan_solve(t.plan, &t.problem, &t.settings), LIMPET_PLAN_STOPPED);
  t.settings.progress = NULL;
  t.start[1] = NAN;
  assert_int_equal(limpet_plan_solve(t.plan, &t.problem, &t.settings), LIMPET_PLAN_BAD_START);
  for (int i = LIMPET_PLAN_CONVERGED; i <= LIMPET_PLAN_OUT_OF_MEMORY; ++i)
    assert_non_null(limpet_plan_outcome_word((limpet_plan_outcome)i));
  task_close(&t);
}

static void actuators_with_states_are_refused(void **state) {
  (void)state;
  limpet_error error;
  limpet_model *model = mjcf_load(MODEL(
      "<worldbody><body><joint name='a'/><geom size='.1'/></body></worldbody><actuator><general "
      "joint='a' dyntype='integrator'/></actuator>"));
  assert_null(limpet_plan_create(model, 5, &error));
  assert_int_equal(error.status, LIMPET_ERROR_UNSUPPORTED);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_system_in_one_iteration),
      cmocka_unit_test(limits_are_met),
      cmocka_unit_test(pendulum_swings_up_and_the_cost_never_rises),
      cmocka_unit_test(states_are_those_of_steps),
      cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test(gaps_of_the_guess_close),
      cmocka_unit_test(receding_horizon_holds_the_slider),
      cmocka_unit_test(feedback_leads_back),
      cmocka_unit_test(ends_are_named),
      cmocka_unit_test(actuators_with_states_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
