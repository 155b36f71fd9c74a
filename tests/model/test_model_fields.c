/* tests/model/test_model_fields.c: memory, hash and state go by the tables of fields: each array
 * has its place, and what decides the motion changes the hash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/field.h"
#include "limpet/data.h"
#include "model/model_storage.h"
#include "small_models.h"

// Every size of a model that its arrays go by is two.
static limpet_model sizes_of_two(void) {
  limpet_model sizes;
  memset(&sizes, 0, sizeof sizes);
  const limpet_field_table *table = limpet_model_fields();
  for (int i = 0; i < table->count; ++i)
    if (table->fields[i].type == LIMPET_FIELD_INT && !table->fields[i].pointer)
      limpet_field_assign(&table->fields[i], &sizes, 0, 2.0);
  // the hash follows the pointers of clouds and deformable bodies
  sizes.cloud_count = sizes.deformable_count = 0;
  return sizes;
}

static size_t bytes_of(const limpet_field *field, const limpet_model *model) {
  const limpet_field_scope scope = {limpet_model_fields(), model};
  return limpet_field_count(field, &scope, 1) * field->element;
}

// Arrays that do not decide the motion. All others must change the hash.
static bool decides_motion(const char *name) {
  static const char *const others[] = {"body_inertia_quaternion",
                                       "geom_group",
                                       "geom_rgba",
                                       "geom_appearance",
                                       "texture",
                                       "appearance",
                                       "site_kind",
                                       "site_size",
                                       "mesh",
                                       "cloud",
                                       "geom_field",
                                       "actuator_group",
                                       "note"};
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
    if (strcmp(name, others[i]) == 0) return false;
  return strncmp(name, "keyframe_", 9) != 0 && strncmp(name, "sensor_", 7) != 0 &&
         strncmp(name, "camera_", 7) != 0;
}

/* Each byte of each array is changed in turn, but those between the members of a material or a
 * motor, which are no part of it. */
static void every_array_that_decides_motion_changes_the_hash(void **state) {
  (void)state;
  const limpet_model sizes = sizes_of_two();
  limpet_model_storage *storage = limpet_model_storage_create(&sizes, 64);
  assert_non_null(storage);
  limpet_model *model = &storage->model;
  const limpet_field_table *table = limpet_model_fields();
  const uint64_t hash = limpet_model_hash(model);
  int arrays = 0;
  for (int i = 0; i < table->count; ++i) {
    const limpet_field *field = &table->fields[i];
    if (!field->pointer) continue;
    const size_t size = bytes_of(field, model);
    unsigned char *bytes = limpet_field_elements_of(field, model);
    assert_int_equal((uintptr_t)bytes % 64, 0);
    size_t changing = 0;
    for (size_t k = 0; k < size && field->type != LIMPET_FIELD_OPAQUE; ++k) {
      bytes[k] ^= 1;
      changing += limpet_model_hash(model) != hash;
      bytes[k] ^= 1;
    }
    const size_t padding = strcmp(field->name, "geom_material") == 0    ? 2 * 7
                           : strcmp(field->name, "actuator_motor") == 0 ? 2 * 4
                                                                        : 0;
    if (changing != (decides_motion(field->name) ? size - padding : 0))
      fail_msg("%s: %zu of %zu bytes change the hash", field->name, changing, size);
    ++arrays;
  }
  assert_true(arrays > 140);
  limpet_arena_destroy(&storage->arena);
  free(storage);
}

static void options_that_decide_motion_change_the_hash(void **state) {
  (void)state;
  static const char *const deciding[] = {"gravity", "time_step", "density",      "viscosity",
                                         "wind",    "disabled",  "friction_rule"};
  enum { DECIDING = sizeof deciding / sizeof *deciding };
  limpet_model *model = small_compile(small_everything());
  const uint64_t hash = limpet_model_hash(model);
  assert_true(model->hash == hash);
  int found = 0;
  for (int i = 0; i < limpet_options_fields()->count; ++i) {
    const limpet_field *field = &limpet_options_fields()->fields[i];
    bool decides = false;
    for (int k = 0; k < DECIDING; ++k) decides |= strcmp(deciding[k], field->name) == 0;
    const double value = limpet_field_number(field, &model->options, 0);
    if (strcmp(field->name, "anchor_count") != 0) {
      limpet_field_assign(field, &model->options, 0, value == 1.0 ? 0.0 : 1.0);
      assert_int_equal(limpet_model_hash(model) != hash, decides);
      limpet_field_assign(field, &model->options, 0, value);
    }
    found += decides;
  }
  assert_int_equal(found, DECIDING);
  limpet_model_destroy(model);
}

// Arrays of a model and of a world lie apart: none reaches into the next.
static void expect_apart(const void *const *begin, const size_t *size, int count) {
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < count; ++k) {
      const uintptr_t first = (uintptr_t)begin[i], other = (uintptr_t)begin[k];
      assert_true(i == k || size[i] == 0 || size[k] == 0 || first + size[i] <= other ||
                  other + size[k] <= first);
    }
}

enum { MOST_FIELDS = 256 };

static void arrays_lie_apart(void **state) {
  (void)state;
  limpet_model *model = small_compile(small_everything());
  limpet_data *data = limpet_data_create(model);
  const void *begin[MOST_FIELDS];
  size_t size[MOST_FIELDS];
  int count = 0;
  for (int i = 0; i < limpet_model_fields()->count; ++i) {
    const limpet_field *field = &limpet_model_fields()->fields[i];
    if (!field->pointer) continue;
    begin[count] = limpet_field_elements(field, model);
    size[count++] = bytes_of(field, model);
  }
  expect_apart(begin, size, count);
  count = 0;
  for (int i = 0; i < limpet_data_fields()->count; ++i) {
    const limpet_field *field = &limpet_data_fields()->fields[i];
    if (!field->pointer) continue;
    begin[count] = limpet_field_elements(field, data);
    size[count++] = limpet_data_field_count(data, field) * field->element;
  }
  assert_true(count > 50);
  expect_apart(begin, size, count);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

/* Every number of the state changes the hash and makes the round trip; of anchors, whose rows are
 * in use up to the first that begins with 0, those in use. */
static void every_number_of_the_state_counts(void **state) {
  (void)state;
  limpet_model *model = small_compile(small_everything());
  limpet_data *data = limpet_data_create(model), *other = limpet_data_create(model);
  data->anchor[0] = data->anchor[LIMPET_ANCHOR_SIZE] = 1.0;
  const uint64_t hash = limpet_data_state_hash(model, data);
  const int size = limpet_data_state_size(model);
  double *numbers = malloc((size_t)size * sizeof *numbers);
  int begin = 0;
  for (int i = 0; i < limpet_data_fields()->count; ++i) {
    const limpet_field *field = &limpet_data_fields()->fields[i];
    if (!(field->uses & LIMPET_FIELD_STATE)) continue;
    const bool packed = field->uses & LIMPET_FIELD_PACKED;
    const int all = (int)limpet_data_field_count(data, field),
              count = packed ? 2 * LIMPET_ANCHOR_SIZE : all;
    for (int k = 0; k < count; ++k) {
      double *number = (double *)limpet_field_elements_of(field, data) + k;
      const double kept = *number;
      *number += 0.25;
      assert_true(limpet_data_state_hash(model, data) != hash);
      limpet_data_state_read(model, data, numbers);
      assert_true(numbers[begin + k] == *number);
      limpet_data_state_write(model, other, numbers);
      assert_true(((const double *)limpet_field_elements(field, other))[k] == *number);
      *number = kept;
    }
    begin += all;
  }
  assert_int_equal(begin, size);
  free(numbers);
  limpet_data_destroy(data);
  limpet_data_destroy(other);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_array_that_decides_motion_changes_the_hash),
      cmocka_unit_test(options_that_decide_motion_change_the_hash),
      cmocka_unit_test(arrays_lie_apart),
      cmocka_unit_test(every_number_of_the_state_counts),
  };
  return cmocka_run_group_tests_name("model fields", tests, NULL, NULL);
}
