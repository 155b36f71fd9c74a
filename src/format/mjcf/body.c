/* format/mjcf/body.c: bodies and their inertials. */
#include <string.h>

#include "format/mjcf/element.h"
#include "format/mjcf/name.h"
#include "format/mjcf/orientation.h"
#include "format/read/value.h"
#include "math/quaternion.h"
#include "math/vec3.h"

static void read_inertial(limpet_reader *reader, const limpet_mjcf_source *source,
                          const limpet_xml_element *e, limpet_body_description *d) {
  d->has_inertial = true;
  limpet_read_required(reader, e, "pos");
  limpet_read_required(reader, e, "mass");
  limpet_read_numbers(reader, e, "pos", d->com, 3, 3);
  limpet_read_number(reader, e, "mass", &d->mass);
  limpet_quaternion_identity(d->inertia_quaternion);
  memset(d->inertia, 0, sizeof d->inertia);
  const bool turned = limpet_mjcf_orientation(reader, source, e, d->inertia_quaternion);
  const int diagonal = limpet_read_numbers(reader, e, "diaginertia", d->inertia, 3, 3);
  const int full = limpet_read_numbers(reader, e, "fullinertia", d->inertia, 6, 6);
  if (full && (turned || diagonal))
    limpet_reader_fail(reader, e, "fullinertia", "'fullinertia' stands alone: remove %s",
                       diagonal ? "'diaginertia'" : "the orientation");
}

static const limpet_xml_element *find_inertial(limpet_reader *reader,
                                               const limpet_xml_element *body) {
  const limpet_xml_element *found = NULL;
  for (const limpet_xml_element *e = body->first; e; e = e->next) {
    if (strcmp(e->name, "inertial") != 0) continue;
    if (found)
      limpet_reader_fail(reader, e, NULL,
                         "the body has a second <inertial>; the first is in line %d", found->line);
    found = e;
  }
  return found;
}

/* The builder takes one rule for all bodies, that of the main file; a body of an attached file with
 * another rule is told what that means. */
static void follow_source(const limpet_mjcf *m, const limpet_mjcf_source *source,
                          limpet_body_description *d) {
  const limpet_inertia_source own = source->compiler.inertia_source;
  if (own == m->main->compiler.inertia_source) return;
  if (own == LIMPET_INERTIA_FROM_GEOMS) d->has_inertial = false;
  else if (own == LIMPET_INERTIA_GIVEN) d->has_inertial = true;
}

int limpet_mjcf_body_add(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                         const limpet_xml_element *e, int parent, limpet_mjcf_scope *inside) {
  const limpet_mjcf_source *source = scope->space->source;
  limpet_body_description d = limpet_body_description_default();
  d.name = limpet_mjcf_full_name(m, scope->space, e);
  d.parent = parent;
  d.place = limpet_xml_place(e, NULL);
  limpet_read_numbers(m->reader, e, "pos", d.position, 3, 3);
  limpet_mjcf_orientation(m->reader, source, e, d.quaternion);
  // where MuJoCo puts the mass that 'boundmass' gives a body without any: 'pos' once more
  limpet_vec3_copy(d.com, d.position);
  limpet_mjcf_place_in_scope(scope, d.position, d.quaternion);
  limpet_read_boolean(m->reader, e, "mocap", &d.mocap);
  limpet_read_number(m->reader, e, "gravcomp", &d.gravity_compensation);
  const limpet_xml_element *inertial = find_inertial(m->reader, e);
  if (inertial) read_inertial(m->reader, source, inertial, &d);
  follow_source(m, source, &d);
  const int handle =
      limpet_reader_added(m->reader, limpet_builder_add_body(m->reader->builder, &d));
  limpet_mjcf_own(m, &m->bodies, scope->space);
  limpet_mjcf_name_add(m, LIMPET_OBJECT_BODY, d.name, handle, scope->space, e);

  *inside = limpet_mjcf_scope_at_origin(scope->space, scope->childclass);
  limpet_mjcf_scope_class(m->reader, inside, e);
  return handle;
}
