/* format/mesh/growth.h: meshes that grow while a file is read. */
#ifndef LIMPET_FORMAT_MESH_GROWTH_H
#define LIMPET_FORMAT_MESH_GROWTH_H

#include "limpet/format.h"

typedef struct limpet_mesh_growth {  // arrays that double when full
  limpet_mesh_file *mesh;
  int vertex_room, face_room;
  float *coordinate;  // (coordinate_count x 2)  those of a picture that faces name, freed by
                      // limpet_mesh_growth_end
  int coordinate_count, coordinate_room, corner_room;
} limpet_mesh_growth;

// Index of the new vertex or face, or -1 when there is no memory.
int limpet_mesh_add_vertex(limpet_mesh_growth *growth, const double vertex[3]);
int limpet_mesh_add_face(limpet_mesh_growth *growth, int a, int b, int c);
int limpet_mesh_add_coordinate(limpet_mesh_growth *growth, const float coordinate[2]);

/* What the corners of the last face have of a picture; indices that do not exist: none. false: no
 * memory. */
bool limpet_mesh_picture_face(limpet_mesh_growth *growth, const int coordinate[3]);
void limpet_mesh_growth_end(limpet_mesh_growth *growth);

#endif
