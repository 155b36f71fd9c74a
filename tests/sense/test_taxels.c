/* tests/sense/test_taxels.c: pressure and shear on a grid of cells over the contact surface of a
 * soft pad: sums are the forces that hold it, cells follow the pressure. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "limpet/step.h"
#include "mjcf_text.h"

enum { ROWS = 2, COLUMNS = 2 };

// A pad of 1 kg, 12 x 8 cm, on the floor; gravity has a part along x. The site looks down.
static const char *const pad =
    "<mujoco><option gravity='1 0 -9.81'/><worldbody>"
    "<geom type='plane' size='1 1 .1'/>"
    "<body pos='0 0 .02'><freejoint/>"
    "<geom type='box' size='.06 .04 .02' mass='1' limpet:elastic_modulus='1e6'/>"
    "<site name='skin' type='box' size='.06 .04 .001' pos='0 0 -.02' euler='180 0 0'/>"
    "</body></worldbody>"
    "<sensor><limpet:taxels name='skin' site='skin' rows='2' columns='2'/></sensor></mujoco>";

static void sums_are_the_forces_that_hold_the_pad(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(pad);
  limpet_data *data = limpet_data_create(model);
  limpet_step_settings settings = limpet_step_settings_default(model);
  assert_int_equal(model->nsensor, 3 * ROWS * COLUMNS);
  for (int i = 0; i < 500; ++i) limpet_step(model, data, &settings);
  const double cell = 0.12 * 0.08 / (ROWS * COLUMNS);
  double sum[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < ROWS * COLUMNS; ++i) {
    assert_true(data->sensor[3 * i] > 0.0);
    for (int k = 0; k < 3; ++k) sum[k] += cell * data->sensor[3 * i + k];
  }
  // weight, and friction against the pull of 1 N: -1 N along x of the world, which is x of the site
  // but for the tilt of the pad, 4e-5 rad
  assert_true(fabs(sum[0] - 9.81) < 1e-3);
  assert_true(fabs(sum[1] + 1.0) < 1e-3);
  assert_true(fabs(sum[2]) < 1e-4);

  // the pull tips the pad forward: pressure grows along x
  double half[COLUMNS] = {0.0, 0.0};
  for (int i = 0; i < ROWS * COLUMNS; ++i) half[i % COLUMNS] += cell * data->sensor[3 * i];
  assert_true(half[1] > 1.01 * half[0]);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

static void wrong_grids_are_told(void **state) {
  (void)state;
  assert_true(mjcf_refused(
      "<mujoco><worldbody><body><geom size='1'/><site name='a' type='box' size='1 1 1'/></body>"
      "</worldbody>\n<sensor><limpet:taxels site='a' rows='0' columns='3'/></sensor></mujoco>",
      "robot.xml:2:9: sensor 0: it has 0 x 3 taxels; give 1 to 1000 of each"));
  assert_true(mjcf_refused(
      "<mujoco><worldbody><body><geom size='1'/><site name='a' size='1'/></body>"
      "</worldbody>\n<sensor><limpet:taxels site='a' rows='2' columns='3'/></sensor></mujoco>",
      "robot.xml:2:9: sensor 0: its site is a sphere; a grid of taxels needs a site that is a "
      "box"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_the_forces_that_hold_the_pad),
                                     cmocka_unit_test(wrong_grids_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
