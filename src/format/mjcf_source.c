/* format/mjcf_source.c: one model file with everything that it includes.
 *
 * <include file="..."/> is replaced by the children of the included root, wherever it stands. The
 * file is looked for below the folder of the main file, as MuJoCo does, then below that of the
 * including file. A file may be included once. */
#include <string.h>

#include "base/error.h"
#include "format/mjcf.h"
#include "format/text.h"

static bool is_root(const limpet_xml_element *e) {
  return strcmp(e->name, "mujoco") == 0 || strcmp(e->name, "mujocoinclude") == 0;
}

static void refuse_second_include(limpet_mjcf *m, const limpet_mjcf_source *source,
                                  const limpet_xml_element *e, const char *path) {
  for (int i = 0; i < source->includes.count; ++i)
    if (strcmp(limpet_xml_value(source->includes.item[i], "file"), path) == 0)
      limpet_mjcf_fail(m, e, "file", "'%s' is included a second time; a file can be included once",
                       path);
}

// the root of the file that an <include> names
static limpet_xml_element *included_root(limpet_mjcf *m, limpet_mjcf_source *source,
                                         const limpet_xml_element *e) {
  const char *file = limpet_mjcf_required(m, e, "file"), *tried = NULL;
  refuse_second_include(m, source, e, file);
  limpet_mjcf_list_add(m, &source->includes, e);
  const char *path = limpet_mjcf_file_find(m, source, e, file, NULL, &tried);
  if (!path) limpet_mjcf_fail(m, e, "file", "the file to include cannot be found; tried %s", tried);
  limpet_xml_element *root;
  const limpet_status status = limpet_xml_parse_file(&root, &m->pool, path, m->error);
  if (status != LIMPET_OK) limpet_mjcf_fail_status(m, status);
  if (!is_root(root))
    limpet_mjcf_fail(m, root, NULL,
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

static void expand_includes(limpet_mjcf *m, limpet_mjcf_source *source,
                            limpet_xml_element *parent) {
  limpet_xml_element *before = NULL;
  for (limpet_xml_element *child = parent->first; child;
       child = before ? before->next : parent->first) {
    if (strcmp(child->name, "include") == 0) {
      limpet_xml_element *root = included_root(m, source, child);
      expand_includes(m, source, root);
      before = splice(parent, before, child, root);
    } else {
      expand_includes(m, source, child);
      before = child;
    }
  }
}

limpet_mjcf_source *limpet_mjcf_source_read(limpet_mjcf *m, limpet_xml_element *root,
                                            const char *path, const limpet_mjcf_source *parent) {
  limpet_mjcf_source *source = LIMPET_MJCF_TAKE(m, limpet_mjcf_source, 1);
  source->path = limpet_mjcf_join(m, path ? path : "", "", "");
  source->root = root;
  source->parent = parent;
  if (!(source->folder = limpet_path_folder(&m->pool, source->path)))
    limpet_mjcf_fail_status(
        m, limpet_error_fill(m->error, LIMPET_ERROR_MEMORY, "no memory to read the model"));
  if (!is_root(root))
    limpet_mjcf_fail(m, root, NULL,
                     "this is not MJCF: the file begins with <%s>, not with <mujoco>%s", root->name,
                     strcmp(root->name, "robot") == 0 ? "; URDF is not read yet" : "");
  expand_includes(m, source, root);
  limpet_mjcf_check(m, root);
  source->model_name = limpet_xml_value(root, "model");
  limpet_mjcf_compiler_read(m, source);
  limpet_mjcf_defaults_read(m, source);
  limpet_mjcf_assets_read(m, source);
  return source;
}

void limpet_mjcf_each(limpet_mjcf *m, limpet_mjcf_space *space, const char *section,
                      limpet_mjcf_visit *visit) {
  enum { VISIT_LIMIT = 50000000 };
  for (const limpet_xml_element *part = space->source->root->first; part; part = part->next) {
    if (strcmp(part->name, section) != 0) continue;
    for (const limpet_xml_element *e = part->first; e; e = e->next) {
      if (++m->visit_count > VISIT_LIMIT)
        limpet_mjcf_fail(m, e, NULL,
                         "too many elements refer to too many copies; is a <replicate> too large?");
      visit(m, space, e);
    }
  }
}
