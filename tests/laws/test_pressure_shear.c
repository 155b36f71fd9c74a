/* tests/laws/test_pressure_shear.c: energy of contact surfaces. A block on a rigid plane presses a
 * spring of K = area E/d and stores (m g)^2/(2 K), though its upright sides have a pressure and no
 * stiffness. Pulled sideways by less than friction holds it stores f^2/(2 kappa K) more.
 * Moduli and ratios are drawn over decades. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "mjcf_world.h"
#include "shared_data.h"

enum { CASES = 12, STEPS = 1500 };

// [J]  Energy of the contacts of the block at rest.
static double rest(double modulus, double pull, double ratio) {
  char text[700];
  snprintf(text, sizeof text,
           "<mujoco><option gravity='%.17g 0 -9.81' timestep='0.002'/><worldbody>"
           "<geom type='plane' size='1 1 .1' friction='1'/><body pos='0 0 .02'><freejoint/>"
           "<geom type='box' size='.05 .04 .02' mass='1' friction='1' "
           "limpet:elastic_modulus='%.17g' limpet:dissipation='50'/></body></worldbody></mujoco>",
           pull, modulus);
  mjcf_world world = mjcf_world_of(text, NULL);
  world.settings.energy = true, world.settings.shear_ratio = ratio;
  for (int i = 0; i < STEPS; ++i) mjcf_world_step(&world);
  const double energy = world.data->info.contact_energy;
  if (!(fabs(world.data->v[0]) < 1e-6)) fail_msg("it moves with %g m/s", world.data->v[0]);
  mjcf_world_destroy(&world);
  return energy;
}

static void shear_is_a_spring(void **state) {
  (void)state;
  unsigned long seed = 5;
  for (int i = 0; i < CASES; ++i) {
    const double modulus = 1e5 * pow(10.0, random_uniform(&seed, 0.0, 2.0)),
                 ratio = pow(10.0, random_uniform(&seed, -1.0, 1.0)),
                 pull = random_uniform(&seed, 0.1, 1.0),  // [N] of 1 kg
        stiffness = ratio * modulus / 0.02 * 0.1 * 0.08;
    const double sheared = 0.5 * pull * pull / stiffness, pressed = rest(modulus, pull, 0.0),
                 expected = 0.5 * 9.81 * 9.81 * ratio / stiffness,
                 stored = rest(modulus, pull, ratio) - pressed;
    if (fabs(pressed - expected) > 0.02 * expected)
      fail_msg("modulus %g Pa: pressed by %g J for %g J", modulus, pressed, expected);
    if (fabs(stored - sheared) > 0.02 * sheared)
      fail_msg("modulus %g Pa, ratio %g, pull %g N: %g J for %g J", modulus, ratio, pull, stored,
               sheared);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(shear_is_a_spring)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
