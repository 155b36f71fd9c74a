/* tests/constraint/test_shared_effort.c: servos that share the effort limit of a joint.
 *
 * What limits of their own they get, against the law clamp(sum of clamped servos) at random
 * velocities; short steps beside forward dynamics; derivatives of steps of an arm, within and at
 * the limits, against differences. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "constraint/effort.h"
#include "limpet/limpet.h"
#include "mjcf_world.h"

enum { CASES = 20000, SPEEDS = 20, STATES = 60 };

static unsigned long seed = 5;

static double uniform(double lower, double upper) {
  seed = (seed * 1103515245UL + 12345UL) & 0x7fffffffUL;
  return lower + (upper - lower) * (double)seed / 0x7fffffff;
}

static double clamped(double x, double lower, double upper) { return fmin(fmax(x, lower), upper); }

static limpet_effort random_effort(void) {
  const double most = uniform(0.0, 1.0) < 0.95 ? 3.99 : LIMPET_EFFORT_ROOM - 1.01;
  limpet_effort e = {.count = 2 + (int)uniform(0.0, most), .dt = 2e-3};
  for (int i = 0; i < e.count; ++i) {
    const double range = uniform(0.0, 1.0) < 0.5 ? INFINITY : uniform(1.0, 60.0);
    e.gear[i] = uniform(0.2, 2.0) * (uniform(0.0, 1.0) < 0.3 ? -1.0 : 1.0);
    e.servo[i] = (limpet_servo){.error = uniform(-80.0, 80.0),
                                .offset = uniform(-5.0, 5.0),
                                .kp = uniform(0.0, 2000.0),
                                .kd = uniform(0.1, 100.0),
                                .lower = -range,
                                .upper = uniform(0.0, 1.0) < 0.2 ? -0.5 : range};
  }
  return e;
}

static double force_at(const limpet_effort *e, const limpet_servo *servo, int i, double v) {
  return clamped(servo->error + servo->offset - (e->dt * servo->kp + servo->kd) * e->gear[i] * v,
                 servo->lower, servo->upper);
}

static void limits_are_shared(void **state) {
  (void)state;
  double worst = 0.0;
  int at_limit = 0;
  for (int k = 0; k < CASES; ++k) {
    const limpet_effort e = random_effort();
    const double lower = uniform(-60.0, 10.0), upper = lower + uniform(1.0, 80.0);
    limpet_servo own[LIMPET_EFFORT_ROOM];
    for (int i = 0; i < e.count; ++i) {
      own[i] = e.servo[i];
      limpet_effort_share(&e, i, lower, upper, &own[i]);
      assert_true(own[i].lower <= own[i].upper);
    }
    for (int s = 0; s < SPEEDS; ++s) {
      const double v = uniform(-1.0, 1.0) * exp(uniform(-4.0, 4.0));
      double sum = 0.0, free = 0.0;
      for (int i = 0; i < e.count; ++i) {
        sum += e.gear[i] * force_at(&e, &own[i], i, v);
        free += e.gear[i] * force_at(&e, &e.servo[i], i, v);
      }
      at_limit += free < lower || free > upper;
      worst = fmax(worst, fabs(sum - clamped(free, lower, upper)));
    }
  }
  print_message("%d of %d at the limit, worst %.2g N m\n", at_limit, CASES * SPEEDS, worst);
  assert_true(worst < 1e-9 && at_limit > CASES && at_limit < CASES * SPEEDS - CASES);
}

// --------------------------------------------------------------------------- derivatives

static const char arm[] =
    "<mujoco><worldbody><body><joint name='a' axis='0 1 0' actuatorfrcrange='-30 30'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 -.3' size='.03' mass='1'/><body pos='0 0 -.3'>"
    "<joint name='b' axis='0 1 0' actuatorfrcrange='-10 10'/><geom type='capsule' "
    "fromto='0 0 0 0 0 -.3' size='.03' mass='1'/></body></body></worldbody><actuator>"
    "<position joint='a' kp='200' kv='5'/><velocity joint='a' kv='10'/>"
    "<position joint='b' kp='100' kv='1' forcerange='-4 4'/><velocity joint='b' kv='5' gear='-1'/>"
    "<motor joint='b'/></actuator></mujoco>";

// Of one joint with servos of its own, of a tendon and of sites; and of a tendon with gears.
static const char across[] =
    "<mujoco><worldbody><site name='w'/><body><joint name='a' axis='0 1 0' "
    "actuatorfrcrange='-6 6'/><geom type='capsule' fromto='0 0 0 0 0 -.3' size='.03' mass='1'/>"
    "<body pos='0 0 -.3'><joint name='b' axis='0 1 0' actuatorfrcrange='-4 4'/><geom "
    "type='capsule' fromto='0 0 0 0 0 -.3' size='.03' mass='1'/><site name='s' pos='0 0 -.3'/>"
    "</body></body></worldbody><tendon><fixed name='t'><joint joint='a' coef='1'/>"
    "<joint joint='b' coef='-2'/></fixed><fixed name='u' actuatorfrcrange='-3 3'><joint "
    "joint='b' coef='1'/></fixed></tendon><actuator><position joint='a' kp='8' kv='1'/>"
    "<velocity tendon='t' kv='2'/><position tendon='u' kp='5' gear='2'/><velocity tendon='u' "
    "kv='2' gear='2'/><position site='s' refsite='w' gear='1 0 1 0 0 0' "
    "kp='9'/></actuator></mujoco>";

typedef struct start {
  double q[2], v[2], control[5];
} start;

static void step_from(mjcf_world *w, const start *from, double *v) {
  limpet_data_reset(w->model, w->data);
  memcpy(w->data->q, from->q, sizeof from->q), memcpy(w->data->v, from->v, sizeof from->v);
  memcpy(w->data->control, from->control, sizeof from->control);
  mjcf_world_step(w);
  memcpy(v, w->data->v, 2 * sizeof *v);
}

// Error of a column (2 x stride, [rad/s per unit of *at]) beside differences of second order.
static double column_error(mjcf_world *w, const start *from, size_t number, const double *column,
                           int stride) {
  start moved[2] = {*from, *from};
  double v[2][2], worst = 0.0;
  const double width = 1e-6;
  for (int s = 0; s < 2; ++s) {
    double *const at = number < 2   ? moved[s].q + number
                       : number < 4 ? moved[s].v + (number - 2)
                                    : moved[s].control + (number - 4);
    *at += s ? width : -width;
    step_from(w, &moved[s], v[s]);
  }
  for (int i = 0; i < 2; ++i)
    worst = fmax(worst, fabs((v[1][i] - v[0][i]) / (2.0 * width) - column[i * stride]));
  return worst;
}

static start random_start(void) {
  start from;
  for (int i = 0; i < 2; ++i) from.q[i] = uniform(-1.0, 1.0), from.v[i] = uniform(-4.0, 4.0);
  for (int i = 0; i < 5; ++i) from.control[i] = uniform(-1.0, 1.0);
  return from;
}

static int joints_at_limit(const mjcf_world *w) {
  int count = 0;
  for (int i = 0; i < 2; ++i)
    count +=
        fabs(w->data->actuator_joint_force[i]) > w->model->joint_effort_range[2 * i + 1] - 1e-9;
  return count;
}

/* In a short step the sum of all that acts on a joint is within its limit, as in forward dynamics,
 * whatever the servos act on. */
static void steps_keep_the_limits_of_forward_dynamics(void **state) {
  (void)state;
  const char *const models[] = {arm, across};
  for (int m = 0; m < 2; ++m) {
    mjcf_world w = mjcf_world_of(models[m], NULL);
    const double dt = w.settings.time_step = 1e-9;
    int at_limit = 0;
    double worst = 0.0;
    for (int k = 0; k < 5 * STATES; ++k) {
      const start from = random_start();
      double v[2];
      step_from(&w, &from, v);
      limpet_data_reset(w.model, w.data);
      memcpy(w.data->q, from.q, sizeof from.q), memcpy(w.data->v, from.v, sizeof from.v);
      memcpy(w.data->control, from.control, sizeof from.control);
      limpet_forward_dynamics(w.model, w.data);
      at_limit += joints_at_limit(&w);
      for (int i = 0; i < 2; ++i)
        worst = fmax(worst, fabs((v[i] - from.v[i]) / dt - w.data->acceleration[i]));
    }
    print_message("worst %.2g rad/s^2; %d of %d joints at their limit\n", worst, at_limit,
                  10 * STATES);
    assert_true(worst < 1e-2 && at_limit > 50 && at_limit < 10 * STATES - 50);
    mjcf_world_destroy(&w);
  }
}

static void derivatives_of(const char *text) {
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.tolerance = 1e-13;
  limpet_gradient *g = limpet_gradient_create(w.model);
  const limpet_gradient_settings wanted = limpet_gradient_settings_default();
  int compared = 0, at_limit = 0;
  double worst = 0.0;
  for (int k = 0; k < STATES; ++k) {
    const start from = random_start();
    double v[2];
    step_from(&w, &from, v);
    at_limit += joints_at_limit(&w);
    limpet_data_reset(w.model, w.data);
    memcpy(w.data->q, from.q, sizeof from.q), memcpy(w.data->v, from.v, sizeof from.v);
    memcpy(w.data->control, from.control, sizeof from.control);
    limpet_gradient_step(w.model, w.data, &w.settings, &wanted, g);
    assert_null(g->reason);
    for (size_t c = 0; c < 9; ++c) {
      const double *const J = c < 2 ? g->dv.q + c : c < 4 ? g->dv.v + c - 2 : g->dv.control + c - 4;
      const double *const kink = c < 2   ? g->kink.q + c
                                 : c < 4 ? g->kink.v + c - 2
                                         : g->kink.control + c - 4;
      if (*kink > 0.0) continue;
      worst = fmax(worst, column_error(&w, &from, c, J, c < 4 ? 2 : 5));
      ++compared;
    }
  }
  print_message("%d columns, worst %.2g; %d of %d joints at their limit\n", compared, worst,
                at_limit, 2 * STATES);
  assert_true(compared > 8 * STATES && worst < 1e-6 && at_limit > 10 && at_limit < 2 * STATES - 10);
  limpet_gradient_destroy(g);
  mjcf_world_destroy(&w);
}

static void derivatives_know_the_limits(void **state) {
  (void)state;
  derivatives_of(arm);
  derivatives_of(across);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(limits_are_shared),
                                     cmocka_unit_test(steps_keep_the_limits_of_forward_dynamics),
                                     cmocka_unit_test(derivatives_know_the_limits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
