/* cli/json.c: arrays of doubles in JSON, null for what JSON cannot say, output with all 17
 * digits. */
#include "json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

json_t *limpet_json_number(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

json_t *limpet_json_text(const char *text) {
  if (!text) return json_null();
  json_t *value = json_string(text);
  if (value) return value;

  // a path may hold any bytes: those beyond ASCII become question marks
  char plain[1024];
  size_t length = 0;
  for (; text[length] && length < sizeof plain - 1; ++length)
    plain[length] = (unsigned char)text[length] < 0x80 ? text[length] : '?';
  return json_stringn(plain, length);
}

json_t *limpet_json_array(const double *values, int count) {
  json_t *list = json_array();
  for (int i = 0; i < count; ++i) json_array_append_new(list, limpet_json_number(values[i]));
  return list;
}

json_t *limpet_json_matrix(const double *values, int rows, int columns) {
  json_t *list = json_array();
  for (int i = 0; i < rows; ++i)
    json_array_append_new(list, limpet_json_array(values + (size_t)i * (size_t)columns, columns));
  return list;
}

// One element of a field: a number, true or false, or the name of a descriptor.
static json_t *element_json(const limpet_field *field, const void *record, int index) {
  if (field->type == LIMPET_FIELD_DESCRIPTOR) {
    const limpet_descriptor *const *descriptor = limpet_field_elements(field, record);
    return descriptor[index] ? limpet_json_text(descriptor[index]->name) : json_null();
  }
  if (!limpet_field_is_number(field)) return json_null();
  const double value = limpet_field_number(field, record, index);
  if (field->type == LIMPET_FIELD_BOOL) return json_boolean(value != 0.0);
  const bool real = field->type == LIMPET_FIELD_DOUBLE || field->type == LIMPET_FIELD_FLOAT;
  return real ? limpet_json_number(value) : json_integer((json_int_t)value);
}

json_t *limpet_json_record(const limpet_field_table *table, const void *record) {
  json_t *object = json_object();
  for (int i = 0; i < table->count; ++i) {
    const limpet_field *field = &table->fields[i];
    json_t *value = *field->shape ? json_array() : element_json(field, record, 0);
    const int count = *field->shape ? (int)limpet_field_count(field, NULL, 0) : 0;
    for (int k = 0; k < count; ++k) json_array_append_new(value, element_json(field, record, k));
    json_object_set_new(object, limpet_field_last_name(field), value);
  }
  return object;
}

json_t *limpet_json_hash(uint64_t hash) {
  char text[20];
  snprintf(text, sizeof text, "%016" PRIx64, hash);
  return json_string(text);
}

json_t *limpet_json_read(const char *path) {
  const bool standard = strcmp(path, "-") == 0;
  if (!standard && limpet_folder_complain(path, "JSON file")) return NULL;
  if (!standard && access(path, R_OK) != 0) {
    limpet_complain("%s: cannot be opened: %s", path, strerror(errno));
    return NULL;
  }
  json_error_t error;
  json_t *root = standard ? json_loadf(stdin, JSON_REJECT_DUPLICATES, &error)
                          : json_load_file(path, JSON_REJECT_DUPLICATES, &error);
  // jansson quotes what it met; every model begins with it
  if (!root && error.line == 1 && strstr(error.text, "near '<'"))
    limpet_complain(
        "%s:1:1: is XML, such as a model; JSON is expected here, see 'limpet COMMAND --help'",
        standard ? "stdin" : path);
  else if (!root && error.line > 0)
    limpet_complain("%s:%d:%d: is not valid JSON: %s", standard ? "stdin" : path, error.line,
                    error.column > 0 ? error.column : 1, error.text);
  else if (!root) limpet_complain("%s: %s", path, error.text);
  return root;
}

// Appends the numbers of `value` to `values`; false at something that is not a number.
static bool numbers_collect(const json_t *value, double *values, int count, int *found) {
  if (json_is_array(value)) {
    for (size_t i = 0; i < json_array_size(value); ++i) {
      if (!numbers_collect(json_array_get(value, i), values, count, found)) return false;
    }
    return true;
  }
  if (!json_is_number(value)) return false;
  if (*found < count) values[*found] = json_number_value(value);
  ++*found;
  return true;
}

bool limpet_json_numbers(const json_t *list, double *values, int count, char *problem,
                         size_t problem_size) {
  int found = 0;
  if (!json_is_array(list) || !numbers_collect(list, values, count, &found)) {
    snprintf(problem, problem_size, "must be a list of %d numbers", count);
    return false;
  }
  if (found != count) {
    snprintf(problem, problem_size, "has %d numbers, the model needs %d", found, count);
    return false;
  }
  return true;
}

bool limpet_json_print(const json_t *root, FILE *stream, bool compact) {
  const size_t layout = compact ? 0 : JSON_INDENT(1);
  return json_dumpf(root, stream, layout | JSON_REAL_PRECISION(17)) == 0 &&
         fputc('\n', stream) != EOF;
}
