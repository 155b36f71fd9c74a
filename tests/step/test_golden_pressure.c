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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "golden_pressure.h"

static double number_or(const json_t *object, const char *key, double value) {
  const json_t *item = json_object_get(object, key);
  return json_is_number(item) ? json_number_value(item) : value;
}

static double velocity_error(const limpet_model *model, const limpet_data *data,
                             const json_t *expected) {
  double q[64], v[64], difference = 0.0, size = 0.0;
  golden_pressure_state(model, expected, q, v);
  for (int i = 0; i < model->nv; ++i) {
    difference += (v[i] - data->v[i]) * (v[i] - data->v[i]);
    size += v[i] * v[i];
  }
  return sqrt(difference / size);
}

static int run_scene(const json_t *root, const char *key, const json_t *results) {
  limpet_model *model = golden_pressure_compile(root);
  limpet_data *data = limpet_data_create(model);
  golden_pressure_state(model, json_object_get(root, "initial"), data->q, data->v);
  golden_pressure_controls(root, data);
  const limpet_step_settings settings = golden_pressure_settings(model, root, key);
  size_t i;
  json_t *item;
  int failed = 0, step = 0;
  json_array_foreach(json_object_get(results, "expected"), i, item) {
    const int target = (int)number_or(item, "step", 0);
    for (; step < target; ++step) limpet_step(model, data, &settings);
    const double error = velocity_error(model, data, item), allowed = 1e-9;
    const int faces = (int)number_or(item, "faces", 0);
    if (getenv("LIMPET_VERBOSE") || !(error <= allowed))
      printf("%s %s, step %d: v differs by %.3g (allowed %.0e), %d faces, expected %d\n",
             json_string_value(json_object_get(root, "name")), key, step, error, allowed,
             data->contact_count, faces);
    failed += !(error <= allowed);
  }
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return failed;
}

static void golden_scenes_of_three_models(void **state) {
  (void)state;
  if (!shared_exists("golden/hydroelastic/scenes")) skip();
  file_list files = file_list_find(shared_path("golden/hydroelastic/scenes"), ".json");
  int failed = 0, compared = 0;
  for (int i = 0; i < files.count; ++i) {
    json_t *root = json_read(files.path[i]);
    const char *key;
    json_t *results;
    json_object_foreach(json_object_get(root, "results"), key, results) {
      failed += run_scene(root, key, results);
      ++compared;
    }
    json_decref(root);
  }
  file_list_free(&files);
  printf("%d scenes and models\n", compared);
  assert_true(compared >= 21);
  assert_int_equal(failed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(golden_scenes_of_three_models)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
