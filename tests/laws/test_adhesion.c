/* tests/laws/test_adhesion.c: contacts that pull hold up to their adhesion, carry friction for it,
 * reach as far as their gap, and share the force of an actuator. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "mjcf_world.h"
#include "random_models.h"

static const double g = 9.81;

// A ball of 1 kg that hangs below a ceiling, whose adhesion is shared by both.
static mjcf_world hanging_ball(double pull, double gap, double below) {
  char text[700];
  snprintf(text, sizeof text,
           "<mujoco><worldbody><geom type='box' size='1 1 .1' pos='0 0 .1' adhesion='%g' "
           "gap='%g'/><body pos='0 0 %.9g'><freejoint/><geom size='.05' mass='1' "
           "adhesion='%g'/></body></worldbody></mujoco>",
           0.25 * pull, gap, -0.05 - below, 0.75 * pull);
  return mjcf_world_of(text, NULL);
}

// It hangs if its contact pulls more than it weighs; the net force is its weight, a pull.
static void adhesion_holds_what_is_lighter(void **state) {
  (void)state;
  for (int n = 0; n < 2; ++n) {
    mjcf_world w = hanging_ball(n ? 1.05 * g : 0.95 * g, 0.001, 0.0);
    mjcf_world_run(&w, 0.5);
    if (n) {
      assert_true(fabs(w.data->q[2] + 0.05) < 1e-6 && w.data->contact_count == 1);
      assert_true(fabs(w.data->contact_force[2] + g) < 1e-3 * g);
    } else {
      assert_true(w.data->q[2] < -0.5);
    }
    mjcf_world_destroy(&w);
  }
}

/* Within the gap the pull acts across the distance: the ball rises with p/m - g; beyond it, it
 * falls. */
static void a_gap_reaches_into_the_distance(void **state) {
  (void)state;
  mjcf_world near = hanging_ball(2.0 * g, 0.02, 0.01), far = hanging_ball(2.0 * g, 0.02, 0.03);
  mjcf_world_run(&near, 0.02);
  assert_true(fabs(near.data->v[2] - 0.02 * g) < 1e-9);
  mjcf_world_run(&near, 0.5);
  assert_true(fabs(near.data->q[2] + 0.05) < 1e-6);
  mjcf_world_run(&far, 0.02);
  assert_true(fabs(far.data->v[2] + 0.02 * g) < 1e-9);
  mjcf_world_destroy(&near);
  mjcf_world_destroy(&far);
}

/* Friction has the bound mu (f_n + p): on a wall a plate holds by friction alone if mu p > m g. A
 * box has four points, each with its own adhesion. */
static void adhesion_carries_friction(void **state) {
  (void)state;
  const double mu = 0.5;
  for (int n = 0; n < 2; ++n) {
    const double pull = (n ? 1.1 : 0.9) * g / (4.0 * mu);
    char text[700];
    snprintf(text, sizeof text,
             "<mujoco><worldbody><geom type='box' size='.1 1 1' pos='-.1 0 0' friction='%g' "
             "adhesion='%g'/><body pos='.05 0 0'><freejoint/><geom type='box' size='.05 .1 .1' "
             "mass='1' friction='%g'/></body></worldbody></mujoco>",
             mu, pull, mu);
    mjcf_world w = mjcf_world_of(text, NULL);
    w.data->q[0] -= 1e-7;
    mjcf_world_run(&w, 0.5);
    if (n) assert_true(fabs(w.data->q[2]) < 1e-4);
    else assert_true(w.data->q[2] < -0.02);
    mjcf_world_destroy(&w);
  }
}

/* The force of an actuator is that of the whole body, however many points touch: a box of four
 * points hangs as a ball of one does. */
static void an_actuator_shares_its_force(void **state) {
  (void)state;
  static const char *const shapes[] = {"type='sphere' size='.05'", "type='box' size='.05 .05 .05'"};
  for (int n = 0; n < 4; ++n) {
    char text[900];
    snprintf(text, sizeof text,
             "<mujoco><worldbody><geom type='box' size='1 1 .1' pos='0 0 .1'/>"
             "<body name='cup' pos='0 0 -.05'><freejoint/><geom %s mass='1' gap='.001'/></body>"
             "</worldbody><actuator><adhesion body='cup' ctrlrange='0 2' gain='10'/></actuator>"
             "</mujoco>",
             shapes[n / 2]);
    mjcf_world w = mjcf_world_of(text, NULL);
    w.data->control[0] = n % 2 ? 1.03 : 0.95;
    mjcf_world_run(&w, 0.3);
    double sum = 0.0;
    for (int i = 0; i < w.data->contact_count; ++i) sum += w.data->contact_force[3 * i + 2];
    if (n % 2) assert_true(fabs(sum + g) < 1e-2 * g && fabs(w.data->q[2] + 0.05) < 1e-5);
    else assert_true(w.data->q[2] < -0.1);
    mjcf_world_destroy(&w);
  }
}

/* What rests under a pull alone carries it: the net force on a floor is the weight, whatever the
 * adhesion, and momentum is conserved between two bodies that pull each other together. */
static void pulls_are_internal(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><option gravity='0 0 0'/><worldbody><body pos='0 0 0'><freejoint/><geom size='.1' "
      "mass='2' adhesion='3' gap='.2'/></body><body pos='.01 .02 .3'><freejoint/><geom size='.1' "
      "mass='.5'/></body></worldbody></mujoco>",
      NULL);
  mjcf_world_run(&w, 1.0);
  for (int k = 0; k < 3; ++k) assert_true(fabs(2.0 * w.data->v[k] + 0.5 * w.data->v[6 + k]) < 1e-9);
  assert_int_equal(w.data->contact_count, 1);
  assert_true(fabs(w.data->contact_force[2]) < 1e-3);
  mjcf_world_destroy(&w);

  w = mjcf_world_of(
      "<mujoco><worldbody><geom type='plane' size='1 1 1' adhesion='20'/><body pos='0 0 .1'>"
      "<freejoint/><geom size='.1' mass='2'/></body></worldbody></mujoco>",
      NULL);
  w.data->q[2] -= 1e-6;
  mjcf_world_run(&w, 0.5);
  assert_true(fabs(w.data->contact_force[2] - 2.0 * g) < 1e-3);
  mjcf_world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(adhesion_holds_what_is_lighter),
      cmocka_unit_test(a_gap_reaches_into_the_distance),
      cmocka_unit_test(adhesion_carries_friction),
      cmocka_unit_test(an_actuator_shares_its_force),
      cmocka_unit_test(pulls_are_internal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
