/* tests/solve/test_coulomb_jam.c: the impulse of one contact that may jam meets the law.
 *
 * Random matrices W, over all of mu and of the coupling of friction with the normal, beyond
 * Painleve's bound, too. There is always a solution; where there are several, it depends on the
 * present impulse which one is taken. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "law/normal_law.h"
#include "shared_data.h"
#include "solve/coulomb.h"

static unsigned long seed = 3;

static double uniform(double low, double high) { return random_uniform(&seed, low, high); }
static double log_uniform(double low, double high) { return random_log_uniform(&seed, low, high); }

typedef struct single {
  limpet_contact_constants constants;
  double W[9], f[3];  // [1/kg], [m/s]
} single;

// W = B B' of random rows, which are nearly alike now and then: friction and normal then move the
// same. One in five moves in a plane only.
static void draw_matrix(double W[9]) {
  const double w = log_uniform(1e-3, 1e3), alike = log_uniform(1e-3, 1.0);
  const bool flat = uniform(0.0, 1.0) < 0.2;
  double B[3][3];
  for (int k = 0; k < 3; ++k) B[2][k] = uniform(-1.0, 1.0);
  for (int e = 0; e < 2; ++e) {
    const double share = uniform(-2.0, 2.0);
    for (int k = 0; k < 3; ++k)
      B[e][k] = flat && e == 1 ? 0.0 : share * B[2][k] + alike * uniform(-1.0, 1.0);
  }
  for (int e = 0; e < 9; ++e) {
    W[e] = 0.0;
    for (int k = 0; k < 3; ++k) W[e] += w * B[e / 3][k] * B[e % 3][k];
  }
}

static single draw(void) {
  single one;
  draw_matrix(one.W);
  const double dt = log_uniform(5e-5, 5e-3), k = log_uniform(1.0, 4e5) / (dt * dt * one.W[8]);
  const double speed = log_uniform(1e-4, 1e1);
  const bool flat = one.W[4] == 0.0;
  for (int e = 0; e < 3; ++e) one.f[e] = flat && e == 1 ? 0.0 : speed * uniform(-1.0, 1.0);
  one.constants = (limpet_contact_constants){
      .dt = dt,
      .friction = log_uniform(0.01, 5.0),
      .stiffness = k,
      .elastic_force = k * dt * speed * uniform(-1.0, 1.0) * log_uniform(1e-6, 1.0),
      .dissipation = uniform(0.0, 1.0) < 0.2 ? 0.0 : log_uniform(1e-3, 1e2)};
  return one;
}

// By how much impulses miss the law, as a share of the speeds.
static double missed(const single *one, const double gamma[3]) {
  double v[3], size = 0.0;
  for (int e = 0; e < 3; ++e) {
    v[e] = one->f[e];
    for (int k = 0; k < 3; ++k) v[e] += one->W[3 * e + k] * gamma[k];
    size += fabs(one->f[e]);
    for (int k = 0; k < 3; ++k) size += fabs(one->W[3 * e + k] * gamma[k]);
  }
  const double bound = one->constants.friction * gamma[2], g = hypot(gamma[0], gamma[1]);
  const double slip = hypot(v[0], v[1]);
  double slope;
  const double n = limpet_normal_impulse(&one->constants, v[2], &slope);
  const double normal = one->W[8] * fabs(gamma[2] - n) / (1.0 + slope * one->W[8]);
  // what slides has all friction against its slip; what has less does not slide
  double friction = slip;
  if (g >= bound * (1.0 - 1e-9) && bound > 0.0 && slip > 0.0)
    friction = slip * hypot(gamma[0] / g + v[0] / slip, gamma[1] / g + v[1] / slip);
  if (bound == 0.0) friction = g;
  if (g > bound * (1.0 + 1e-12)) return 1.0;
  return fmax(normal, friction) / size;
}

static void a_jam_meets_the_law(void **state) {
  (void)state;
  int open = 0, sticking = 0, sliding = 0, several = 0, coupled = 0;
  double worst = 0.0, moved = 0.0;
  for (int i = 0; i < 20000; ++i) {
    const single one = draw();
    double from_none[3], from_much[3], again[3];
    const double much =
        1e2 * (fabs(one.f[0]) + fabs(one.f[1]) + fabs(one.f[2])) / one.W[8] * uniform(0.0, 1.0);
    limpet_coulomb_jam(&one.constants, one.W, one.f, 0.0, from_none);
    limpet_coulomb_jam(&one.constants, one.W, one.f, much, from_much);
    worst = fmax(worst, fmax(missed(&one, from_none), missed(&one, from_much)));

    // what is a solution stays
    limpet_coulomb_jam(&one.constants, one.W, one.f, from_much[2], again);
    if (from_much[2] > 0.0) moved = fmax(moved, fabs(again[2] / from_much[2] - 1.0));
    const double bound = one.constants.friction * from_none[2];
    const double g = hypot(from_none[0], from_none[1]);
    open += from_none[2] == 0.0;
    sticking += g < bound * (1.0 - 1e-9);
    sliding += from_none[2] > 0.0 && g >= bound * (1.0 - 1e-9);
    several += fabs(from_none[2] - from_much[2]) > 1e-6 * fmax(from_none[2], from_much[2]);
    coupled += one.constants.friction * hypot(one.W[2], one.W[5]) > one.W[8];
  }
  printf(
      "%d open, %d stick, %d slide, %d beyond Painleve's bound, %d with several solutions; missed "
      "%.2g of the speeds, a solution moves by %.2g\n",
      open, sticking, sliding, coupled, several, worst, moved);
  // round-off of terms that cancel, and of an angle that is a quarter turn
  assert_true(worst < 1e-9);
  assert_true(moved < 1e-8);
  assert_true(open > 1000 && sticking > 1000 && sliding > 1000 && coupled > 1000 && several > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_jam_meets_the_law)};
  return cmocka_run_group_tests_name("coulomb jam", tests, NULL, NULL);
}
