/* tests/dynamics/test_muscle.c: the curves of a muscle, their derivatives, its activation, the
 * range of its lengths, and its step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "dynamics/muscle.h"
#include "limpet/dynamics.h"
#include "mjcf_world.h"
#include "random_models.h"

static limpet_muscle random_muscle(unsigned long *seed) {
  limpet_muscle muscle = limpet_muscle_default();
  muscle.force = exp(random_uniform(seed, log(1.0), log(1000.0)));
  muscle.range[0] = random_uniform(seed, 0.3, 0.9);
  muscle.range[1] = random_uniform(seed, 1.0, 1.6);
  muscle.shortest = random_uniform(seed, 0.2, 0.8);
  muscle.longest = random_uniform(seed, 1.2, 2.0);
  muscle.fastest = random_uniform(seed, 0.5, 10.0);
  muscle.passive_force = random_uniform(seed, 0.0, 2.0);
  muscle.lengthening_force = random_uniform(seed, 1.0, 1.8);
  return muscle;
}

// Derivatives against central differences, away from the kinks; and what muscles do: they pull.
static void slopes_are_those_of_the_curves(void **state) {
  (void)state;
  unsigned long seed = 1;
  int compared = 0;
  for (int n = 0; n < 2000; ++n) {
    const limpet_muscle muscle = random_muscle(&seed);
    const double low = random_uniform(&seed, 0.0, 0.3), unit = random_uniform(&seed, 0.05, 0.4);
    const double range[2] = {low, low + unit * (muscle.range[1] - muscle.range[0])};
    const double l = range[0] + unit * random_uniform(&seed, -0.5, 1.5),
                 v = unit * muscle.fastest * random_uniform(&seed, -1.3, 1.3), h = 1e-6 * unit;
    const limpet_actuator_curve at = limpet_muscle_gain(&muscle, range, l, v),
                                bias = limpet_muscle_bias(&muscle, range, l);
    assert_true(at.value <= 0.0 && bias.value <= 0.0 && at.by_velocity <= 0.0);
    const double hv = h * muscle.fastest;
    const double by_l = (limpet_muscle_gain(&muscle, range, l + h, v).value -
                         limpet_muscle_gain(&muscle, range, l - h, v).value) /
                        (2.0 * h),
                 by_v = (limpet_muscle_gain(&muscle, range, l, v + hv).value -
                         limpet_muscle_gain(&muscle, range, l, v - hv).value) /
                        (2.0 * hv),
                 passive = (limpet_muscle_bias(&muscle, range, l + h).value -
                            limpet_muscle_bias(&muscle, range, l - h).value) /
                           (2.0 * h);
    // curvature times h, and kinks of the second derivative within h
    const double tolerance = 1e-4 * muscle.force / unit;
    assert_true(fabs(by_l - at.by_length) < tolerance);
    assert_true(fabs(passive - bias.by_length) < tolerance);
    const double y = muscle.lengthening_force - 1.0, V = v / (unit * muscle.fastest);
    if (fabs(V) < 1e-4 || (V > 0.0 && y < 1e-3)) continue;  // FV has a kink at rest
    assert_true(fabs(by_v - at.by_velocity) < tolerance / muscle.fastest / fmax(y, 1e-2));
    ++compared;
  }
  assert_true(compared > 1500);
}

// Peak force at L = 1 and rest; none beyond the shortest and the longest.
static void the_peak_is_at_rest_length(void **state) {
  (void)state;
  limpet_muscle muscle = limpet_muscle_default();
  muscle.force = 100.0;
  const double range[2] = {0.75, 1.05};  // L = l
  assert_true(fabs(limpet_muscle_gain(&muscle, range, 1.0, 0.0).value + 100.0) < 1e-12);
  assert_true(limpet_muscle_gain(&muscle, range, 0.4999, 0.0).value == 0.0);
  assert_true(limpet_muscle_gain(&muscle, range, 1.6001, 0.0).value == 0.0);
  assert_true(limpet_muscle_gain(&muscle, range, 1.0, -1.5).value == 0.0);
  assert_true(fabs(limpet_muscle_gain(&muscle, range, 1.0, 9.0).value + 120.0) < 1e-12);
  assert_true(limpet_muscle_bias(&muscle, range, 1.0).value == 0.0);
  // the passive force reaches fp half way between b and the longest: 0.5 + (L - b)/(b - 1) = 1
  assert_true(fabs(limpet_muscle_bias(&muscle, range, 1.45).value + 130.0) < 1e-12);
}

/* Activation: constant input, exact values of the rate on both sides, and monotone in between where
 * it is smoothed. */
static void activation_rises_faster_than_it_falls(void **state) {
  (void)state;
  assert_true(fabs(limpet_muscle_rate(0.2, 1.0, 0.01, 0.04, 0.0) - 0.8 / (0.01 * 0.8)) < 1e-12);
  assert_true(fabs(limpet_muscle_rate(0.8, 0.0, 0.01, 0.04, 0.0) + 0.8 * 1.7 / 0.04) < 1e-12);
  // within the width: between both, and the mean at u = act
  const double rise = limpet_muscle_rate(0.5, 0.51, 0.01, 0.04, 0.0),
               soft = limpet_muscle_rate(0.5, 0.51, 0.01, 0.04, 0.2);
  assert_true(soft > 0.0 && soft < rise);
  // controls beyond 0 and 1 count as 0 and 1
  assert_true(limpet_muscle_rate(0.5, 7.0, 0.01, 0.04, 0.0) ==
              limpet_muscle_rate(0.5, 1.0, 0.01, 0.04, 0.0));
}

/* The range of a length: of a fixed tendon over limited joints, the corners of their ranges; of a
 * coupled joint, along the coupling; of a spatial tendon, the triangle's sides. */
static void lengths_reach_as_far_as_joints_do(void **state) {
  (void)state;
  mjcf_world w = mjcf_world_of(
      "<mujoco><compiler angle='radian'/><worldbody><site name='p' pos='1 0 0'/>"
      "<body><joint name='a' axis='0 0 1' range='-1 .5'/><geom size='.1'/>"
      "<site name='s' pos='2 0 0'/><body><joint name='b' type='slide' range='-.2 .3'/>"
      "<geom size='.1'/></body></body>"
      "<body><joint name='c' axis='1 0 0' range='-3 3'/><geom size='.1'/>"
      "<body><joint name='d' axis='0 1 0' range='-9 9'/><geom size='.1'/></body></body></worldbody>"
      "<equality><joint joint1='d' joint2='c' polycoef='.1 2 0 0 0'/></equality>"
      "<tendon><fixed name='f'><joint joint='a' coef='2'/><joint joint='b' coef='-3'/></fixed>"
      "<spatial name='t'><site site='p'/><site site='s'/></spatial>"
      "<fixed name='g'><joint joint='d' coef='1'/><joint joint='c' coef='-.5'/></fixed></tendon>"
      "<actuator><muscle tendon='f'/><muscle tendon='t' gear='-2'/><muscle joint='a'/>"
      "<muscle tendon='g'/></actuator></mujoco>",
      NULL);
  const double *range = w.model->actuator_length_range;
  // sqrt(1 + 4 - 4 cos x): 1 at x = 0, at x = -1 the longest
  const double expected[8] = {
      -2.9,           1.6, -2.0 * sqrt(5.0 - 4.0 * cos(1.0)), -2.0, -1.0, 0.5, 0.1 - 1.5 * 3.0,
      0.1 + 1.5 * 3.0};
  for (int i = 0; i < 8; ++i) {
    if (!(fabs(range[i] - expected[i]) < 1e-7)) print_error("%d: %g\n", i, range[i]);
    assert_true(fabs(range[i] - expected[i]) < 1e-7);
  }
  mjcf_world_destroy(&w);
}

/* A muscle that pulls a weight up: at rest its force is the weight, on every step length; and large
 * steps stay as stable as small ones, since the curve's slopes are implicit. */
static void a_weight_comes_to_rest(void **state) {
  (void)state;
  double height[3];
  for (int n = 0; n < 3; ++n) {
    mjcf_world w = mjcf_world_of(
        "<mujoco><worldbody><body><joint name='z' type='slide' axis='0 0 -1' range='0 .5'/>"
        "<geom size='.1' mass='14'/></body></worldbody><actuator><muscle joint='z' force='400' "
        "lengthrange='0 .5'/></actuator></mujoco>",
        NULL);
    w.settings.time_step = n == 0 ? 1e-3 : n == 1 ? 5e-3 : 2e-2;
    w.data->control[0] = 0.5;
    mjcf_world_run(&w, 8.0);
    assert_true(fabs(w.data->v[0]) < 1e-4);
    assert_true(fabs(w.data->actuator_force[0] + 14.0 * 9.81) < 0.05);
    height[n] = w.data->q[0];
    mjcf_world_destroy(&w);
  }
  assert_true(fabs(height[1] - height[0]) < 1e-4 && fabs(height[2] - height[0]) < 1e-4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slopes_are_those_of_the_curves),
      cmocka_unit_test(the_peak_is_at_rest_length),
      cmocka_unit_test(activation_rises_faster_than_it_falls),
      cmocka_unit_test(lengths_reach_as_far_as_joints_do),
      cmocka_unit_test(a_weight_comes_to_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
