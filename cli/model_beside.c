/* cli/model_beside.c: see model_beside.h. */
#include "model_beside.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "json.h"
#include "text_file.h"

char *limpet_path_beside(const char *path, const char *name) {
  const char *slash = strrchr(path, '/');
  const size_t folder = slash && name[0] != '/' ? (size_t)(slash - path) + 1 : 0;
  char *full = malloc(folder + strlen(name) + 1);
  if (!full) return NULL;
  memcpy(full, path, folder);
  strcpy(full + folder, name);
  return full;
}

// Line of the first "model" in a file; 1 where it has none.
static int line_of_model(const char *path) {
  char *text = limpet_text_read(path);
  const char *found = text ? strstr(text, "\"model\"") : NULL;
  int line = 1;
  for (const char *c = text; found && c < found; ++c) line += *c == '\n';
  free(text);
  return line;
}

char *limpet_model_beside(const char *path) {
  json_t *root = limpet_json_read(path);
  if (!root) return NULL;
  const json_t *model = json_object_get(root, "model");
  const char *name = json_string_value(model);
  char *full = name ? limpet_path_beside(path, name) : NULL;
  struct stat file;
  if (!model)
    limpet_complain("%s:1: \"model\" is missing: the model's file, looked for beside this one",
                    path);
  else if (!name)
    limpet_complain("%s:%d: model: must be the name of a file, in quotation marks", path,
                    line_of_model(path));
  else if (full && stat(full, &file) != 0) {
    limpet_complain("%s:%d: model: '%s' is not there; it is looked for beside this file, as %s",
                    path, line_of_model(path), name, full);
    free(full);
    full = NULL;
  }
  json_decref(root);
  return full;
}
