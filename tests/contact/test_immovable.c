/* tests/contact/test_immovable.c: contacts that nothing can move are left out, and the world moves
 * on; slender bodies do not sink. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "mjcf_text.h"
#include "mjcf_world.h"

// A sphere on a vertical hinge, pressed into the floor, beside a ball that falls: the ball follows
// its closed form, and the contact is counted.
static void a_sphere_on_a_hinge_does_not_stop_the_world(void **state) {
  (void)state;
  mjcf_world world = mjcf_world_of(
      MODEL("<worldbody><geom type='plane' size='5 5 .1'/>"
            "<body pos='0 0 .09'><joint type='hinge' axis='0 0 1'/><geom size='.1'/></body>"
            "<body pos='1 0 5'><freejoint/><geom size='.1'/></body></worldbody>"),
      NULL);
  world.data->v[0] = 3.0;
  for (int i = 0; i < 200; ++i) {
    mjcf_world_step(&world);
    assert_int_equal(world.data->info.immovable_contacts, 1);
    assert_int_equal(world.data->info.failed_islands, 0);
  }
  const double t = world.data->time, fallen = 5.0 - world.data->q[3];
  assert_true(fabs(fallen - 0.5 * 9.81 * t * t) < 9.81 * t * world.settings.time_step);
  assert_true(fabs(world.data->v[0] - 3.0) < 1e-12);
  mjcf_world_destroy(&world);
}

/* A needle of 1 um radius and 1 kg is dropped flat from 20 cm: it slips about its axis by a push of
 * nothing, but is as heavy as any body across. It must not fall through the floor. */
static void a_needle_does_not_sink(void **state) {
  (void)state;
  mjcf_world world = mjcf_world_of(
      MODEL("<worldbody><geom type='plane' size='5 5 .1'/><body pos='0 0 .2'><freejoint/>"
            "<geom type='ellipsoid' size='1e-6 .1 1e-6' mass='1'/></body></worldbody>"),
      NULL);
  double deepest = 0.0;
  while (world.data->time < 1.0) {
    limpet_step(world.model, world.data, &world.settings);
    deepest = fmax(deepest, world.data->info.deepest_penetration);
  }
  printf("needle: %.3g m deep at most, ends at z = %.3g m\n", deepest, world.data->q[2]);
  assert_true(deepest < 1e-5 && world.data->q[2] > -1e-5);
  mjcf_world_destroy(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sphere_on_a_hinge_does_not_stop_the_world),
      cmocka_unit_test(a_needle_does_not_sink),
  };
  return cmocka_run_group_tests_name("immovable", tests, NULL, NULL);
}
