/* tests/control/test_identify.c: numbers of a model from trajectories that were simulated with
 * known ones: to 1e-6 from clean data, within error bars from noisy data; linked parameters;
 * limits; data that do not tell parameters apart; windows whose start states are unknown, too; what
 * is said where a file is wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "effort.h"
#include "json_text.h"
#include "limpet/format.h"
#include "limpet/identify.h"
#include "shared_data.h"

enum { LINKS = 3, STEPS = TEST_WATCHED ? 100 : 300, EVERY = 5, ROWS = STEPS / EVERY + 1 };

// An arm of three links on motors, in gravity.
static const char arm_text[] =
    "<mujoco><option timestep='0.004'/><compiler angle='radian'/><worldbody><body name='upper'>"
    "<joint name='a' axis='0 1 0' damping='.2'/><geom name='upper tube' type='capsule' fromto='0 0 "
    "0 .3 "
    "0 0' size='.03' mass='2'/><body name='fore' pos='.3 0 0'><joint name='b' axis='0 1 0' "
    "damping='.1'/><geom name='fore tube' type='capsule' fromto='0 0 0 .25 0 0' size='.03' "
    "mass='1.2'/>"
    "<body name='hand' pos='.25 0 0'><joint name='c' axis='0 0 1' damping='.05'/><geom name='palm' "
    "type='box' size='.06 .03 .02' pos='.05 0 0' mass='.4'/></body></body></body></worldbody>"
    "<actuator><motor name='a' joint='a'/><motor name='b' joint='b'/><motor name='c' "
    "joint='c'/></actuator></mujoco>";
static const double masses[LINKS] = {2.0, 1.2, 0.4};  // [kg]

typedef struct record {
  double time[ROWS], q[ROWS * LINKS], control[ROWS * LINKS];
} record;

static limpet_builder *builder_of(const char *text) {
  limpet_error error;
  limpet_builder *builder = limpet_builder_create();
  if (limpet_mjcf_read_text(builder, text, strlen(text), "arm.xml", NULL, &error) != LIMPET_OK)
    fail_msg("%s", error.message);
  return builder;
}

// The arm swings under motor torques; noise [rad] on what is recorded.
static void arm_record(record *r, double phase, double noise, unsigned long *seed) {
  limpet_builder *builder = builder_of(arm_text);
  limpet_model *model = limpet_builder_compile(builder, NULL);
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  for (int row = 0; row < ROWS; ++row) {
    r->time[row] = data->time;
    for (int i = 0; i < LINKS; ++i) {
      // a uniform error of half width sqrt(3) has variance 1
      const double error = row > 0 ? noise * sqrt(3.0) * random_uniform(seed, -1.0, 1.0) : 0.0;
      r->q[row * LINKS + i] = data->q[i] + error;
      data->control[i] = r->control[row * LINKS + i] = (i == 0   ? -5.0
                                                        : i == 1 ? -2.0
                                                                 : 0.3) +
                                                       sin(phase + 0.3 * row + 1.3 * i);
    }
    for (int k = 0; k < EVERY; ++k) limpet_step(model, data, &settings);
  }
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  limpet_builder_destroy(builder);
}

// A text with ' for ".
static limpet_identify *create(limpet_builder *builder, const char *text, limpet_error *error) {
  return limpet_identify_create(builder, json_text(text), "fit.json", error);
}

static limpet_identify *fit_of(limpet_builder *builder, const char *text) {
  limpet_error error;
  limpet_identify *fit = create(builder, text, &error);
  if (!fit) fail_msg("%s", error.message);
  return fit;
}

#define FIT_MASSES                                                                             \
  "{'parameters':[{'of':'upper.mass','start':1.4},{'of':'fore.mass','start':1.7,'minimum':0}," \
  "{'of':'body:hand.mass','start':0.6,'minimum':0.01}],'noise':0.002,"

static void masses_of_an_arm_from_clean_data(void **state) {
  (void)state;
  static record r;
  limpet_builder *builder = builder_of(arm_text);
  limpet_identify *fit = fit_of(builder, FIT_MASSES "'trajectories':['a.csv']}");
  arm_record(&r, 0.0, 0.0, &(unsigned long){1});
  assert_int_equal(limpet_identify_record(fit, 0, ROWS, r.time, r.q, NULL, r.control, NULL),
                   LIMPET_OK);
  assert_int_equal(limpet_identify_solve(fit, NULL, NULL), LIMPET_IDENTIFY_CONVERGED);
  for (int i = 0; i < LINKS; ++i) {
    if (!(fabs(fit->parameter[i].value - masses[i]) <= 1e-6 * masses[i]))
      printf("%s: %.10g for %g\n", fit->parameter[i].name, fit->parameter[i].value, masses[i]);
    assert_true(fabs(fit->parameter[i].value - masses[i]) <= 1e-6 * masses[i]);
  }
  assert_true(fit->start_residual > 1.0 && fit->residual < 1e-6);
  limpet_identify_destroy(fit);
  limpet_builder_destroy(builder);
}

/* Errors of 2 mrad: the values lie within a few of their error bars (4: chance of 1e-4 each), and
 * the two kinds of error bars agree, as the noise is independent. */
static void error_bars_cover_noise(void **state) {
  (void)state;
  if (TEST_WATCHED) skip();  // statistics
  enum { TRAJECTORIES = 8 };
  static record r;
  unsigned long seed = 11;
  limpet_builder *builder = builder_of(arm_text);
  limpet_identify *fit =
      fit_of(builder, FIT_MASSES "'trajectories':['a','b','c','d','e','f','g','h']}");
  for (int t = 0; t < TRAJECTORIES; ++t) {
    arm_record(&r, 0.7 * t, 0.002, &seed);
    limpet_identify_record(fit, t, ROWS, r.time, r.q, NULL, r.control, NULL);
  }
  const limpet_identify_outcome outcome = limpet_identify_solve(fit, NULL, NULL);
  assert_true(outcome == LIMPET_IDENTIFY_CONVERGED || outcome == LIMPET_IDENTIFY_NO_DESCENT);
  assert_true(fabs(fit->residual - 1.0) < 0.1);  // as large as the noise says
  for (int i = 0; i < LINKS; ++i) {
    const limpet_identify_parameter *p = &fit->parameter[i];
    assert_true(fabs(p->value - masses[i]) <= 4.0 * p->error);
    assert_true(p->error > 0.0 && p->error < 0.05 * masses[i]);
    assert_true(p->error_grouped > 0.3 * p->error && p->error_grouped < 3.0 * p->error);
  }
  limpet_identify_destroy(fit);
  limpet_builder_destroy(builder);
}

// The arm, and a pendulum beside it.
static const char *arm_and_pendulum(void) {
  static char text[sizeof arm_text + 200];
  const char *end = strstr(arm_text, "</worldbody>");
  snprintf(text, sizeof text, "%.*s%s%s", (int)(end - arm_text), arm_text,
           "<body pos='9 0 0'><joint axis='0 1 0'/><geom size='.1' pos='.2 0 0' mass='1'/></body>",
           end);
  return text;
}

// Results of a fit of masses.
typedef struct fitted {
  double residual, value[LINKS], error[LINKS], error_grouped[LINKS];
} fitted;

/* The fit of two noisy records of the arm alone, or with the pendulum, whose angle is recorded
 * wrong by up to 1 rad and has no noise in the fit. */
static fitted fit_beside(bool pendulum, const char *windows) {
  static record r;
  static double q[ROWS * (LINKS + 1)];
  const int nq = LINKS + pendulum;
  unsigned long seed = 17, wrong = 3;
  char text[600];
  snprintf(text, sizeof text,
           "{'parameters':[{'of':'upper.mass','start':1.9},{'of':'fore.mass','start':1.3},{'of':"
           "'body:hand.mass','start':0.5,'minimum':0.01}],'noise':[0.002,0.002,0.002%s],"
           "'trajectories':['a','b']%s}",
           pendulum ? ",0" : "", windows);
  limpet_builder *builder = builder_of(pendulum ? arm_and_pendulum() : arm_text);
  limpet_identify *fit = fit_of(builder, text);
  for (int t = 0; t < 2; ++t) {
    arm_record(&r, 0.7 * t, 0.002, &seed);
    for (int row = 0; row < ROWS; ++row) {
      memcpy(q + nq * row, r.q + LINKS * row, LINKS * sizeof *q);
      if (pendulum) q[nq * row + LINKS] = random_uniform(&wrong, -1.0, 1.0);
    }
    assert_int_equal(limpet_identify_record(fit, t, ROWS, r.time, q, NULL, r.control, NULL),
                     LIMPET_OK);
  }
  assert_true(limpet_identify_solve(fit, NULL, NULL) <= LIMPET_IDENTIFY_NO_DESCENT);
  fitted f = {.residual = fit->residual};
  for (int i = 0; i < LINKS; ++i) {
    f.value[i] = fit->parameter[i].value;
    f.error[i] = fit->parameter[i].error;
    f.error_grouped[i] = fit->parameter[i].error_grouped;
  }
  limpet_identify_destroy(fit);
  limpet_builder_destroy(builder);
  return f;
}

/* A coordinate of noise 0 is not compared and counts nowhere: value, error bars and residual are
 * those of the arm alone. Its zeros made both 1.15 times too small when they were counted. */
static void what_is_not_compared_does_not_count(void **state) {
  (void)state;
  static const char *const windows[] = {"", ",'windows':{'rows':10}",
                                        ",'windows':{'rows':10,'speed_noise':0.1}"};
  for (size_t k = 0; k < sizeof windows / sizeof windows[0]; k += (size_t)test_effort(1, 2)) {
    const fitted alone = fit_beside(false, windows[k]), both = fit_beside(true, windows[k]);
    printf("residual %.12g and %.12g, error of a mass %.12g and %.12g\n", alone.residual,
           both.residual, alone.error[0], both.error[0]);
    // sums run over other rows: round-off
    assert_true(fabs(both.residual - alone.residual) <= 1e-9 * alone.residual);
    for (int i = 0; i < LINKS; ++i) {
      assert_true(alone.error[i] > 0.0 && alone.error_grouped[i] > 0.0);
      assert_true(fabs(both.value[i] - alone.value[i]) <= 1e-6 * alone.error[i]);
      assert_true(fabs(both.error[i] - alone.error[i]) <= 1e-6 * alone.error[i]);
      assert_true(fabs(both.error_grouped[i] - alone.error_grouped[i]) <=
                  1e-6 * alone.error_grouped[i]);
    }
  }
}

// One parameter that moves two numbers: the half length of a box and, against it, a mass.
static void linked_parameters(void **state) {
  (void)state;
  static record r;
  limpet_builder *builder = builder_of(arm_text);
  limpet_identify *fit = fit_of(
      builder,
      "{'parameters':[{'name':'share','of':['upper.mass',{'parameter':'fore.mass','factor':-1,"
      "'offset':3.2}],'start':1.5,'minimum':1,'maximum':3}],'trajectories':['a.csv']}");
  arm_record(&r, 0.0, 0.0, &(unsigned long){1});
  limpet_identify_record(fit, 0, ROWS, r.time, r.q, NULL, r.control, NULL);
  limpet_identify_solve(fit, NULL, NULL);
  assert_true(fabs(fit->parameter[0].value - 2.0) <= 1e-6);
  limpet_identify_destroy(fit);

  // the value may not reach the truth: it stays at its limit
  fit = fit_of(builder,
               "{'parameters':[{'of':'upper.mass','start':1.5,'maximum':1.8}],'trajectories':"
               "['a.csv']}");
  limpet_identify_record(fit, 0, ROWS, r.time, r.q, NULL, r.control, NULL);
  limpet_identify_solve(fit, NULL, NULL);
  assert_true(fit->parameter[0].value == 1.8);
  limpet_identify_destroy(fit);
  limpet_builder_destroy(builder);
}

// The friction of a geom that touches nothing changes nothing.
static void data_that_do_not_tell(void **state) {
  (void)state;
  static record r;
  limpet_builder *builder = builder_of(arm_text);
  limpet_identify *fit = fit_of(builder,
                                "{'parameters':[{'of':'upper.mass','start':2.1},{'of':"
                                "'palm.friction','start':1}],'trajectories':['a.csv']}");
  arm_record(&r, 0.0, 0.0, &(unsigned long){1});
  limpet_identify_record(fit, 0, ROWS, r.time, r.q, NULL, r.control, NULL);
  assert_int_equal(limpet_identify_solve(fit, NULL, NULL), LIMPET_IDENTIFY_NOT_DETERMINED);
  assert_true(isinf(fit->parameter[1].error));
  limpet_identify_destroy(fit);
  limpet_builder_destroy(builder);
}

// ------------------------------------------------------------------------------------ windows

/* In windows of about 7 rows the masses come back as well, though the record says that the arm
 * rests when each of them begins; and each window has its rows, the first one too. */
static void windows_find_masses_and_start_states(void **state) {
  (void)state;
  enum { WINDOW = 7 };
  static record r;
  limpet_builder *builder = builder_of(arm_text);
  limpet_identify *fit =
      fit_of(builder, FIT_MASSES "'trajectories':['a.csv'],'windows':{'rows':7}}");
  arm_record(&r, 0.0, 0.0, &(unsigned long){1});
  limpet_identify_record(fit, 0, ROWS, r.time, r.q, NULL, r.control, NULL);
  const limpet_identify_outcome outcome = limpet_identify_solve(fit, NULL, NULL);
  assert_true(outcome <= LIMPET_IDENTIFY_NO_DESCENT);
  const int windows = (ROWS - 1 + WINDOW / 2) / WINDOW;
  assert_int_equal(fit->row_count, (ROWS - 1 + windows) * LINKS);
  for (int i = 0; i < LINKS; ++i) {
    if (!(fabs(fit->parameter[i].value - masses[i]) <= 1e-6 * masses[i]))
      printf("%s: %.10g for %g\n", fit->parameter[i].name, fit->parameter[i].value, masses[i]);
    assert_true(fabs(fit->parameter[i].value - masses[i]) <= 1e-6 * masses[i]);
  }
  limpet_identify_destroy(fit);
  limpet_builder_destroy(builder);
}

static const char block_text[] =
    "<mujoco><option timestep='0.004'/><worldbody><geom type='plane' size='5 5 .1' friction='0'/>"
    "<body pos='0 0 .05'><freejoint/><geom name='block' type='box' size='.1 .08 .05' mass='1' "
    "friction='.4'/></body></worldbody></mujoco>";

/* A block that slides with friction 0.4, recorded for 0.24 s. Its start speed is told wrong by
 * 0.1 m/s, which a fit of the whole takes for friction. Returns the friction that is found. */
static double friction_of_block(const char *windows) {
  enum { BLOCK_ROWS = 31, DOFS = 6 };
  double time[BLOCK_ROWS], q[BLOCK_ROWS * 7];
  char text[400];
  snprintf(text, sizeof text,
           "{'parameters':[{'of':'block.friction','start':0.3,'minimum':0.05,'maximum':1}],"
           "'noise':[0.001,0.001,0.001,0.01,0.01,0.01],'trajectories':['a']%s}",
           windows);
  limpet_builder *builder = builder_of(block_text);
  limpet_identify *fit = fit_of(builder, text);
  limpet_model *model = limpet_builder_compile(builder, NULL);
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  const double told[DOFS] = {1.6};
  for (int k = 0; k < 20; ++k) limpet_step(model, data, &settings);  // it lies
  data->v[0] = 1.5;
  for (int row = 0; row < BLOCK_ROWS; ++row) {
    time[row] = 0.008 * row;
    memcpy(q + 7 * row, data->q, 7 * sizeof *q);
    for (int k = 0; k < 2; ++k) limpet_step(model, data, &settings);
  }
  assert_int_equal(limpet_identify_record(fit, 0, BLOCK_ROWS, time, q, told, NULL, NULL),
                   LIMPET_OK);
  const limpet_identify_outcome outcome = limpet_identify_solve(fit, NULL, NULL);
  if (outcome > LIMPET_IDENTIFY_NO_DESCENT)
    fail_msg("%s: %s", windows, limpet_identify_outcome_word(outcome));
  const double friction = fit->parameter[0].value;
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  limpet_identify_destroy(fit);
  limpet_builder_destroy(builder);
  return friction;
}

/* What is known of the start speed decides: nothing, 1 mm/s (which holds the first window to what
 * it was told, but not the other two), 10 m/s. */
static void windows_do_not_take_start_speeds_for_friction(void **state) {
  (void)state;
  if (TEST_WATCHED) skip();
  const double whole = friction_of_block(""), windows = friction_of_block(",'windows':{'rows':10}"),
               known = friction_of_block(",'windows':{'rows':10,'speed_noise':0.001}");
  printf("friction 0.4: %g of the whole, %g of windows, %g of windows with wrong speeds\n", whole,
         windows, known);
  assert_true(fabs(whole - 0.4) > 0.02);
  // a window ends its search where a millionth is left to gain
  assert_true(fabs(windows - 0.4) < 1e-3);
  assert_true(fabs(known - 0.4) > 0.01);
}

static void expect(const char *text, const char *message) {
  limpet_error error = {0};
  limpet_builder *builder = builder_of(arm_text);
  assert_null(create(builder, text, &error));
  limpet_builder_destroy(builder);
  if (strncmp(error.message, message, strlen(message)) == 0) return;
  printf("wanted: %s\ncame:   %s\n", message, error.message);
  fail();
}

static void mistakes_are_told(void **state) {
  (void)state;
  expect("{", "fit.json:1:");
  expect("{'trajectories':['a']}", "fit.json:1: \"parameters\" is missing");
  expect("{'parameters':[\n{'of':'uper.mass'}]}", "fit.json:2: parameters[0].of: ");
  expect("{'parameters':[{'start':1}]}", "fit.json:1: parameters[0]: \"of\" is missing");
  expect("{'parameters':[{'of':'upper.mass','minimum':2,'maximum':1}]}",
         "fit.json:1: parameters[0]: the minimum 2 is not below the maximum 1");
  expect("{'parameters':[{'of':'upper.mass'}],'trajectories':[3]}",
         "fit.json:1: trajectories[0]: must be the name of a CSV file");
  expect("{'parameters':[{'of':'upper.mass'}],'trajectories':['a'],'noise':-1}",
         "fit.json:1: noise: is -1 and must not be negative");

  expect("{'parameters':[{'of':'upper.mass'}],'trajectories':['a'],'solver':{'starts':4}}",
         "fit.json:1: solver.starts: wants limits to draw starts between; give parameter "
         "'upper.mass'");
  expect("{'parameters':[{'of':'upper.mass'}],'trajectories':['a'],'solver':{'starts':1.5}}",
         "fit.json:1: solver.starts: is 1.5; a whole number");

  expect("{'parameters':[{'of':'upper.mass'}],'trajectories':['a'],'windows':{'rows':1}}",
         "fit.json:1: windows.rows: is 1; a whole number of 2 at least");
  expect("{'parameters':[{'of':'upper.mass'}],'trajectories':['a'],'windows':{}}",
         "fit.json:1: windows: \"rows\" is missing");
  expect(
      "{'parameters':[{'of':'upper.mass'}],'trajectories':['a'],'windows':{'rows':5,"
      "'speed_noise':-1}}",
      "fit.json:1: windows.speed_noise: is -1 and must not be negative");

  // records that do not fit the steps
  static const double q[6], wrong[2] = {0.0, 0.005}, back[2] = {0.0, -0.004};
  limpet_error error;
  limpet_builder *builder = builder_of(arm_text);
  limpet_identify *fit =
      fit_of(builder, "{'parameters':[{'of':'upper.mass'}],'trajectories':['a.csv']}");
  assert_true(limpet_identify_record(fit, 0, 2, wrong, q, NULL, NULL, &error) != LIMPET_OK);
  assert_non_null(strstr(error.message, "row 2 of 'a.csv' at 0.005 s lies between two steps"));
  assert_int_equal(error.line, 2);
  assert_true(limpet_identify_record(fit, 0, 2, back, q, NULL, NULL, &error) != LIMPET_OK);
  assert_true(limpet_identify_record(fit, 0, 1, back, q, NULL, NULL, &error) != LIMPET_OK);
  limpet_identify_destroy(fit);
  limpet_builder_destroy(builder);
}

static const char soft_text[] =
    "<mujoco><option timestep='0.002'/><worldbody><body name='arm' pos='0 0 1'>"
    "<joint name='hinge' axis='0 1 0' damping='.01'/><geom type='capsule' fromto='0 0 0 .2 0 0' "
    "size='.02' mass='.3' contype='0' conaffinity='0'/><limpet:deformable name='tip' type='box' "
    "size='.1 .02 .02' cells='4 1 1' pos='.3 0 0' young='3e4' poisson='.3' density='900' "
    "damping='.003'><limpet:tie box='-.101 -1 -1 -.099 1 1'/></limpet:deformable></body>"
    "</worldbody></mujoco>";

// What a hinge does tells how stiff and heavy the soft tip is that it swings, by derivatives alone.
static void numbers_of_a_soft_body(void **state) {
  (void)state;
  enum { SOFT_ROWS = TEST_WATCHED ? 12 : 60 };
  double time[SOFT_ROWS], q[SOFT_ROWS];
  limpet_builder *builder = builder_of(soft_text);
  limpet_model *model = limpet_builder_compile(builder, NULL);
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  for (int row = 0; row < SOFT_ROWS; ++row) {
    time[row] = data->time, q[row] = data->q[0];
    for (int k = 0; k < 4; ++k) limpet_step(model, data, &settings);
  }
  limpet_identify *fit = fit_of(
      builder,
      "{'parameters':[{'of':'tip.youngs_modulus','start':4e4,'minimum':1e3},{'of':'tip.density',"
      "'start':700,'minimum':100},{'of':'hinge.damping','start':0.02,'minimum':0}],'noise':1e-4,"
      "'trajectories':['a'],'solver':{'derivative':'gradient'}}");
  assert_int_equal(limpet_identify_record(fit, 0, SOFT_ROWS, time, q, NULL, NULL, NULL), LIMPET_OK);
  assert_int_equal(limpet_identify_solve(fit, NULL, NULL), LIMPET_IDENTIFY_CONVERGED);
  assert_true(fit->jacobians > 0 && fit->differences == 0);
  static const double truth[] = {3e4, 900.0, 0.01};
  for (int i = 0; i < 3; ++i)
    if (!(fabs(fit->parameter[i].value - truth[i]) <= 1e-5 * truth[i]))
      fail_msg("%s: %.9g for %g", fit->parameter[i].name, fit->parameter[i].value, truth[i]);
  limpet_identify_destroy(fit);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  limpet_builder_destroy(builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(masses_of_an_arm_from_clean_data),
      cmocka_unit_test(error_bars_cover_noise),
      cmocka_unit_test(what_is_not_compared_does_not_count),
      cmocka_unit_test(linked_parameters),
      cmocka_unit_test(data_that_do_not_tell),
      cmocka_unit_test(numbers_of_a_soft_body),
      cmocka_unit_test(windows_find_masses_and_start_states),
      cmocka_unit_test(windows_do_not_take_start_speeds_for_friction),
      cmocka_unit_test(mistakes_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
