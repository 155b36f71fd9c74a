/* base/field.c: reading field tables: names, shapes, elements, defaults. */
#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/field.h"
#include "base/hash.h"

// ----------------------------------------------------------------------------------- names

const limpet_field *limpet_field_find(const limpet_field_table *table, const char *name) {
  assert(table && name);
  for (int i = 0; i < table->count; ++i)
    if (strcmp(table->fields[i].name, name) == 0) return &table->fields[i];
  return NULL;
}

const char *limpet_field_last_name(const limpet_field *field) {
  assert(field);
  const char *dot = strrchr(field->name, '.');
  return dot ? dot + 1 : field->name;
}

const char *limpet_field_type_word(limpet_field_type type) {
  static const char *const words[] = {
      [LIMPET_FIELD_DOUBLE] = "double", [LIMPET_FIELD_FLOAT] = "float",
      [LIMPET_FIELD_INT] = "int",       [LIMPET_FIELD_UNSIGNED] = "unsigned",
      [LIMPET_FIELD_INT64] = "int64",   [LIMPET_FIELD_UINT64] = "uint64",
      [LIMPET_FIELD_BOOL] = "bool",     [LIMPET_FIELD_ENUM] = "enum",
      [LIMPET_FIELD_TEXT] = "text",     [LIMPET_FIELD_DESCRIPTOR] = "descriptor",
      [LIMPET_FIELD_STRUCT] = "struct", [LIMPET_FIELD_OPAQUE] = "opaque",
  };
  assert((int)type >= 0 && type <= LIMPET_FIELD_OPAQUE);
  return words[type];
}

// ----------------------------------------------------------------------------------- shape

/* Value of a dimension's name, `length` characters; false: the table does not have it. A name with
 * a dot is a number of a struct inside. */
static bool dimension_in(const limpet_field_table *table, const void *record, const char *name,
                         size_t length, int *value) {
  const char *dot = memchr(name, '.', length);
  const size_t first = dot ? (size_t)(dot - name) : length;
  for (int i = 0; i < table->count; ++i) {
    const limpet_field *field = &table->fields[i];
    // the first letter tells most apart, without a call
    if (field->name[0] != name[0] || strncmp(field->name, name, first) != 0 || field->name[first])
      continue;
    const void *member = (const char *)record + field->offset;
    if (dot) return dimension_in(field->fields(), member, dot + 1, length - first - 1, value);
    *value = *(const int *)member;
    return field->type == LIMPET_FIELD_INT && !field->pointer;
  }
  return false;
}

static int dimension(const char *name, size_t length, const limpet_field_scope *scope,
                     int scope_count) {
  int value = 0;
  bool known = false;
  if (*name >= '0' && *name <= '9') return atoi(name);
  for (int i = 0; i < scope_count && !known; ++i)
    known = dimension_in(scope[i].table, scope[i].record, name, length, &value);
  assert(known);
  return value;
}

int limpet_field_shape(const limpet_field *field, const limpet_field_scope *scope, int scope_count,
                       int shape[LIMPET_FIELD_RANK]) {
  int rank = 0;
  for (const char *at = field->shape; *at;) {
    const size_t length = strcspn(at, " ");
    assert(rank < LIMPET_FIELD_RANK);
    shape[rank] = dimension(at, length, scope, scope_count);
    at += length;

    // behind a dimension: " + number", then " x " and the next one
    if (strncmp(at, " + ", 3) == 0) {
      shape[rank] += atoi(at + 3);
      at += 3 + strcspn(at + 3, " ");
    }
    if (strncmp(at, " x ", 3) == 0) at += 3;
    ++rank;
  }
  return rank;
}

size_t limpet_field_count(const limpet_field *field, const limpet_field_scope *scope,
                          int scope_count) {
  assert(field && scope_count >= 0);
  int shape[LIMPET_FIELD_RANK];
  const int rank = limpet_field_shape(field, scope, scope_count, shape);
  size_t count = 1;
  for (int i = 0; i < rank; ++i) count *= (size_t)shape[i];
  return count;
}

// -------------------------------------------------------------------------------- elements

const void *limpet_field_elements(const limpet_field *field, const void *record) {
  assert(field && record);
  const void *member = (const char *)record + field->offset, *elements = member;
  if (field->pointer) memcpy(&elements, member, sizeof elements);
  return elements;
}

void *limpet_field_elements_of(const limpet_field *field, void *record) {
  assert(field && record);
  void *member = (char *)record + field->offset, *elements = member;
  if (field->pointer) memcpy(&elements, member, sizeof elements);
  return elements;
}

bool limpet_field_is_number(const limpet_field *field) {
  assert(field);
  return field->type <= LIMPET_FIELD_ENUM;
}

double limpet_field_number(const limpet_field *field, const void *record, int index) {
  const void *elements = limpet_field_elements(field, record);
  switch (field->type) {
    case LIMPET_FIELD_DOUBLE: return ((const double *)elements)[index];
    case LIMPET_FIELD_FLOAT: return (double)((const float *)elements)[index];
    case LIMPET_FIELD_INT:
    case LIMPET_FIELD_ENUM: return ((const int *)elements)[index];
    case LIMPET_FIELD_UNSIGNED: return ((const unsigned *)elements)[index];
    case LIMPET_FIELD_INT64: return (double)((const int64_t *)elements)[index];
    case LIMPET_FIELD_UINT64: return (double)((const uint64_t *)elements)[index];
    case LIMPET_FIELD_BOOL: return ((const bool *)elements)[index] ? 1.0 : 0.0;
    case LIMPET_FIELD_TEXT:
    case LIMPET_FIELD_DESCRIPTOR:
    case LIMPET_FIELD_STRUCT:
    case LIMPET_FIELD_OPAQUE: break;
  }
  assert(false);
  return NAN;
}

static double clamp(double value, double low, double high) {
  return value < low ? low : value > high ? high : value;
}

void limpet_field_assign(const limpet_field *field, void *record, int index, double value) {
  void *elements = limpet_field_elements_of(field, record);
  switch (field->type) {
    case LIMPET_FIELD_DOUBLE: ((double *)elements)[index] = value; return;
    case LIMPET_FIELD_FLOAT: ((float *)elements)[index] = (float)value; return;
    case LIMPET_FIELD_INT:
    case LIMPET_FIELD_ENUM: ((int *)elements)[index] = (int)clamp(value, INT_MIN, INT_MAX); return;
    case LIMPET_FIELD_UNSIGNED:
      ((unsigned *)elements)[index] = (unsigned)clamp(value, 0.0, UINT_MAX);
      return;
    case LIMPET_FIELD_INT64: ((int64_t *)elements)[index] = (int64_t)value; return;
    case LIMPET_FIELD_UINT64: ((uint64_t *)elements)[index] = (uint64_t)value; return;
    case LIMPET_FIELD_BOOL: ((bool *)elements)[index] = value != 0.0; return;
    case LIMPET_FIELD_TEXT:
    case LIMPET_FIELD_DESCRIPTOR:
    case LIMPET_FIELD_STRUCT:
    case LIMPET_FIELD_OPAQUE: break;
  }
  assert(false);
}

bool limpet_field_allows(const limpet_field *field, double value) {
  assert(field);
  return !isnan(value) && !(value < field->minimum) && !(value > field->maximum);
}

const char *limpet_field_demand(const limpet_field *field, char *text, size_t size) {
  const bool named = field->unit && strcmp(field->unit, "1") != 0;
  const char *space = named ? " " : "", *unit = named ? field->unit : "";
  const double low = field->minimum, high = field->maximum;
  if (isfinite(low) && isfinite(high))
    snprintf(text, size, "lie between %g and %g%s%s", low, high, space, unit);
  else if (isfinite(low)) snprintf(text, size, "be at least %g%s%s", low, space, unit);
  else if (isfinite(high)) snprintf(text, size, "be at most %g%s%s", high, space, unit);
  else snprintf(text, size, "be a number");
  return text;
}

// ------------------------------------------------------------------------------------ hash

/* Bytes of the fields with one of the bits `uses`, in the order of the table. Structs inside are
 * hashed field by field, for they may have padding. */
uint64_t limpet_fields_hash(uint64_t hash, const limpet_field_table *table, const void *record,
                            unsigned uses, const limpet_field_scope *scope, int scope_count) {
  for (int i = 0; i < table->count; ++i) {
    const limpet_field *field = &table->fields[i];
    if (!(field->uses & uses)) continue;
    const char *elements = limpet_field_elements(field, record);
    const size_t count = limpet_field_count(field, scope, scope_count);
    if (field->type != LIMPET_FIELD_STRUCT)
      hash = limpet_hash_bytes(hash, elements, count * field->element);
    else
      for (size_t k = 0; k < count; ++k)
        hash =
            limpet_fields_hash(hash, field->fields(), elements + k * field->element, uses, NULL, 0);
  }
  return hash;
}

// -------------------------------------------------------------------------------- defaults

static void field_reset(const limpet_field *field, void *record) {
  void *elements = limpet_field_elements_of(field, record);
  if (field->word) {
    const void *found = field->find(field->word);
    memcpy(elements, &found, sizeof found);
  }
  if (field->type == LIMPET_FIELD_STRUCT && !field->pointer)
    limpet_fields_reset(field->fields(), elements);
  if (!limpet_field_is_number(field) || (isnan(field->value) && !field->values)) return;
  const int count = (int)limpet_field_count(field, NULL, 0);
  for (int i = 0; i < count; ++i)
    limpet_field_assign(field, record, i, field->values ? field->values[i] : field->value);
}

void limpet_fields_reset(const limpet_field_table *table, void *record) {
  assert(table && record);
  for (int i = 0; i < table->count; ++i) field_reset(&table->fields[i], record);
}
