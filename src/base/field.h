/* base/field.h: how the rows of field tables are written. The type of an element is that of the
 * member, so a row cannot claim another. */
#ifndef LIMPET_BASE_FIELD_H
#define LIMPET_BASE_FIELD_H

#include <math.h>

#include "limpet/field.h"

// Type of an element; enums, descriptors and structs are named by their rows.
#define LIMPET_FIELD_TYPE(expression) \
  _Generic((expression),                     \
      double: LIMPET_FIELD_DOUBLE,           \
      float: LIMPET_FIELD_FLOAT,             \
      int: LIMPET_FIELD_INT,                 \
      unsigned: LIMPET_FIELD_UNSIGNED,       \
      long: LIMPET_FIELD_INT64,              \
      long long: LIMPET_FIELD_INT64,         \
      unsigned long: LIMPET_FIELD_UINT64,    \
      unsigned long long: LIMPET_FIELD_UINT64, \
      bool: LIMPET_FIELD_BOOL,               \
      const char *: LIMPET_FIELD_TEXT,       \
      default: LIMPET_FIELD_OPAQUE)

// Digits of a named number, for shapes: "nv x " LIMPET_FIELD_DIGITS(SIZE).
#define LIMPET_FIELD_DIGITS(number) LIMPET_FIELD_DIGITS_OF(number)
#define LIMPET_FIELD_DIGITS_OF(number) #number

#define LIMPET_FIELD_OF(type, member) (((type *)0)->member)
#define LIMPET_FIELD_NO_RANGE .value = NAN, .minimum = NAN, .maximum = NAN
#define LIMPET_FIELD_PLACE(struct_type, member)             \
  .name = #member, .offset = offsetof(struct_type, member), \
  .size = sizeof LIMPET_FIELD_OF(struct_type, member)

// First entries of a row: a member that is one element, an array in the struct, or a pointer to
// elements.
#define LIMPET_FIELD_ONE(struct_type, member)                 \
  LIMPET_FIELD_PLACE(struct_type, member),                    \
      .element = sizeof LIMPET_FIELD_OF(struct_type, member), \
      .type = LIMPET_FIELD_TYPE(LIMPET_FIELD_OF(struct_type, member))
#define LIMPET_FIELD_INSIDE(struct_type, member)               \
  LIMPET_FIELD_PLACE(struct_type, member),                     \
      .element = sizeof *LIMPET_FIELD_OF(struct_type, member), \
      .type = LIMPET_FIELD_TYPE(*LIMPET_FIELD_OF(struct_type, member))
#define LIMPET_FIELD_POINTER(struct_type, member) \
  LIMPET_FIELD_INSIDE(struct_type, member), .pointer = true
// The same for a member whose type its row must say: one, or a pointer to elements.
#define LIMPET_FIELD_MEMBER(struct_type, member, kind)                                             \
  LIMPET_FIELD_PLACE(struct_type, member), .element = sizeof LIMPET_FIELD_OF(struct_type, member), \
                                           .type = kind
#define LIMPET_FIELD_MEMBERS(struct_type, member, kind) \
  LIMPET_FIELD_PLACE(struct_type, member),              \
      .element = sizeof *LIMPET_FIELD_OF(struct_type, member), .type = kind, .pointer = true

// The table of a struct from its rows.
#define LIMPET_FIELD_TABLE(struct_type, rows) \
  { #struct_type, sizeof(struct_type), sizeof(rows) / sizeof *(rows), rows }

/* What a value of the field must be, for messages: "lie between 0 and 1 m/s", "be at least 0".
 * Returns `text` (size). */
const char *limpet_field_demand(const limpet_field *field, char *text, size_t size);

/* Hash of the fields that have one of the bits `uses`, in the order of the table: whole arrays, by
 * the dimensions of `scope` (scope_count). */
uint64_t limpet_fields_hash(uint64_t hash, const limpet_field_table *table, const void *record,
                            unsigned uses, const limpet_field_scope *scope, int scope_count);

/* A parameter of a descriptor that is a setting of the step, or a field of a material, of the same
 * name: unit and range are those of the field, and so is the default where `standard` is NAN
 * (limpet_step_parameter). */
#define LIMPET_SETTING(name, standard, text) \
  { name, NULL, standard, NAN, NAN, text }
// Likewise, with a minimum above that of the field.
#define LIMPET_SETTING_FROM(name, standard, minimum, text) \
  { name, NULL, standard, minimum, NAN, text }

#endif
