/* tests/control/test_identify_starts_slow.c: several starts find the best of many minima, the
 * stiffness of a spring whose phase is wrong by whole periods at the others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "json_text.h"
#include "limpet/format.h"
#include "limpet/identify.h"
#include "shared_data.h"

static const char spring_text[] =
    "<mujoco><option timestep='0.01'/><worldbody><body name='cart'><joint name='spring' "
    "type='slide' axis='1 0 0' stiffness='100'/><geom type='sphere' size='.05' "
    "mass='1'/></body></worldbody></mujoco>";

static limpet_builder *builder_of(const char *text) {
  limpet_error error;
  limpet_builder *builder = limpet_builder_create();
  if (limpet_mjcf_read_text(builder, text, strlen(text), "spring.xml", NULL, &error) != LIMPET_OK)
    fail_msg("%s", error.message);
  return builder;
}

static limpet_identify *fit_of(limpet_builder *builder, const char *text) {
  limpet_error error;
  limpet_identify *fit = limpet_identify_create(builder, json_text(text), "fit.json", &error);
  if (!fit) fail_msg("%s", error.message);
  return fit;
}

// A mass on a spring for ten periods, from another speed in each trajectory.
static void spring_record(limpet_identify *fit, int count) {
  enum { SPRING_ROWS = 120 };
  double time[SPRING_ROWS], q[SPRING_ROWS];
  unsigned long seed = 4;
  limpet_builder *builder = builder_of(spring_text);
  limpet_model *model = limpet_builder_compile(builder, NULL);
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  for (int t = 0; t < count; ++t) {
    const double v = 1.0 + 0.3 * t;
    limpet_data_reset(model, data);
    data->v[0] = v;
    for (int row = 0; row < SPRING_ROWS; ++row) {
      time[row] = data->time;
      q[row] = data->q[0] + (row > 0 ? random_uniform(&seed, -0.02, 0.02) : 0.0);
      for (int k = 0; k < 5; ++k) limpet_step(model, data, &settings);
    }
    assert_int_equal(limpet_identify_record(fit, t, SPRING_ROWS, time, q, &v, NULL, NULL),
                     LIMPET_OK);
  }
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  limpet_builder_destroy(builder);
}

/* A stiffness that makes the phase wrong by whole periods is a minimum, too: one start ends there,
 * several find the truth. Where the best minimum is far below the others, the bootstrap's error is
 * the jackknife's (400 draws of four trajectories: 20 %). */
static void several_starts_find_the_best_minimum(void **state) {
  (void)state;
  static const char *const solvers[] = {"'start':50}", "'start':50}", "'start':95}"};
  static const char *const ends[] = {"'solver':{'starts':1,'derivative':'differences'}",
                                     "'solver':{'starts':10,'derivative':'differences'}",
                                     "'solver':{'starts':1,'derivative':'differences'}"};
  double value[3], error[3];
  for (int k = 0; k < 3; ++k) {
    char text[400];
    snprintf(text, sizeof text,
             "{'parameters':[{'of':'spring.stiffness','minimum':20,'maximum':220,%s],'noise':0.01,"
             "'trajectories':['a','b','c','d'],%s}",
             solvers[k], ends[k]);
    limpet_builder *builder = builder_of(spring_text);
    limpet_identify *fit = fit_of(builder, text);
    spring_record(fit, 4);
    assert_true(limpet_identify_solve(fit, NULL, NULL) <= LIMPET_IDENTIFY_NO_DESCENT);
    assert_int_equal(fit->starts_made, k == 1 ? 10 : 1);
    value[k] = fit->parameter[0].value, error[k] = limpet_identify_error(&fit->parameter[0]);
    assert_true(error[k] == fit->parameter[0].error_grouped);
    limpet_identify_destroy(fit);
    limpet_builder_destroy(builder);
  }
  printf("stiffness: %g of one start, %g +- %.2g of 10, %g +- %.2g from near the truth\n", value[0],
         value[1], error[1], value[2], error[2]);
  assert_true(fabs(value[0] - 100.0) > 10.0);
  assert_true(fabs(value[1] - 100.0) < 4.0 * error[1] &&
              fabs(value[1] - value[2]) < 0.1 * error[1]);
  assert_true(fabs(error[1] / error[2] - 1.0) < 0.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(several_starts_find_the_best_minimum)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
