/* tests/laws/test_turntable.c: surfaces that turn carry what lies on them along circles, and spin
 * it through torsional friction, as a plate that really turns does. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "math/vec3.h"
#include "mjcf_world.h"
#include "random_models.h"

static const double radius = 0.4;  // [m]  of the boxes about the axis

/* A plate that stands still and whose surface turns with `rate`, tilted or not by its frame, and a
 * box on it at the distance `radius`. */
static mjcf_world table(double rate, double friction, const char *frame, const char *model) {
  char text[1000];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><frame %s><geom type='cylinder' size='1 .05' pos='0 0 -.05' "
           "friction='%g' surfacevel='0 0 0 0 0 %g'/></frame>"
           "<body pos='%g 0 .05'><freejoint/><geom type='box' size='.05 .05 .05' "
           "friction='%g'/></body></worldbody></mujoco>",
           frame, friction, rate, radius, friction);
  return mjcf_world_of(text, model);
}

/* Friction carries the box where mu g is enough for its circle: it turns with the plate, once it
 * has been brought up to speed. The angle about the axis then grows by rate times time. */
static void a_box_rides_along_its_circle(void **state) {
  (void)state;
  static const char *const frames[] = {"", "euler='0 0 50'", "pos='0 0 0'"};
  unsigned long seed = 4;
  for (int n = 0; n < 6; ++n) {
    const double rate = random_uniform(&seed, 0.3, 2.0) * (n % 2 ? -1.0 : 1.0);
    mjcf_world w = table(rate, 0.8, frames[n % 3], NULL);
    mjcf_world_run(&w, 1.0);
    const double *q = w.data->q, *v = w.data->v;
    const double before = atan2(q[1], q[0]), r = hypot(q[0], q[1]);
    // it rides without slipping: v = rate x r, spin = rate
    // but v belongs to the start of the circle's arc of the step, h rate long
    const double lag = 0.002 * rate * rate * radius + 2e-4;
    assert_true(fabs(v[0] + rate * q[1]) < lag && fabs(v[1] - rate * q[0]) < lag);
    assert_true(fabs(v[5] - rate) < 2e-3 && fabs(v[2]) < 1e-4);
    mjcf_world_run(&w, 0.5);
    double turned = atan2(w.data->q[1], w.data->q[0]) - before;
    turned -= 2.0 * LIMPET_PI * round((turned - 0.5 * rate) / (2.0 * LIMPET_PI));
    assert_true(fabs(turned - 0.5 * rate) < 1e-3 * fabs(rate));
    assert_true(fabs(hypot(w.data->q[0], w.data->q[1]) - r) < 1e-3);
    mjcf_world_destroy(&w);
  }
}

// Too fast for friction: mu g < rate^2 r, and the box flies off.
static void a_box_that_is_too_fast_slides_off(void **state) {
  (void)state;
  mjcf_world w = table(8.0, 0.3, "", NULL);
  mjcf_world_run(&w, 1.0);
  assert_true(hypot(w.data->q[0], w.data->q[1]) > 1.2 * radius);
  mjcf_world_destroy(&w);
}

/* A ball at the axis has a point contact there: nothing but torsional friction can turn it. The
 * torque is rho m g = 2/5 m R^2 alpha until it turns with the plate. */
static void torsion_spins_a_ball_up(void **state) {
  (void)state;
  static const char *const models[] = {NULL, "lagged"};
  const double rho = 0.01, mu = 0.5, R = 0.05, rate = 3.0;
  const double alpha = rho * 9.81 / (0.4 * R * R);
  for (int n = 0; n < 2; ++n) {
    char text[600];
    snprintf(text, sizeof text,
             "<mujoco><worldbody><geom type='cylinder' size='1 .05' pos='0 0 -.05' condim='4' "
             "friction='%g %g' surfacevel='0 0 0 0 0 %g'/><body pos='0 0 %g'><freejoint/>"
             "<geom size='%g' friction='%g %g' condim='4'/></body></worldbody></mujoco>",
             mu, rho, rate, R, R, mu, rho);
    mjcf_world w = mjcf_world_of(text, models[n]);
    mjcf_world_run(&w, 0.01);
    const double settled = w.data->v[5];
    mjcf_world_run(&w, 0.01);
    assert_true(fabs(w.data->v[5] - settled - 0.01 * alpha) < 0.02 * 0.01 * alpha);
    mjcf_world_run(&w, 1.0);
    assert_true(fabs(w.data->v[5] - rate) < 1e-3);
    // negative control: a ball that may not feel torsion does not turn
    mjcf_world_destroy(&w);
  }
  mjcf_world w = mjcf_world_of(
      "<mujoco><worldbody><geom type='cylinder' size='1 .05' pos='0 0 -.05' "
      "surfacevel='0 0 0 0 0 3'/><body pos='0 0 .05'><freejoint/><geom size='.05'/></body>"
      "</worldbody></mujoco>",
      NULL);
  mjcf_world_run(&w, 0.5);
  assert_true(fabs(w.data->v[5]) < 1e-6);
  mjcf_world_destroy(&w);
}

// The field of a mesh turns about the origin of its file, wherever its centre of mass lies.
static void a_mesh_turns_about_its_own_origin(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><asset><mesh name='m' vertex='-.2 -1 -.1 1 -1 -.1 1 1 -.1 -.2 1 -.1 -.2 -1 0 1 -1 0 "
      "1 1 0 -.2 1 0'/></asset><worldbody><geom type='mesh' mesh='m' surfacevel='0 0 0 0 0 1'/>"
      "<body pos='.4 0 .05'><freejoint/><geom type='box' size='.05 .05 .05'/></body></worldbody>"
      "</mujoco>",
      NULL);
  mjcf_world_run(&w, 0.5);
  const double *q = w.data->q, *v = w.data->v;
  assert_true(fabs(v[0] + q[1]) < 1e-3 && fabs(v[1] - q[0]) < 1e-3 && fabs(v[5] - 1.0) < 2e-3);
  mjcf_world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_box_rides_along_its_circle),
      cmocka_unit_test(a_box_that_is_too_fast_slides_off),
      cmocka_unit_test(torsion_spins_a_ball_up),
      cmocka_unit_test(a_mesh_turns_about_its_own_origin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
