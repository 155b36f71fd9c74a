/* format/load.c: from a file to a model. The first element of the file says what it is; its ending
 * decides where that is no help. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "format/read/text.h"
#include "limpet/format.h"

typedef limpet_status limpet_format_reader(limpet_builder *builder, const char *path,
                                           const limpet_load_options *options, limpet_error *error);

static const struct {
  const char *root;  // first element
  const char
      *ending;  // of files whose first element is none of these: the reader says what is wrong
  limpet_format_reader *read;
} formats[] = {{"mujoco", ".mjcf", limpet_mjcf_read},
               {"mujocoinclude", ".xml", limpet_mjcf_read},
               {"robot", ".urdf", limpet_urdf_read},
               {"sdf", ".sdf", limpet_sdformat_read},
               {"sdf", ".world", limpet_sdformat_read}};

enum { HEAD_SIZE = 1 << 14, FORMAT_COUNT = sizeof formats / sizeof *formats };

// the start of the file, '\0' behind it; false: it cannot be opened
static bool read_head(const char *path, char head[HEAD_SIZE]) {
  FILE *file = fopen(path, "rb");
  const size_t length = file ? fread(head, 1, HEAD_SIZE - 1, file) : 0;
  head[length] = '\0';
  if (file) fclose(file);
  return file != NULL;
}

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

static limpet_status reader_find(const char *path, limpet_format_reader **read,
                                 limpet_error *error) {
  char head[HEAD_SIZE];
  size_t length;
  if (!read_head(path, head))
    return limpet_error_fill_at(error, LIMPET_ERROR_FILE, path, 0, 0,
                                "cannot be opened: %s; check the path", strerror(errno));
  const char *root = first_element(head, &length);
  for (int i = 0; i < FORMAT_COUNT; ++i) {
    *read = formats[i].read;
    if (strlen(formats[i].root) == length && strncmp(root, formats[i].root, length) == 0)
      return LIMPET_OK;
  }
  for (int i = 0; i < FORMAT_COUNT; ++i) {
    *read = formats[i].read;
    if (limpet_path_ends_in(path, formats[i].ending)) return LIMPET_OK;
  }
  return limpet_error_fill_at(error, LIMPET_ERROR_UNSUPPORTED, path, 0, 0,
                              "models are read from MJCF, URDF and SDFormat files, which begin "
                              "with <mujoco>, <robot> or <sdf>");
}

limpet_status limpet_builder_read(limpet_builder *builder, const char *path,
                                  const limpet_load_options *options, limpet_error *error) {
  assert(builder && path);
  limpet_format_reader *read = NULL;
  const limpet_status status = reader_find(path, &read, error);
  return status == LIMPET_OK ? read(builder, path, options, error) : status;
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
