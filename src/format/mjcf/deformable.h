/* format/mjcf/deformable.h: deformable bodies: <limpet:deformable>, <flexcomp>. */
#ifndef LIMPET_FORMAT_MJCF_DEFORMABLE_H
#define LIMPET_FORMAT_MJCF_DEFORMABLE_H

#include "format/mjcf/element.h"

// Remembers an element of the tree; limpet_mjcf_deformables_add adds them when all bodies are
// known.
limpet_mjcf_element_reader limpet_mjcf_deformable_read;
void limpet_mjcf_deformables_add(limpet_mjcf *m);
// Adds a <flexcomp>; false: it is left out, with a note.
bool limpet_mjcf_flexcomp_add(limpet_mjcf *m, const limpet_mjcf_scope *scope,
                              const limpet_xml_element *e, int body);

#endif
