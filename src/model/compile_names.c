/* model/compile_names.c: names of all objects, which must differ within a kind; the notes of the
 * importer. */
#include <stdio.h>
#include <string.h>

#include "model/compile.h"

// Handle of the object of a kind by its index.
static int handle_of(const limpet_compiler *compiler, int list, int index) {
  switch (list) {
    case LIMPET_OBJECT_BODY: return compiler->body.handle[index];
    case LIMPET_OBJECT_JOINT: return compiler->joint.handle[index];
    case LIMPET_OBJECT_GEOM: return compiler->geom.handle[index];
    case LIMPET_OBJECT_SITE: return compiler->site.handle[index];
    case LIMPET_OBJECT_CAMERA: return compiler->camera.handle[index];
    default: return index;
  }
}

static void describe_place(char text[LIMPET_ERROR_FILE_SIZE + 64], limpet_place place) {
  limpet_error error;
  limpet_error_fill_at(&error, LIMPET_ERROR_INPUT, place.file, place.line, place.column, "%s", "");
  if (!place.file) {
    snprintf(text, LIMPET_ERROR_FILE_SIZE + 64, "described by the program");
  } else {
    snprintf(text, LIMPET_ERROR_FILE_SIZE + 64, "%.500s", error.message);
    const size_t length = strlen(text);
    if (length >= 2 && text[length - 2] == ':') text[length - 2] = '\0';
  }
}

// The later of the two is at fault.
static limpet_status complain(const limpet_compiler *compiler, int list, int first, int second) {
  const int a = handle_of(compiler, list, first), b = handle_of(compiler, list, second);
  const int earlier = a < b ? a : b, later = a < b ? b : a;
  char place[LIMPET_ERROR_FILE_SIZE + 64];
  describe_place(place, limpet_builder_item_place(compiler->builder, list, earlier));
  return limpet_compile_error(
      compiler, list, later, ": the name is used twice, first at %s; give one of them another name",
      place);
}

/* Names of one kind in the order of the model, entered in `table`. */
static limpet_status fill(limpet_compiler *compiler, int list, limpet_arena *arena,
                          limpet_name_table *table, const char ***names) {
  const int count = compiler->builder->list[list].count;
  const char **name = LIMPET_TAKE_ZERO(arena, const char *, count);
  table->size = limpet_name_table_size(count);
  table->slot = LIMPET_TAKE(arena, int, table->size);
  if (!name || !table->slot) return limpet_compile_no_memory(compiler);
  for (int i = 0; i < count; ++i) {
    const char *text =
        limpet_builder_item_name(compiler->builder, list, handle_of(compiler, list, i));
    if (text && text[0]) name[i] = limpet_compile_text(compiler, text);
  }
  int first;
  const int second = limpet_name_table_fill(table, name, count, &first);
  *names = name;
  return second == LIMPET_NONE ? LIMPET_OK : complain(compiler, list, first, second);
}

limpet_status limpet_compile_names(limpet_compiler *compiler) {
  limpet_model_storage *storage = compiler->storage;
  limpet_status status = LIMPET_OK;
  for (int i = 0; i < LIMPET_OBJECT_COUNT && !status; ++i)
    status = fill(compiler, i, &storage->arena, &storage->names[i], &storage->model.object_name[i]);

  storage->model.name = limpet_compile_text(compiler, compiler->builder->name);
  for (int i = 0; i < compiler->builder->note_count && !status; ++i)
    limpet_compile_note_copy(compiler, &compiler->builder->note[i]);
  return status;
}
