/* tests/dynamics/test_golden_dynamics.c: models read from their files, against the golden values of
 * golden/dynamics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "golden_dynamics.h"
#include "limpet/format.h"

enum { LEFT_OUT_LIMIT = 5 };
static int file_total, state_total, left_out_total;

/* Features that Limpet does not simulate and that change more than the fields that golden_match
 * leaves out. A file of mjcf/ that has one may fail; none of menagerie/ may. */
static const char *const left_out[] = {"multi_input_actuator", "multi_output_actuator", NULL};

static const char *reason_to_skip(const json_t *file) {
  for (int i = 0; left_out[i]; ++i)
    if (golden_has_feature(file, left_out[i])) return left_out[i];
  return NULL;
}

// <mesh builtin="wedge" .../>: surfaces that MuJoCo makes itself and Limpet does not.
static bool generates_meshes(const char *path) {
  FILE *file = fopen(path, "r");
  bool found = false;
  char line[4096];
  while (file && !found && fgets(line, sizeof line, file))
    found = strstr(line, "builtin=\"wedge\"") || strstr(line, "builtin=\"plate\"");
  if (file) fclose(file);
  return found;
}

// Bodies whose frames MuJoCo moves into their centres of mass: the coordinates of the states are
// those of other frames.
static const char *frame_note(const limpet_model *model) {
  for (int i = 0; i < model->note_count; ++i)
    if (model->note[i].unsupported && strstr(model->note[i].text, "align"))
      return model->note[i].text;
  return NULL;
}

static bool compare_file(const char *path, bool must_load) {
  json_t *file = json_read(path);
  assert_non_null(file);
  const char *name = golden_string(file, "model");
  const char *reason = must_load ? NULL : reason_to_skip(file);
  char model_path[1024];
  snprintf(model_path, sizeof model_path, "models/%s", name);
  limpet_error error = {0};
  limpet_model *model = limpet_load(shared_path(model_path), NULL, &error);
  bool good = true;
  if (!model) {
    good = !must_load && (reason || generates_meshes(shared_path(model_path)));
    printf("%s: %s (%s)\n", good ? "skipped" : "FAILED", name, error.message);
    left_out_total += good;
  } else {
    if (!must_load && !reason)
      reason = generates_meshes(shared_path(model_path)) ? "generated meshes" : frame_note(model);
    golden_match match = golden_match_create(file, model);
    const bool tables = golden_tables_agree(&match);
    const int states = golden_states_compare(&match);
    good = tables && states >= 0;
    if (*match.skipped) printf("%s: not compared: %s\n", name, match.skipped);
    if (!good && reason) {
      printf("skipped: %s (%s)\n", name, reason);
      ++left_out_total;
      good = true;
    } else if (good) {
      ++file_total;
      state_total += states;
    } else {
      printf("FAILED: %s\n", name);
    }
    golden_match_destroy(&match);
    limpet_model_destroy(model);
  }
  json_decref(file);
  return good;
}

static void compare_folder(const char *folder, bool must_load) {
  if (!shared_exists(folder) || !shared_exists("models")) skip();
  file_list list = file_list_find(shared_path(folder), ".json");
  int failures = 0;
  for (int i = 0; i < list.count; ++i) failures += !compare_file(list.path[i], must_load);
  printf("%s: %d files, %d failed\n", folder, list.count, failures);
  file_list_free(&list);
  assert_int_equal(failures, 0);
}

static void golden_dynamics_menagerie(void **state) {
  (void)state;
  compare_folder("golden/dynamics/menagerie", true);
}

static void golden_dynamics_mjcf(void **state) {
  (void)state;
  compare_folder("golden/dynamics/mjcf", false);
  assert_true(left_out_total <= LEFT_OUT_LIMIT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(golden_dynamics_menagerie),
      cmocka_unit_test(golden_dynamics_mjcf),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  printf("golden_dynamics: %d files, %d states compared; %d files left out\n", file_total,
         state_total, left_out_total);
  return failed;
}
