/* tests/step/test_rest_under_stiff_gains.c: an arm that is held by gains from soft to beyond what
 * the step resolves comes to rest, and there every step is solved by one iteration, of the stiffest
 * by two: the solver knows the round-off of its data, where momenta and impulses vanish. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "mjcf_text.h"

static limpet_model *arm(double gravity, double kp, double kv) {
  char text[1024];
  snprintf(text, sizeof text,
           "<mujoco><option gravity='0 0 %g' timestep='0.001'/><worldbody><body><joint name='a' "
           "axis='0 1 0'/>"
           "<geom type='capsule' size='0.04' fromto='0 0 0 0.4 0 0'/><body pos='0.4 0 0'><joint "
           "name='b' axis='0 1 0'/>"
           "<geom type='capsule' size='0.03' fromto='0 0 0 0.3 0 "
           "0'/></body></body></worldbody><actuator>"
           "<position joint='a' kp='%g' kv='%g'/><position joint='b' kp='%g' "
           "kv='%g'/></actuator></mujoco>",
           gravity, kp, kv, kp, kv);
  return mjcf_load(text);
}

static void one_iteration_at_rest(void **state) {
  (void)state;
  for (double kp = 1e2; kp < 2e12; kp *= 100.0)
    for (int variant = 0; variant < 8; ++variant) {
      const bool damped = variant & 1, falls = variant & 2, softened = variant & 4;
      limpet_model *model = arm(falls ? -9.81 : 0.0, kp, damped ? 0.1 * kp : 2.0 * 0.5 * kp * 1e-2);
      limpet_data *data = limpet_data_create(model);
      limpet_step_settings settings = limpet_step_settings_default(model);
      settings.constraint_ratio = softened ? 0.1 : 0.0;
      data->q[0] = 0.1, data->q[1] = -0.2;
      int worst = 0, worst_at_rest = 0;
      for (int i = 0; i < 6000; ++i) {
        assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
        worst = data->info.iterations > worst ? data->info.iterations : worst;
        if (i >= 4000 && data->info.iterations > worst_at_rest)
          worst_at_rest = data->info.iterations;
      }
      printf("kp %.0e, %s, gravity %d: %d iterations at most, %d at rest; speed %.2g rad/s\n", kp,
             damped ? "overdamped" : "damped", falls, worst, worst_at_rest, data->v[0]);
      // of the stiffest the linear problem leaves round-off to one iteration
      assert_true(worst_at_rest <= (kp > 1e11 ? 2 : 1));
      limpet_data_destroy(data);
      limpet_model_destroy(model);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_iteration_at_rest)};
  return cmocka_run_group_tests_name("rest_under_stiff_gains", tests, NULL, NULL);
}
