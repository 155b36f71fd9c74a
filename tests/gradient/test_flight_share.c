/* tests/gradient/test_flight_share.c: driven trees that are fixed to the world pass from the plain
 * scheme to flight smoothly, and derivatives of their steps know it, whatever was stepped before.
 *
 * Arms of one to six links on hinges, balls and slides, masses over three decades, with servos or
 * motors, at speeds from half of where flight begins to the end of the passage. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/gradient.h"
#include "mjcf_world.h"
#include "random_models.h"
#include "step/flight.h"
#include "step_differences.h"

enum { ARMS = 40 };

static unsigned long seed;

static double uniform(double low, double high) { return random_uniform(&seed, low, high); }

static double log_uniform(double low, double high) { return random_log_uniform(&seed, low, high); }

#define WRITE(at, ...) ((at) += sprintf((at), __VA_ARGS__))

static void write_arm(char *at, bool servos) {
  char motors[2048], *motor = motors;
  const int links = 1 + (int)uniform(0.0, 5.999);
  WRITE(at, "<mujoco><worldbody>");
  for (int i = 0; i < links; ++i) {
    const double mass = log_uniform(0.03, 30.0), inertia = mass * log_uniform(1e-3, 0.02);
    const double kind = uniform(0.0, 1.0);
    double place[3], com[3], axis[3];
    random_vector(&seed, place, 3, 0.3), random_vector(&seed, com, 3, 0.1);
    random_vector(&seed, axis, 3, 1.0);
    WRITE(at, "<body pos='%g %g %g'>", place[0], place[1], place[2]);
    if (kind < 0.15) WRITE(at, "<joint name='j%d' type='ball'/>", i);
    else
      WRITE(at, "<joint name='j%d' type='%s' axis='%g %g %g'/>", i, kind < 0.3 ? "slide" : "hinge",
            axis[0], axis[1], 1.1 + axis[2]);
    if (servos && kind >= 0.15)
      WRITE(motor, "<position joint='j%d' kp='%g' kv='%g'/>", i, mass * 10.0, mass);
    else WRITE(motor, "<motor joint='j%d' gear='%g'/>", i, mass);
    WRITE(at, "<inertial pos='%g %g %g' mass='%g' diaginertia='%g %g %g'/>", com[0], com[1], com[2],
          mass, inertia, 1.2 * inertia, 1.4 * inertia);
  }
  for (int i = 0; i < links; ++i) WRITE(at, "</body>");
  WRITE(at, "</worldbody><actuator>%s</actuator></mujoco>", motors);
}

static mjcf_world next_arm(int k, bool servos) {
  static char text[16384];
  seed = 900 + (unsigned)k;
  for (int i = 0; i < 8; ++i) uniform(0.0, 1.0);
  write_arm(text, servos);
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.time_step = log_uniform(2e-4, 1e-2);
  w.settings.tolerance = 1e-13;
  return w;
}

// The fastest joint turns by `turn` [rad] in a step.
static void set_speed(const mjcf_world *w, const double *direction, double turn) {
  double most = limpet_flight_fastest(w->model, direction, (limpet_range){0, w->model->nv});
  for (int d = 0; d < w->model->nv; ++d) most = fmax(most, fabs(direction[d]));
  for (int d = 0; d < w->model->nv; ++d)
    w->data->v[d] = turn / w->settings.time_step * direction[d] / most;
}

/* The largest second difference of the velocity after a step, over the largest velocity, on a grid
 * of `count` speeds. */
static double roughness(const mjcf_world *w, const double *state, const double *direction,
                        int count) {
  const int nv = w->model->nv;
  double *v = calloc(3 * (size_t)nv, sizeof *v), most = 0.0, largest = 0.0;
  for (int i = 0; i < count; ++i) {
    limpet_data_state_write(w->model, w->data, state);
    set_speed(w, direction, 0.02 + 0.07 * i / (count - 1));
    assert_int_equal(limpet_step(w->model, w->data, &w->settings), LIMPET_OUTCOME_SOLVED);
    memmove(v, v + nv, 2 * (size_t)nv * sizeof *v);
    memcpy(v + 2 * nv, w->data->v, (size_t)nv * sizeof *v);
    for (int d = 0; d < nv; ++d) {
      largest = fmax(largest, fabs(w->data->v[d]));
      if (i >= 2) most = fmax(most, fabs(v[d] - 2.0 * v[nv + d] + v[2 * nv + d]));
    }
  }
  free(v);
  return most / largest;
}

/* A jump has second differences of its own size on every grid; those of a smooth function fall with
 * the square of its width. Renewals of flight (1e-6 rad) leave jumps of 1e-9 and less. */
static void flight_begins_smoothly(void **state) {
  (void)state;
  double worst = 0.0;
  for (int k = 0; k < ARMS; ++k) {
    mjcf_world w = next_arm(k, k % 2);
    double *start = calloc((size_t)limpet_data_state_size(w.model), sizeof *start),
           *direction = calloc((size_t)w.model->nv, sizeof *direction);
    random_vector(&seed, w.data->v, w.model->nv, 0.01 / w.settings.time_step);
    for (int i = 0; i < 3; ++i) limpet_step(w.model, w.data, &w.settings);
    limpet_data_state_read(w.model, w.data, start);
    random_vector(&seed, direction, w.model->nv, 1.0);
    const double coarse = roughness(&w, start, direction, 200),
                 fine = roughness(&w, start, direction, 3200);
    if (!(fine < 0.2 * coarse + 1e-8)) printf("arm %d: %.2g, %.2g\n", k, coarse, fine);
    worst = fmax(worst, fine / (coarse + 1e-8));
    free(direction);
    free(start);
    mjcf_world_destroy(&w);
  }
  printf("second differences on a grid sixteen times as fine: at most %.2g of the coarse ones\n",
         worst);
  assert_true(worst < 0.2);
}

// Whether derivatives of a step of the world by its state are those of differences.
static bool knows_its_change(mjcf_world *w, int *columns, int *kinks) {
  const int nv = w->model->nv;
  const double width = 3e-5;
  limpet_gradient *gradient = limpet_gradient_create(w->model);
  limpet_gradient_settings wanted = limpet_gradient_settings_default();
  limpet_data *copy = limpet_data_create(w->model);
  limpet_data_state_copy(w->data, copy);
  limpet_gradient_step(w->model, w->data, &w->settings, &wanted, gradient);
  assert_null(gradient->reason);
  step_differences s;
  step_differences_open(&s, w->model, copy, &w->settings);
  const bool agree = step_differences_agree(&s, "q", step_move_q, nv, gradient->dq.q,
                                            gradient->dv.q, gradient->kink.q, 1e-6, 2e-6) &&
                     step_differences_agree(&s, "v", step_move_v, nv, gradient->dq.v,
                                            gradient->dv.v, gradient->kink.v, width, 2e-6);
  *columns += s.columns, *kinks += s.kinks;
  step_differences_close(&s);
  limpet_data_destroy(copy);
  limpet_gradient_destroy(gradient);
  return agree;
}

static void derivatives_know_the_share(void **state) {
  (void)state;
  int columns = 0, kinks = 0, between = 0;
  for (int k = 0; k < ARMS; ++k) {
    mjcf_world w = next_arm(k, k % 4 != 0);
    double *direction = calloc((size_t)w.model->nv, sizeof *direction);
    random_vector(&seed, direction, w.model->nv, 1.0);
    set_speed(&w, direction, uniform(0.03, 0.075));
    limpet_step(w.model, w.data, &w.settings);
    set_speed(&w, direction, uniform(0.03, 0.075));
    const double share = limpet_flight_share(w.model, w.data, 0, w.settings.time_step, NULL);
    between += share > 0.0 && share < 1.0;
    const bool agree = knows_its_change(&w, &columns, &kinks);
    if (!agree) printf("arm %d\n", k);
    assert_true(agree);
    free(direction);
    mjcf_world_destroy(&w);
  }
  printf("%d columns, %d with kinks; %d of %d arms on the way to flight\n", columns, kinks, between,
         ARMS);
  assert_true(kinks < columns / 4 && between > ARMS / 4);
}

// Three links, the middle one light, on hinges with a little dry friction, which holds the tree.
static mjcf_world next_whip(int k) {
  enum { LINKS = 3 };
  static char text[4096];
  char *at = text;
  seed = 3000 + (unsigned)k;
  for (int i = 0; i < 8; ++i) uniform(0.0, 1.0);
  WRITE(at, "<mujoco><worldbody>");
  for (int i = 0; i < LINKS; ++i) {
    const double mass = i == 1 ? log_uniform(1e-4, 1e-2) : log_uniform(0.06, 0.099);
    const double inertia = mass * log_uniform(1e-4, 1e-2);
    double place[3], com[3], axis[3];
    random_vector(&seed, place, 3, 0.3), random_vector(&seed, com, 3, 0.2);
    random_vector(&seed, axis, 3, 1.0);
    WRITE(at,
          "<body pos='%g %g %g'><joint axis='%g %g %g' frictionloss='1e-6'/>"
          "<inertial pos='%g %g %g' mass='%g' diaginertia='%g %g %g'/>",
          place[0], place[1], place[2], axis[0], axis[1], 1.1 + axis[2], com[0], com[1], com[2],
          mass, inertia, 1.2 * inertia, 1.4 * inertia);
  }
  WRITE(at, "</body></body></body></worldbody></mujoco>");
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.time_step = log_uniform(5e-4, 5e-3);
  w.settings.tolerance = 1e-13;
  return w;
}

/* A held tree whose velocity changed far in the last step is taken as going on to: where the bias
 * of that gives more energy than there is, the step has no more of its bias than a bound, which
 * depends on the state, and derivatives are those of what is bounded. */
static void derivatives_know_the_bound_of_the_bias(void **state) {
  enum { WHIPS = 30, ENOUGH = 10 };
  (void)state;
  int columns = 0, kinks = 0, bounded = 0;
  for (int k = 0; k < WHIPS; ++k) {
    mjcf_world w = next_whip(k);
    double direction[3], change[3];
    random_vector(&seed, direction, 3, 1.0), random_vector(&seed, change, 3, 1.0);
    set_speed(&w, direction, 0.01);
    mjcf_world_step(&w);
    assert_true(w.data->tree_held[0] > 0.0);
    set_speed(&w, change, uniform(0.3, 0.8));
    memcpy(w.data->warm_start, w.data->v, sizeof change);
    set_speed(&w, direction, uniform(0.03, 0.09));
    limpet_data *copy = limpet_data_create(w.model);
    limpet_data_state_copy(w.data, copy);
    mjcf_world_step(&w);
    const bool is_bounded = limpet_solved_step_of(w.data)->motion.flight->balance[0].bounded;
    limpet_data_state_copy(copy, w.data);
    limpet_data_destroy(copy);
    bounded += is_bounded;
    const bool agree = !is_bounded || knows_its_change(&w, &columns, &kinks);
    if (!agree) printf("whip %d\n", k);
    assert_true(agree);
    mjcf_world_destroy(&w);
  }
  printf("%d columns, %d with kinks; %d of %d steps bounded\n", columns, kinks, bounded, WHIPS);
  assert_true(kinks < columns / 4 && bounded >= ENOUGH);
}

#define CRANK(name, at, inside)                           \
  "<body name='" name "' pos='" at "'><joint name='" name \
  "' axis='0 1 0'/>"                                      \
  "<geom type='capsule' fromto='0 0 0 0 0 -.2' size='.01'/>" inside "</body>"
#define ROD(name)                         \
  "<body name='" name                     \
  "' pos='0 0 -.2'><joint axis='0 1 0'/>" \
  "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.01'/></body>"

// All cranks turn by `turn` [rad] in a step, and rods stay level.
static void turn_cranks(const mjcf_world *w, double turn) {
  for (int t = 0; t < w->model->tree_count; ++t) {
    const int first = w->model->tree_dof[t];
    for (int k = 0; k < w->model->tree_dof_count[t]; ++k)
      w->data->v[first + k] = (k == 0 ? turn : -turn) / w->settings.time_step;
  }
}

/* Parallelograms in a row: loops join the second and the third crank to the first, which a motor
 * drives; a pendulum hangs beside them. */
static void loops_drive_what_they_join(void **state) {
  enum { CRANKS = 3, TREES = 4 };
  static const double turns[] = {0.02, 0.06, 0.09};
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><default><geom contype='0' conaffinity='0'/></default><worldbody>" CRANK(
          "c", "0 0 1", ROD("rc")) CRANK("b", ".3 0 1", ROD("rb")) CRANK("a", ".6 0 1", "")
          CRANK("p", "1 0 1", "") "</worldbody><equality>"
      "<connect body1='rc' body2='b' anchor='.3 0 0'/>"
      "<connect body1='rb' body2='a' anchor='.3 0 0'/></equality>"
      "<actuator><motor joint='a'/></actuator></mujoco>",
      NULL);
  assert_int_equal(w.model->tree_count, TREES);
  w.settings.tolerance = 1e-13;
  for (int i = 0; i < 3; ++i) {
    limpet_data_reset(w.model, w.data);
    turn_cranks(&w, turns[i]);
    mjcf_world_step(&w);
    const limpet_flight *flight = limpet_solved_step_of(w.data)->motion.flight;
    for (int t = 0; t < TREES; ++t) {
      const double share = flight->balance[t].share;
      if (t >= CRANKS || i == 2) assert_float_equal(share, 1.0, 0.0);
      else if (i == 0) assert_float_equal(share, 0.0, 0.0);
      else assert_true(share > 0.0 && share < 1.0);
    }
    int columns = 0, kinks = 0;
    turn_cranks(&w, turns[i]);
    assert_true(knows_its_change(&w, &columns, &kinks));
    printf("%d columns, %d with kinks\n", columns, kinks);
  }
  mjcf_world_destroy(&w);
}

// Derivatives by state, of the step from `state`; into `to` (4 nv x nv).
static void differentiate(const mjcf_world *w, limpet_gradient *gradient, const double *state,
                          double *to) {
  const limpet_gradient_settings settings = limpet_gradient_settings_default();
  const size_t size = (size_t)(w->model->nv * w->model->nv);
  limpet_data_state_write(w->model, w->data, state);
  limpet_gradient_step(w->model, w->data, &w->settings, &settings, gradient);
  assert_null(gradient->reason);
  const double *blocks[] = {gradient->dq.q, gradient->dq.v, gradient->dv.q, gradient->dv.v};
  for (size_t i = 0; i < 4; ++i) memcpy(to + i * size, blocks[i], size * sizeof *to);
}

// The velocity along `direction` from which on steps are those of flight, less a little of it.
static void go_near_flight(const mjcf_world *w, const double *direction) {
  const double h = w->settings.time_step;
  double low = 0.01, high = 1.0;
  while (high - low > 1e-12) {
    const double turn = 0.5 * (low + high);
    set_speed(w, direction, turn);
    *(limpet_flight_share(w->model, w->data, 0, h, NULL) < 1.0 ? &low : &high) = turn;
  }
  set_speed(w, direction, low * (1.0 - log_uniform(1e-7, 1e-4)));
}

// The derivatives of a step are the same bits whatever world and gradient did before.
static void steps_before_do_not_matter(void **state) {
  (void)state;
  for (int k = 0; k < ARMS; ++k) {
    mjcf_world used = next_arm(k, k % 2);
    const size_t size = 4 * (size_t)(used.model->nv * used.model->nv);
    double *start = calloc((size_t)limpet_data_state_size(used.model), sizeof *start),
           *direction = calloc((size_t)used.model->nv, sizeof *direction),
           *one = calloc(2 * size, sizeof *one), *two = one + size;
    limpet_gradient *gradient = limpet_gradient_create(used.model);
    for (int i = 0; i < 25; ++i) {
      mjcf_world fresh = next_arm(k, k % 2);
      limpet_gradient *other = limpet_gradient_create(fresh.model);
      seed += (unsigned)(1 + i);
      random_vector(&seed, direction, used.model->nv, 1.0);
      set_speed(&used, direction, uniform(0.02, 0.15));
      if (i % 2) mjcf_world_step(&used);
      go_near_flight(&used, direction);
      limpet_data_state_read(used.model, used.data, start);
      differentiate(&used, gradient, start, one);
      differentiate(&fresh, other, start, two);
      assert_memory_equal(one, two, size * sizeof *one);
      limpet_gradient_destroy(other);
      mjcf_world_destroy(&fresh);
    }
    limpet_gradient_destroy(gradient);
    free(one);
    free(direction);
    free(start);
    mjcf_world_destroy(&used);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flight_begins_smoothly),
      cmocka_unit_test(derivatives_know_the_share),
      cmocka_unit_test(derivatives_know_the_bound_of_the_bias),
      cmocka_unit_test(loops_drive_what_they_join),
      cmocka_unit_test(steps_before_do_not_matter),
  };
  return cmocka_run_group_tests_name("share of flight", tests, NULL, NULL);
}
