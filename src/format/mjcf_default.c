/* format/mjcf_default.c: default classes. A class inherits from the class around it; `main` is the
 * root. Attributes are not merged in advance: an element is read in layers, the class tree from
 * `main` down and then the element itself, each overwriting what the layers before it said. So
 * whatever a layer means (a `kp` that sets gain and bias) happens in the order in which MuJoCo does
 * it. */
#include <string.h>

#include "format/mjcf.h"

static limpet_mjcf_class *find(const limpet_mjcf_source *source, const char *name) {
  for (limpet_mjcf_class *c = source->classes; c; c = c->next)
    if (strcmp(c->name, name) == 0) return c;
  return NULL;
}

static limpet_mjcf_class *add(limpet_mjcf *m, limpet_mjcf_source *source, const char *name,
                              limpet_mjcf_class *parent) {
  limpet_mjcf_class *c = LIMPET_MJCF_TAKE(m, limpet_mjcf_class, 1), **end = &source->classes;
  c->name = name;
  c->parent = parent;
  while (*end) end = &(*end)->next;
  return *end = c;
}

static void read_class(limpet_mjcf *m, limpet_mjcf_source *source, const limpet_xml_element *e,
                       limpet_mjcf_class *c) {
  limpet_mjcf_list_add(m, &c->sections, e);
  for (const limpet_xml_element *child = e->first; child; child = child->next) {
    if (strcmp(child->name, "default") != 0) continue;
    const char *name = limpet_mjcf_required(m, child, "class");
    if (find(source, name))
      limpet_mjcf_fail(m, child, "class", "the default class '%s' is defined twice", name);
    read_class(m, source, child, add(m, source, name, c));
  }
}

void limpet_mjcf_defaults_read(limpet_mjcf *m, limpet_mjcf_source *source) {
  limpet_mjcf_class *main_class = add(m, source, "main", NULL);
  for (const limpet_xml_element *e = source->root->first; e; e = e->next) {
    if (strcmp(e->name, "default") != 0) continue;
    const char *name = limpet_xml_value(e, "class");
    if (name && strcmp(name, "main") != 0)
      limpet_mjcf_fail(m, e, "class",
                       "the outermost <default> is the class 'main' and cannot be called '%s'; put "
                       "a <default> around it",
                       name);
    read_class(m, source, e, main_class);
  }
}

limpet_mjcf_class *limpet_mjcf_class_find(limpet_mjcf *m, const limpet_mjcf_source *source,
                                          const limpet_xml_element *e, const char *attribute) {
  const char *name = limpet_xml_value(e, attribute);
  limpet_mjcf_class *c = find(source, name);
  if (!c) limpet_mjcf_fail(m, e, attribute, "there is no default class '%s'", name);
  return c;
}

static void apply_class(limpet_mjcf *m, const limpet_mjcf_source *source,
                        const limpet_mjcf_class *c, const char *const *tags,
                        limpet_mjcf_layer *layer, void *record) {
  if (c->parent) apply_class(m, source, c->parent, tags, layer, record);
  for (int i = 0; i < c->sections.count; ++i)
    for (const limpet_xml_element *e = c->sections.item[i]->first; e; e = e->next)
      for (int k = 0; tags[k]; ++k)
        if (strcmp(e->name, tags[k]) == 0) layer(m, source, e, record);
}

void limpet_mjcf_apply(limpet_mjcf *m, const limpet_mjcf_source *source,
                       const limpet_mjcf_class *childclass, const limpet_xml_element *e,
                       const char *const *tags, limpet_mjcf_layer *layer, void *record) {
  const limpet_mjcf_class *c = childclass ? childclass : source->classes;
  if (limpet_xml_find(e, "class")) c = limpet_mjcf_class_find(m, source, e, "class");
  apply_class(m, source, c, tags, layer, record);
  layer(m, source, e, record);
}
