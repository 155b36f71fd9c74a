/* format/mjcf/scope.c: frames in frames, and the class that is inherited. */
#include "format/mjcf/scope.h"

#include "format/mjcf/default.h"
#include "math/quaternion.h"

limpet_mjcf_scope limpet_mjcf_scope_at_origin(limpet_mjcf_space *space,
                                              limpet_mjcf_class *childclass) {
  return (limpet_mjcf_scope){
      .space = space, .childclass = childclass, .quaternion = {1.0, 0.0, 0.0, 0.0}};
}

void limpet_mjcf_place_in_scope(const limpet_mjcf_scope *scope, double position[3],
                                double quaternion[4]) {
  double turned[3], product[4];
  limpet_quaternion_rotate(turned, scope->quaternion, position);
  limpet_vec3_add(position, scope->position, turned);
  limpet_quaternion_mul(product, scope->quaternion, quaternion);
  limpet_quaternion_copy(quaternion, product);
  limpet_quaternion_normalize(quaternion);
}

void limpet_mjcf_scope_class(limpet_reader *reader, limpet_mjcf_scope *scope,
                             const limpet_xml_element *e) {
  if (limpet_xml_find(e, "childclass"))
    scope->childclass = limpet_mjcf_class_find(reader, scope->space->source, e, "childclass");
}
