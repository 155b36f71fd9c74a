/* tests/dynamics/test_golden_tables.c: dynamics against golden values, on models built from the
 * tables of the golden files themselves.
 *
 * The importer has no part in it: what fails here is dynamics or compilation. Files with tendons or
 * sites are left out, because the tables do not say what those are made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "golden_dynamics.h"

static void numbers(double *values, const json_t *row, const char *field, int count) {
  json_numbers(json_object_get(row, field), values, count);
}

static bool flag(const json_t *row, const char *field) {
  const json_t *value = json_object_get(row, field);
  return json_is_true(json_is_array(value) ? json_array_get(value, 0) : value);
}

static int word_index(const char *word, const char *const *words, int count) {
  for (int i = 0; i < count; ++i)
    if (strcmp(word, words[i]) == 0) return i;
  return -1;
}

static void add_bodies(limpet_builder *builder, const json_t *rows) {
  for (size_t b = 1; b < json_array_size(rows); ++b) {
    const json_t *row = json_array_get(rows, b);
    limpet_body_description body = limpet_body_description_default();
    double I[9] = {0};
    body.parent = (int)golden_number(row, "parent");
    numbers(body.position, row, "pos", 3);
    numbers(body.quaternion, row, "quat", 4);
    body.has_inertial = true;
    body.mass = golden_number(row, "mass");
    numbers(body.com, row, "com", 3);
    numbers(I, row, "inertia", 9);
    const double inertia[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
    memcpy(body.inertia, inertia, sizeof inertia);
    body.gravity_compensation = golden_number(row, "gravcomp");
    body.mocap = flag(row, "mocap");
    limpet_builder_add_body(builder, &body);
  }
}

static void add_joints(limpet_builder *builder, const json_t *rows, const json_t *reference) {
  static const char *const kinds[] = {"free", "ball", "slide", "hinge"};
  for (size_t j = 0; j < json_array_size(rows); ++j) {
    const json_t *row = json_array_get(rows, j);
    limpet_joint_description joint = limpet_joint_description_default();
    double spring[7] = {0}, first[6] = {0};
    joint.body = (int)golden_number(row, "body");
    joint.kind = (limpet_joint_kind)word_index(golden_string(row, "type"), kinds, 4);
    numbers(joint.position, row, "pos", 3);
    numbers(joint.axis, row, "axis", 3);
    numbers(spring, row, "springref", 7);
    if (joint.kind == LIMPET_JOINT_PRISMATIC || joint.kind == LIMPET_JOINT_REVOLUTE) {
      joint.reference =
          json_number_value(json_array_get(reference, (size_t)golden_number(row, "qposadr")));
      joint.spring_reference = spring[0];
    }
    joint.stiffness = golden_number(row, "stiffness");
    numbers(first, row, "damping", 6);
    joint.damping = first[0];
    numbers(first, row, "armature", 6);
    joint.armature = first[0];
    joint.effort_limited = flag(row, "actfrclimited");
    if (joint.effort_limited) numbers(joint.effort_range, row, "actfrcrange", 2);
    limpet_builder_add_joint(builder, &joint);
  }
}

static void add_actuators(limpet_builder *builder, const json_t *rows) {
  static const char *const activations[] = {"none", "integrator", "filter", "filterexact"};
  for (size_t i = 0; i < json_array_size(rows); ++i) {
    const json_t *row = json_array_get(rows, i);
    limpet_actuator_description actuator = limpet_actuator_description_default();
    double target[2] = {0};
    numbers(target, row, "trnid", 2);
    actuator.transmission = LIMPET_TRANSMISSION_JOINT;
    actuator.target = (int)target[0];
    numbers(actuator.gear, row, "gear", 6);
    actuator.control_limited = flag(row, "ctrllimited");
    actuator.force_limited = flag(row, "forcelimited");
    actuator.activation_limited = flag(row, "actlimited");
    numbers(actuator.control_range, row, "ctrlrange", 2);
    numbers(actuator.force_range, row, "forcerange", 2);
    numbers(actuator.activation_range, row, "actrange", 2);
    actuator.activation =
        (limpet_activation)word_index(golden_string(row, "dyntype"), activations, 4);
    numbers(&actuator.activation_time, row, "dynprm", 1);
    numbers(actuator.gain, row, "gainprm", 3);
    if (strcmp(golden_string(row, "biastype"), "none") != 0)
      numbers(actuator.bias, row, "biasprm", 3);
    actuator.group = (int)golden_number(row, "group");
    limpet_builder_add_actuator(builder, &actuator);
  }
}

static bool tables_suffice(const json_t *file) {
  static const char *const missing[] = {"tendon",          "trn_site",
                                        "trn_so3",         "trn_body",
                                        "trn_slidercrank", "disabled_actuator_groups",
                                        "actuator_delay",  "fluid"};
  for (size_t i = 0; i < sizeof missing / sizeof *missing; ++i)
    if (golden_has_feature(file, missing[i])) return false;
  return true;
}

static int compare_file(const json_t *file) {
  limpet_builder *builder = limpet_builder_create();
  limpet_options *options = limpet_builder_options(builder);
  const json_t *option = json_object_get(file, "option");
  numbers(options->gravity, option, "gravity", 3);
  if (golden_has_feature(file, "disable_gravity")) options->disabled |= LIMPET_DISABLE_GRAVITY;
  if (golden_has_feature(file, "disable_damper")) options->disabled |= LIMPET_DISABLE_DAMPER;
  add_bodies(builder, json_object_get(file, "mass"));
  add_joints(builder, json_object_get(file, "joints"),
             json_object_get(json_array_get(json_object_get(file, "states"), 0), "qpos"));
  add_actuators(builder, json_object_get(file, "actuators"));
  limpet_error error = {0};
  limpet_model *model = limpet_builder_compile(builder, &error);
  limpet_builder_destroy(builder);
  if (!model) {
    printf("%s: %s\n", golden_string(file, "model"), error.message);
    return -1;
  }
  golden_match match = golden_match_create(file, model);
  const int states = golden_states_compare(&match);
  golden_match_destroy(&match);
  limpet_model_destroy(model);
  return states;
}

static void golden_dynamics_of_the_tables(void **state) {
  (void)state;
  if (!shared_exists("golden/dynamics")) skip();
  int files = 0, states = 0, failures = 0;
  static const char *const folders[] = {"golden/dynamics/menagerie", "golden/dynamics/mjcf"};
  for (int f = 0; f < 2; ++f) {
    file_list list = file_list_find(shared_path(folders[f]), ".json");
    for (int i = 0; i < list.count; ++i) {
      json_t *file = json_read(list.path[i]);
      assert_non_null(file);
      if (tables_suffice(file)) {
        const int compared = compare_file(file);
        if (compared < 0) ++failures;
        else states += compared, ++files;
      }
      json_decref(file);
    }
    file_list_free(&list);
  }
  printf("golden tables: %d files, %d states compared, %d failed\n", files, states, failures);
  assert_int_equal(failures, 0);
  assert_true(files > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(golden_dynamics_of_the_tables)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
