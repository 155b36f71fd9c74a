/* tests/solve/test_pgs.c: constants of projected Gauss-Seidel that a user sees: how deep things
 * rest. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "impulse_world.h"

/* Error reduction takes back what is deeper than the slop, 10 um, and leaves that: a ball that
 * starts 0.5 mm inside rises by a fifth of the rest in each step, 0.8^200 = 4e-20, and stays there.
 * The softening lets it down by g dt^2 (R/A)/0.2 = 2e-10 m. */
static void things_rest_as_deep_as_the_slop(void **state) {
  (void)state;
  impulse_world w = impulse_world_open(
      "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='1 1 1'/>"
      "<body pos='0 0 0.0995'><freejoint/><geom type='sphere' size='0.1' mass='1'/></body>"
      "</worldbody></mujoco>",
      "pgs", 2e-3, false);
  impulse_world_run(&w, 0.4);
  assert_int_equal(w.data->contact_count, 1);
  assert_true(fabs(w.data->contact_distance[0] + 1e-5) < 1e-8);
  impulse_world_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(things_rest_as_deep_as_the_slop)};
  return cmocka_run_group_tests_name("pgs", tests, NULL, NULL);
}
