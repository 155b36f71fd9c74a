/* format/mjcf/replicate.h: <frame> and <replicate>. */
#ifndef LIMPET_FORMAT_MJCF_REPLICATE_H
#define LIMPET_FORMAT_MJCF_REPLICATE_H

#include "format/mjcf/scope.h"

// The scope inside of a <frame>.
limpet_mjcf_scope limpet_mjcf_frame_scope(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                                          const limpet_xml_element *e);

typedef struct limpet_mjcf_copies {
  const limpet_xml_element *element;
  const char *separator;
  int count, next, digits;                                 // next: number of the next copy
  double offset[3], angle[3], position[3], quaternion[4];  // step from copy to copy; pose of `next`
} limpet_mjcf_copies;

limpet_mjcf_copies limpet_mjcf_replicate_begin(limpet_mjcf *m, const limpet_xml_element *e);
// The scope of the next copy, in a space of its own; false: there are no more.
bool limpet_mjcf_replicate_next(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                                limpet_mjcf_copies *copies, limpet_mjcf_scope *inside);

#endif
