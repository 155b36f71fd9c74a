/* control/json.h: reading JSON objects with errors that say file, line and place. */
#ifndef LIMPET_CONTROL_JSON_H
#define LIMPET_CONTROL_JSON_H

#include <jansson.h>

#include "limpet/base.h"

typedef struct limpet_json_source {
  const char *file, *text;  // file may be NULL
  limpet_error *error;      // may be NULL
} limpet_json_source;

// A value and where it stands: member `key` of its parent, or element `index` where key is NULL.
typedef struct limpet_json {
  const json_t *value;
  const limpet_json_source *source;
  const struct limpet_json *parent;  // NULL: the whole text
  const char *key;
  size_t index;
} limpet_json;

// Fills the error of a text that json_loads refuses; `kind`: what it should be ("plan").
void limpet_json_refused(limpet_error *error, const char *file, const char *kind, const char *text,
                         const json_error_t *wrong);

/* Fills the error with "file:line: a.b[2]: text" and returns false. */
bool limpet_json_fail(const limpet_json *json, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Returns false where there is none; that is no error.
bool limpet_json_member(limpet_json *member, const limpet_json *object, const char *key);
limpet_json limpet_json_element(const limpet_json *array, size_t index);
// Whether it is an object that has no other keys than those of the list, which NULL ends.
bool limpet_json_keys(const limpet_json *object, const char *const *keys);

/* Members of an object. Each returns false, with the error, when the member is not of the kind; an
 * absent one is an error unless a value for it is given. */
bool limpet_json_text(const limpet_json *object, const char *key, const char *absent,
                      const char **value);
// Index into the words (NULL ends them); absent: -1 asks for it.
bool limpet_json_choice(const limpet_json *object, const char *key, const char *const *words,
                        int absent, int *value);
bool limpet_json_boolean(const limpet_json *object, const char *key, bool absent, bool *value);
bool limpet_json_number(const limpet_json *object, const char *key, const double *absent,
                        double *value);
// One number for all, or a list of `count`.
bool limpet_json_numbers(const limpet_json *object, const char *key, int count,
                         const double *absent, double *values);
// A list of exactly `count` finite numbers.
bool limpet_json_list(const limpet_json *list, int count, double *values);
// The member as a list of at least one element and at most `most`.
bool limpet_json_array(limpet_json *array, const limpet_json *object, const char *key, size_t most);

// " (did you mean '...'?)" for the word of the list that is nearest, or "".
const char *limpet_json_hint(char *text, size_t size, const char *word, const char *const *words);

#endif
