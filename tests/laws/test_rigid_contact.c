/* tests/laws/test_rigid_contact.c: Anitescu's contact in the scheme discrete: no penetration,
 * stiction without creep, sliding by Coulomb's law, forces in the resting limit of the compliant
 * models, torsion; and what happens when rows contradict each other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "mjcf_world.h"

static const double g0 = 9.81;
static const char *const models[] = {"anitescu", "anitescu-cone"};

// A box on a slope of `angle`, friction 0.5 with torsion, gravity tilted instead of the ground.
static mjcf_world box_on_slope(double angle, const char *model) {
  char text[640];
  snprintf(text, sizeof text,
           "<mujoco><option gravity='%.17g 0 %.17g' timestep='0.002'/><worldbody><geom "
           "type='plane' size='9 9 1' friction='0.5'/>"
           "<body pos='0 0 0.05'><freejoint/><geom type='box' size='0.1 0.1 0.05' mass='2' "
           "friction='0.5'/></body></worldbody>"
           "</mujoco>",
           g0 * sin(angle), -g0 * cos(angle));
  return mjcf_world_of(text, model);
}

// Below the angle of friction nothing moves, not by a micrometre a year; above it a = g (sin - mu
// cos).
static void slopes(void **state) {
  (void)state;
  for (int m = 0; m < 2; ++m) {
    mjcf_world w = box_on_slope(0.95 * atan(0.5), models[m]);
    mjcf_world_run(&w, 2.0);
    printf("%s, 0.95 of the friction angle: %.2g m in 2 s, %.2g m deep\n", models[m], w.data->q[0],
           w.data->info.deepest_penetration);
    assert_true(fabs(w.data->q[0]) < (m ? 1e-6 : 1e-12) &&
                fabs(w.data->q[2] - 0.05) < (m ? 1e-7 : 1e-12));
    mjcf_world_destroy(&w);

    const double angle = atan(0.8);
    w = box_on_slope(angle, models[m]);
    mjcf_world_run(&w, 0.2);
    const double v = w.data->v[0];
    mjcf_world_run(&w, 0.5);
    const double expected = g0 * (sin(angle) - 0.5 * cos(angle)), a = (w.data->v[0] - v) / 0.5;
    printf("%s, sliding: %.8g m/s^2, Coulomb %.8g\n", models[m], a, expected);
    // what glides rises by mu dt a a step, which costs mu^2 dt a of the normal force's momentum:
    // nothing of the mean
    assert_true(fabs(a / expected - 1.0) < 1e-3);
    mjcf_world_destroy(&w);
  }
}

// A pile of three boxes: every contact model carries the same weights.
static void forces_of_a_stack(void **state) {
  (void)state;
  static const char *const all[] = {"lagged", "anitescu", "anitescu-cone"};
  for (int m = 0; m < 3; ++m) {
    mjcf_world w = mjcf_world_of(
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
        "<body pos='0 0 0.05'><freejoint/><geom type='box' size='0.1 0.1 0.05' mass='3'/></body>"
        "<body pos='0 0 0.15'><freejoint/><geom type='box' size='0.1 0.1 0.05' mass='2'/></body>"
        "<body pos='0 0 0.25'><freejoint/><geom type='box' size='0.1 0.1 0.05' "
        "mass='1'/></body></worldbody></mujoco>",
        all[m]);
    mjcf_world_run(&w, 1.0);
    double sum[4] = {0};
    for (int i = 0; i < w.data->contact_count; ++i)
      sum[w.data->contact_geom[2 * i]] += w.data->contact_force[3 * i + 2];
    for (int k = 0; k < 3; ++k)
      assert_true(fabs(sum[k] / (g0 * (k == 0   ? 6.0
                                       : k == 1 ? 3.0
                                                : 1.0)) -
                       1.0) < (m ? 1e-6 : 1e-5));  // lagged: tolerance 1e-6 of the momentum
    mjcf_world_destroy(&w);
  }
}

// A ball that spins about the normal: torsional friction mu_w m g slows it, and condim 3 has none.
static void torsion_slows_a_spin(void **state) {
  (void)state;
  for (int condim = 3; condim <= 4; ++condim) {
    char text[512];
    snprintf(
        text, sizeof text,
        "<mujoco><worldbody><geom type='plane' size='1 1 1' friction='0.5 0.002' "
        "condim='%d'/><body pos='0 0 0.1'><freejoint/>"
        "<geom size='0.1' mass='1' friction='0.5 0.002' condim='%d'/></body></worldbody></mujoco>",
        condim, condim);
    mjcf_world w = mjcf_world_of(text, "anitescu");
    w.data->v[5] = 20.0;
    mjcf_world_run(&w, 1.0);
    const double lost = 20.0 - w.data->v[5], expected = condim == 4 ? 0.002 * g0 / 0.004 : 0.0;
    assert_true(fabs(lost - expected) < 1e-3 * expected + 1e-9);
    if (condim == 4) {
      mjcf_world_run(&w, 5.0);
      assert_true(fabs(w.data->v[5]) < 1e-9);
    }
    mjcf_world_destroy(&w);
  }
}

// A ball between two walls that leave it no room: the outcome says so, and nothing is thrown.
static void contradictions_are_named(void **state) {
  (void)state;
  for (int m = 0; m < 2; ++m) {
    mjcf_world w = mjcf_world_of(
        "<mujoco><option gravity='0 0 0'/><worldbody><geom type='box' pos='-0.19 0 0' size='0.1 1 "
        "1'/>"
        "<geom type='box' pos='0.19 0 0' size='0.1 1 1'/><body><freejoint/><geom "
        "size='0.1'/></body></worldbody></mujoco>",
        models[m]);
    for (int i = 0; i < 10; ++i) {
      assert_int_equal(limpet_step(w.model, w.data, &w.settings), LIMPET_OUTCOME_INFEASIBLE);
      for (int k = 0; k < 6; ++k) assert_true(fabs(w.data->v[k]) < 1e-9);
    }
    assert_int_equal(w.data->warning_count[LIMPET_OUTCOME_INFEASIBLE], 10);
    mjcf_world_destroy(&w);
  }
}

// What starts inside comes out at the return speed, not at its depth over a step.
static void overlaps_come_out_slowly(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><option gravity='0 0 0'/><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 "
      "0.05'><freejoint/>"
      "<geom size='0.1'/></body></worldbody></mujoco>",
      "anitescu");
  mjcf_world_step(&w);
  assert_true(fabs(w.data->v[2] - w.settings.return_speed) < 1e-12);
  mjcf_world_destroy(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slopes),
      cmocka_unit_test(forces_of_a_stack),
      cmocka_unit_test(torsion_slows_a_spin),
      cmocka_unit_test(contradictions_are_named),
      cmocka_unit_test(overlaps_come_out_slowly),
  };
  return cmocka_run_group_tests_name("rigid_contact", tests, NULL, NULL);
}
