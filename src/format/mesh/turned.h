/* format/mesh/turned.h: the remark on tetrahedra that a file gives inside out. */
#ifndef LIMPET_FORMAT_MESH_TURNED_H
#define LIMPET_FORMAT_MESH_TURNED_H

#include "format/read/reader.h"

/* A note where tetrahedra of the mesh that was read from `path` had their vertices the other way
 * round: how many, and where some only, the first of them. */
void limpet_mesh_turned_note(limpet_reader *reader, const limpet_xml_element *element,
                             const char *attribute, const limpet_mesh_file *mesh, const char *path);

#endif
