/* tests/step/test_flight_renewals.c: how often flight renews its estimate of the mean velocity: as
 * far as what is left of its error asks, and not for what dampers take anyway. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "mjcf_text.h"
#include "model/workspace.h"
#include "step/flight.h"

// A trunk with an arm and a leg in the air; %s: what its hinges have.
#define LIMB(at, axis, inside)                        \
  "<body pos='" at "'><joint axis='" axis             \
  "' %s/><geom type='capsule' fromto='0 0 0 0 0 -.3'" \
  " size='.04'/>" inside "</body>"
static const char scene[] =
    "<mujoco><option timestep='.002'/><default><geom contype='0' conaffinity='0'/></default>"
    "<worldbody><body pos='0 0 100'><freejoint/><geom type='box' size='.1 .15 .25'/>" LIMB(
        "0 .2 .2", "0 1 0", LIMB("0 0 -.3", "1 0 0", ""))
        LIMB("0 -.1 -.25", "1 0 0", LIMB("0 0 -.3", "0 1 0", "")) "</body></worldbody></mujoco>";

static limpet_model *load(const char *joint) {
  char text[4096];
  snprintf(text, sizeof text, scene, joint, joint, joint, joint);
  return mjcf_load(text);
}

static void throw(const limpet_model *model, limpet_data *data) {
  limpet_data_reset(model, data);
  for (int d = 0; d < model->nv; ++d) data->v[d] = 8.0 * sin(1.0 + d);
}

static int renewals_of(const limpet_data *data) {
  return limpet_solved_step_of(data)->motion.flight->balance[0].renewals;
}

static void fly(const limpet_model *model, limpet_data *data) {
  const limpet_step_settings settings = limpet_step_settings_default(model);
  assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
}

// The rule is symmetric in time, so a step whose estimate has converged leads back to its start.
static void renewals_end_where_the_step_can_go_back(void **state) {
  enum { STEPS = 50, MOST = 160 };  // 243 where each ends by its last change
  (void)state;
  limpet_model *model = load("");
  limpet_data *data = limpet_data_create(model), *back = limpet_data_create(model);
  assert_non_null(back);
  model->options.gravity[2] = 0.0;
  throw(model, data);
  int renewed = 0, renewals = 0;
  for (int i = 0; i < STEPS; ++i) {
    double q[64], v[64];
    memcpy(q, data->q, (size_t)model->nq * sizeof *q);
    memcpy(v, data->v, (size_t)model->nv * sizeof *v);
    fly(model, data);
    renewals += renewals_of(data);
    if (renewals_of(data) == 0) continue;
    ++renewed;
    limpet_data_state_copy(data, back);
    for (int d = 0; d < model->nv; ++d) back->v[d] *= -1.0, back->warm_start[d] = 0.0;
    fly(model, back);
    assert_true(renewals_of(back) > 0);
    for (int k = 0; k < model->nq; ++k) assert_true(fabs(back->q[k] - q[k]) < 2e-12);
    for (int d = 0; d < model->nv; ++d) assert_true(fabs(back->v[d] + v[d]) < 2e-9);
  }
  assert_int_equal(renewed, STEPS);
  assert_in_range(renewals, STEPS, MOST);
  limpet_data_destroy(back);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

static int renewed_steps(const char *joint, double *error) {
  enum { STEPS = 200 };
  limpet_model *model = load(joint);
  limpet_data *data = limpet_data_create(model);
  assert_non_null(data);
  throw(model, data);
  int count = 0;
  *error = 0.0;
  for (int i = 0; i < STEPS; ++i) {
    fly(model, data);
    count += renewals_of(data) != 0;
    *error = fmax(*error, data->info.flight_error);
  }
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return count;
}

static void what_dampers_hold_is_not_renewed(void **state) {
  enum { ALL = 200, FEW = 20 };  // 94 where it is
  double error;
  (void)state;
  assert_int_equal(renewed_steps("", &error), ALL);
  assert_int_equal(renewed_steps("damping='1e-4'", &error), ALL);
  assert_in_range(renewed_steps("damping='2' stiffness='20'", &error), 0, FEW);
  assert_true(error < 1e-7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(renewals_end_where_the_step_can_go_back),
      cmocka_unit_test(what_dampers_hold_is_not_renewed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
