/* format/sdformat/include.c: models of other files.
 *
 * <include><uri> names a file, or a folder with a model.sdf or a model.config that names one. */
#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

#include "format/read/locate.h"
#include "format/read/text.h"
#include "format/read/value.h"
#include "format/sdformat/schema.h"
#include "format/sdformat/sdformat.h"

static bool is_folder(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static const char *join(limpet_sdf *s, const char *folder, const char *name) {
  const char *path = limpet_path_join(&s->robot.reader->pool, folder, name);
  if (!path) limpet_reader_no_memory(s->robot.reader);
  return path;
}

// the file that a folder's model.config names last, which is that of the newest version
static const char *file_in_folder(limpet_sdf *s, const char *folder) {
  limpet_reader *reader = s->robot.reader;
  const char *config = join(s, folder, "model.config"), *file = "model.sdf";
  limpet_xml_element *root;
  if (limpet_path_exists(config)) {
    const limpet_status status = limpet_xml_parse_file(&root, &reader->pool, config, reader->error);
    if (status != LIMPET_OK) limpet_reader_stop(reader, status);
    for (const limpet_xml_element *e = limpet_xml_child(root, "sdf"); e; e = limpet_xml_next(e))
      if (e->text) file = e->text;
  }
  return join(s, folder, file);
}

static limpet_xml_element *parse(limpet_sdf *s, const limpet_xml_element *e, const char *path) {
  limpet_reader *reader = s->robot.reader;
  limpet_xml_element *root;
  const limpet_status status = limpet_xml_parse_file(&root, &reader->pool, path, reader->error);
  if (status != LIMPET_OK) limpet_reader_stop(reader, status);
  if (strcmp(root->name, "sdf") != 0)
    limpet_reader_fail(reader, e, NULL,
                       "%s begins with <%s>, not with <sdf>: only SDFormat can be included", path,
                       root->name);
  limpet_schema_check(reader, &limpet_sdf_schema, root);
  return root;
}

// ------------------------------------------------------------------------- models of Gazebo

/* Two models that nearly every world of Gazebo includes, where they are not at hand. The ground has
 * no friction of its own here: Gazebo takes the smaller friction of two things, and gives the
 * ground more than anything has, so that the friction of the other counts. */
static const struct {
  const char *name, *text, *note;
} known[] = {
    {"sun", "<sdf version='1.9'><model name='sun'><static>1</static></model></sdf>",
     "the light of Gazebo is left out"},
    {"ground_plane",
     "<sdf version='1.9'><model name='ground_plane'><static>1</static><link name='link'>"
     "<collision name='collision'><geometry><plane/></geometry></collision><visual name='visual'>"
     "<geometry><plane/></geometry><material><diffuse>0.8 0.8 0.8 1</diffuse></material></visual>"
     "</link></model></sdf>",
     "a plane is taken for it, like Gazebo's"}};

// whether the last part of a uri names a model: "model://sun", ".../models/Ground Plane"
static bool names(const char *uri, const char *name) {
  const char *slash = strrchr(uri, '/'), *last = slash ? slash + 1 : uri;
  for (; *last && *name; ++last, ++name) {
    const char c = *last == ' ' ? '_' : (char)tolower((unsigned char)*last);
    if (c != *name) return false;
  }
  return *last == *name;
}

// NULL: none of them
static limpet_xml_element *known_model(limpet_sdf *s, const limpet_xml_element *uri,
                                       const char *name) {
  limpet_reader *reader = s->robot.reader;
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    limpet_xml_element *root;
    if (!strstr(name, "://") || !names(name, known[i].name)) continue;
    const limpet_status status = limpet_xml_parse(&root, &reader->pool, known[i].text,
                                                  strlen(known[i].text), name, reader->error);
    if (status != LIMPET_OK) limpet_reader_stop(reader, status);
    limpet_reader_note(reader, uri, NULL, known[i].name, "'%s' cannot be found: %s", name,
                       known[i].note);
    return root;
  }
  return NULL;
}

const limpet_xml_element *limpet_sdf_include_open(limpet_sdf *s, const limpet_xml_element *e) {
  limpet_reader *reader = s->robot.reader;
  const limpet_xml_element *uri = limpet_xml_child(e, "uri");
  const char *merge = limpet_xml_value(e, "merge");
  if (!uri) limpet_reader_fail(reader, e, NULL, "<include> needs an element <uri>");
  if (merge && strcmp(merge, "true") == 0)
    limpet_reader_fail(reader, e, "merge",
                       "models cannot be merged into another one: leave 'merge' out, and refer to "
                       "the links as model::link");
  const char *name = limpet_read_required(reader, uri, NULL);
  const limpet_location location = limpet_locate(reader, e->file, name);
  limpet_xml_element *root = location.path ? NULL : known_model(s, uri, name);
  if (!location.path && !root)
    limpet_reader_fail(reader, uri, NULL,
                       "'%s' cannot be found; give the folder in which models lie with --package "
                       "or in LIMPET_PACKAGE_PATH; tried %s",
                       name, location.tried ? location.tried : "nothing");
  const char *path = location.path;
  if (path && is_folder(path)) path = file_in_folder(s, path);
  if (!root) root = parse(s, uri, path);
  const limpet_xml_element *model = limpet_xml_child(root, "model");
  if (!model) limpet_reader_fail(reader, uri, NULL, "there is no <model> in %s", path);
  return model;
}
