/* tests/step/test_golden_scenes.c: whole scenes against an independent minimiser
 * (../shared/golden/contact/scenes): contacts at step 0, constraints of step 1, states after 1, 2,
 * 5, ... steps, for every contact model. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "golden_scene.h"

static bool states_agree(const char *name, const limpet_model *model, const limpet_data *data,
                         const json_t *expected) {
  double scene_q[256], scene_v[256], q[256], v[256];
  json_numbers(json_object_get(expected, "q"), scene_q, 256);
  json_numbers(json_object_get(expected, "v"), scene_v, 256);
  golden_scene_state(model, scene_q, scene_v, q, v);
  double worst_q = 0.0, worst_v = 0.0;
  for (int j = 0; j < model->joint_count; ++j) {
    const int a = model->joint_q[j];
    if (model->joint_kind[j] != LIMPET_JOINT_FREE) {
      worst_q = fmax(worst_q, fabs(q[a] - data->q[a]));
      continue;
    }
    const double sign = q[a + 3] * data->q[a + 3] + q[a + 4] * data->q[a + 4] +
                        q[a + 5] * data->q[a + 5] + q[a + 6] * data->q[a + 6];
    for (int k = 0; k < 7; ++k)
      worst_q = fmax(worst_q, fabs((k > 2 && sign < 0 ? -q[a + k] : q[a + k]) - data->q[a + k]));
  }
  for (int i = 0; i < model->nv; ++i) worst_v = fmax(worst_v, fabs(v[i] - data->v[i]));
  // contact points of capsule pairs come from an iteration in Drake (README, note 7) that ends 2e-9
  // m from the closed form
  const double capsules = strstr(name, "capsule_capsule") ? 2e-6 : 0.0;
  const double tolerance_q = fmax(capsules, golden_scene_number(expected, "tolerance_q", 0.0));
  const double tolerance_v = fmax(capsules, golden_scene_number(expected, "tolerance_v", 0.0));
  if (worst_q <= tolerance_q && worst_v <= tolerance_v) return true;
  printf("%s, step %d: q differs by %.3g (allowed %.3g), v by %.3g (allowed %.3g)\n", name,
         (int)golden_scene_number(expected, "step", 0), worst_q, tolerance_q, worst_v, tolerance_v);
  return false;
}

// Contacts of step 0 by name: distance, normal, point. Ours are those of the first step.
static bool contacts_agree(const char *name, const limpet_model *model, const limpet_data *data,
                           const json_t *root) {
  const json_t *contacts = json_object_get(root, "contacts_step_0");
  bool good = (int)json_array_size(contacts) == data->contact_count;
  if (!good)
    printf("%s: %d contacts, expected %d\n", name, data->contact_count,
           (int)json_array_size(contacts));
  // capsule pairs are iterative in Drake (README, note 7): its contact geometry is good to 1e-6
  const double tolerance = strstr(name, "capsule_capsule") ? 1e-5 : 1e-11;
  size_t i;
  json_t *contact;
  json_array_foreach(contacts, i, contact) {
    const int a = limpet_model_find(model, LIMPET_OBJECT_GEOM, golden_scene_text(contact, "a"));
    const int b = limpet_model_find(model, LIMPET_OBJECT_GEOM, golden_scene_text(contact, "b"));
    double normal[3], point[3];
    json_numbers(json_object_get(contact, "normal_a_to_b"), normal, 3);
    json_numbers(json_object_get(contact, "point"), point, 3);
    int found = -1;
    for (int k = 0; k < data->contact_count; ++k) {
      const int *geom = data->contact_geom + 2 * k;
      if ((geom[0] == a && geom[1] == b) || (geom[0] == b && geom[1] == a)) found = k;
    }
    if (found < 0) {
      printf("%s: contact of %s and %s is missing\n", name, golden_scene_text(contact, "a"),
             golden_scene_text(contact, "b"));
      good = false;
      continue;
    }
    const double sign = data->contact_geom[2 * found] == a ? 1.0 : -1.0;
    double worst = fabs(data->contact_distance[found] - golden_scene_number(contact, "phi", NAN));
    for (int k = 0; k < 3; ++k) {
      worst = fmax(worst, fabs(sign * data->contact_frame[9 * found + 6 + k] - normal[k]));
      worst = fmax(worst, fabs(data->contact_position[3 * found + k] - point[k]));
    }
    worst = fmax(
        worst, fabs(data->contact_friction[found] - golden_scene_number(contact, "friction", NAN)));
    worst = fmax(worst, fabs(data->contact_stiffness[found] /
                                 golden_scene_number(contact, "stiffness", NAN) -
                             1.0));
    if (!(worst <= tolerance)) {
      printf(
          "%s: contact of %s and %s differs by %.3g: distance %.15g, point %.15g %.15g %.15g, "
          "normal %.9g %.9g %.9g\n",
          name, golden_scene_text(contact, "a"), golden_scene_text(contact, "b"), worst,
          data->contact_distance[found], data->contact_position[3 * found],
          data->contact_position[3 * found + 1], data->contact_position[3 * found + 2],
          data->contact_frame[9 * found + 6], data->contact_frame[9 * found + 7],
          data->contact_frame[9 * found + 8]);
      good = false;
    }
  }
  return good;
}

static double worst_of(double worst, double a, double b, double scale) {
  return fmax(worst, fabs(a - b) / scale);
}

/* Errors and impulses of the constraints of step 1, by name; a limit's two rows are told apart by
 * their errors. Impulses are as well conditioned as the velocities of step 1, whose tolerance is
 * 1e-11 of momenta of the order of the impulses. */
static bool constraints_agree(const char *name, const limpet_model *model, const limpet_data *data,
                              const json_t *constraints, int *compared) {
  static const limpet_object objects[] = {LIMPET_OBJECT_JOINT, LIMPET_OBJECT_COUPLER,
                                          LIMPET_OBJECT_LOOP, LIMPET_OBJECT_TENDON};
  const double dt = model->options.time_step;
  double worst = 0.0;
  size_t i;
  json_t *constraint;
  json_array_foreach(constraints, i, constraint) {
    const json_t *errors = json_object_get(constraint, "g"),
                 *impulses = json_object_get(constraint, "impulse");
    if (!errors) continue;  // actuators: their force is in the states
    int target = LIMPET_NONE;
    for (size_t k = 0; k < 4 && target == LIMPET_NONE; ++k)
      target = limpet_model_find(model, objects[k], golden_scene_text(constraint, "name"));
    assert_true(target >= 0);
    double g[6], impulse[6], scale = 1e-3;
    const int count = (int)json_array_size(errors);
    json_numbers(errors, g, 6);
    json_numbers(impulses, impulse, 6);
    for (int k = 0; k < count; ++k) scale = fmax(scale, fabs(impulse[k]));
    // limits have one or two entries, each a row of its own
    const int rows = count > 2 ? count : 1;
    for (int k = 0, next = 0; k < count; k += rows) {
      int found = -1;
      for (int r = next; r + rows <= data->constraint_count && found < 0; ++r)
        if (data->constraint_target[r] == target && fabs(data->constraint_error[r] - g[k]) < 1e-9)
          found = r;
      if (found < 0 && impulse[k] == 0.0) continue;  // out of reach
      assert_true(found >= 0);
      next = found + rows;
      for (int r = 0; r < rows; ++r) {
        worst = worst_of(worst, data->constraint_error[found + r], g[k + r], 1.0);
        worst = worst_of(worst, dt * data->constraint_force[found + r], impulse[k + r], scale);
      }
      ++*compared;
    }
  }
  if (worst <= 1e-10) return true;
  printf("%s: constraints of step 1 differ by %.3g\n", name, worst);
  return false;
}

/* Runs one scene with one model. Steps that are not well conditioned are compared only if they are
 * the first. Returns how many states differ. */
static int run_scene(const json_t *root, const char *key, const json_t *results, int *compared,
                     int *constraints) {
  const limpet_contact_model *contact_model = limpet_contact_model_find(key);
  limpet_model *model = golden_scene_compile(root);
  limpet_data *data = limpet_data_create(model);
  double scene_q[256], scene_v[256];
  json_numbers(json_object_get(json_object_get(root, "initial"), "q"), scene_q, 256);
  json_numbers(json_object_get(json_object_get(root, "initial"), "v"), scene_v, 256);
  golden_scene_state(model, scene_q, scene_v, data->q, data->v);
  golden_scene_controls(model, data, root);
  const limpet_step_settings settings = golden_scene_settings(model, root, contact_model);

  char name[256];
  snprintf(name, sizeof name, "%s %s", golden_scene_text(root, "name"), key);
  int failed = 0, step = 0;
  size_t i;
  json_t *expected;
  json_array_foreach(json_object_get(results, "expected"), i, expected) {
    for (const int target = (int)golden_scene_number(expected, "step", 0); step < target; ++step) {
      if (limpet_step(model, data, &settings) > LIMPET_OUTCOME_ITERATION_LIMIT)
        printf("%s: step %d failed\n", name, step + 1), ++failed;
      if (step == 0) failed += !contacts_agree(name, model, data, root);
      if (step == 0)
        failed += !constraints_agree(name, model, data,
                                     json_object_get(results, "constraints_step_1"), constraints);
    }
    if (!json_is_true(json_object_get(expected, "well_conditioned")) && i > 0) continue;
    failed += !states_agree(name, model, data, expected);
    ++*compared;
  }
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return failed;
}

static void golden_scenes_of_all_models(void **state) {
  (void)state;
  if (!shared_exists("golden/contact/scenes")) skip();
  file_list files = file_list_find(shared_path("golden/contact/scenes"), ".json");
  int compared = 0, failed = 0, scenes = 0, constraints = 0, left = 0;
  const char *only = getenv("LIMPET_SCENE");
  for (int i = 0; i < files.count; ++i) {
    if (only && !strstr(files.path[i], only)) continue;
    json_t *root = json_read(files.path[i]);
    assert_non_null(root);
    const char *key;
    json_t *results;
    json_object_foreach(json_object_get(root, "models"), key, results) {
      const int before = compared;
      failed += run_scene(root, key, results, &compared, &constraints);
      left += (int)json_array_size(json_object_get(results, "expected")) - (compared - before);
    }
    ++scenes;
    json_decref(root);
  }
  printf(
      "golden_scenes: %d scenes, %d states and %d constraints compared, %d differ; %d states left "
      "out: ill-conditioned\n",
      scenes, compared, constraints, failed, left);
  file_list_free(&files);
  assert_true(compared > 0);
  assert_int_equal(failed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(golden_scenes_of_all_models)};
  return cmocka_run_group_tests_name("golden_scenes", tests, NULL, NULL);
}
