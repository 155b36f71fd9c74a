/* limpet/field.h: tables of the fields of public structs. Floor 0.
 *
 * A table has one row for each field: name, place, type, shape, unit, range, default, text.
 * Defaults, command-line options, logs, hashes, memory layout, JSON and docs are made from it, and
 * so can be the views of another language. Each struct has a function that gives its table, such
 * as limpet_step_settings_fields(). */
#ifndef LIMPET_FIELD_H
#define LIMPET_FIELD_H

#include "limpet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum limpet_field_type {  // of one element
  LIMPET_FIELD_DOUBLE,
  LIMPET_FIELD_FLOAT,
  LIMPET_FIELD_INT,
  LIMPET_FIELD_UNSIGNED,
  LIMPET_FIELD_INT64,
  LIMPET_FIELD_UINT64,
  LIMPET_FIELD_BOOL,
  LIMPET_FIELD_ENUM,        // an int
  LIMPET_FIELD_TEXT,        // const char *
  LIMPET_FIELD_DESCRIPTOR,  // pointer to a struct that begins with a limpet_descriptor
  LIMPET_FIELD_STRUCT,      // a struct that has a table of its own
  LIMPET_FIELD_OPAQUE       // anything else
} limpet_field_type;

enum {                             // bits of limpet_field.uses
  LIMPET_FIELD_STATE = 1 << 0,     // data: part of the full state
  LIMPET_FIELD_MOTION = 1 << 1,    // model: decides the motion, so that the hash counts it
  LIMPET_FIELD_RESULT = 1 << 2,    // settings, info: decides or is a result, so that logs keep it
  LIMPET_FIELD_OPTION = 1 << 3,    // settings: an option of the command line
  LIMPET_FIELD_BY_MODEL = 1 << 4,  // settings: contact models bring their own defaults
  LIMPET_FIELD_PACKED = 1 << 5,    // data: rows in use come first; a row that begins with 0 is free
  LIMPET_FIELD_STEP = 1 << 6,      // data: an array that each step points to another place
  LIMPET_FIELD_CLOCK = 1 << 7  // info: differs between equal runs, so that logs keep it on demand
};

typedef struct limpet_field_table limpet_field_table;

typedef struct limpet_field {
  const char *name;        // a field of a group: "compatibility.single_point"
  size_t offset;           // [bytes]  of the member in the struct
  size_t size;             // [bytes]  of the member; of a pointer, that of the pointer
  size_t element;          // [bytes]  of one element
  limpet_field_type type;  // of one element
  bool pointer;            // the member points to the elements; else they lie in the struct
  /* "": a single element. Else dimensions, the slowest first: "nv", "body_count x 3",
   * "tendon_count + 1"; names are fields of the struct itself, of limpet_data or limpet_model. */
  const char *shape;
  const char *unit;         // "1": a pure number; NULL: has none
  double value;             // default; NAN: none, or not a number
  const double *values;     // default of an array whose elements differ; NULL: all are `value`
  double minimum, maximum;  // range of an input; NAN: not bounded
  const char *word;         // default of a descriptor, by name; else NULL
  const char *stage;        // function that fills it; NULL: the user, or compilation
  const char *text;         // what it is, in one sentence
  unsigned uses;            // LIMPET_FIELD_ bits
  const void *(*find)(const char *name);      // of a descriptor: what has that name, or NULL
  const limpet_field_table *(*fields)(void);  // of a struct: its table
} limpet_field;

struct limpet_field_table {
  const char *name;  // of the struct: "limpet_step_settings"
  size_t size;       // [bytes]  of the struct
  int count;
  const limpet_field *fields;  // (count)  in the order of the struct
};

// A struct whose whole numbers give dimensions their names.
typedef struct limpet_field_scope {
  const limpet_field_table *table;
  const void *record;
} limpet_field_scope;

enum { LIMPET_FIELD_RANK = 3 };  // dimensions of a shape, at most

// The field of that name, or NULL.
LIMPET_API const limpet_field *limpet_field_find(const limpet_field_table *table, const char *name);
// The name without its group: "single_point" of "compatibility.single_point".
LIMPET_API const char *limpet_field_last_name(const limpet_field *field);
// "double", "int", "bool", ...
LIMPET_API const char *limpet_field_type_word(limpet_field_type type);

/* Dimensions of a field, by the numbers that `scope` (scope_count) holds now. Returns how many: 0
 * for a single element. A name that no scope knows is a bug. */
LIMPET_API int limpet_field_shape(const limpet_field *field, const limpet_field_scope *scope,
                                  int scope_count, int shape[LIMPET_FIELD_RANK]);
// The product of the dimensions: how many elements.
LIMPET_API size_t limpet_field_count(const limpet_field *field, const limpet_field_scope *scope,
                                     int scope_count);

// The first element of a field of `record`; for writing, of a record that is not constant.
LIMPET_API const void *limpet_field_elements(const limpet_field *field, const void *record);
LIMPET_API void *limpet_field_elements_of(const limpet_field *field, void *record);

/* Element `index` as a number: booleans are 0 or 1. Writing rounds towards zero and keeps within
 * what the type holds. Only of types that are numbers (limpet_field_is_number). */
LIMPET_API bool limpet_field_is_number(const limpet_field *field);
LIMPET_API double limpet_field_number(const limpet_field *field, const void *record, int index);
LIMPET_API void limpet_field_assign(const limpet_field *field, void *record, int index,
                                    double value);
// Whether a value lies within the range of the field.
LIMPET_API bool limpet_field_allows(const limpet_field *field, double value);

// Every field of `record` its default: numbers, descriptors by name; what has none stays.
LIMPET_API void limpet_fields_reset(const limpet_field_table *table, void *record);

#ifdef __cplusplus
}
#endif
#endif
