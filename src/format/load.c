/* format/load.c: from a file to a model. The first element of the file says what it is; its ending
 * decides where that is no help. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/read/text.h"
#include "format/read/xml.h"
#include "limpet/format.h"

typedef limpet_status limpet_format_reader(limpet_builder *builder, const char *text, size_t length,
                                           const char *path, const limpet_load_options *options,
                                           limpet_error *error);

static const struct {
  const char *root;  // first element
  const char
      *ending;  // of files whose first element is none of these: the reader says what is wrong
  limpet_format_reader *read;
} formats[] = {{"mujoco", ".mjcf", limpet_mjcf_read_text},
               {"mujocoinclude", ".xml", limpet_mjcf_read_text},
               {"robot", ".urdf", limpet_urdf_read_text},
               {"sdf", ".sdf", limpet_sdformat_read_text},
               {"sdf", ".world", limpet_sdformat_read_text}};

enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

// the name of the first element, behind declarations and comments; "" if there is none
static const char *first_element(const char *text, size_t *length) {
  *length = 0;
  while ((text = strchr(text, '<'))) {
    ++text;
    const char *end = *text == '?' ? "?>" : strncmp(text, "!--", 3) == 0 ? "-->" : NULL;
    if (!end) {
      *length = strcspn(text, " \t\r\n/>");
      return text;
    }
    if (!(text = strstr(text, end))) break;
  }
  return "";
}

static limpet_format_reader *reader_find(const char *path, const char *text) {
  size_t length;
  const char *root = first_element(text, &length);
  for (int i = 0; i < FORMAT_COUNT; ++i)
    if (strlen(formats[i].root) == length && strncmp(root, formats[i].root, length) == 0)
      return formats[i].read;
  for (int i = 0; i < FORMAT_COUNT; ++i)
    if (limpet_path_ends_in(path, formats[i].ending)) return formats[i].read;
  return NULL;
}

/* Files beside the model are found beside its path. What comes through a pipe or a device has
 * none: it is named so that they are looked for in the working folder. */
static const char *name_of(const char *path) {
  if (strcmp(path, "/dev/stdin") == 0) return "stdin";
  return strncmp(path, "/dev/", 5) == 0 ? "(input)" : path;
}

// What messages about a whole file call it, which look for nothing beside it.
static const char *word_of(const char *path) {
  return strcmp(path, "/dev/stdin") == 0 ? "stdin" : path;
}

// What a file is that no reader takes, and what to do about it.
static const char *unknown_text(const char *text, size_t length) {
  if (length == 0) return "there is nothing in it; give an MJCF, URDF or SDFormat file";
  if (length >= 4 && memcmp(text, "\x89HDF", 4) == 0)
    return "this is an HDF5 file, not a model; 'limpet run --from' runs a log again, 'limpet view' "
           "and 'limpet render' show it";
  return "models are read from MJCF, URDF and SDFormat files, which begin with <mujoco>, <robot> "
         "or "
         "<sdf>";
}

limpet_status limpet_builder_read(limpet_builder *builder, const char *path,
                                  const limpet_load_options *options, limpet_error *error) {
  assert(builder && path);
  char *text;
  size_t length;
  limpet_status status = limpet_text_input(&text, &length, path, LIMPET_XML_FILE_LIMIT, error);
  if (status != LIMPET_OK) return status;
  limpet_format_reader *read = reader_find(path, text);
  status = read ? read(builder, text, length, name_of(path), options, error)
                : limpet_error_fill_at(error, LIMPET_ERROR_UNSUPPORTED, word_of(path), 0, 0, "%s",
                                       unknown_text(text, length));
  free(text);
  return status;
}

limpet_model *limpet_load(const char *path, const limpet_load_options *options,
                          limpet_error *error) {
  assert(path);
  limpet_builder *builder = limpet_builder_create();
  if (!builder) {
    limpet_error_fill_at(error, LIMPET_ERROR_MEMORY, path, 0, 0, "no memory to read the model");
    return NULL;
  }
  limpet_model *model = NULL;
  if (limpet_builder_read(builder, path, options, error) == LIMPET_OK)
    model = limpet_builder_compile(builder, error);
  limpet_builder_destroy(builder);
  return model;
}
