/* format/mesh/assimp.h: mesh files that the library assimp reads: DAE, PLY, glTF, GLB and others.
 *
 * The library is opened when the first such file is read, so that nobody waits for it who does not
 * need it. */
#ifndef LIMPET_FORMAT_MESH_ASSIMP_H
#define LIMPET_FORMAT_MESH_ASSIMP_H

#include "limpet/format.h"

/* All triangles of the scene in the file, node transforms applied, equal vertices merged [m].
 * glTF is y-up: its y becomes z. Collada keeps its axes and has its unit applied. Without assimp
 * the error says what to install. */
limpet_status limpet_mesh_read_assimp(limpet_mesh_file *mesh, const char *path,
                                      limpet_error *error);

#endif
