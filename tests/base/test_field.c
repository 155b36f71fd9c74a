/* tests/base/test_field.c: shapes, elements, defaults and ranges by a table of fields. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <limits.h>
#include <string.h>

#include <cmocka.h>

#include "base/field.h"
#include "base/hash.h"

typedef struct inner {
  int rows;
  double weight;
} inner;

typedef struct outer {
  double number;
  int columns;
  bool flag;
  inner size;
  double triple[3];
  const float *matrix;
} outer;

static const limpet_field_table *inner_fields(void);
static const double triple_default[3] = {1.0, 2.0, 3.0};

static const limpet_field inner_rows[] = {
    {LIMPET_FIELD_ONE(inner, rows), .shape = "", .value = 4, .minimum = 1, .maximum = 9, .uses = 1},
    {LIMPET_FIELD_ONE(inner, weight), .shape = "", LIMPET_FIELD_NO_RANGE},
};
static const limpet_field outer_rows[] = {
    {LIMPET_FIELD_ONE(outer, number), .shape = "", .value = 0.5, .minimum = 0, .maximum = 1,
     .uses = 1},
    {LIMPET_FIELD_ONE(outer, columns), .shape = "", .value = 3, .minimum = 0, .maximum = 9},
    {LIMPET_FIELD_ONE(outer, flag), .shape = "", .value = true, .minimum = 0, .maximum = 1,
     .uses = 1},
    {LIMPET_FIELD_MEMBER(outer, size, LIMPET_FIELD_STRUCT), .shape = "", LIMPET_FIELD_NO_RANGE,
     .fields = inner_fields, .uses = 1},
    {LIMPET_FIELD_INSIDE(outer, triple), .shape = "3", .value = NAN, .values = triple_default,
     .minimum = -INFINITY, .maximum = INFINITY},
    {LIMPET_FIELD_POINTER(outer, matrix), .shape = "size.rows + 1 x columns x 2",
     LIMPET_FIELD_NO_RANGE, .uses = 1},
};
static const limpet_field_table inner_table = LIMPET_FIELD_TABLE(inner, inner_rows),
                                outer_table = LIMPET_FIELD_TABLE(outer, outer_rows);
static const limpet_field_table *inner_fields(void) { return &inner_table; }

static void types_are_those_of_the_members(void **state) {
  (void)state;
  static const limpet_field_type types[] = {LIMPET_FIELD_DOUBLE, LIMPET_FIELD_INT,
                                            LIMPET_FIELD_BOOL,   LIMPET_FIELD_STRUCT,
                                            LIMPET_FIELD_DOUBLE, LIMPET_FIELD_FLOAT};
  assert_int_equal(outer_table.count, 6);
  for (int i = 0; i < outer_table.count; ++i)
    assert_int_equal(outer_table.fields[i].type, types[i]);
  assert_int_equal(outer_table.fields[5].element, sizeof(float));
  assert_string_equal(limpet_field_type_word(LIMPET_FIELD_BOOL), "bool");
  assert_ptr_equal(limpet_field_find(&outer_table, "flag"), &outer_rows[2]);
  assert_null(limpet_field_find(&outer_table, "fla"));
}

static void defaults_fill_structs_inside(void **state) {
  (void)state;
  outer record;
  memset(&record, 0x55, sizeof record);
  limpet_fields_reset(&outer_table, &record);
  assert_true(record.number == 0.5 && record.columns == 3 && record.flag);
  assert_true(record.size.rows == 4 && record.triple[0] == 1.0 && record.triple[2] == 3.0);
}

static void shapes_follow_the_numbers(void **state) {
  (void)state;
  outer record = {.columns = 3, .size = {.rows = 4}};
  const limpet_field_scope scope = {&outer_table, &record};
  int shape[LIMPET_FIELD_RANK];
  assert_int_equal(limpet_field_shape(&outer_rows[5], &scope, 1, shape), 3);
  assert_int_equal(shape[0], 5);
  assert_int_equal(shape[1], 3);
  assert_int_equal(shape[2], 2);
  assert_int_equal(limpet_field_count(&outer_rows[5], &scope, 1), 30);
  assert_int_equal(limpet_field_count(&outer_rows[0], &scope, 1), 1);
  record.size.rows = 0;
  assert_int_equal(limpet_field_count(&outer_rows[5], &scope, 1), 6);
}

static void numbers_are_kept_within_their_types(void **state) {
  (void)state;
  outer record = {0};
  limpet_field_assign(&outer_rows[1], &record, 0, 1e12);
  assert_int_equal(record.columns, INT_MAX);
  limpet_field_assign(&outer_rows[1], &record, 0, -INFINITY);
  assert_int_equal(record.columns, INT_MIN);
  limpet_field_assign(&outer_rows[2], &record, 0, 7.0);
  assert_true(limpet_field_number(&outer_rows[2], &record, 0) == 1.0);
  limpet_field_assign(&outer_rows[4], &record, 2, -0.25);
  assert_true(record.triple[2] == -0.25 && record.triple[1] == 0.0);
  assert_true(limpet_field_allows(&outer_rows[0], 0.0) && limpet_field_allows(&outer_rows[0], 1.0));
  assert_false(limpet_field_allows(&outer_rows[0], nextafter(1.0, 2.0)) ||
               limpet_field_allows(&outer_rows[0], NAN));
}

// Fields without the bit, and the padding of a struct inside, are no part of the hash.
static void hash_counts_the_marked_fields(void **state) {
  (void)state;
  float matrix[12] = {0};
  outer record;
  memset(&record, 0, sizeof record);
  record.columns = 1;
  record.size.rows = 5;
  record.matrix = matrix;
  const limpet_field_scope scope = {&outer_table, &record};
  const uint64_t hash = limpet_fields_hash(LIMPET_HASH_START, &outer_table, &record, 1, &scope, 1);
#define CHANGES(place, expected)                                                            \
  do {                                                                                      \
    unsigned char *byte = (unsigned char *)(place);                                         \
    *byte ^= 1;                                                                             \
    assert_int_equal(                                                                       \
        hash != limpet_fields_hash(LIMPET_HASH_START, &outer_table, &record, 1, &scope, 1), \
        expected);                                                                          \
    *byte ^= 1;                                                                             \
  } while (0)
  CHANGES(&record.number, true);
  CHANGES(&record.flag, true);
  CHANGES(&record.size.rows, true);
  CHANGES((unsigned char *)&record.size + sizeof(int), false);
  CHANGES(&record.size.weight, false);
  CHANGES(&record.triple[1], false);
  CHANGES(&matrix[11], true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(types_are_those_of_the_members),
      cmocka_unit_test(defaults_fill_structs_inside),
      cmocka_unit_test(shapes_follow_the_numbers),
      cmocka_unit_test(numbers_are_kept_within_their_types),
      cmocka_unit_test(hash_counts_the_marked_fields),
  };
  return cmocka_run_group_tests_name("fields", tests, NULL, NULL);
}
