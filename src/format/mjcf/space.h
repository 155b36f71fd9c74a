/* format/mjcf/space.h: the spaces that decorate names, and who was made in which. */
#ifndef LIMPET_FORMAT_MJCF_SPACE_H
#define LIMPET_FORMAT_MJCF_SPACE_H

#include "format/mjcf/source.h"

struct limpet_mjcf_space {
  limpet_mjcf_source *source;
  const char *prefix, *suffix;
  limpet_mjcf_space *parent, *next;  // next: in order of creation
  bool replica;                      // made by <replicate>
  const limpet_xml_element *target;  // made by <attach>: what was attached (body, frame, or
                                     // worldbody)
};

limpet_mjcf_space *limpet_mjcf_space_add(limpet_mjcf *m, limpet_mjcf_space *parent,
                                         limpet_mjcf_source *source, const char *prefix,
                                         const char *suffix);
// Whether the space is `outer` or lies in it.
bool limpet_mjcf_stands_in(const limpet_mjcf_space *space, const limpet_mjcf_space *outer);
// The name an element gets (NULL if it has none).
const char *limpet_mjcf_full_name(limpet_mjcf *m, const limpet_mjcf_space *space,
                                  const limpet_xml_element *e);
// Notes the space of the next handle.
void limpet_mjcf_own(limpet_mjcf *m, limpet_mjcf_owners *owners, const limpet_mjcf_space *space);

#endif
