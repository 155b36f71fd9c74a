/* format/mjcf/attach.h: <attach>: parts of other models. */
#ifndef LIMPET_FORMAT_MJCF_ATTACH_H
#define LIMPET_FORMAT_MJCF_ATTACH_H

#include "format/mjcf/scope.h"

typedef struct limpet_mjcf_attachment {
  limpet_mjcf_scope scope;           // in which it is read
  const limpet_xml_element *target;  // a <body> or <frame>; NULL: the whole world of the source
} limpet_mjcf_attachment;

limpet_mjcf_attachment limpet_mjcf_attach_open(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                                               const limpet_xml_element *e);

// The source of <attach model="...">, read on first use.
limpet_mjcf_source *limpet_mjcf_attached_source(limpet_mjcf *m, limpet_mjcf_source *source,
                                                const limpet_xml_element *e);
// The element of the world of a source with that tag (body or frame) and name, or NULL.
const limpet_xml_element *limpet_mjcf_find_in_world(limpet_reader *reader,
                                                    limpet_mjcf_source *source, const char *tag,
                                                    const char *name);

#endif
