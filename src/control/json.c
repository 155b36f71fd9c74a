/* control/json.c: reading JSON objects with errors that say file, line and place.
 *
 * jansson parses, and knows no lines of values. Where one is wrong the text, which is then right
 * JSON, is walked once more from its beginning along the keys and indices that lead to the
 * value. */
#include "control/json.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text_distance.h"

static const char *blanks_skip(const char *at) {
  while (*at && isspace((unsigned char)*at)) ++at;
  return at;
}

void limpet_json_refused(limpet_error *error, const char *file, const char *kind, const char *text,
                         const json_error_t *wrong) {
  if (*blanks_skip(text) == '<') {
    limpet_error_fill_at(error, LIMPET_ERROR_INPUT, file ? file : kind, 1, 1,
                         "is XML, such as a model; give a %s, which is JSON", kind);
    return;
  }
  limpet_error_fill_at(error, LIMPET_ERROR_INPUT, file ? file : kind,
                       wrong->line > 0 ? wrong->line : 1, wrong->column > 0 ? wrong->column : 1,
                       "is not valid JSON: %s", wrong->text);
}

// ------------------------------------------------------------------------------------ places

// Behind the string that begins here.
static const char *string_skip(const char *at) {
  for (++at; *at && *at != '"'; ++at)
    if (*at == '\\' && at[1]) ++at;
  return *at ? at + 1 : at;
}

// Behind the value that begins here: nothing but brackets and strings matters.
static const char *value_skip(const char *at) {
  int depth = 0;
  for (; *at; ++at) {
    if (*at == '"') at = string_skip(at) - 1;
    else if (*at == '{' || *at == '[') ++depth;
    else if ((*at == '}' || *at == ']') && --depth < 0) return at;
    else if (*at == ',' && depth == 0) return at;
    if (!*at) break;
  }
  return at;
}

// Whether the string at `at` is this key. Keys written with escapes are not found: their object is
// named instead.
static bool key_is(const char *at, const char *key) {
  const size_t length = strlen(key);
  return strncmp(at + 1, key, length) == 0 && at[1 + length] == '"';
}

// Where a member (key) or element (index) of the container at `at` begins, or `at` if it is not
// found.
static const char *child_find(const char *at, const char *key, size_t index) {
  const char *child = blanks_skip(at + 1);
  for (size_t i = 0; *child && *child != '}' && *child != ']'; ++i) {
    if (*at == '{') {
      const bool wanted = key && key_is(child, key);
      child = blanks_skip(string_skip(child));
      if (*child == ':') child = blanks_skip(child + 1);
      if (wanted) return child;
    } else if (!key && i == index) {
      return child;
    }
    child = value_skip(child);
    if (*child == ',') child = blanks_skip(child + 1);
  }
  return at;
}

static const char *place_find(const limpet_json *json) {
  if (!json->parent) return blanks_skip(json->source->text);
  const char *at = place_find(json->parent);
  return *at == '{' || *at == '[' ? child_find(at, json->key, json->index) : at;
}

// Line of a value in the text, which is right JSON.
static int line_of(const limpet_json *json) {
  int line = 1;
  const char *end = place_find(json);
  for (const char *at = json->source->text; at < end; ++at) line += *at == '\n';
  return line;
}

// "a.b[2]" of a value, "" for the whole text.
static size_t path_write(char *text, size_t size, const limpet_json *json) {
  if (!json->parent) {
    text[0] = '\0';
    return 0;
  }
  size_t length = path_write(text, size, json->parent);
  if (json->key)
    length +=
        (size_t)snprintf(text + length, size - length, "%s%.60s", length ? "." : "", json->key);
  else length += (size_t)snprintf(text + length, size - length, "[%zu]", json->index);
  return length < size ? length : size - 1;
}

bool limpet_json_fail(const limpet_json *json, const char *format, ...) {
  char text[700], path[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  path_write(path, sizeof path, json);
  limpet_error_fill_at(json->source->error, LIMPET_ERROR_INPUT,
                       json->source->file ? json->source->file : "controller", line_of(json), 0,
                       "%s%s%s", path, path[0] ? ": " : "", text);
  return false;
}

const char *limpet_json_hint(char *text, size_t size, const char *word, const char *const *words) {
  int least = 1 + (int)strlen(word) / 3;
  const char *best = NULL;
  for (int i = 0; words[i]; ++i) {
    const int distance = limpet_text_distance(word, words[i]);
    if (distance < least || (distance == least && !best)) least = distance, best = words[i];
  }
  text[0] = '\0';
  if (best) snprintf(text, size, " (did you mean '%s'?)", best);
  return text;
}

// ----------------------------------------------------------------------------------- members

bool limpet_json_member(limpet_json *member, const limpet_json *object, const char *key) {
  *member = (limpet_json){.value = json_object_get(object->value, key),
                          .source = object->source,
                          .parent = object,
                          .key = key};
  return member->value != NULL;
}

limpet_json limpet_json_element(const limpet_json *array, size_t index) {
  return (limpet_json){.value = json_array_get(array->value, index),
                       .source = array->source,
                       .parent = array,
                       .index = index};
}

// A list of words for messages: "a, b, c".
static const char *words_join(char *text, size_t size, const char *const *words) {
  size_t length = 0;
  text[0] = '\0';
  for (int i = 0; words[i] && length < size; ++i)
    length += (size_t)snprintf(text + length, size - length, "%s%s", i ? ", " : "", words[i]);
  return text;
}

bool limpet_json_keys(const limpet_json *object, const char *const *keys) {
  if (!json_is_object(object->value)) return limpet_json_fail(object, "must be an object {...}");
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)object->value, key, value) {
    bool known = false;
    for (int i = 0; keys[i] && !known; ++i) known = strcmp(keys[i], key) == 0;
    if (known) continue;
    char hint[160], list[400];
    const limpet_json member = {
        .value = value, .source = object->source, .parent = object, .key = key};
    return limpet_json_fail(&member, "is not known here%s; there are: %s",
                            limpet_json_hint(hint, sizeof hint, key, keys),
                            words_join(list, sizeof list, keys));
  }
  return true;
}

// The member, or false with the error that it is missing.
static bool member_needed(limpet_json *member, const limpet_json *object, const char *key) {
  return limpet_json_member(member, object, key) ||
         limpet_json_fail(object, "\"%s\" is missing", key);
}

bool limpet_json_text(const limpet_json *object, const char *key, const char *absent,
                      const char **value) {
  limpet_json member;
  *value = absent;
  if (absent && !limpet_json_member(&member, object, key)) return true;
  if (!member_needed(&member, object, key)) return false;
  *value = json_string_value(member.value);
  return *value || limpet_json_fail(&member, "must be a text \"...\"");
}

bool limpet_json_choice(const limpet_json *object, const char *key, const char *const *words,
                        int absent, int *value) {
  char hint[160], list[300];
  const char *word;
  limpet_json member;
  if (!limpet_json_text(object, key, absent < 0 ? NULL : words[absent], &word)) return false;
  for (*value = 0; words[*value]; ++*value)
    if (strcmp(words[*value], word) == 0) return true;
  limpet_json_member(&member, object, key);
  return limpet_json_fail(&member, "'%.60s' is not known%s; there are: %s", word,
                          limpet_json_hint(hint, sizeof hint, word, words),
                          words_join(list, sizeof list, words));
}

bool limpet_json_boolean(const limpet_json *object, const char *key, bool absent, bool *value) {
  limpet_json member;
  *value = absent;
  if (!limpet_json_member(&member, object, key)) return true;
  *value = json_is_true(member.value);
  return json_is_boolean(member.value) || limpet_json_fail(&member, "must be true or false");
}

static bool number_take(const limpet_json *json, double *value) {
  if (!json_is_number(json->value)) return limpet_json_fail(json, "must be a number");
  *value = json_number_value(json->value);
  return isfinite(*value) || limpet_json_fail(json, "must be finite");
}

bool limpet_json_number(const limpet_json *object, const char *key, const double *absent,
                        double *value) {
  limpet_json member;
  if (absent) *value = *absent;
  if (absent && !limpet_json_member(&member, object, key)) return true;
  return member_needed(&member, object, key) && number_take(&member, value);
}

bool limpet_json_list(const limpet_json *list, int count, double *values) {
  if (!json_is_array(list->value))
    return limpet_json_fail(list, "must be a list of %d numbers", count);
  if (json_array_size(list->value) != (size_t)count)
    return limpet_json_fail(list, "has %zu numbers, and %d are wanted",
                            json_array_size(list->value), count);
  for (int i = 0; i < count; ++i) {
    const limpet_json element = limpet_json_element(list, (size_t)i);
    if (!number_take(&element, &values[i])) return false;
  }
  return true;
}

bool limpet_json_numbers(const limpet_json *object, const char *key, int count,
                         const double *absent, double *values) {
  limpet_json member;
  for (int i = 0; absent && i < count; ++i) values[i] = absent[i];
  if (absent && !limpet_json_member(&member, object, key)) return true;
  if (!member_needed(&member, object, key)) return false;
  if (json_is_array(member.value)) return limpet_json_list(&member, count, values);
  double all = 0.0;
  if (!json_is_number(member.value))
    return limpet_json_fail(&member, "must be a number, or a list of %d numbers", count);
  if (!number_take(&member, &all)) return false;
  for (int i = 0; i < count; ++i) values[i] = all;
  return true;
}

bool limpet_json_array(limpet_json *array, const limpet_json *object, const char *key,
                       size_t most) {
  if (!member_needed(array, object, key)) return false;
  const size_t size = json_array_size(array->value);
  if (!json_is_array(array->value) || size == 0)
    return limpet_json_fail(array, "must be a list [...] with something in it");
  return size <= most ||
         limpet_json_fail(array, "has %zu elements; at most %zu are possible", size, most);
}
