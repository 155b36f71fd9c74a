/* format/mjcf/scope.h: where an element of the kinematic tree stands. */
#ifndef LIMPET_FORMAT_MJCF_SCOPE_H
#define LIMPET_FORMAT_MJCF_SCOPE_H

#include "format/mjcf/space.h"

typedef struct limpet_mjcf_scope {
  limpet_mjcf_space *space;
  limpet_mjcf_class *childclass;      // NULL: main
  double position[3], quaternion[4];  // of the frame on the body
} limpet_mjcf_scope;

// The scope at the origin of a body, or of a frame that is to be placed.
limpet_mjcf_scope limpet_mjcf_scope_at_origin(limpet_mjcf_space *space,
                                              limpet_mjcf_class *childclass);
// pose <- frame of the scope composed with pose
void limpet_mjcf_place_in_scope(const limpet_mjcf_scope *scope, double position[3],
                                double quaternion[4]);
// The class of the attribute `childclass` becomes the scope's, if there is one.
void limpet_mjcf_scope_class(limpet_reader *reader, limpet_mjcf_scope *scope,
                             const limpet_xml_element *e);

#endif
