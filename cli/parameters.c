/* cli/parameters.c: numbers of a model from the command line: --param pad.friction=0.4, --gravity
 * -1.62. Names are looked up by limpet/parameter.h; values may carry the units of their field. */
#include "parameters.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quantity.h"

enum { NAME_SIZE = 2 * LIMPET_PARAMETER_NAME_SIZE };

static limpet_status wrong(limpet_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static limpet_status wrong(limpet_error *error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  *error = (limpet_error){.status = LIMPET_ERROR_INPUT};
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return LIMPET_ERROR_INPUT;
}

limpet_status limpet_assignment_value(limpet_builder *builder,
                                      const limpet_parameter_target *target, const char *assignment,
                                      const char *text, double *value, limpet_error *error) {
  const char *unit = limpet_parameter_unit(builder, target);
  char problem[320];
  if (strcmp(text, "inf") == 0) *value = INFINITY;
  else if (!limpet_quantity_parse(text, unit ? unit : "1", value, problem, sizeof problem))
    return wrong(error, "--param %s: %s", assignment, problem);
  return LIMPET_OK;
}

/* A complaint of the library that says which option it is of: it begins with the name in quotes,
 * or, of a value, with the field alone. */
static limpet_status named(limpet_status status, const char *text, limpet_error *error) {
  char message[sizeof error->message];
  if (strncmp(error->message, "--param", 7) == 0) return status;
  memcpy(message, error->message, sizeof message);
  if (message[0] == '\'')
    snprintf(error->message, sizeof error->message, "--param %.*s", (int)sizeof message - 16,
             message);
  else
    snprintf(error->message, sizeof error->message, "--param %.200s: %.*s", text,
             (int)sizeof message - 256, message);
  return status;
}

// Looks the name up and reads the value; `target` is to be freed in any case.
static limpet_status assignment_find(limpet_builder *builder, const char *text,
                                     limpet_parameter_target *target, double *value,
                                     limpet_error *error) {
  *target = (limpet_parameter_target){0};
  const char *equals = strrchr(text, '=');
  char name[NAME_SIZE];
  if (!equals || equals == text || (size_t)(equals - text) >= sizeof name)
    return wrong(error, "--param %s: write NAME.FIELD=VALUE, as in pad.friction=0.4", text);
  snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
  const limpet_status status = limpet_parameter_find(builder, name, target, error);
  if (status != LIMPET_OK) return named(status, text, error);
  return limpet_assignment_value(builder, target, text, equals + 1, value, error);
}

limpet_status limpet_assignment_apply(limpet_builder *builder, const char *text,
                                      limpet_error *error) {
  limpet_parameter_target target;
  double value = NAN;
  limpet_status status = assignment_find(builder, text, &target, &value, error);
  if (status == LIMPET_OK) status = limpet_parameter_assign(builder, &target, value, error);
  limpet_parameter_free(&target);
  return status == LIMPET_OK ? status : named(status, text, error);
}

limpet_status limpet_gravity_apply(limpet_builder *builder, const char *text, limpet_error *error) {
  double value[3];
  const char *at = text;
  int count = 0;
  for (; count < 3; ++count) {
    char *end = NULL;
    value[count] = strtod(at, &end);
    if (end == at || !isfinite(value[count])) break;
    at = end + (*end == ',');
    if (!*end) break;
  }
  const bool whole = !*at && at != text && (count == 0 || count == 2) && at[-1] != ',';
  if (!whole)
    return wrong(error,
                 "--gravity %s: write X,Y,Z or Z alone, in m/s^2: 0,0,-9.81, or -1.62 on the moon",
                 text);
  double *gravity = limpet_builder_options(builder)->gravity;
  if (count == 0) gravity[0] = gravity[1] = 0.0, gravity[2] = value[0];
  else memcpy(gravity, value, sizeof value);
  return LIMPET_OK;
}
