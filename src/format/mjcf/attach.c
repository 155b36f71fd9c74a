/* format/mjcf/attach.c: <attach>: a body, a frame or the whole world of another model (or of the
 * same one) under a prefix.
 *
 * The other model is a source of its own: its settings, classes and meshes stay with it. Its
 * options are compared with the main file's as <compiler conflict> says: keep the main file's
 * (warning, the default), merge, or refuse. Its tendons, actuators, equalities, contacts and
 * keyframes follow as far as all that they refer to was attached. */
#include <string.h>

#include "format/mjcf/attach.h"
#include "format/mjcf/asset.h"
#include "format/mjcf/default.h"
#include "format/mjcf/file.h"
#include "format/mjcf/option.h"
#include "format/read/value.h"

enum { ATTACH_DEPTH_LIMIT = 50 };
enum { INDEX_BODY, INDEX_FRAME };

// enters the first body and the first frame of each name below `e`, in the order of the document
static void index_below(limpet_reader *reader, limpet_mjcf_source *source, limpet_xml_element *e) {
  for (limpet_xml_element *child = e->first; child; child = child->next) {
    const bool body = strcmp(child->name, "body") == 0;
    const char *name = limpet_xml_value(child, "name");
    const int kind = body ? INDEX_BODY : INDEX_FRAME;
    if (name && (body || strcmp(child->name, "frame") == 0) &&
        !limpet_table_find(&source->world, kind, name))
      limpet_reader_enter(reader, &source->world, kind, name, child);
    index_below(reader, source, child);
  }
}

const limpet_xml_element *limpet_mjcf_find_in_world(limpet_reader *reader,
                                                    limpet_mjcf_source *source, const char *tag,
                                                    const char *name) {
  if (source->world.count == 0)
    for (limpet_xml_element *part = source->root->first; part; part = part->next)
      if (strcmp(part->name, "worldbody") == 0) index_below(reader, source, part);
  return limpet_table_find(&source->world, strcmp(tag, "body") == 0 ? INDEX_BODY : INDEX_FRAME,
                           name);
}

static limpet_mjcf_source *model_source(limpet_mjcf *m, const limpet_mjcf_source *source,
                                        limpet_mjcf_model *model) {
  if (model->source) return model->source;
  const char *tried = NULL, *file = limpet_xml_value(model->element, "file");
  const char *path = limpet_mjcf_file_find(m->reader, source, model->element, file,
                                           source->compiler.asset_folder, &tried);
  if (!path)
    limpet_reader_fail(m->reader, model->element, "file",
                       "the model file '%s' cannot be found; tried %s", file, tried);
  limpet_xml_element *root;
  const limpet_status status =
      limpet_xml_parse_file(&root, &m->reader->pool, path, m->reader->error);
  if (status != LIMPET_OK) limpet_reader_stop(m->reader, status);
  return model->source = limpet_mjcf_source_read(m, root, path, source);
}

// the source of <attach model="...">, read on first use; a model without a name in <asset> is
// called as its file says
limpet_mjcf_source *limpet_mjcf_attached_source(limpet_mjcf *m, limpet_mjcf_source *source,
                                                const limpet_xml_element *e) {
  const char *name = limpet_xml_value(e, "model");
  if (!name) return source;
  for (limpet_mjcf_model *model = source->models; model; model = model->next)
    if (model->name && strcmp(model->name, name) == 0) return model_source(m, source, model);
  for (limpet_mjcf_model *model = source->models; model; model = model->next) {
    if (model->name) continue;
    limpet_mjcf_source *found = model_source(m, source, model);
    if (found->model_name && strcmp(found->model_name, name) == 0) return found;
  }
  if (source->model_name && strcmp(name, source->model_name) == 0) return source;
  limpet_reader_fail(m->reader, e, "model", "there is no model '%s' in <asset>", name);
}

// the class that elements inside `e` inherit in their own file
static limpet_mjcf_class *inherited_class(limpet_reader *reader, const limpet_mjcf_source *source,
                                          const limpet_xml_element *e) {
  for (; e; e = e->parent)
    if (limpet_xml_find(e, "childclass"))
      return limpet_mjcf_class_find(reader, source, e, "childclass");
  return NULL;
}

limpet_mjcf_attachment limpet_mjcf_attach_open(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                                               const limpet_xml_element *e) {
  limpet_mjcf_source *own = scope->space->source, *source = limpet_mjcf_attached_source(m, own, e);
  const char *prefix = limpet_read_required(m->reader, e, "prefix");
  const char *body_name = limpet_xml_value(e, "body"), *frame_name = limpet_xml_value(e, "frame");
  if (body_name && frame_name)
    limpet_reader_fail(m->reader, e, "frame", "<attach> takes 'body' or 'frame', not both");
  if (source == own && !body_name && !frame_name)
    limpet_reader_fail(
        m->reader, e, NULL,
        "<attach> without a model needs 'body' or 'frame': a model cannot hold itself");
  if (m->attach_depth >= ATTACH_DEPTH_LIMIT)
    limpet_reader_fail(
        m->reader, e, NULL,
        "models are attached to each other more than %d deep; does one attach itself?",
        ATTACH_DEPTH_LIMIT);
  if (source != own) limpet_mjcf_options_merge(m, source, e);

  limpet_mjcf_attachment a = {.scope = *scope};
  a.scope.childclass = NULL;
  a.scope.space = limpet_mjcf_space_add(m, scope->space, source, prefix, "");
  if (!body_name && !frame_name) return a;
  const char *tag = body_name ? "body" : "frame", *name = body_name ? body_name : frame_name;
  a.target = limpet_mjcf_find_in_world(m->reader, source, tag, name);
  if (!a.target)
    limpet_reader_fail(m->reader, e, tag, "the model to attach has no %s '%s'", tag, name);
  a.scope.space->target = a.target;
  a.scope.childclass = inherited_class(m->reader, source, a.target->parent);
  return a;
}
