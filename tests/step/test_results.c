/* tests/step/test_results.c: what a step reports about sticking and sliding. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "mjcf_text.h"

// A box of 0.2 m on the ground; gravity leans towards x as a slope of atan(0.3) would.
static const char *const box = MODEL(
    "<option gravity='2.8178 0 -9.3928'/>"
    "<worldbody><geom type='plane' size='1 1 1' friction='0.5'/>"
    "<body pos='0 0 0.1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1' "
    "friction='0.5'/></body></worldbody>");

// With `lagged`, whose sticking contacts creep.
static void step(const limpet_model *model, limpet_data *data, int count) {
  limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_step_settings_contact_model(&settings, limpet_contact_model_find("lagged"));
  for (int i = 0; i < count; ++i)
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
}

// Sticking: the report is the speed of the box. 1e-3: the corners' speeds differ by what the box
// still turns.
static void sticking_box_reports_its_creep(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(box);
  limpet_data *data = limpet_data_create(model);
  step(model, data, 500);
  const double creep = hypot(data->v[0], data->v[1]);
  printf("creep %.6g um/s, reported %.6g um/s\n", 1e6 * creep,
         1e6 * data->info.largest_stiction_speed);
  assert_int_equal(data->info.touching_count, 4);
  for (int k = 0; k < data->contact_count; ++k) assert_true(data->contact_sticks[k]);
  assert_true(creep >
              1e-7);  // tan(slope)/mu = 0.6 of the friction needs 0.75 of the stiction speed
  assert_true(fabs(data->info.largest_stiction_speed - creep) < 1e-3 * creep);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

/* Sliding at 1 m/s, pressed into the ground now and then: in such a step the normal impulse is many
 * times the one that bounds friction, and no contact sticks all the same. Control: the normal force
 * rises to five times the weight at least. */
static void sliding_box_reports_no_creep(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(box);
  limpet_data *data = limpet_data_create(model);
  step(model, data, 500);
  int touching = 0;
  double peak = 0.0;
  for (int i = 0; i < 100; ++i) {
    if (i % 20 == 0) data->v[0] = 1.0;
    if (i % 20 == 10) data->v[2] -= 0.1;
    step(model, data, 1);
    assert_true(data->v[0] > 0.5);
    assert_true(data->info.largest_stiction_speed == 0.0);
    double force = 0.0;
    for (int k = 0; k < data->contact_count; ++k) {
      force += data->contact_force[3 * k + 2];
      assert_false(data->contact_sticks[k]);
    }
    peak = fmax(peak, force);
    touching += data->info.touching_count;
  }
  printf("sliding: %d contacts in 100 steps, peak normal force %.3g N\n", touching, peak);
  assert_true(touching > 200);
  assert_true(peak > 5 * 9.4);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sticking_box_reports_its_creep),
      cmocka_unit_test(sliding_box_reports_no_creep),
  };
  return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
