/* format/mesh/growth.h: meshes that grow while a file is read. */
#ifndef LIMPET_FORMAT_MESH_GROWTH_H
#define LIMPET_FORMAT_MESH_GROWTH_H

#include "limpet/format.h"

typedef struct limpet_mesh_growth {  // arrays that double when full
  limpet_mesh_file *mesh;
  int vertex_room, face_room;
} limpet_mesh_growth;

// Index of the new vertex or face, or -1 when there is no memory.
int limpet_mesh_add_vertex(limpet_mesh_growth *growth, const double vertex[3]);
int limpet_mesh_add_face(limpet_mesh_growth *growth, int a, int b, int c);

#endif
