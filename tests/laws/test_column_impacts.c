/* tests/laws/test_column_impacts.c: columns of five bodies with masses over six decades that fall
 * on each other: their steps are solved.
 *
 * Light bodies between heavy ones are thrown about within a step, and slip turns back where they
 * land. Newton's method turns about kinks there, so steps end by sweeps and shifted problems. Of
 * 1,500 columns 13 have a step that is not solved where Newton's method does not go on from the
 * forces of such problems, with a limit of 60 iterations; nine of them are the draws here. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "mjcf_world.h"
#include "shared_data.h"

enum { BODIES = 5, STEPS = 60 };
static const double lightest = 1e-4, decades = 6.0;  // [kg]

static double log_uniform(unsigned long *seed, double low, double high) {
  return low * pow(high / low, random_uniform(seed, 0.0, 1.0));
}

static int write_body(unsigned long *seed, int number, char *text, size_t size) {
  static const char *const shapes[] = {"sphere", "capsule", "box", "cylinder", "ellipsoid"};
  double x[8];
  for (int i = 0; i < 3; ++i) x[i] = random_uniform(seed, 0.01, 0.04);
  for (int i = 3; i < 5; ++i) x[i] = random_uniform(seed, -0.02, 0.02);
  for (int i = 5; i < 8; ++i) x[i] = random_uniform(seed, 0.0, 360.0);
  const char *shape = shapes[(int)random_uniform(seed, 0.0, 4.999)];
  const double mass = lightest * pow(10.0, decades * random_uniform(seed, 0.0, 1.0));
  return snprintf(text, size,
                  "<body pos='%.17g %.17g %.17g' euler='%g %g %g'><freejoint/><geom type='%s' "
                  "size='%.17g %.17g %.17g' mass='%.17g' friction='%.17g'/></body>",
                  x[3], x[4], 0.04 + 0.07 * number, x[5], x[6], x[7], shape, x[0], x[1], x[2], mass,
                  log_uniform(seed, 0.01, 1.5));
}

static mjcf_world random_column(int draw) {
  unsigned long seed = 7919UL * (unsigned long)draw + 1UL;
  for (int i = 0; i < 8; ++i) random_uniform(&seed, 0.0, 1.0);
  char text[4096];
  int at = snprintf(text, sizeof text,
                    "<mujoco><worldbody><geom type='plane' size='1 1 .1' friction='.01'/>");
  for (int i = 0; i < BODIES; ++i) at += write_body(&seed, i, text + at, sizeof text - (size_t)at);
  snprintf(text + at, sizeof text - (size_t)at, "</worldbody></mujoco>");
  mjcf_world w = mjcf_world_of(text, NULL);
  w.settings.time_step = log_uniform(&seed, 2e-4, 5e-3);
  const double speed = log_uniform(&seed, 0.1, 5.0);
  for (int i = 0; i < 6 * BODIES; ++i) {
    w.data->v[i] = random_uniform(&seed, -1.0, 1.0) * (i % 6 < 3 ? speed : 3.0 * speed);
    if (i % 6 == 2) w.data->v[i] -= speed;
  }
  return w;
}

// Steps of a column that are not solved.
static int count_unsolved(int draw) {
  int unsolved = 0;
  mjcf_world w = random_column(draw);
  for (int i = 0; i < STEPS; ++i)
    unsolved += limpet_step(w.model, w.data, &w.settings) != LIMPET_OUTCOME_SOLVED;
  mjcf_world_destroy(&w);
  return unsolved;
}

// Compilers differ in bits, and with them in the steps that are hard: 1 of 20,000 is not solved.
static void steps_are_solved(void **state) {
  (void)state;
  static const int draws[] = {91, 390, 479, 491, 615, 1122, 1126, 1249, 1428};
  int unsolved = 0;
  for (size_t i = 0; i < sizeof draws / sizeof *draws; ++i) unsolved += count_unsolved(draws[i]);
  assert_true(unsolved <= 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(steps_are_solved)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
