/* format/mjcf/flex_vertex.c: deformable bodies of flexes, and <connect> to a vertex of a
 * <flexcomp>, which MuJoCo makes a body NAME_NUMBER of. It becomes a tie: the vertex moves with the
 * other body. Source: MuJoCo documentation, XML reference, flexcomp. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "format/mjcf/flex.h"
#include "format/read/value.h"

struct limpet_mjcf_flex {
  int handle, vertex_count;
  limpet_mjcf_flex *next;
};

int limpet_mjcf_flex_add(limpet_mjcf *m, const limpet_mjcf_space *space,
                         const limpet_xml_element *e, const limpet_deformable_description *d) {
  const int handle =
      limpet_reader_added(m->reader, limpet_builder_add_deformable(m->reader->builder, d));
  const int geom = limpet_builder_deformable(m->reader->builder, handle)->geom;
  limpet_mjcf_name_add(m, LIMPET_OBJECT_DEFORMABLE, d->name, handle, space, e);
  limpet_mjcf_name_add(m, LIMPET_OBJECT_GEOM, d->name, geom, space, e);
  return handle;
}

void limpet_mjcf_flex_number(limpet_mjcf *m, int handle, int vertex_count) {
  limpet_mjcf_flex *flex = LIMPET_READER_TAKE(m->reader, limpet_mjcf_flex, 1);
  *flex = (limpet_mjcf_flex){handle, vertex_count, m->flexes};
  m->flexes = flex;
}

// ------------------------------------------------------------------------------- connect

// One side of a <connect>: a body, or a vertex of a deformable body.
typedef struct side {
  int body;          // LIMPET_NONE: none of that name
  int flex, vertex;  // LIMPET_NONE: no vertex
} side;

static const limpet_mjcf_flex *flex_of(const limpet_mjcf *m, int handle) {
  const limpet_mjcf_flex *flex = m->flexes;
  while (flex && flex->handle != handle) flex = flex->next;
  return flex;
}

static side side_of(limpet_mjcf *m, const limpet_mjcf_space *space, const limpet_xml_element *e,
                    const char *attribute) {
  side s = {.body = 0, .flex = LIMPET_NONE, .vertex = LIMPET_NONE};
  const char *name = limpet_xml_value(e, attribute);
  if (!name) return s;
  limpet_mjcf_reference reference = limpet_mjcf_refer(m, space, e);
  s.body = limpet_mjcf_resolve(&reference, e, attribute, LIMPET_OBJECT_BODY);
  const char *bar = strrchr(name, '_');
  if (s.body != LIMPET_NONE || !bar || !isdigit((unsigned char)bar[1])) return s;
  char *end, *stem = limpet_reader_join(m->reader, name, "", "");
  stem[bar - name] = '\0';
  const long vertex = strtol(bar + 1, &end, 10);
  s.flex = limpet_mjcf_resolve_name(&reference, e, attribute, stem, LIMPET_OBJECT_DEFORMABLE);
  const limpet_mjcf_flex *flex = flex_of(m, s.flex);
  if (*end || !flex || vertex >= flex->vertex_count) s.flex = LIMPET_NONE;
  else s.vertex = (int)vertex;
  return s;
}

bool limpet_mjcf_flex_connect(limpet_mjcf *m, const limpet_mjcf_space *space,
                              const limpet_xml_element *e) {
  const side a = side_of(m, space, e, "body1"), b = side_of(m, space, e, "body2");
  if (a.flex == LIMPET_NONE && b.flex == LIMPET_NONE) return false;
  bool active = true;
  limpet_read_boolean(m->reader, e, "active", &active);
  const side *vertex = a.flex != LIMPET_NONE ? &a : &b, *other = vertex == &a ? &b : &a;
  if (other->body == LIMPET_NONE || !active) {
    limpet_reader_unsupported(m->reader, e, NULL, "equality of two vertices",
                              "<connect> holds a vertex of a flexcomp and no body of the file, or "
                              "is not active at the start: it is left out");
    return true;
  }
  const limpet_tie tie = {.body = other->body, .vertex_count = 1, .vertices = &vertex->vertex};
  limpet_builder_add_tie(m->reader->builder, vertex->flex, &tie);
  return true;
}
