/* tests/laws/test_bounce.c: restitution in the model coulomb: heights, energy, rest. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "mjcf_text.h"
#include "mjcf_world.h"

static mjcf_world ball(double e, double height) {
  char text[512];
  snprintf(text, sizeof text,
           MODEL("<default><geom limpet:restitution='%.17g'/></default><worldbody>"
                 "<geom type='plane' size='5 5 .1'/><body pos='0 0 %.17g'><freejoint/>"
                 "<geom size='.05'/></body></worldbody>"),
           e, 0.05 + height);
  return mjcf_world_of(text, "coulomb");
}

// Height [m] of the ball's lowest point at the top of its first bounce.
static double first_bounce(double e, double height) {
  mjcf_world world = ball(e, height);
  double apex = 0.0;
  for (bool up = false; world.data->time < 5.0;) {
    mjcf_world_step(&world);
    up = up || world.data->v[2] > 1e-6;
    if (up) apex = fmax(apex, world.data->q[2] - 0.05);
    if (up && world.data->v[2] < 0.0) break;
  }
  mjcf_world_destroy(&world);
  return apex;
}

// Within the larger of 1 % of e^2 h and 0.1 mm, for ten heights from 3 cm to 3 m, at 2 ms.
static void heights_are_those_of_the_coefficient(void **state) {
  (void)state;
  static const double e[] = {0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0};
  double worst = 0.0;
  for (int k = 0; k < 7; ++k)
    for (int i = 0; i < 10; ++i) {
      const double height = 0.03 * pow(100.0, i / 9.0) + 1.3e-4 * i;
      const double expected = e[k] * e[k] * height, got = first_bounce(e[k], height);
      const double error = fabs(got - expected) / fmax(0.01 * expected, 1e-4);
      worst = fmax(worst, error);
      if (!(error < 1.0)) printf("e %g, height %g: %g, not %g\n", e[k], height, got, expected);
    }
  printf("worst error over what is allowed: %.3g\n", worst);
  assert_true(worst < 1.0);
}

/* A box with e = 0.5 that is dropped on an edge comes to rest. Its energy is never above that of
 * the three steps before: an impact takes two steps, three where two corners hit one after the
 * other, and what the last gives back the first has stored. */
static void energy_falls_to_rest(void **state) {
  (void)state;
  mjcf_world world = mjcf_world_of(
      MODEL("<default><geom limpet:restitution='.5'/></default><worldbody>"
            "<geom type='plane' size='5 5 .1'/><body pos='0 0 .3' euler='20 35 0'><freejoint/>"
            "<geom type='box' size='.05 .07 .04'/></body></worldbody>"),
      "coulomb");
  world.settings.energy = true;
  double before[3] = {INFINITY, INFINITY, INFINITY}, rise = 0.0;
  while (world.data->time < 3.0) {
    mjcf_world_step(&world);
    const double energy = world.data->info.kinetic_energy + world.data->info.potential_energy;
    rise = fmax(rise, energy - fmax(before[0], fmax(before[1], before[2])));
    before[2] = before[1], before[1] = before[0], before[0] = energy;
  }
  double speed = 0.0;
  for (int i = 0; i < 6; ++i) speed = fmax(speed, fabs(world.data->v[i]));
  printf("energy rose by %.3g J at most, speed at the end %.3g\n", rise, speed);
  assert_true(rise < 1e-9);
  assert_true(speed < 1e-6);
  mjcf_world_destroy(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(heights_are_those_of_the_coefficient),
      cmocka_unit_test(energy_falls_to_rest),
  };
  return cmocka_run_group_tests_name("bounce", tests, NULL, NULL);
}
