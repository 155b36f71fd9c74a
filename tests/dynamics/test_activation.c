/* tests/dynamics/test_activation.c: activations over a step: one formula for what acts early and
 * for what the state becomes, at any time step. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dynamics/activation.h"
#include "limpet/limpet.h"
#include "mjcf_text.h"

// A slide of 1 kg under one actuator; the file's step is 2 ms.
#define WORLD(attributes)                                                              \
  MODEL(                                                                               \
      "<option timestep='.002' gravity='0 0 0'/><worldbody><body><joint name='x' "     \
      "type='slide'/><geom size='.1' mass='1'/></body></worldbody><actuator><general " \
      "name='a' joint='x' " attributes "/></actuator>")

static double random_on_log_scale(double low, double high) {
  return low * pow(high / low, rand() / (double)RAND_MAX);
}

// Equation: act + dt (1 - act)/tau = 0.5 ms/10 ms = 0.05 for the first step from zero.
static void an_early_filter_follows_the_step_that_is_made(void **state) {
  (void)state;
  limpet_model *model =
      mjcf_load(WORLD("dyntype='filter' dynprm='.01' actearly='true' gainprm='1'"));
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.time_step = 0.5e-3;
  data->control[0] = 1.0;
  limpet_step(model, data, &settings);
  assert_true(fabs(data->actuator_force[0] - 0.05) < 1e-15);
  assert_true(fabs(data->activation[0] - 0.05) < 1e-15);

  // outside a step there is only the model's: 2 ms/10 ms
  limpet_data_reset(model, data);
  data->control[0] = 1.0;
  limpet_forward_dynamics(model, data);
  assert_true(fabs(data->actuator_force[0] - 0.2) < 1e-15);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// What acts early is what the state becomes, to the bit, and both are the closed form of the step.
static void what_acts_early_is_what_comes_after(void **state) {
  (void)state;
  static const char *const worlds[] = {
      WORLD("dyntype='integrator' actearly='true' gainprm='1'"),
      WORLD("dyntype='filter' dynprm='.03' actearly='true' gainprm='1'"),
      WORLD("dyntype='filterexact' dynprm='.03' actearly='true' gainprm='1'"),
      WORLD("dyntype='filterexact' dynprm='.03' actearly='true' gainprm='1' actlimited='true' "
            "actrange='-.2 .3'")};
  srand(7);
  for (int k = 0; k < 4; ++k) {
    limpet_model *model = mjcf_load(worlds[k]);
    limpet_data *data = limpet_data_create(model);
    limpet_step_settings settings = limpet_step_settings_default(model);
    for (int i = 0; i < 200; ++i) {
      const double before = data->activation[0], u = data->control[0] = sin(0.37 * i);
      const double dt = settings.time_step = random_on_log_scale(1e-6, 0.05);
      assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
      assert_true(data->actuator_force[0] == data->activation[0]);

      // three operations on numbers below 1: 1e-15
      const double share = k == 0 ? 0.0 : k == 1 ? dt / 0.03 : 1.0 - exp(-dt / 0.03);
      double after = k == 0 ? before + dt * u : before + share * (u - before);
      if (k == 3) after = fmin(fmax(after, -0.2), 0.3);
      assert_true(fabs(data->activation[0] - after) < 1e-15);
    }
    limpet_data_destroy(data);
    limpet_model_destroy(model);
  }
}

// An exact filter without a time constant is its control after any step.
static void an_exact_filter_without_a_time_constant_follows_at_once(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(WORLD("dyntype='filterexact' dynprm='.03' gainprm='1'"));
  model->actuator_activation_time[0] = 0.0;
  for (double dt = 1e-6; dt < 1.0; dt *= 10.0) {
    const double rate = limpet_activation_rate(model, 0, 0.25, 0.75);
    assert_true(fabs(limpet_activation_after(model, 0, 0.25, rate, dt) - 0.75) < 1e-15);
  }
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_early_filter_follows_the_step_that_is_made),
      cmocka_unit_test(what_acts_early_is_what_comes_after),
      cmocka_unit_test(an_exact_filter_without_a_time_constant_follows_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
