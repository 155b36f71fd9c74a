/* tests/laws/test_pressure_grip.c: what two compliant pads hold does not walk while it is shaken.
 *
 * A mug of 0.3 kg by its wall, between pads of 1 MPa that press with 60 N each, friction 1. It is
 * shaken for 3 s by forces of up to 0.9 N across the pads. Its weight turns it about the pads, so
 * the pressure is uneven, and points with little of it slide. Way from before to after, both at
 * rest. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "limpet/step.h"
#include "math/vec3.h"
#include "mjcf_text.h"
#include "shared_data.h"

#define PAD                                                          \
  "<geom type='box' size='.0085 .004 .0085' mass='.1' friction='1' " \
  "limpet:elastic_modulus='1e6' limpet:dissipation='10'/></body>"

static const char grip[] =
    "<mujoco><asset><mesh name='mug' file='%s' limpet:concave='true'/></asset><worldbody>"
    "<body pos='0 -.0059 0'><joint name='near' type='slide' axis='0 1 0'/>" PAD
    "<body pos='0 .0059 0'><joint name='far' type='slide' axis='0 -1 0'/>" PAD
    "<body pos='0 -.038 -.033'><freejoint/>"
    "<geom type='mesh' mesh='mug' mass='.3' friction='1'/></body>"
    "</worldbody><actuator><motor joint='near'/><motor joint='far'/></actuator></mujoco>";

static double pulse(double t) {
  return t > 0.5 && t < 3.5 ? fmin(1.0, 2.0 * fmin(t - 0.5, 3.5 - t)) : 0.0;
}

// [m]  how far the mug has moved after it was shaken; step [s].
static double walk(double shear_ratio, double time_step) {
  static const double rate[3] = {9.4, 11.9, 7.5};  // [rad/s]
  char text[4000];
  snprintf(text, sizeof text, grip, shared_path("models/soft/shapes/mug.obj"));
  limpet_model *model = mjcf_load(text);
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.shear_ratio = shear_ratio, settings.time_step = time_step;
  data->control[0] = data->control[1] = 60.0;
  double before[3] = {0.0};
  const int steps = (int)round(4.0 / time_step);
  for (int i = 0; i < steps; ++i) {
    for (int k = 0; k < 3; k += 2)
      data->applied_force[2 + k] = 0.9 * pulse(data->time) * sin(rate[k] * data->time);
    if (data->time <= 0.5) limpet_vec3_copy(before, data->q + 2);
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
  }
  const double way = limpet_vec3_distance(before, data->q + 2);
  printf("shear ratio %g, step %g s: the mug moved by %.3g mm\n", shear_ratio, time_step,
         1e3 * way);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return way;
}

static void what_is_shaken_does_not_walk(void **state) {
  (void)state;
  if (!shared_exists("models/soft/shapes/mug.obj")) skip();
  assert_true(walk(1e3, 2e-3) < 4e-6);
  assert_true(walk(1e3, 1e-3) < 4e-6);
  // with rigid shear it walks, by the same way at half the step
  const double coarse = walk(0.0, 2e-3), fine = walk(0.0, 1e-3);
  assert_true(coarse > 1e-5 && fabs(coarse - fine) < 0.3 * coarse);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_shaken_does_not_walk)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
