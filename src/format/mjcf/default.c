/* format/mjcf/default.c: default classes. A class inherits from the class around it; `main` is the
 * root. Attributes are not merged in advance: an element is read in layers, the class tree from
 * `main` down and then the element itself, each overwriting what the layers before it said. So
 * whatever a layer means (a `kp` that sets gain and bias) happens in the order in which MuJoCo does
 * it. */
#include <string.h>

#include "format/mjcf/default.h"
#include "format/mjcf/source.h"
#include "format/read/value.h"

struct limpet_mjcf_class {
  limpet_mjcf_class *parent;
  const limpet_xml_element **section;  // the <default> elements that fill it
  int section_count, room;
};

static limpet_mjcf_class *find(const limpet_mjcf_source *source, const char *name) {
  return limpet_table_find(&source->classes, 0, name);
}

static limpet_mjcf_class *add(limpet_reader *reader, limpet_mjcf_source *source, const char *name,
                              limpet_mjcf_class *parent) {
  limpet_mjcf_class *c = LIMPET_READER_TAKE(reader, limpet_mjcf_class, 1);
  c->parent = parent;
  limpet_reader_enter(reader, &source->classes, 0, name, c);
  return c;
}

static void add_section(limpet_reader *reader, limpet_mjcf_class *c, const limpet_xml_element *e) {
  if (c->section_count == c->room) {
    const int room = c->room ? 2 * c->room : 2;
    const limpet_xml_element **larger =
        LIMPET_READER_TAKE(reader, const limpet_xml_element *, room);
    if (c->section_count) memcpy(larger, c->section, (size_t)c->section_count * sizeof *larger);
    c->section = larger, c->room = room;
  }
  c->section[c->section_count++] = e;
}

static void read_class(limpet_reader *reader, limpet_mjcf_source *source,
                       const limpet_xml_element *e, limpet_mjcf_class *c) {
  add_section(reader, c, e);
  for (const limpet_xml_element *child = e->first; child; child = child->next) {
    if (strcmp(child->name, "default") != 0) continue;
    const char *name = limpet_read_required(reader, child, "class");
    if (find(source, name))
      limpet_reader_fail(reader, child, "class", "the default class '%s' is defined twice", name);
    read_class(reader, source, child, add(reader, source, name, c));
  }
}

void limpet_mjcf_defaults_read(limpet_reader *reader, limpet_mjcf_source *source) {
  source->main_class = add(reader, source, "main", NULL);
  for (const limpet_xml_element *e = source->root->first; e; e = e->next) {
    if (strcmp(e->name, "default") != 0) continue;
    const char *name = limpet_xml_value(e, "class");
    if (name && strcmp(name, "main") != 0)
      limpet_reader_fail(reader, e, "class",
                         "the outermost <default> is the class 'main' and cannot be called '%s'; "
                         "put a <default> around it",
                         name);
    read_class(reader, source, e, source->main_class);
  }
}

limpet_mjcf_class *limpet_mjcf_class_find(limpet_reader *reader, const limpet_mjcf_source *source,
                                          const limpet_xml_element *e, const char *attribute) {
  const char *name = limpet_xml_value(e, attribute);
  limpet_mjcf_class *c = find(source, name);
  if (!c) limpet_reader_fail(reader, e, attribute, "there is no default class '%s'", name);
  return c;
}

static void apply_class(limpet_reader *reader, const limpet_mjcf_source *source,
                        const limpet_mjcf_class *c, const char *const *tags,
                        limpet_mjcf_layer *layer, void *record) {
  if (c->parent) apply_class(reader, source, c->parent, tags, layer, record);
  for (int i = 0; i < c->section_count; ++i)
    for (const limpet_xml_element *e = c->section[i]->first; e; e = e->next)
      for (int k = 0; tags[k]; ++k)
        if (strcmp(e->name, tags[k]) == 0) layer(reader, source, e, record);
}

void limpet_mjcf_apply(limpet_reader *reader, const limpet_mjcf_source *source,
                       const limpet_mjcf_class *childclass, const limpet_xml_element *e,
                       const char *const *tags, limpet_mjcf_layer *layer, void *record) {
  const limpet_mjcf_class *c = childclass ? childclass : source->main_class;
  if (limpet_xml_find(e, "class")) c = limpet_mjcf_class_find(reader, source, e, "class");
  apply_class(reader, source, c, tags, layer, record);
  layer(reader, source, e, record);
}
