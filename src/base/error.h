/* base/error.h: filling a limpet_error. */
#ifndef LIMPET_BASE_ERROR_H
#define LIMPET_BASE_ERROR_H

#include "limpet/base.h"

#include <stdarg.h>

/* Fills `error` (may be NULL) with status and the formatted text, no place; returns `status`, so
 * that a function can end with `return limpet_error_fill(error, LIMPET_ERROR_INPUT, "mass is %g kg;
 * give a positive one", mass);`. */
limpet_status limpet_error_fill(limpet_error *error, limpet_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with a place: the message becomes "file:line:column: text". `file` may be NULL; line or
 * column 0 are left out. */
limpet_status limpet_error_fill_at(limpet_error *error, limpet_status status, const char *file,
                                   int line, int column, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
limpet_status limpet_error_fill_at_v(limpet_error *error, limpet_status status, const char *file,
                                     int line, int column, const char *format, va_list arguments);

#endif
