/* tests/gradient/test_pressure_gradient.c: derivatives of steps with contact surfaces by pose,
 * velocity and force against differences of steps: a soft box that lands askew on a plane and
 * slides, for four contact models, and for `coulomb` with soft shear. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "mjcf_text.h"
#include "step_differences.h"

static void a_soft_box_on_a_plane(void **state) {
  (void)state;
  static const char *const contacts[] = {"coulomb", "lagged", "similar", "sap", "coulomb"};
  // the last regularises friction below a slip like that of the box
  static const double shear_ratio[] = {1e3, 1e3, 1e3, 1e3, 1.0};
  int failed = 0;
  for (int c = 0; c < 5; ++c) {
    limpet_model *model = mjcf_load(
        "<mujoco><worldbody><geom type='plane' size='1 1 .1' friction='.5'/>"
        "<body pos='0 0 .0497' euler='.3 .5 20'><freejoint/><geom type='box' size='.06 .05 .05' "
        "mass='1' friction='.5' limpet:elastic_modulus='1e6'/></body></worldbody></mujoco>");
    limpet_data *data = limpet_data_create(model), *from = limpet_data_create(model);
    limpet_gradient *gradient = limpet_gradient_create(model);
    limpet_step_settings settings = limpet_step_settings_default(model);
    limpet_step_settings_contact_model(&settings, limpet_contact_model_find(contacts[c]));
    settings.tolerance = 1e-13;
    settings.shear_ratio = shear_ratio[c];
    const double v[6] = {0.4, 0.2, -0.05, 0.1, -0.2, 0.3};
    for (int i = 0; i < 6; ++i) data->v[i] = from->v[i] = v[i];
    const limpet_gradient_settings own = limpet_gradient_settings_default();
    limpet_gradient_step(model, data, &settings, &own, gradient);
    assert_null(gradient->reason);
    assert_true(data->surface_count == 1);
    step_differences s;
    step_differences_open(&s, model, from, &settings);
    const int nv = model->nv;
    // measured are 6e-8 of the largest entry
    failed += !step_differences_agree(&s, contacts[c], step_move_v, nv, gradient->dq.v,
                                      gradient->dv.v, gradient->kink.v, 1e-6, 1e-6);
    failed += !step_differences_agree(&s, contacts[c], step_move_force, nv, gradient->dq.force,
                                      gradient->dv.force, gradient->kink.force, 1e-4, 1e-6);
    failed += !step_differences_agree(&s, contacts[c], step_move_q, nv, gradient->dq.q,
                                      gradient->dv.q, gradient->kink.q, 1e-8, 1e-6);
    step_differences_close(&s);
    limpet_gradient_destroy(gradient);
    limpet_data_destroy(data);
    limpet_data_destroy(from);
    limpet_model_destroy(model);
  }
  assert_int_equal(failed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_soft_box_on_a_plane)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
