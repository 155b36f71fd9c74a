/* tests/contact/test_restitution.c: a point that falls and bounces as steps move it: it comes back
 * to e^2 times its height, for both ways in which free flight moves, and never gains energy. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "contact/restitution.h"

static const double gravity = 9.81;  // [m/s^2]

// Height [m] to which a point comes back that falls from `height`.
static double bounce(double e, double height, double dt, bool plain) {
  double z = height, v = 0.0, apex = 0.0, rebound = 0.0;
  bool parted = false;
  for (int i = 0; i < 1000000; ++i) {
    const double v_free = v - gravity * dt;
    if (rebound > 0.0 && !parted) {
      v = limpet_restitution_speed(rebound, v, v_free, plain);
      z += dt * v, parted = true;
    } else if (!parted && z + dt * v_free < 0.0) {
      rebound = e * limpet_restitution_impact(dt, z, v, v_free, plain);
      if (!(rebound > 0.0)) return 0.0;
      v = -z / dt, z = 0.0;
    } else {
      z += plain ? dt * v_free : 0.5 * dt * (v + v_free);
      v = v_free;
    }
    apex = parted ? fmax(apex, z) : 0.0;
    if (parted && v <= 0.0) return apex;
  }
  return NAN;
}

/* Heights between steps are off by g dt^2/8 at an apex that falls between two steps: 5e-6 m at 2
 * ms. Bounces that would rise by less than 0.1 mm may end at once. */
static void heights_are_those_of_the_coefficient(void **state) {
  (void)state;
  static const double e[] = {0.1, 0.3, 0.5, 0.7, 0.9, 1.0};
  double worst = 0.0;
  for (int k = 0; k < 6; ++k)
    for (int i = 0; i < 10; ++i)
      for (int plain = 0; plain < 2; ++plain) {
        const double height = 0.01 * pow(300.0, i / 9.0) + 1.7e-4 * i;
        const double expected = e[k] * e[k] * height;
        const double got = bounce(e[k], height, 2e-3, plain);
        const double error = fabs(got - expected) / fmax(0.01 * expected, 1e-4);
        worst = fmax(worst, error);
        if (!(error < 1.0)) printf("e %g, height %g: %g, not %g\n", e[k], height, got, expected);
      }
  printf("worst error over what is allowed: %.3g\n", worst);
  assert_true(worst < 1.0);
}

// Whatever the start, the height that is reached is not above that of the fall. Positions of
// symplectic Euler belong to velocities half a step off, which is up to g dt^2/8 of height.
static void nothing_is_gained(void **state) {
  (void)state;
  for (int i = 0; i < 400; ++i) {
    const double height = 1e-3 + 2.3e-3 * i, dt = 1e-4 * (1 + i % 50);
    for (int plain = 0; plain < 2; ++plain)
      assert_true(bounce(1.0, height, dt, plain) <=
                  height * (1.0 + 1e-9) + plain * gravity * dt * dt / 8.0);
  }
}

static void what_rests_or_parts_does_not_bounce(void **state) {
  (void)state;
  const double dt = 2e-3, fall = gravity * dt;
  assert_true(limpet_restitution_impact(dt, 0.0, 0.0, -fall, false) == 0.0);
  assert_true(limpet_restitution_impact(dt, -1e-8, -1e-9, -fall, false) == 0.0);
  assert_true(limpet_restitution_impact(dt, 0.0, 1.0, 1.0 - fall, false) == 0.0);
  assert_true(limpet_restitution_impact(dt, 1.0, -1.0, -1.0 - fall, false) == 0.0);
  assert_true(limpet_restitution_impact(dt, 0.0, -1.0, -1.0, false) == 1.0);
  assert_true(limpet_restitution_speed(0.5, 0.0, 0.0, false) == 0.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(heights_are_those_of_the_coefficient),
      cmocka_unit_test(nothing_is_gained),
      cmocka_unit_test(what_rests_or_parts_does_not_bounce),
  };
  return cmocka_run_group_tests_name("restitution", tests, NULL, NULL);
}
