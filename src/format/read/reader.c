/* format/read/reader.c: memory, the way out on errors, notes. */
#include "format/read/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

limpet_status limpet_reader_run(limpet_reader *reader, void (*read)(void *context), void *context) {
  reader->status = LIMPET_OK;
  if (setjmp(reader->way_out) == 0) read(context);
  limpet_pool_free(&reader->pool);
  if (reader->status == LIMPET_OK && reader->options.exclude_overlaps)
    reader->status = limpet_builder_exclude_overlaps(reader->builder, NULL, reader->error);
  return reader->status;
}

// ----------------------------------------------------------------------------------- memory

void *limpet_reader_take(limpet_reader *reader, size_t size) {
  void *object = limpet_pool_take(&reader->pool, size);
  if (!object) limpet_reader_no_memory(reader);
  return object;
}

char *limpet_reader_join(limpet_reader *reader, const char *a, const char *b, const char *c) {
  char *text = limpet_pool_join(&reader->pool, a, b, c);
  if (!text) limpet_reader_no_memory(reader);
  return text;
}

void limpet_reader_enter(limpet_reader *reader, limpet_table *table, int kind, const char *name,
                         void *value) {
  if (!limpet_table_enter(table, &reader->pool, kind, name, value)) limpet_reader_no_memory(reader);
}

int limpet_reader_added(limpet_reader *reader, int handle) {
  if (handle == LIMPET_NONE) limpet_reader_no_memory(reader);
  return handle;
}

enum { ELEMENT_LIMIT = 2000000 };

void limpet_reader_expect(limpet_reader *reader, const limpet_xml_element *element, int count) {
  if (count > ELEMENT_LIMIT - reader->element_count)
    limpet_reader_fail(reader, element, NULL,
                       "the model has more than two million elements; is a <replicate> too large?");
}

void limpet_reader_count(limpet_reader *reader, const limpet_xml_element *element) {
  limpet_reader_expect(reader, element, 1);
  ++reader->element_count;
}

// ----------------------------------------------------------------------------------- errors

_Noreturn void limpet_reader_stop(limpet_reader *reader, limpet_status status) {
  reader->status = status;
  longjmp(reader->way_out, 1);
}

void limpet_reader_go_on(limpet_reader *reader) {
  const limpet_status status = limpet_builder_go_on(reader->builder, reader->error);
  if (status != LIMPET_OK) limpet_reader_stop(reader, status);
}

_Noreturn void limpet_reader_no_memory(limpet_reader *reader) {
  limpet_reader_stop(
      reader, limpet_error_fill(reader->error, LIMPET_ERROR_MEMORY, "no memory to read the model"));
}

_Noreturn void limpet_reader_fail(limpet_reader *reader, const limpet_xml_element *element,
                                  const char *attribute, const char *format, ...) {
  const limpet_place place = limpet_xml_place(element, attribute);
  va_list arguments;
  va_start(arguments, format);
  limpet_error_fill_at_v(reader->error, LIMPET_ERROR_INPUT, place.file, place.line, place.column,
                         format, arguments);
  va_end(arguments);
  limpet_reader_stop(reader, LIMPET_ERROR_INPUT);
}

void limpet_reader_check_length(limpet_reader *reader, const limpet_xml_element *element,
                                const char *attribute, const char *what, double length,
                                const char *hint) {
  static const double least = 1e-12;  // [-]
  if (length >= least && isfinite(length)) return;
  limpet_reader_fail(reader, element, attribute, "%s is %s; %s", what,
                     length < least ? "zero" : "too large", hint);
}

_Noreturn void limpet_reader_wrong_root(limpet_reader *reader, const limpet_xml_element *root,
                                        const char *format) {
  limpet_reader_fail(reader, root, NULL,
                     "this is not %s: the file begins with <%s>; MJCF begins with <mujoco>, URDF "
                     "with <robot>, SDFormat with <sdf>",
                     format, root->name);
}

// ------------------------------------------------------------------------------------ notes

/* Whether no note of that kind and format was given before. A kind may be the name of a thing, of
 * which several notes may tell, and which other things may have. */
static bool is_first(limpet_reader *reader, const char *kind, const char *format) {
  char *key = limpet_reader_join(reader, kind, "\n", format);
  if (limpet_table_find(&reader->noted, 0, key)) return false;
  limpet_reader_enter(reader, &reader->noted, 0, key, key);
  return true;
}

void limpet_reader_unsupported(limpet_reader *reader, const limpet_xml_element *element,
                               const char *attribute, const char *kind, const char *format, ...) {
  const limpet_place place = limpet_xml_place(element, attribute);
  va_list arguments;
  va_start(arguments, format);
  if (reader->options.strict) {
    limpet_error_fill_at_v(reader->error, LIMPET_ERROR_UNSUPPORTED, place.file, place.line,
                           place.column, format, arguments);
    va_end(arguments);
    limpet_reader_stop(reader, LIMPET_ERROR_UNSUPPORTED);
  }
  char text[LIMPET_ERROR_TEXT_SIZE];
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (is_first(reader, kind, format)) limpet_builder_add_note(reader->builder, true, place, text);
}

void limpet_reader_note(limpet_reader *reader, const limpet_xml_element *element,
                        const char *attribute, const char *kind, const char *format, ...) {
  char text[LIMPET_ERROR_TEXT_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (is_first(reader, kind, format))
    limpet_builder_add_note(reader->builder, false, limpet_xml_place(element, attribute), text);
}

void limpet_reader_mend(limpet_reader *reader, const limpet_xml_element *element,
                        const char *attribute, const char *kind, const char *format, ...) {
  const limpet_place place = limpet_xml_place(element, attribute);
  char text[LIMPET_ERROR_TEXT_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (reader->options.strict)
    limpet_reader_stop(reader, limpet_error_fill_at(reader->error, LIMPET_ERROR_INPUT, place.file,
                                                    place.line, place.column, "%s", text));
  if (is_first(reader, kind, format)) limpet_builder_add_doubt(reader->builder, place, text);
}

void limpet_reader_doubt(limpet_reader *reader, const limpet_xml_element *element,
                         const char *attribute, const char *kind, const char *format, ...) {
  char text[LIMPET_ERROR_TEXT_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (is_first(reader, kind, format))
    limpet_builder_add_doubt(reader->builder, limpet_xml_place(element, attribute), text);
}
