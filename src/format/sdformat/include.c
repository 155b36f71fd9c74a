/* format/sdformat/include.c: models of other files.
 *
 * <include><uri> names a file, or a folder with a model.sdf or a model.config that names one. */
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
  if (!location.path)
    limpet_reader_fail(reader, uri, NULL,
                       "'%s' cannot be found; give the folder in which models lie with --package "
                       "or in LIMPET_PACKAGE_PATH; tried %s",
                       name, location.tried ? location.tried : "nothing");
  const char *path = is_folder(location.path) ? file_in_folder(s, location.path) : location.path;
  const limpet_xml_element *model = limpet_xml_child(parse(s, uri, path), "model");
  if (!model) limpet_reader_fail(reader, uri, NULL, "there is no <model> in %s", path);
  return model;
}
