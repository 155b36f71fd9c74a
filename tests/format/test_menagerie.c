/* tests/format/test_menagerie.c: real robots load, and their notes name only what is left to later
 * work; MuJoCo's own models load or are refused as MuJoCo refuses them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/format.h"
#include "shared_data.h"

// the entry of a list of {"model": path, ...} whose model is the end of `path`
static const json_t *entry_of(const json_t *list, const char *path) {
  for (size_t i = 0; i < json_array_size(list); ++i) {
    const char *model = json_string_value(json_object_get(json_array_get(list, i), "model"));
    const size_t n = strlen(path), m = strlen(model);
    if (n >= m && strcmp(path + n - m, model) == 0) return json_array_get(list, i);
  }
  return NULL;
}

// All that the robots ask for is simulated; looks may be missing.
static bool note_is_expected(const limpet_note *note) {
  return !note->unsupported && strstr(note->text, "visual geoms that use it are left out");
}

static void robots_of_the_menagerie_load(void **state) {
  (void)state;
  if (!shared_exists("models/menagerie") || !shared_exists("golden/dynamics/mjcf_skipped.json"))
    skip();
  json_t *skipped = json_read(shared_path("golden/dynamics/mjcf_skipped.json"));
  const json_t *fragments = json_object_get(skipped, "skipped");
  file_list list = file_list_find(shared_path("models/menagerie"), ".xml");
  int loaded = 0, failed = 0;
  for (int i = 0; i < list.count; ++i) {
    if (entry_of(fragments, list.path[i])) continue;
    limpet_error error = {0};
    limpet_model *model = limpet_load(list.path[i], NULL, &error);
    ++*(model ? &loaded : &failed);
    if (!model) printf("%s\n", error.message);
    for (int k = 0; model && k < model->note_count; ++k) {
      if (note_is_expected(&model->note[k])) continue;
      printf("%s: unexpected note: %s\n", list.path[i], model->note[k].text);
      ++failed;
    }
    limpet_model_destroy(model);
  }
  printf("menagerie: %d models loaded, %d failures\n", loaded, failed);
  assert_int_equal(failed, 0);
  assert_true(loaded > 0);
  file_list_free(&list);
  json_decref(skipped);
}

// closed loops and sensors
static void robots_with_closed_loops_are_fully_supported(void **state) {
  (void)state;
  static const char *const paths[] = {"models/menagerie/agility_cassie/cassie.xml",
                                      "models/menagerie/robotiq_2f85/2f85.xml"};
  for (int i = 0; i < 2; ++i) {
    if (!shared_exists(paths[i])) skip();
    const limpet_load_options strict = {.strict = true};
    limpet_error error = {0};
    limpet_model *model = limpet_load(shared_path(paths[i]), &strict, &error);
    if (!model) fail_msg("%s", error.message);
    for (int k = 0; k < model->note_count; ++k) assert_false(model->note[k].unsupported);
    limpet_model_destroy(model);
  }
}

/* Kinds of refusal that any reader shares; the others are particular to one version of MuJoCo
 * or to flexes, which are left out here. */
static bool must_be_refused(const json_t *entry) {
  static const char *const kinds[] = {"attach conflict", "malformed mesh", "schema", "other"};
  const char *kind = json_string_value(json_object_get(entry, "kind"));
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (strcmp(kinds[i], kind) == 0) return true;
  return false;
}

static void models_of_mujoco_load_or_are_refused_alike(void **state) {
  (void)state;
  if (!shared_exists("models/mjcf") || !shared_exists("golden/dynamics/mjcf_refused.json")) skip();
  json_t *file = json_read(shared_path("golden/dynamics/mjcf_refused.json"));
  const json_t *refusals = json_object_get(file, "refused");
  file_list list = file_list_find(shared_path("models/mjcf"), ".xml");
  int loaded = 0, refused = 0, failed = 0;
  for (int i = 0; i < list.count; ++i) {
    const json_t *entry = entry_of(refusals, list.path[i]);
    limpet_error error = {0};
    limpet_model *model = limpet_load(list.path[i], NULL, &error);
    ++*(model ? &loaded : &refused);
    const bool as_it_should = entry ? !model || !must_be_refused(entry) : model != NULL;
    if (!as_it_should) {
      printf("%s: %s\n", list.path[i], model ? "loaded, but should be refused" : error.message);
      ++failed;
    }
    if (!model && (!error.file[0] || !strstr(error.message, error.file))) {
      printf("no place in the message: %s\n", error.message);
      ++failed;
    }
    limpet_model_destroy(model);
  }
  printf("models of MuJoCo: %d loaded, %d refused, %d failures\n", loaded, refused, failed);
  assert_int_equal(failed, 0);
  assert_true(loaded > 0);
  file_list_free(&list);
  json_decref(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(robots_of_the_menagerie_load),
                                     cmocka_unit_test(robots_with_closed_loops_are_fully_supported),
                                     cmocka_unit_test(models_of_mujoco_load_or_are_refused_alike)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
