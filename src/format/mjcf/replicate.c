/* format/mjcf/replicate.c: <frame> and <replicate>: elements that move what they enclose and leave
 * no trace of their own.
 *
 * Copy i of a <replicate> is turned by i times the angles of euler, and stands where copy i - 1 has
 * the offset in its own frame, as in MuJoCo. Its names get the suffix sep + i, written with as many
 * digits as the count has: ten copies are 00 to 09. */
#include <stdio.h>
#include <string.h>

#include "format/mjcf/replicate.h"
#include "format/mjcf/orientation.h"
#include "format/read/value.h"
#include "math/quaternion.h"

limpet_mjcf_scope limpet_mjcf_frame_scope(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                                          const limpet_xml_element *e) {
  limpet_mjcf_scope inside = limpet_mjcf_scope_at_origin(scope->space, scope->childclass);
  for (const limpet_xml_element *child = e->first; child; child = child->next)
    if (strcmp(child->name, "inertial") == 0)
      limpet_reader_fail(m->reader, child, NULL,
                         "<inertial> cannot stand inside <frame>; put it into the <body>");
  limpet_read_numbers(m->reader, e, "pos", inside.position, 3, 3);
  limpet_mjcf_orientation(m->reader, scope->space->source, e, inside.quaternion);
  limpet_mjcf_place_in_scope(scope, inside.position, inside.quaternion);
  limpet_mjcf_scope_class(m->reader, &inside, e);
  return inside;
}

// The pose of the next copy.
static void advance(limpet_mjcf_copies *copies, const limpet_mjcf_source *source) {
  double moved[3], angle[3];
  limpet_quaternion_rotate(moved, copies->quaternion, copies->offset);
  limpet_vec3_add(copies->position, copies->position, moved);
  ++copies->next;
  for (int i = 0; i < 3; ++i) angle[i] = copies->next * copies->angle[i];
  limpet_mjcf_euler(source, angle, copies->quaternion);
}

limpet_mjcf_copies limpet_mjcf_replicate_begin(limpet_mjcf *m, const limpet_xml_element *e) {
  limpet_mjcf_copies copies = {.element = e, .quaternion = {1.0, 0.0, 0.0, 0.0}};
  limpet_read_required(m->reader, e, "count");
  limpet_read_integer(m->reader, e, "count", &copies.count);
  if (copies.count < 0)
    limpet_reader_fail(m->reader, e, "count", "'count' is %d; it cannot be negative", copies.count);
  limpet_reader_expect(m->reader, e, copies.count);
  limpet_read_numbers(m->reader, e, "offset", copies.offset, 3, 3);
  limpet_read_numbers(m->reader, e, "euler", copies.angle, 3, 3);
  copies.separator = limpet_xml_value(e, "sep");
  if (!copies.separator) copies.separator = "";
  copies.digits = snprintf(NULL, 0, "%d", copies.count);
  return copies;
}

bool limpet_mjcf_replicate_next(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                                limpet_mjcf_copies *copies, limpet_mjcf_scope *inside) {
  if (copies->next == copies->count) return false;
  limpet_reader_count(m->reader, copies->element);
  char number[16];
  snprintf(number, sizeof number, "%0*d", copies->digits, copies->next);
  *inside = (limpet_mjcf_scope){.childclass = scope->childclass};
  inside->space =
      limpet_mjcf_space_add(m, scope->space, scope->space->source, "",
                            limpet_reader_join(m->reader, copies->separator, number, ""));
  inside->space->replica = true;
  limpet_vec3_copy(inside->position, copies->position);
  limpet_quaternion_copy(inside->quaternion, copies->quaternion);
  limpet_mjcf_place_in_scope(scope, inside->position, inside->quaternion);
  advance(copies, scope->space->source);
  return true;
}
