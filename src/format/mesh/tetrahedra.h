/* format/mesh/tetrahedra.h: what every reader of tetrahedral meshes does in the end. */
#ifndef LIMPET_FORMAT_MESH_TETRAHEDRA_H
#define LIMPET_FORMAT_MESH_TETRAHEDRA_H

#include "limpet/format.h"

/* Checks the tetrahedra that were read, orients them to positive volume and makes mesh->faces of
 * their boundary, seen counter-clockwise from outside. Errors, with numbers: an index out of range,
 * a tetrahedron without volume, one that overlaps its neighbour, a face of three tetrahedra. */
limpet_status limpet_mesh_tetrahedra_finish(limpet_mesh_file *mesh, const char *path,
                                            limpet_error *error);

#endif
