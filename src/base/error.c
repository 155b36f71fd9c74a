/* base/error.c: filling a limpet_error, names of statuses, version. */
#include "base/error.h"

#include <stdio.h>

const char *limpet_version(void) { return LIMPET_VERSION_STRING; }

const char *limpet_status_name(limpet_status status) {
  switch (status) {
    case LIMPET_OK: return "ok";
    case LIMPET_ERROR_INPUT: return "input error";
    case LIMPET_ERROR_FILE: return "file error";
    case LIMPET_ERROR_UNSUPPORTED: return "not supported";
    case LIMPET_ERROR_MEMORY: return "out of memory";
    case LIMPET_ERROR_STATE: return "wrong state";
  }
  return "unknown status";
}

limpet_status limpet_error_fill_at_v(limpet_error *error, limpet_status status, const char *file,
                                     int line, int column, const char *format, va_list arguments) {
  if (!error) return status;
  error->status = status;
  error->line = line;
  error->column = column;
  error->file[0] = '\0';
  if (file) snprintf(error->file, sizeof error->file, "%s", file);

  // "file:line:column: " as far as it is known, then the text
  int used = 0;
  const int room = (int)sizeof error->message;
  if (file && line > 0 && column > 0)
    used = snprintf(error->message, sizeof error->message, "%s:%d:%d: ", file, line, column);
  else if (file && line > 0)
    used = snprintf(error->message, sizeof error->message, "%s:%d: ", file, line);
  else if (file) used = snprintf(error->message, sizeof error->message, "%s: ", file);
  if (used < 0 || used >= room) used = 0;
  vsnprintf(error->message + used, (size_t)(room - used), format, arguments);
  return status;
}

limpet_status limpet_error_fill_at(limpet_error *error, limpet_status status, const char *file,
                                   int line, int column, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  limpet_error_fill_at_v(error, status, file, line, column, format, arguments);
  va_end(arguments);
  return status;
}

limpet_status limpet_error_fill(limpet_error *error, limpet_status status, const char *format,
                                ...) {
  va_list arguments;
  va_start(arguments, format);
  limpet_error_fill_at_v(error, status, NULL, 0, 0, format, arguments);
  va_end(arguments);
  return status;
}
