/* tests/step/test_golden_pressure.c: whole scenes with pressure fields against an independent
 * minimiser (../shared/golden/hydroelastic/scenes), on the very meshes that Drake made: the state
 * after 1, 2, 5, ... steps, for three contact models.
 *
 * Faces are made anew in every step from the state that was reached. States agree to 1e-9 of the
 * velocities, up to 20 steps; measured are 1e-12. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden_pressure.h"
#include "golden_run.h"

static double velocity_error(const limpet_data *data, const json_t *expected) {
  const limpet_model *model = data->model;
  double q[64], v[64], difference = 0.0, size = 0.0;
  golden_pressure_state(model, expected, q, v);
  for (int i = 0; i < model->nv; ++i) {
    difference += (v[i] - data->v[i]) * (v[i] - data->v[i]);
    size += v[i] * v[i];
  }
  return sqrt(difference / size);
}

static void start(const json_t *root, limpet_data *data) {
  golden_pressure_state(data->model, json_object_get(root, "initial"), data->q, data->v);
  golden_pressure_controls(root, data);
}

static void golden_scenes_of_three_models(void **state) {
  (void)state;
  const golden_run run = {.folder = "golden/hydroelastic/scenes",
                          .contacts = "faces",
                          .allowed = 1e-9,
                          .model = golden_pressure_compile,
                          .start = start,
                          .settings = golden_pressure_settings,
                          .error = velocity_error};
  const int compared = golden_run_all(&run);
  if (compared == 0) skip();
  assert_true(compared >= 21);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(golden_scenes_of_three_models)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
