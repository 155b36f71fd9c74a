/* format/mjcf/name.h: names of everything that can be referred to, and who sees what. */
#ifndef LIMPET_FORMAT_MJCF_NAME_H
#define LIMPET_FORMAT_MJCF_NAME_H

#include "format/mjcf/space.h"

// Enters a name; ends the reading if it is taken. `name` NULL: does nothing.
void limpet_mjcf_name_add(limpet_mjcf *m, limpet_object kind, const char *name, int handle,
                          const limpet_mjcf_space *space, const limpet_xml_element *e);
bool limpet_mjcf_name_taken(const limpet_mjcf *m, limpet_object kind, const char *name);

/* Resolves the names that one element of a section refers to, as seen from a space. */
typedef struct limpet_mjcf_reference {
  limpet_mjcf *m;
  const limpet_mjcf_space *space;
  const limpet_xml_element *element;
  bool inside;          // something it names stands in the space itself
  const char *missing;  // attribute whose name was not found; NULL: all were
  limpet_object missing_kind;
} limpet_mjcf_reference;

limpet_mjcf_reference limpet_mjcf_refer(limpet_mjcf *m, const limpet_mjcf_space *space,
                                        const limpet_xml_element *e);
int limpet_mjcf_resolve(limpet_mjcf_reference *reference, const limpet_xml_element *e,
                        const char *attribute, limpet_object kind);
// The same of a name that is a part of the attribute.
int limpet_mjcf_resolve_name(limpet_mjcf_reference *reference, const limpet_xml_element *e,
                             const char *attribute, const char *name, limpet_object kind);
/* Whether the element is to be added in this space. An element of the main file that no space can
 * resolve ends the reading. */
bool limpet_mjcf_resolved(limpet_mjcf_reference *reference);

#endif
