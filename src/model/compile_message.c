/* model/compile_message.c: errors of the compilation: which object, where it was described, what is
 * wrong; and checks that several kinds of objects share. */
#include <assert.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "math/quaternion.h"
#include "model/compile.h"

limpet_label limpet_compile_label(const limpet_compiler *compiler, int list, int handle) {
  limpet_label label;
  const char *word = limpet_description_kinds[list].word;
  const char *name = limpet_builder_item_name(compiler->builder, list, handle);
  if (name && name[0]) snprintf(label.text, sizeof label.text, "%s '%.100s'", word, name);
  else snprintf(label.text, sizeof label.text, "%s %d", word, handle);
  return label;
}

limpet_status limpet_compile_error(const limpet_compiler *compiler, int list, int handle,
                                   const char *format, ...) {
  char text[LIMPET_ERROR_TEXT_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const limpet_place place = limpet_builder_item_place(compiler->builder, list, handle);
  return limpet_error_fill_at(compiler->error, LIMPET_ERROR_INPUT, place.file, place.line,
                              place.column, "%s%s",
                              limpet_compile_label(compiler, list, handle).text, text);
}

limpet_status limpet_compile_no_memory(const limpet_compiler *compiler) {
  return limpet_error_fill(compiler->error, LIMPET_ERROR_MEMORY,
                           "the system gave no memory for the model");
}

limpet_status limpet_compile_go_on(limpet_compiler *compiler) {
  compiler->stopped =
      compiler->stopped ||
      !limpet_builder_tell(compiler->builder, compiler->fields_done + compiler->field_share,
                           compiler->field_count);
  return compiler->stopped ? LIMPET_ERROR_STATE : LIMPET_OK;
}

const char *limpet_compile_text(limpet_compiler *compiler, const char *text) {
  if (!text) return NULL;
  const size_t size = strlen(text) + 1;
  char *copy = limpet_arena_take(&compiler->storage->arena, size);
  if (copy) memcpy(copy, text, size);
  return copy;
}

void limpet_compile_note_copy(limpet_compiler *compiler, const limpet_note *note) {
  limpet_note copy = *note;
  assert(compiler->model->note_count < compiler->note_room);
  copy.place.file = limpet_compile_text(compiler, note->place.file);
  copy.text = limpet_compile_text(compiler, note->text ? note->text : "");
  compiler->model->note[compiler->model->note_count++] = copy;
}

static void add_note(limpet_compiler *compiler, limpet_note note, const char *format,
                     va_list arguments) {
  char text[LIMPET_ERROR_TEXT_SIZE];
  vsnprintf(text, sizeof text, format, arguments);
  note.text = text;
  limpet_compile_note_copy(compiler, &note);
}

void limpet_compile_note(limpet_compiler *compiler, bool unsupported, limpet_place place,
                         const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_note(compiler, (limpet_note){.unsupported = unsupported, .place = place}, format, arguments);
  va_end(arguments);
}

void limpet_compile_doubt(limpet_compiler *compiler, limpet_place place, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_note(compiler, (limpet_note){.doubtful = true, .place = place}, format, arguments);
  va_end(arguments);
}

limpet_status limpet_compile_quaternion(const limpet_compiler *compiler, int list, int handle,
                                        const char *what, const double quaternion[4],
                                        double unit[4]) {
  limpet_quaternion_copy(unit, quaternion);
  const double length = limpet_quaternion_normalize(unit);
  if (length > 1e-15 && length <= DBL_MAX) return LIMPET_OK;
  if (length > 1.0)
    return limpet_compile_error(compiler, list, handle,
                                ": its %s is too large for a length; use 1 0 0 0 for no rotation",
                                what);
  return limpet_compile_error(compiler, list, handle,
                              ": its %s is zero and gives no rotation; use 1 0 0 0 for none", what);
}

limpet_status limpet_compile_range(const limpet_compiler *compiler, int list, int handle,
                                   const char *what, const double range[2]) {
  if (range[0] <= range[1]) return LIMPET_OK;
  return limpet_compile_error(compiler, list, handle,
                              ": %s goes from %g down to %g; give the lower end first", what,
                              range[0], range[1]);
}
