/* format/mjcf_replicate.c: <frame> and <replicate>: elements that move what they enclose and leave
 * no trace of their own.
 *
 * Copy i of a <replicate> stands at T^i, T being (offset, euler); its names get the suffix sep + i,
 * written with as many digits as the count has: ten copies are 00 to 09. */
#include <stdio.h>
#include <string.h>

#include "format/mjcf.h"
#include "math/quaternion.h"

void limpet_mjcf_frame_read(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                            const limpet_xml_element *e, int body) {
  limpet_mjcf_scope inner = {
      .space = scope->space, .childclass = scope->childclass, .quaternion = {1.0, 0.0, 0.0, 0.0}};
  for (const limpet_xml_element *child = e->first; child; child = child->next)
    if (strcmp(child->name, "inertial") == 0)
      limpet_mjcf_fail(m, child, NULL,
                       "<inertial> cannot stand inside <frame>; put it into the <body>");
  limpet_mjcf_numbers(m, e, "pos", inner.position, 3, 3);
  limpet_mjcf_orientation(m, scope->space->source, e, inner.quaternion);
  limpet_mjcf_place_in_scope(scope, inner.position, inner.quaternion);
  if (limpet_xml_find(e, "childclass"))
    inner.childclass = limpet_mjcf_class_find(m, scope->space->source, e, "childclass");
  limpet_mjcf_children_read(m, &inner, e, body);
}

// pose <- pose composed with (offset, turn)
static void advance(double position[3], double quaternion[4], const double offset[3],
                    const double turn[4]) {
  double moved[3], product[4];
  limpet_quaternion_rotate(moved, quaternion, offset);
  limpet_vec3_add(position, position, moved);
  limpet_quaternion_mul(product, quaternion, turn);
  limpet_quaternion_copy(quaternion, product);
  limpet_quaternion_normalize(quaternion);
}

void limpet_mjcf_replicate_read(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                                const limpet_xml_element *e, int body) {
  limpet_mjcf_source *source = scope->space->source;
  double offset[3] = {0.0, 0.0, 0.0}, angle[3] = {0.0, 0.0, 0.0}, turn[4];
  int count = 0;
  limpet_mjcf_required(m, e, "count");
  limpet_mjcf_integer(m, e, "count", &count);
  if (count < 0) limpet_mjcf_fail(m, e, "count", "'count' is %d; it cannot be negative", count);
  limpet_mjcf_numbers(m, e, "offset", offset, 3, 3);
  limpet_mjcf_numbers(m, e, "euler", angle, 3, 3);
  limpet_mjcf_euler(source, angle, turn);
  const char *separator = limpet_xml_value(e, "sep");
  char number[16];
  const int digits = snprintf(number, sizeof number, "%d", count);

  double position[3] = {0.0, 0.0, 0.0}, quaternion[4] = {1.0, 0.0, 0.0, 0.0};
  for (int i = 0; i < count; ++i) {
    limpet_mjcf_count(m, e);
    snprintf(number, sizeof number, "%0*d", digits, i);
    limpet_mjcf_scope inner = {.childclass = scope->childclass};
    inner.space = limpet_mjcf_space_add(
        m, scope->space, source, "", limpet_mjcf_join(m, separator ? separator : "", number, ""));
    inner.space->replica = true;
    limpet_vec3_copy(inner.position, position);
    limpet_quaternion_copy(inner.quaternion, quaternion);
    limpet_mjcf_place_in_scope(scope, inner.position, inner.quaternion);
    limpet_mjcf_children_read(m, &inner, e, body);
    advance(position, quaternion, offset, turn);
  }
}
