// tests/support/golden_run.c: see golden_run.h.
#include "golden_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static int number(const json_t *object, const char *key) {
  return (int)json_number_value(json_object_get(object, key));
}

// How many states of a run miss.
static int run_scene(const golden_run *run, const json_t *root, const char *key,
                     const json_t *results) {
  limpet_model *model = run->model(root);
  limpet_data *data = limpet_data_create(model);
  run->start(root, data);
  const limpet_step_settings settings = run->settings(model, root, key);
  size_t i;
  json_t *item;
  int failed = 0, step = 0;
  json_array_foreach(json_object_get(results, "expected"), i, item) {
    for (; step < number(item, "step"); ++step) {
      const limpet_outcome outcome = limpet_step(model, data, &settings);
      if (run->solved) assert_int_equal(outcome, LIMPET_OUTCOME_SOLVED);
    }
    const double error = run->error(data, item);
    if (getenv("LIMPET_VERBOSE") || !(error <= run->allowed))
      printf("%s %s, step %d: v differs by %.3g (allowed %.0e), %d contacts, expected %d\n",
             json_string_value(json_object_get(root, "name")), key, step, error, run->allowed,
             data->contact_count, number(item, run->contacts));
    failed += !(error <= run->allowed);
  }
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return failed;
}

int golden_run_all(const golden_run *run) {
  if (!shared_exists(run->folder)) return 0;
  file_list files = file_list_find(shared_path(run->folder), ".json");
  int failed = 0, compared = 0;
  for (int i = 0; i < files.count; ++i) {
    json_t *root = json_read(files.path[i]);
    const char *key;
    json_t *results;
    json_object_foreach(json_object_get(root, "results"), key, results) {
      failed += run_scene(run, root, key, results);
      ++compared;
    }
    json_decref(root);
  }
  file_list_free(&files);
  printf("%d scenes and models\n", compared);
  assert_int_equal(failed, 0);
  return compared;
}
