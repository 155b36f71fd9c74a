/* tests/laws/test_stiction.c: what sticks stays: bristles of the model coulomb hold without creep,
 * on slopes in every heading, at any mass and step, on what turns, while points come and go. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "mjcf_text.h"
#include "mjcf_world.h"
#include "shared_data.h"

static const double gravity = 9.81;  // [m/s^2]

static double random_log(unsigned long *seed, double low, double high) {
  return exp(random_uniform(seed, log(low), log(high)));
}

// A box on a floor whose gravity leans by the share of the friction angle, in some heading.
static mjcf_world slope(double mass, double mu, double share, double heading, double dt) {
  const double angle = share * atan(mu);
  char text[1024];
  snprintf(text, sizeof text,
           MODEL("<option gravity='%.17g %.17g %.17g'/><worldbody>"
                 "<geom type='plane' size='5 5 .1' friction='%.17g'/><body pos='0 0 .02'>"
                 "<freejoint/><geom type='box' size='.1 .1 .02' mass='%.17g' friction='%.17g'/>"
                 "</body></worldbody>"),
           gravity * sin(angle) * cos(heading), gravity * sin(angle) * sin(heading),
           -gravity * cos(angle), mu, mass, mu);
  mjcf_world world = mjcf_world_of(text, "coulomb");
  world.settings.time_step = dt;
  return world;
}

/* Creep over the second half of a second, at up to 0.9 of the friction angle: below 0.01 um/s. It
 * was 1.9 um/s without bristles at 0.9. */
static void boxes_on_slopes_do_not_creep(void **state) {
  (void)state;
  unsigned long seed = 7;
  double worst = 0.0;
  for (int i = 0; i < 40; ++i) {
    mjcf_world world = slope(random_log(&seed, 1e-3, 1e3), random_log(&seed, 0.01, 1.5),
                             random_uniform(&seed, 0.0, 0.9), random_uniform(&seed, 0.0, 6.28),
                             random_log(&seed, 2e-4, 5e-3));
    mjcf_world_run(&world, 0.5);
    const double x = world.data->q[0], y = world.data->q[1], start = world.data->time;
    mjcf_world_run(&world, 1.0);
    const double way = hypot(world.data->q[0] - x, world.data->q[1] - y);
    worst = fmax(worst, way / (world.data->time - start));
    mjcf_world_destroy(&world);
  }
  printf("fastest creep: %.3g um/s\n", 1e6 * worst);
  assert_true(worst < 1e-8);
}

// Beyond the friction angle the bristles let go: the box slides as without them.
static void beyond_the_friction_angle_it_slides(void **state) {
  (void)state;
  static const double mu = 0.3, share = 1.2, time = 0.5;
  mjcf_world world = slope(1.0, mu, share, 0.4, 1e-3);
  mjcf_world_run(&world, time);
  const double angle = share * atan(mu), a = gravity * (sin(angle) - mu * cos(angle));
  const double speed = hypot(world.data->v[0], world.data->v[1]);
  printf("speed %.6g m/s, expected %.6g\n", speed, a * world.data->time);
  assert_true(fabs(speed / (a * world.data->time) - 1.0) < 1e-4);
  mjcf_world_destroy(&world);
}

/* A box on a turntable of 2 rad/s, at 0.8 of the speed at which it would slide. Along the circle it
 * creeps by the third order of the curved path, w^3 r dt^2/6 a second: 1.1e-6 m/s at 2 ms; across
 * it must stay. */
static void what_turns_keeps_its_place(void **state) {
  (void)state;
  mjcf_world world = mjcf_world_of(
      MODEL("<worldbody><body><joint type='hinge' axis='0 0 1'/>"
            "<geom type='cylinder' size='1 .05' mass='1e4' friction='.5'/></body>"
            "<body pos='.5 0 .1'><freejoint/><geom type='box' size='.05 .05 .05' friction='.5'/>"
            "</body></worldbody>"),
      "coulomb");
  const double w = 2.0, r = 0.5;
  world.data->v[0] = w;
  world.data->v[2] = w * r, world.data->v[6] = w;
  mjcf_world_run(&world, 0.5);
  const double before = hypot(world.data->q[1], world.data->q[2]);
  mjcf_world_run(&world, 2.0);
  const double after = hypot(world.data->q[1], world.data->q[2]);
  printf("radius changed by %.3g um in 1.5 s\n", 1e6 * (after - before));
  assert_true(fabs(after - before) < 2e-6);
  mjcf_world_destroy(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes_on_slopes_do_not_creep),
      cmocka_unit_test(beyond_the_friction_angle_it_slides),
      cmocka_unit_test(what_turns_keeps_its_place),
  };
  return cmocka_run_group_tests_name("stiction", tests, NULL, NULL);
}
