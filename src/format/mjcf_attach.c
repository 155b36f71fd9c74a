/* format/mjcf_attach.c: <attach>: a body, a frame or the whole world of another model (or of the
 * same one) under a prefix.
 *
 * The other model is a source of its own: its settings, classes and meshes stay with it. Its
 * options are compared with the main file's as <compiler conflict> says: keep the main file's
 * (warning, the default), merge, or refuse. Its tendons, actuators, equalities, contacts and
 * keyframes follow as far as all that they refer to was attached. */
#include <string.h>

#include "base/error.h"
#include "format/mjcf.h"

enum { ATTACH_DEPTH_LIMIT = 50 };

// first element <tag name="name"> below `e`, in the order of the document
static const limpet_xml_element *find_below(const limpet_xml_element *e, const char *tag,
                                            const char *name) {
  for (const limpet_xml_element *child = e->first; child; child = child->next) {
    const char *own = limpet_xml_value(child, "name");
    if (strcmp(child->name, tag) == 0 && own && strcmp(own, name) == 0) return child;
    const limpet_xml_element *found = find_below(child, tag, name);
    if (found) return found;
  }
  return NULL;
}

const limpet_xml_element *limpet_mjcf_find_in_world(const limpet_mjcf_source *source,
                                                    const char *tag, const char *name) {
  for (const limpet_xml_element *part = source->root->first; part; part = part->next) {
    const limpet_xml_element *found =
        strcmp(part->name, "worldbody") == 0 ? find_below(part, tag, name) : NULL;
    if (found) return found;
  }
  return NULL;
}

static limpet_mjcf_source *model_source(limpet_mjcf *m, const limpet_mjcf_source *source,
                                        limpet_mjcf_model *model) {
  if (model->source) return model->source;
  const char *tried = NULL, *file = limpet_xml_value(model->element, "file");
  const char *path =
      limpet_mjcf_file_find(m, source, model->element, file, source->compiler.asset_folder, &tried);
  if (!path)
    limpet_mjcf_fail(m, model->element, "file", "the model file '%s' cannot be found; tried %s",
                     file, tried);
  limpet_xml_element *root;
  const limpet_status status = limpet_xml_parse_file(&root, &m->pool, path, m->error);
  if (status != LIMPET_OK) limpet_mjcf_fail_status(m, status);
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
  limpet_mjcf_fail(m, e, "model", "there is no model '%s' in <asset>", name);
}

// the class that elements inside `e` inherit in their own file
static limpet_mjcf_class *inherited_class(limpet_mjcf *m, const limpet_mjcf_source *source,
                                          const limpet_xml_element *e) {
  for (; e; e = e->parent)
    if (limpet_xml_find(e, "childclass")) return limpet_mjcf_class_find(m, source, e, "childclass");
  return NULL;
}

static void attach_world(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                         const limpet_mjcf_source *source, int body) {
  for (const limpet_xml_element *part = source->root->first; part; part = part->next)
    if (strcmp(part->name, "worldbody") == 0) limpet_mjcf_children_read(m, scope, part, body);
}

void limpet_mjcf_attach_read(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                             const limpet_xml_element *e, int body) {
  limpet_mjcf_source *own = scope->space->source, *source = limpet_mjcf_attached_source(m, own, e);
  const char *prefix = limpet_mjcf_required(m, e, "prefix");
  const char *body_name = limpet_xml_value(e, "body"), *frame_name = limpet_xml_value(e, "frame");
  if (body_name && frame_name)
    limpet_mjcf_fail(m, e, "frame", "<attach> takes 'body' or 'frame', not both");
  if (source == own && !body_name && !frame_name)
    limpet_mjcf_fail(
        m, e, NULL, "<attach> without a model needs 'body' or 'frame': a model cannot hold itself");
  if (++m->attach_depth > ATTACH_DEPTH_LIMIT)
    limpet_mjcf_fail(m, e, NULL,
                     "models are attached to each other more than %d deep; does one attach itself?",
                     ATTACH_DEPTH_LIMIT);
  if (source != own) limpet_mjcf_options_merge(m, source, e);

  limpet_mjcf_scope inner = *scope;
  inner.childclass = NULL;
  inner.space = limpet_mjcf_space_add(m, scope->space, source, prefix, "");
  if (!body_name && !frame_name) {
    attach_world(m, &inner, source, body);
  } else {
    const char *tag = body_name ? "body" : "frame", *name = body_name ? body_name : frame_name;
    const limpet_xml_element *target = limpet_mjcf_find_in_world(source, tag, name);
    if (!target) limpet_mjcf_fail(m, e, tag, "the model to attach has no %s '%s'", tag, name);
    inner.space->target = target;
    inner.childclass = inherited_class(m, source, target->parent);
    if (body_name) limpet_mjcf_body_read(m, &inner, target, body);
    else limpet_mjcf_frame_read(m, &inner, target, body);
  }
  --m->attach_depth;
}
