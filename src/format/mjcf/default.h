/* format/mjcf/default.h: default classes. */
#ifndef LIMPET_FORMAT_MJCF_DEFAULT_H
#define LIMPET_FORMAT_MJCF_DEFAULT_H

#include "format/mjcf/state.h"

void limpet_mjcf_defaults_read(limpet_reader *reader, limpet_mjcf_source *source);
// The class that the attribute names; ends the reading if there is none.
limpet_mjcf_class *limpet_mjcf_class_find(limpet_reader *reader, const limpet_mjcf_source *source,
                                          const limpet_xml_element *e, const char *attribute);

/* Reads an element into `record`: first what its class says (root of the class tree first), then
 * itself. `tags`, ended by NULL, names the elements of a <default> that count. */
typedef void limpet_mjcf_layer(limpet_reader *reader, const limpet_mjcf_source *source,
                               const limpet_xml_element *e, void *record);
void limpet_mjcf_apply(limpet_reader *reader, const limpet_mjcf_source *source,
                       const limpet_mjcf_class *childclass, const limpet_xml_element *e,
                       const char *const *tags, limpet_mjcf_layer *layer, void *record);

#endif
