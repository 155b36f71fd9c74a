/* format/mjcf/source.c: one model file with everything that it includes.
 *
 * <include file="..."/> is replaced by the children of the included root, wherever it stands. The
 * file is looked for below the folder of the main file, as MuJoCo does, then below that of the
 * including file. A file may be included once. */
#include <string.h>

#include "format/mjcf/source.h"
#include "format/mjcf/asset.h"
#include "format/mjcf/schema.h"
#include "format/mjcf/default.h"
#include "format/mjcf/file.h"
#include "format/read/text.h"
#include "format/read/value.h"

static bool is_root(const limpet_xml_element *e) {
  return strcmp(e->name, "mujoco") == 0 || strcmp(e->name, "mujocoinclude") == 0;
}

// the root of the file that an <include> names
static limpet_xml_element *included_root(limpet_reader *reader, limpet_mjcf_source *source,
                                         const limpet_xml_element *e) {
  const char *file = limpet_read_required(reader, e, "file"), *tried = NULL;
  if (limpet_table_find(&source->includes, 0, file))
    limpet_reader_fail(reader, e, "file",
                       "'%s' is included a second time; a file can be included once", file);
  limpet_reader_enter(reader, &source->includes, 0, file, source);
  const char *path = limpet_mjcf_file_find(reader, source, e, file, NULL, &tried);
  if (!path)
    limpet_reader_fail(reader, e, "file", "the file to include cannot be found; tried %s", tried);
  limpet_xml_element *root;
  const limpet_status status = limpet_xml_parse_file(&root, &reader->pool, path, reader->error);
  if (status != LIMPET_OK) limpet_reader_stop(reader, status);
  if (!is_root(root))
    limpet_reader_fail(reader, root, NULL,
                       "an included file begins with <mujoco> or <mujocoinclude>, not with <%s>",
                       root->name);
  return root;
}

// replaces `include` (child of `parent`, behind `before`) by the children of `root`; returns the
// last of them, or `before`
static limpet_xml_element *splice(limpet_xml_element *parent, limpet_xml_element *before,
                                  limpet_xml_element *include, limpet_xml_element *root) {
  limpet_xml_element *last = root->first ? root->last : before;
  for (limpet_xml_element *child = root->first; child; child = child->next) child->parent = parent;
  limpet_xml_element *first = root->first ? root->first : include->next;
  if (root->first) root->last->next = include->next;
  if (before) before->next = first;
  else parent->first = first;
  if (!include->next) parent->last = last;
  return last;
}

static void expand_includes(limpet_reader *reader, limpet_mjcf_source *source,
                            limpet_xml_element *parent) {
  limpet_xml_element *before = NULL;
  for (limpet_xml_element *child = parent->first; child;
       child = before ? before->next : parent->first) {
    if (strcmp(child->name, "include") == 0) {
      limpet_xml_element *root = included_root(reader, source, child);
      expand_includes(reader, source, root);
      before = splice(parent, before, child, root);
    } else {
      expand_includes(reader, source, child);
      before = child;
    }
  }
}

limpet_mjcf_source *limpet_mjcf_source_read(limpet_mjcf *m, limpet_xml_element *root,
                                            const char *path, const limpet_mjcf_source *parent) {
  limpet_mjcf_source *source = LIMPET_READER_TAKE(m->reader, limpet_mjcf_source, 1);
  source->path = limpet_reader_join(m->reader, path ? path : "", "", "");
  source->root = root;
  source->parent = parent;
  if (!(source->folder = limpet_path_folder(&m->reader->pool, source->path)))
    limpet_reader_no_memory(m->reader);
  if (!is_root(root)) limpet_reader_wrong_root(m->reader, root, "MJCF");
  expand_includes(m->reader, source, root);
  limpet_schema_check(m->reader, &limpet_mjcf_schema, root);
  source->model_name = limpet_xml_value(root, "model");
  source->compiler = limpet_mjcf_compiler_read(m->reader, root);
  limpet_mjcf_defaults_read(m->reader, source);
  limpet_mjcf_assets_read(m->reader, source);
  return source;
}
