/* format/read/locate.c: where packages, models and files are looked for. */
#include "format/read/locate.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "format/read/text.h"

typedef struct search {
  limpet_reader *reader;
  const char *package, *rest;  // of package://package/rest
  limpet_location found;
} search;

static const char *join(search *s, const char *folder, const char *name) {
  if (!*name) return folder;
  const char *path = limpet_path_join(&s->reader->pool, folder, name);
  if (!path) limpet_reader_no_memory(s->reader);
  return path;
}

// whether a path stands in a list "a, b, c"
static bool listed(const char *list, const char *path) {
  const size_t length = strlen(path);
  for (const char *at = list; at && (at = strstr(at, path)); ++at)
    if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ',')) return true;
  return false;
}

// takes the path if something is there; else remembers that it was tried
static bool try_path(search *s, const char *path) {
  struct stat status;
  if (stat(path, &status) == 0) {
    s->found.path = path;
    return true;
  }
  if (!s->found.tried) s->found.tried = path;
  else if (!listed(s->found.tried, path))
    s->found.tried = limpet_reader_join(s->reader, s->found.tried, ", ", path);
  return false;
}

// a folder of the package itself
static bool try_package(search *s, const char *folder) {
  return try_path(s, join(s, folder, s->rest));
}

// a folder in which packages lie
static bool try_parent(search *s, const char *folder) {
  return try_package(s, join(s, folder, s->package));
}

// ------------------------------------------------------------------------------------ lists

/* A list "NAME=folder:folder:..."; `below` stands between a folder and its packages. */
static bool try_list(search *s, const char *list, const char *below) {
  while (list && *list) {
    const size_t length = strcspn(list, ":");
    char *entry = limpet_pool_text_n(&s->reader->pool, list, length);
    if (!entry) limpet_reader_no_memory(s->reader);
    char *folder = strchr(entry, '=');
    if (folder) *folder++ = '\0';
    if (folder && strcmp(entry, s->package) == 0 && try_package(s, folder)) return true;
    if (!folder && *entry && try_parent(s, join(s, entry, below))) return true;
    list += length + (list[length] == ':');
  }
  return false;
}

// ---------------------------------------------------------------------------------- upwards

// the name in a package.xml, or NULL
static const char *package_name(search *s, const char *folder) {
  const char *path = join(s, folder, "package.xml");
  limpet_xml_element *root;
  limpet_error ignored;
  if (!limpet_path_exists(path)) return NULL;
  if (limpet_xml_parse_file(&root, &s->reader->pool, path, &ignored) != LIMPET_OK) return NULL;
  const limpet_xml_element *name = limpet_xml_child(root, "name");
  return name ? name->text : NULL;
}

// from the folder of the naming file up to the root
static bool try_upwards(search *s, const char *from) {
  char folder[PATH_MAX];
  const char *start = limpet_path_folder(&s->reader->pool, from ? from : "");
  if (!start) limpet_reader_no_memory(s->reader);
  if (!realpath(*start ? start : ".", folder)) return false;
  for (;;) {
    const char *name = package_name(s, folder);
    if (name && strcmp(name, s->package) == 0 &&
        try_package(s, limpet_reader_join(s->reader, folder, "", "")))
      return true;
    if (try_parent(s, limpet_reader_join(s->reader, folder, "", ""))) return true;
    char *slash = strrchr(folder, '/');
    if (!slash || slash == folder) return false;
    *slash = '\0';
  }
}

/* Without the name of the package: in the folder of the naming file and in those above it, as where
 * a package lies in a folder of another name. */
static bool try_nameless(search *s, const char *from) {
  enum { LEVELS = 4 };
  char folder[PATH_MAX];
  const char *start = limpet_path_folder(&s->reader->pool, from ? from : "");
  if (!start) limpet_reader_no_memory(s->reader);
  if (!*s->rest || !realpath(*start ? start : ".", folder)) return false;
  for (int i = 0; i < LEVELS; ++i) {
    const char *path = join(s, limpet_reader_join(s->reader, folder, "", ""), s->rest);
    if (limpet_path_exists(path)) {
      s->found.path = path, s->found.guessed = true;
      return true;
    }
    char *slash = strrchr(folder, '/');
    if (!slash || slash == folder) return false;
    *slash = '\0';
  }
  return false;
}

static bool try_everywhere(search *s, const char *from, bool model) {
  if (try_list(s, s->reader->options.packages, "")) return true;
  if (try_list(s, getenv("LIMPET_PACKAGE_PATH"), "")) return true;
  if (model && try_list(s, getenv("GZ_SIM_RESOURCE_PATH"), "")) return true;
  if (model && try_list(s, getenv("GAZEBO_MODEL_PATH"), "")) return true;
  if (try_list(s, getenv("ROS_PACKAGE_PATH"), "")) return true;
  if (try_list(s, getenv("AMENT_PREFIX_PATH"), "share")) return true;
  return try_upwards(s, from) || (!model && try_nameless(s, from));
}

// -------------------------------------------------------------------------------------- uri

static const char *behind(const char *text, const char *start) {
  const size_t length = strlen(start);
  return strncmp(text, start, length) == 0 ? text + length : NULL;
}

limpet_location limpet_locate(limpet_reader *reader, const char *from, const char *uri) {
  search s = {.reader = reader};
  const char *package = behind(uri, "package://"), *model = behind(uri, "model://");
  const char *named = package ? package : model, *path = behind(uri, "file://");
  if (named) {
    const size_t length = strcspn(named, "/");
    s.package = limpet_pool_text_n(&reader->pool, named, length);
    if (!s.package) limpet_reader_no_memory(reader);
    s.rest = named + length + (named[length] == '/');
    try_everywhere(&s, from, model != NULL);
    return s.found;
  }
  const char *folder = limpet_path_folder(&reader->pool, from ? from : "");
  if (!folder) limpet_reader_no_memory(reader);
  try_path(&s, join(&s, folder, path ? path : uri));
  return s.found;
}

bool limpet_path_leaves(const char *path) {
  int depth = 0;
  if (*path == '/') return true;
  while (*path) {
    const size_t length = strcspn(path, "/");
    if (length == 2 && strncmp(path, "..", 2) == 0) --depth;
    else if (length > 0 && !(length == 1 && *path == '.')) ++depth;
    if (depth < 0) return true;
    path += length + (path[length] == '/');
  }
  return false;
}
