/* format/mjcf_report.c: memory, errors and notes of the MJCF importer. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "format/mjcf.h"

void *limpet_mjcf_take(limpet_mjcf *m, size_t size) {
  void *object = limpet_pool_take(&m->pool, size);
  if (!object)
    limpet_mjcf_fail_status(
        m, limpet_error_fill(m->error, LIMPET_ERROR_MEMORY, "no memory to read the model"));
  return object;
}

char *limpet_mjcf_join(limpet_mjcf *m, const char *a, const char *b, const char *c) {
  char *text = limpet_pool_join(&m->pool, a, b, c);
  if (!text)
    limpet_mjcf_fail_status(
        m, limpet_error_fill(m->error, LIMPET_ERROR_MEMORY, "no memory to read the model"));
  return text;
}

int limpet_mjcf_added(limpet_mjcf *m, int handle) {
  if (handle == LIMPET_NONE)
    limpet_mjcf_fail_status(
        m, limpet_error_fill(m->error, LIMPET_ERROR_MEMORY, "no memory to read the model"));
  return handle;
}

void limpet_mjcf_own(limpet_mjcf *m, limpet_mjcf_owners *owners, const limpet_mjcf_space *space) {
  if (owners->count == owners->room) {
    const int room = owners->room ? 2 * owners->room : 64;
    const limpet_mjcf_space **larger = LIMPET_MJCF_TAKE(m, const limpet_mjcf_space *, room);
    if (owners->count) memcpy(larger, owners->space, (size_t)owners->count * sizeof *larger);
    owners->space = larger, owners->room = room;
  }
  owners->space[owners->count++] = space;
}

void limpet_mjcf_count(limpet_mjcf *m, const limpet_xml_element *element) {
  enum { OBJECT_LIMIT = 2000000 };
  if (++m->object_count > OBJECT_LIMIT)
    limpet_mjcf_fail(m, element, NULL,
                     "the model has more than two million elements; is a <replicate> too large?");
}

void limpet_mjcf_list_add(limpet_mjcf *m, limpet_mjcf_list *list,
                          const limpet_xml_element *element) {
  if (list->count == list->room) {
    const int room = list->room ? 2 * list->room : 8;
    const limpet_xml_element **item = LIMPET_MJCF_TAKE(m, const limpet_xml_element *, room);
    if (list->count) memcpy(item, list->item, (size_t)list->count * sizeof *item);
    list->item = item, list->room = room;
  }
  list->item[list->count++] = element;
}

limpet_place limpet_mjcf_place(const limpet_xml_element *element, const char *attribute) {
  const limpet_xml_attribute *a = attribute ? limpet_xml_find(element, attribute) : NULL;
  return (limpet_place){element->file, a ? a->line : element->line,
                        a ? a->column : element->column};
}

_Noreturn void limpet_mjcf_fail_status(limpet_mjcf *m, limpet_status status) {
  m->status = status;
  longjmp(m->way_out, 1);
}

_Noreturn void limpet_mjcf_fail(limpet_mjcf *m, const limpet_xml_element *element,
                                const char *attribute, const char *format, ...) {
  const limpet_place place = limpet_mjcf_place(element, attribute);
  va_list arguments;
  va_start(arguments, format);
  limpet_error_fill_at_v(m->error, LIMPET_ERROR_INPUT, place.file, place.line, place.column, format,
                         arguments);
  va_end(arguments);
  limpet_mjcf_fail_status(m, LIMPET_ERROR_INPUT);
}

// whether a note of that kind was given before; remembers it
static bool noted_before(limpet_mjcf *m, const char *kind) {
  for (int i = 0; i < m->noted_count; ++i)
    if (strcmp(m->noted[i], kind) == 0) return true;
  if (m->noted_count == m->noted_room) {
    const int room = m->noted_room ? 2 * m->noted_room : 16;
    const char **noted = LIMPET_MJCF_TAKE(m, const char *, room);
    if (m->noted_count) memcpy(noted, m->noted, (size_t)m->noted_count * sizeof *noted);
    m->noted = noted, m->noted_room = room;
  }
  m->noted[m->noted_count++] = limpet_mjcf_join(m, kind, "", "");
  return false;
}

void limpet_mjcf_unsupported(limpet_mjcf *m, const limpet_xml_element *element,
                             const char *attribute, const char *kind, const char *format, ...) {
  const limpet_place place = limpet_mjcf_place(element, attribute);
  va_list arguments;
  va_start(arguments, format);
  if (m->options.strict) {
    limpet_error_fill_at_v(m->error, LIMPET_ERROR_UNSUPPORTED, place.file, place.line, place.column,
                           format, arguments);
    va_end(arguments);
    limpet_mjcf_fail_status(m, LIMPET_ERROR_UNSUPPORTED);
  }
  char text[LIMPET_ERROR_TEXT_SIZE];
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (!noted_before(m, kind)) limpet_builder_add_note(m->builder, true, place, text);
}

void limpet_mjcf_note(limpet_mjcf *m, const limpet_xml_element *element, const char *attribute,
                      const char *kind, const char *format, ...) {
  char text[LIMPET_ERROR_TEXT_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (!noted_before(m, kind))
    limpet_builder_add_note(m->builder, false, limpet_mjcf_place(element, attribute), text);
}
