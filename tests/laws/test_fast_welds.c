/* tests/laws/test_fast_welds.c: bodies alone that loops hold, spun fast: welded ones turn as the
 * one body that they are, and those on a connect keep momentum and energy; all to second order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "limpet/constraint.h"
#include "limpet/dynamics.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "mjcf_world.h"
#include "shared_data.h"

enum { PAIRS = TEST_WATCHED ? 8 : 60, TURN = 12 };

static unsigned long seed;

static double uniform(double low, double high) { return random_uniform(&seed, low, high); }
static double log_uniform(double low, double high) { return random_log_uniform(&seed, low, high); }

#define WRITE(at, ...) ((at) += sprintf((at), __VA_ARGS__))

typedef struct pair {
  double mass[2], inertia[2][3];  // about the centre of mass, of axes of the body
  double com[2][3], place[3], rotation[4], anchor[3];
} pair;

// Inertia over two decades, as far as a body may have it; masses over four.
static pair draw_pair(void) {
  pair p = {.mass = {1.0, log_uniform(1e-2, 1e2)}};
  for (int b = 0; b < 2; ++b) {
    double square[3];
    for (int k = 0; k < 3; ++k)
      square[k] = pow(log_uniform(0.01, 0.1), 2.0), p.com[b][k] = uniform(-0.03, 0.03);
    for (int k = 0; k < 3; ++k)
      p.inertia[b][k] = p.mass[b] / 3.0 * (square[(k + 1) % 3] + square[(k + 2) % 3]);
  }
  for (int k = 0; k < 3; ++k) p.place[k] = uniform(-0.15, 0.15), p.anchor[k] = uniform(-0.1, 0.1);
  for (int k = 0; k < 4; ++k) p.rotation[k] = uniform(-1.0, 1.0);
  limpet_quaternion_normalize(p.rotation);
  return p;
}

static void write_body(char **to, const pair *p, int b, const char *joint, const char *inside) {
  const double *x = b ? p->place : (double[3]){0}, *q = b ? p->rotation : (double[4]){1.0};
  char *at = *to;
  WRITE(at,
        "<body name='%c' pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>%s<inertial "
        "pos='%.17g %.17g %.17g' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>%s</body>",
        'a' + b, x[0], x[1], x[2], q[0], q[1], q[2], q[3], joint, p->com[b][0], p->com[b][1],
        p->com[b][2], p->mass[b], p->inertia[b][0], p->inertia[b][1], p->inertia[b][2], inside);
  *to = at;
}

typedef enum joining { WELDED, CONNECTED, ONE_BODY } joining;

static mjcf_world world_of(const pair *p, joining how, double dt) {
  char text[4096], inner[1024] = "", *at = text, *in = inner;
  WRITE(at, "<mujoco><option gravity='0 0 0'/><worldbody>");
  if (how == ONE_BODY) write_body(&in, p, 1, "", "");
  write_body(&at, p, 0, "<freejoint/>", inner);
  if (how != ONE_BODY) write_body(&at, p, 1, "<freejoint/>", "");
  WRITE(at, "</worldbody><equality>");
  if (how == WELDED) WRITE(at, "<weld body1='a' body2='b'/>");
  if (how == CONNECTED)
    WRITE(at, "<connect body1='a' body2='b' anchor='%.17g %.17g %.17g'/>", p->anchor[0],
          p->anchor[1], p->anchor[2]);
  WRITE(at, "</equality></mujoco>");
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.time_step = dt, w.settings.energy = true;
  return w;
}

/* The bodies turn with W and W + relative [rad/s], world axes; the anchor stays in both. */
static void spin(mjcf_world *w, const pair *p, const double W[3], const double relative[3]) {
  double own[3], turning[3], inverse[4];
  double *v = w->data->v;
  limpet_vec3_copy(v + 3, W);
  if (w->model->nv < 12) return;
  limpet_vec3_add(turning, W, relative);
  limpet_quaternion_conjugate(inverse, p->rotation);
  limpet_quaternion_rotate(v + 9, inverse, turning);
  limpet_vec3_cross(v + 6, W, p->place);
  limpet_vec3_sub(own, p->place, p->anchor);
  limpet_vec3_cross(turning, relative, own);
  limpet_vec3_add(v + 6, v + 6, turning);
}

static void look(mjcf_world *w, double momentum[6], double *energy) {
  double com[3];
  limpet_kinematics(w->model, w->data);
  limpet_velocity_kinematics(w->model, w->data);
  limpet_mass_matrix(w->model, w->data);
  limpet_centre_of_mass(w->model, w->data, 0, com);
  limpet_momentum(w->model, w->data, 0, com, momentum);
  *energy = limpet_kinetic_energy(w->model, w->data);
}

typedef struct worst {
  double turn, gap, energy, momentum;  // [rad], [m], [-], [-]
} worst;

static void raise_worst(worst *of, const worst *by) {
  of->turn = fmax(of->turn, by->turn), of->gap = fmax(of->gap, by->gap);
  of->energy = fmax(of->energy, by->energy), of->momentum = fmax(of->momentum, by->momentum);
}

static worst run(mjcf_world *w, double time) {
  worst most = {0};
  double first[6], energy0;
  look(w, first, &energy0);
  const int steps = (int)lround(time / w->settings.time_step);
  for (int i = 0; i < steps; ++i) {
    double now[6], energy;
    assert_true(limpet_step(w->model, w->data, &w->settings) <= LIMPET_OUTCOME_PRECISION_LIMIT);
    look(w, now, &energy);
    const worst one = {.turn = w->model->loop_count ? limpet_loop_turn(w->model, w->data, 0) : 0.0,
                       .gap = w->model->loop_count ? limpet_loop_gap(w->model, w->data, 0) : 0.0,
                       .energy = fabs(energy / energy0 - 1.0),
                       .momentum = limpet_vec3_distance(now, first) / limpet_vec3_norm(first)};
    raise_worst(&most, &one);
  }
  return most;
}

static void draw_spin(double rate, double W[3]) {
  for (int k = 0; k < 3; ++k) W[k] = uniform(-1.0, 1.0);
  limpet_vec3_scale(W, rate / limpet_vec3_norm(W), W);
}

/* 1 to 300 rad/s, 0.05 to 5 ms, at most 0.3 rad in a step. The angle is that of misses of 1e-5 rad
 * which are let be, and of loads at hundreds of rad/s; it was (w dt)^2/2 and more: 0.07 rad at 0.1
 * rad in a step. The energy swings by (w dt)^2. */
static void welds_turn_as_one_body(void **state) {
  (void)state;
  static const double still[3] = {0};
  worst most = {0};
  seed = 7;
  for (int k = 0; k < PAIRS; ++k) {
    const pair p = draw_pair();
    double W[3], rate, dt;
    do rate = log_uniform(1.0, 300.0), dt = log_uniform(5e-5, 5e-3);
    while (rate * dt > 0.3);
    draw_spin(rate, W);
    mjcf_world w = world_of(&p, WELDED, dt);
    spin(&w, &p, W, still);
    const double way = rate * dt;
    worst one = run(&w, 150 * dt);
    mjcf_world_destroy(&w);
    assert_true(one.turn < 1e-4 && one.turn < 0.6 * way * way * way + 1e-8);
    assert_true(one.gap < 2e-5 && one.gap < 0.1 * way * way * way + 1e-8);
    assert_true(one.energy < 0.3 * way * way + 1e-6);
    raise_worst(&most, &one);
  }
  printf("welds: angle %.2g rad, gap %.2g m, energy %.2g, angular momentum %.2g\n", most.turn,
         most.gap, most.energy, most.momentum);
  assert_true(most.momentum < 1e-7);
}

// [rad]  By how much a welded pair and the one body of both end apart after TURN/rate [s].
static double apart(const pair *p, const double W[3], double dt, double time) {
  static const double still[3] = {0};
  mjcf_world two = world_of(p, WELDED, dt), one = world_of(p, ONE_BODY, dt);
  spin(&two, p, W, still), spin(&one, p, W, still);
  run(&two, time), run(&one, time);
  double inverse[4], relative[4], turn[3];
  limpet_quaternion_conjugate(inverse, one.data->q + 3);
  limpet_quaternion_mul(relative, two.data->q + 3, inverse);
  limpet_quaternion_log(turn, relative);
  mjcf_world_destroy(&two), mjcf_world_destroy(&one);
  return limpet_vec3_norm(turn);
}

/* Both are of second order, so that the difference of their paths falls by four. */
static void a_pair_follows_its_one_body(void **state) {
  (void)state;
  double ratio = 0.0, largest = 0.0;
  int count = 0;
  seed = 11;
  for (int k = 0; k < PAIRS / 4; ++k) {
    const pair p = draw_pair();
    const double rate = log_uniform(1.0, 300.0), dt = 0.02 / rate;
    double W[3];
    draw_spin(rate, W);
    const double whole = apart(&p, W, dt, TURN / rate), half = apart(&p, W, 0.5 * dt, TURN / rate);
    largest = fmax(largest, whole);
    if (whole < 1e-6) continue;
    ratio += log2(whole / half), ++count;
  }
  printf("welded pairs and their one body: %.2g rad apart at most, order %.3g\n", largest,
         ratio / count);
  assert_true(count > 0 && ratio / count > 1.8 && largest < 0.02);
}

/* Two bodies on a connect, which turn at up to twice the rate against each other: energy to second
 * order, and of angular momentum what the gap leaves, since impulses act at both of its ends. */
static void pairs_on_a_connect_keep_momentum(void **state) {
  (void)state;
  worst most[2] = {{.turn = 0.0}, {.turn = 0.0}};
  double sum[2] = {0.0};
  seed = 13;
  for (int k = 0; k < PAIRS; ++k) {
    const pair p = draw_pair();
    const double rate = log_uniform(1.0, 300.0), dt = 0.02 / rate;
    double W[3], relative[3];
    draw_spin(rate, W), draw_spin(rate * uniform(0.0, 1.0), relative);
    for (int half = 0; half < 2; ++half) {
      mjcf_world w = world_of(&p, CONNECTED, half ? 0.5 * dt : dt);
      spin(&w, &p, W, relative);
      const worst one = run(&w, 3.0 / rate);
      mjcf_world_destroy(&w);
      raise_worst(&most[half], &one);
      sum[half] += log(one.energy);
    }
  }
  const double order = (sum[0] - sum[1]) / PAIRS / log(2.0);
  printf("connects: gap %.2g and %.2g m, energy %.2g and %.2g (order %.3g), momentum %.2g, %.2g\n",
         most[0].gap, most[1].gap, most[0].energy, most[1].energy, order, most[0].momentum,
         most[1].momentum);
  assert_true(order > 1.8 && most[1].energy < 0.35 * most[0].energy);
  // gaps of what misses of less than 1e-5 rad leave, and impulses times these gaps
  for (int half = 0; half < 2; ++half)
    assert_true(most[half].gap < 3e-5 && most[half].momentum < 5e-5);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(welds_turn_as_one_body),
                                     cmocka_unit_test(a_pair_follows_its_one_body),
                                     cmocka_unit_test(pairs_on_a_connect_keep_momentum)};
  return cmocka_run_group_tests_name("fast welds", tests, NULL, NULL);
}
