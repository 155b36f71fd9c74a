/* tests/laws/test_free_flight.c: what flies keeps its momentum and its energy, and moves to second
 * order.
 *
 * Momentum: each step renews it from the state, so that round-off of a few 1e-16 adds up as a
 * random walk: 1e-12 of sqrt(2 m T) and of sqrt(2 T tr I) for 1e4 steps has room. Energy: the rule
 * is symmetric in time, so its error swings with (h w)^2 and does not grow; 1e-4 is what is
 * promised for 10 s at 1 ms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "math/vec3.h"
#include "mjcf_text.h"
#include "mjcf_world.h"
#include "shared_data.h"

#define BODY(pos, mass, inertia) \
  "<inertial pos='" pos "' mass='" mass "' diaginertia='" inertia "'/>"
#define HINGE(axis) "<joint type='hinge' axis='" axis "'/>"
#define WEIGHTLESS "<option gravity='0 0 0'/>"

static const char chain[] = MODEL(
    WEIGHTLESS "<worldbody><body><freejoint/>" BODY(
        ".15 0 0", "1", ".00113 .00737 .00683") "<body pos='.3 0 0'>" HINGE("0 0 1")
        BODY(".15 0 0", "1.5", ".00205 .01105 .0106") "<body pos='.3 0 0'>" HINGE("0 1 0")
            BODY(".15 0 0", "2", ".00333 .0147 .0147") "<body pos='.3 0 0'>" HINGE("0 0 1") BODY(
                ".15 0 0", "2.5", ".00508 .0184 .0193") "</body></body></body></body></worldbody>");
static const char flag[] =
    MODEL("<worldbody><body pos='0 0 600'><freejoint/>" BODY(
        "0 0 0", "1", ".0002 .0833 .0833") "<body pos='.2 .02 0'>" HINGE("0 0 1")
              BODY("0 .02 0", ".001", "1e-7 1e-7 1e-7") "</body></body></worldbody>");
static const char wheel[] =
    MODEL(WEIGHTLESS "<worldbody><body><freejoint/>" BODY(
        "0 0 0", "1", ".002 .003 .004") "<body pos='.05 .02 0'>" HINGE("0 0 1")
              BODY("0 0 0", ".5", ".0008 .0008 .0016") "</body></body></worldbody>");
static const char brick[] = MODEL(WEIGHTLESS "<worldbody><body><freejoint/>" BODY(
    ".1 .02 -.03", "1", ".01 .02 .03") "</body></worldbody>");

typedef struct flight_case {
  const char *name, *text;
  double v[9];
} flight_case;

static const flight_case cases[] = {
    {"chain", chain, {.1, -.2, .3, .4, .6, -.5, 1.5, -2, 2.5}},
    {"thrown bar with a flag", flag, {1, 2, 3, 31.4, 6.28, 0, 0}},
    {"wheel in a free frame", wheel, {0, 0, 0, 3, 2, 1, 300}},
    {"brick about its middle axis", brick, {.1, .2, .3, .01, 5, .01}},
    {"fast brick", brick, {0, 0, 0, 100, 100, 100}},
};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct flyer {
  limpet_model *model;
  limpet_data *data;
  limpet_step_settings settings;
} flyer;

typedef struct carried {
  double linear[3], angular[3];  // about the centre of mass
  double com[3], mass, kinetic, energy;
} carried;

static flyer flyer_of(limpet_model *model, double dt, bool plain) {
  flyer f = {model, limpet_data_create(model), limpet_step_settings_default(model)};
  f.settings.time_step = dt;
  f.settings.compatibility.plain_flight = plain;
  return f;
}

static void flyer_close(flyer *f) {
  limpet_data_destroy(f->data);
  limpet_model_destroy(f->model);
}

static carried carried_by(flyer *f) {
  carried c = {.mass = 0.0};
  limpet_kinematics(f->model, f->data);
  limpet_velocity_kinematics(f->model, f->data);
  limpet_mass_matrix(f->model, f->data);
  limpet_tendon_kinematics(f->model, f->data);
  double both[6];
  limpet_centre_of_mass(f->model, f->data, 0, c.com);
  limpet_momentum(f->model, f->data, 0, c.com, both);
  limpet_vec3_copy(c.angular, both);
  limpet_vec3_copy(c.linear, both + 3);
  for (int b = 1; b < f->model->body_count; ++b) c.mass += f->model->body_mass[b];
  c.kinetic = limpet_kinetic_energy(f->model, f->data);
  c.energy = c.kinetic + limpet_potential_energy(f->model, f->data);
  return c;
}

// Largest moment of inertia that the bodies can make together: masses at their distance.
static double inertia_scale(const flyer *f, const carried *c) {
  double sum = 0.0;
  for (int b = 1; b < f->model->body_count; ++b) {
    const double *I = f->model->body_inertia + 9 * b;
    const double distance = limpet_vec3_distance(f->data->body_com + 3 * b, c->com);
    sum += I[0] + I[4] + I[8] + f->model->body_mass[b] * distance * distance;
  }
  return sum;
}

typedef struct drift {
  double linear, angular, energy;
} drift;

// Worst departure over `duration` [s] from the momentum and energy at the start.
static drift drift_of(flyer *f, double duration) {
  const carried start = carried_by(f);
  const double scale = inertia_scale(f, &start);
  const int count = (int)lround(duration / f->settings.time_step);
  drift worst = {0.0, 0.0, 0.0};
  for (int i = 1; i <= count; ++i) {
    assert_int_equal(limpet_step(f->model, f->data, &f->settings), LIMPET_OUTCOME_SOLVED);
    if (i % 50 != 0 && i != count) continue;
    const carried now = carried_by(f);
    double linear[3];
    const double fallen = f->model->options.gravity[2] * f->data->time * start.mass;
    limpet_vec3_set(linear, start.linear[0], start.linear[1], start.linear[2] + fallen);
    const double kinetic = fmax(now.kinetic, start.kinetic);
    worst.linear = fmax(
        worst.linear, limpet_vec3_distance(now.linear, linear) / sqrt(2.0 * start.mass * kinetic));
    worst.angular = fmax(worst.angular, limpet_vec3_distance(now.angular, start.angular) /
                                            sqrt(2.0 * scale * start.kinetic));
    worst.energy = fmax(worst.energy, fabs(now.energy - start.energy) / start.kinetic);
  }
  return worst;
}

static flyer case_flyer(const flight_case *c, double dt, bool plain) {
  flyer f = flyer_of(mjcf_load(c->text), dt, plain);
  memcpy(f.data->v, c->v, (size_t)f.model->nv * sizeof(double));
  return f;
}

static void momentum_and_energy_are_kept(void **state) {
  (void)state;
  for (int i = 0; i < CASES; ++i) {
    flyer f = case_flyer(&cases[i], 1e-3, false);
    const drift d = drift_of(&f, 10.0);
    print_message("%s: momentum %.2g, %.2g, energy %.2g\n", cases[i].name, d.linear, d.angular,
                  d.energy);
    assert_true(d.linear < 1e-12 && d.angular < 1e-12 && d.energy < 1e-4);
    flyer_close(&f);
  }
}

// The negative control: the plain scheme loses what is kept above, and fails on the wheel.
static void the_plain_scheme_loses_it(void **state) {
  (void)state;
  for (int i = 0; i < 2; ++i) {
    flyer f = case_flyer(&cases[i], 1e-3, true);
    const drift d = drift_of(&f, 1.0);
    print_message("plain, %s: momentum %.2g, %.2g, energy %.2g\n", cases[i].name, d.linear,
                  d.angular, d.energy);
    assert_true(d.angular > 1e-4);
    flyer_close(&f);
  }
}

static double uniform(void) { return (double)rand() / RAND_MAX; }

// A tree of three to eight bodies whose masses lie in six decades.
static char *random_tree(char *text) {
  static const char *const joints[] = {"hinge", "ball", "hinge", "slide"};
  const int count = 3 + rand() % 6;
  char *at = text + sprintf(text, "<mujoco>" WEIGHTLESS "<worldbody>");
  int depth = 0;
  for (int i = 0; i < count; ++i) {
    const double mass = pow(10.0, 6.0 * uniform() - 3.0), size = 0.05 + 0.2 * uniform();
    at += sprintf(at, "<body pos='%g %g %g'>", uniform(), uniform(), uniform());
    if (i == 0) at += sprintf(at, "<freejoint/>");
    else
      at += sprintf(at, "<joint type='%s' axis='%g %g %g'/>", joints[rand() % 4], uniform(),
                    uniform() - 0.5, uniform() - 0.5);
    at += sprintf(at, "<inertial pos='%g 0 %g' mass='%g' diaginertia='%g %g %g'/>", 0.2 * uniform(),
                  0.2 * uniform(), mass, mass * size * size, 1.5 * mass * size * size,
                  1.2 * mass * size * size);
    ++depth;
    if (i > 0 && rand() % 2 && depth > 1) at += sprintf(at, "</body>"), --depth;
  }
  while (depth-- > 0) at += sprintf(at, "</body>");
  sprintf(at, "</worldbody></mujoco>");
  return text;
}

static void random_trees_keep_momentum(void **state) {
  (void)state;
  srand(7);
  char text[8192];
  drift worst = {0.0, 0.0, 0.0};
  for (int i = 0; i < 60; ++i) {
    flyer f = flyer_of(mjcf_load(random_tree(text)), 1e-3, false);
    for (int k = 0; k < f.model->nv; ++k) f.data->v[k] = 4.0 * uniform() - 2.0;
    const drift d = drift_of(&f, 1.0);
    worst.linear = fmax(worst.linear, d.linear), worst.angular = fmax(worst.angular, d.angular);
    worst.energy = fmax(worst.energy, d.energy);
    flyer_close(&f);
  }
  print_message("random trees: momentum %.2g, %.2g, energy %.2g\n", worst.linear, worst.angular,
                worst.energy);
  assert_true(worst.linear < 1e-12 && worst.angular < 1e-12 && worst.energy < 1e-4);
}

// Distance of the poses of two worlds, in velocity coordinates.
static double apart(const flyer *a, const flyer *b) {
  double difference[64], sum = 0.0;
  limpet_difference_position(a->model, difference, a->data->q, b->data->q);
  for (int i = 0; i < a->model->nv; ++i) sum += difference[i] * difference[i];
  return sqrt(sum);
}

static flyer flown(const flight_case *c, double dt, double duration, bool plain) {
  flyer f = case_flyer(c, dt, plain);
  for (int i = 0; i < (int)lround(duration / dt); ++i)
    assert_int_equal(limpet_step(f.model, f.data, &f.settings), LIMPET_OUTCOME_SOLVED);
  return f;
}

static const char pendulum[] =
    MODEL("<worldbody><body>" HINGE("0 1 0")
              BODY("0 0 -.5", "1", ".01 .01 .01") "<body pos='0 0 -1'>" HINGE("0 1 0")
                  BODY("0 0 -.5", "1", ".01 .01 .01") "</body></body></worldbody>");

// Half the step makes a quarter of the error; under gravity, for trees that float and that do not.
static void paths_are_of_second_order(void **state) {
  (void)state;
  static const flight_case more[] = {
      {"chain", chain, {.1, -.2, .3, .4, .6, -.5, 1.5, -2, 2.5}},
      {"double pendulum", pendulum, {3, -1}},
  };
  for (int i = 0; i < 2; ++i) {
    flyer exact = flown(&more[i], 1e-3 / 32.0, 0.5, false);
    flyer coarse = flown(&more[i], 1e-3, 0.5, false), fine = flown(&more[i], 5e-4, 0.5, false);
    flyer plain = flown(&more[i], 5e-4, 0.5, true);
    const double error[2] = {apart(&coarse, &exact), apart(&fine, &exact)};
    print_message("%s: error %.3g and %.3g, plain %.3g\n", more[i].name, error[0], error[1],
                  apart(&plain, &exact));
    assert_true(error[0] > 3.2 * error[1] && error[0] < 5.0 * error[1]);
    assert_true(apart(&plain, &exact) > 20.0 * error[1]);
    flyer_close(&exact), flyer_close(&coarse), flyer_close(&fine), flyer_close(&plain);
  }
}

// The centre of mass is on its parabola at any step.
static void a_throw_is_a_parabola(void **state) {
  (void)state;
  flyer f = case_flyer(&cases[1], 1e-2, false);
  const carried start = carried_by(&f);
  for (int i = 0; i < 100; ++i)
    assert_int_equal(limpet_step(f.model, f.data, &f.settings), LIMPET_OUTCOME_SOLVED);
  const carried end = carried_by(&f);
  const double t = f.data->time, g = f.model->options.gravity[2];
  const double height = start.com[2] + t * start.linear[2] / start.mass + 0.5 * g * t * t;
  assert_true(fabs(end.com[2] - height) < 1e-10);
  flyer_close(&f);
}

/* What rests or hangs does not notice: a box on the floor and a robot arm at its servos' targets
 * are where the plain scheme has them, to 1e-12. */
static void what_rests_does_not_notice(void **state) {
  (void)state;
  static const char text[] = MODEL(
      "<worldbody><geom type='plane' size='1 1 1'/>"
      "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/>"
      "<body pos='0 0 .2'><joint axis='0 1 0' range='-20 0'/><geom type='box' size='.1 .1 .1'/>"
      "</body></body></worldbody>");
  flyer f[2];
  for (int plain = 0; plain < 2; ++plain) {
    f[plain] = flyer_of(mjcf_load(text), 2e-3, plain);
    for (int i = 0; i < 2000; ++i)
      assert_int_equal(limpet_step(f[plain].model, f[plain].data, &f[plain].settings),
                       LIMPET_OUTCOME_SOLVED);
    assert_true(f[plain].data->info.touching_count > 0);
  }
  print_message("rest: %.2g apart\n", apart(&f[0], &f[1]));
  assert_true(apart(&f[0], &f[1]) < 1e-12);
  for (int i = 0; i < f[0].model->nv; ++i) assert_true(fabs(f[0].data->v[i]) < 1e-11);
  flyer_close(&f[0]), flyer_close(&f[1]);
}

// Joint friction, limits and damping act within a tree: its momentum stays. Menagerie's G1 tumbles.
static void a_robot_that_tumbles_keeps_momentum(void **state) {
  (void)state;
  if (!shared_exists("models/menagerie/unitree_g1/g1.xml")) skip();
  limpet_error error;
  flyer f = flyer_of(limpet_load(shared_path("models/menagerie/unitree_g1/g1.xml"), NULL, &error),
                     2e-3, false);
  assert_non_null(f.data);
  limpet_vec3_zero(f.model->options.gravity);
  for (int i = 0; i < f.model->nv; ++i) f.data->v[i] = 3.0 * sin(1.0 + i);
  f.data->q[2] += 10.0;
  const drift d = drift_of(&f, 1.0);
  print_message("G1: momentum %.2g, %.2g; rows %d\n", d.linear, d.angular,
                f.data->info.constraint_count);
  assert_true(d.linear < 1e-12 && d.angular < 1e-12);
  flyer_close(&f);
}

// A flight that is taken up from its state goes on bit for bit.
static void a_flight_restarts_bit_by_bit(void **state) {
  (void)state;
  flyer a = flown(&cases[0], 1e-3, 0.1, false), b = case_flyer(&cases[0], 1e-3, false);
  double *const kept = malloc((size_t)limpet_data_state_size(a.model) * sizeof(double));
  assert_non_null(kept);
  limpet_data_state_read(a.model, a.data, kept);
  limpet_data_state_write(b.model, b.data, kept);
  for (int i = 0; i < 50; ++i) {
    limpet_step(a.model, a.data, &a.settings);
    limpet_step(b.model, b.data, &b.settings);
  }
  assert_true(limpet_data_state_hash(a.model, a.data) == limpet_data_state_hash(b.model, b.data));
  free(kept);
  flyer_close(&a), flyer_close(&b);
}

// Links that turn by radians in a step cannot be followed: the step says so.
static void what_is_too_fast_is_told(void **state) {
  (void)state;
  const flight_case fast = {"", chain, {0, 0, 0, 4, 6, -5, 2000, -2000, 3000}};
  double told[2];
  for (int i = 0; i < 2; ++i) {
    flyer f = case_flyer(i ? &fast : &cases[0], 2e-3, false);
    told[i] = 0.0;
    for (int k = 0; k < 100; ++k) {
      assert_int_equal(limpet_step(f.model, f.data, &f.settings), LIMPET_OUTCOME_SOLVED);
      told[i] = fmax(told[i], f.data->info.flight_error);
    }
    flyer_close(&f);
  }
  print_message("flight error: %.2g, too fast %.2g\n", told[0], told[1]);
  assert_true(told[0] < 1e-5 && told[1] > 1e-4);
}

/* Velocities of round-off, down to the smallest numbers there are, point anywhere: the body turns
 * by no more than they say. The falling brick's centre of mass lies off its origin by 1e-18 m, as
 * that of a mesh does. */
static void round_off_turns_nothing(void **state) {
  (void)state;
  static const char falling[] = MODEL("<worldbody><body><freejoint/>" BODY(
      "1e-18 -2e-18 3e-18", "1", ".01 .02 .03") "</body></worldbody>");
  const double sizes[] = {0.0, 1e-300, 1e-160, 1e-83, 1e-40, 1e-20};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    const double s = sizes[i];
    const flight_case noise = {"", falling, {0, 0, 0, s, -2 * s, 0.3 * s}};
    flyer f = case_flyer(&noise, 2e-3, false);
    for (int k = 0; k < 5; ++k) {
      limpet_step(f.model, f.data, &f.settings);
      assert_true(limpet_vec3_norm(f.data->q + 4) < 1e-15);
    }
    flyer_close(&f);
  }
}

/* A ball of 1 mm that a slide with a little dry friction holds turns by 0.06 rad a step: its weight
 * gives it more in a step than its motion has, and is no error of that motion. */
static void what_turns_fast_falls_by_its_weight(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      MODEL("<option timestep='.002'/><worldbody><body>"
            "<joint type='slide' axis='0 0 1' frictionloss='1e-9'/><joint axis='0 0 1'/>"
            "<geom type='sphere' size='.001' mass='1'/></body></worldbody>"),
      NULL);
  w.data->v[1] = 30.0;
  for (int i = 1; i <= 20; ++i) {
    mjcf_world_step(&w);
    assert_true(fabs(w.data->v[0] + 9.81 * 0.002 * i) < 1e-9);
  }
  mjcf_world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(momentum_and_energy_are_kept),
      cmocka_unit_test(the_plain_scheme_loses_it),
      cmocka_unit_test(random_trees_keep_momentum),
      cmocka_unit_test(paths_are_of_second_order),
      cmocka_unit_test(a_throw_is_a_parabola),
      cmocka_unit_test(what_rests_does_not_notice),
      cmocka_unit_test(a_robot_that_tumbles_keeps_momentum),
      cmocka_unit_test(a_flight_restarts_bit_by_bit),
      cmocka_unit_test(what_is_too_fast_is_told),
      cmocka_unit_test(round_off_turns_nothing),
      cmocka_unit_test(what_turns_fast_falls_by_its_weight),
  };
  return cmocka_run_group_tests_name("free flight", tests, NULL, NULL);
}
