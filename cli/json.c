/* cli/json.c: arrays of doubles in JSON, null for what JSON cannot say, output with all 17
 * digits. */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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

json_t *limpet_json_hash(uint64_t hash) {
  char text[20];
  snprintf(text, sizeof text, "%016" PRIx64, hash);
  return json_string(text);
}

json_t *limpet_json_read(const char *path) {
  const bool standard = strcmp(path, "-") == 0;
  if (!standard && limpet_folder_complain(path, "JSON file")) return NULL;
  json_error_t error;
  json_t *root = standard ? json_loadf(stdin, JSON_REJECT_DUPLICATES, &error)
                          : json_load_file(path, JSON_REJECT_DUPLICATES, &error);
  if (!root && error.line > 0)
    limpet_complain("%s:%d:%d: %s", standard ? "stdin" : path, error.line, error.column,
                    error.text);
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
