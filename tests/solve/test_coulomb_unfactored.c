/* tests/solve/test_coulomb_unfactored.c: an island whose matrix cannot be factored, as of stiffness
 * beyond all digits, ends by sweeps. Factorizations fail at will here (cmake/tests.cmake): the
 * yardstick is the same step with them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "mjcf_world.h"
#include "solve/island_solver.h"

bool __real_limpet_island_factor(limpet_island_solver *solver);
bool __wrap_limpet_island_factor(limpet_island_solver *solver);

static bool fails;
static int failures;

bool __wrap_limpet_island_factor(limpet_island_solver *solver) {
  failures += fails;
  return !fails && __real_limpet_island_factor(solver);
}

static const char *const text =
    "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='1 1 .1'/>"
    "<body pos='0 0 .0499'><freejoint/><geom type='box' size='.1 .08 .05' mass='1'/></body>"
    "</worldbody></mujoco>";

// A box lands and slides. The sweeps meet the tolerance, but the step does not say that it is
// solved.
static void an_island_without_a_factor_ends_by_sweeps(void **state) {
  (void)state;
  mjcf_world factored = mjcf_world_of(text, "coulomb"), swept = mjcf_world_of(text, "coulomb");
  factored.data->v[0] = swept.data->v[0] = 1.0;
  factored.data->v[2] = swept.data->v[2] = -0.3;
  factored.data->v[4] = swept.data->v[4] = 0.5;
  failures = 0;
  for (int i = 0; i < 20; ++i) {
    fails = false;
    mjcf_world_step(&factored);
    fails = true;
    const int before = failures;
    const limpet_outcome outcome = limpet_step(swept.model, swept.data, &swept.settings);
    assert_int_equal(outcome,
                     failures > before ? LIMPET_OUTCOME_ITERATION_LIMIT : LIMPET_OUTCOME_SOLVED);
    assert_true(swept.data->info.residual <= swept.settings.tolerance);
    // [m/s, rad/s]  both are within the tolerance, 1e-6 of what gravity and the landing bring; a
    // corner that touches in one of them only tips the box by some ten times as much
    for (int k = 0; k < 6; ++k) assert_true(fabs(swept.data->v[k] - factored.data->v[k]) < 1e-4);
  }
  assert_true(failures > 5);
  mjcf_world_destroy(&factored), mjcf_world_destroy(&swept);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(an_island_without_a_factor_ends_by_sweeps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
