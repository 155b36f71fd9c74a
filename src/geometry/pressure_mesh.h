/* geometry/pressure_mesh.h: tetrahedra on the way to a pressure field. */
#ifndef LIMPET_GEOMETRY_PRESSURE_MESH_H
#define LIMPET_GEOMETRY_PRESSURE_MESH_H

#include "geometry/pressure.h"

// Arrays by malloc that grow. The boundary is filled by limpet_pressure_mesh_boundary.
typedef struct limpet_pressure_mesh {
  int vertex_count, vertex_room, tetrahedron_count, tetrahedron_room, face_count;
  double *vertices;  // (vertex_count x 3)  [m]
  double *depth;     // (vertex_count)  [-]  share of the modulus
  int depth_room;
  int *tetrahedra;  // (tetrahedron_count x 4)  positive volume
  int *faces;       // (face_count x 3)  boundary, counter-clockwise from outside
} limpet_pressure_mesh;

void limpet_pressure_mesh_free(limpet_pressure_mesh *mesh);
// Appends; the number of the new one, or -1 without memory.
int limpet_pressure_mesh_vertex(limpet_pressure_mesh *mesh, const double x[3], double depth);
int limpet_pressure_mesh_tetrahedron(limpet_pressure_mesh *mesh, int a, int b, int c, int d);

/* Finds the boundary: faces of one tetrahedron alone. An error names a face that more than two
 * share, or two on the same side. */
limpet_status limpet_pressure_mesh_boundary(limpet_pressure_mesh *mesh, limpet_error *error);

// Six times the volume of a, b, c, d.
double limpet_pressure_mesh_volume6(const double *a, const double *b, const double *c,
                                    const double *d);

/* The field of a mesh whose depths are filled; takes its arrays. `inner` tetrahedra are the body,
 * the others the layer of its margin. */
limpet_pressure_field *limpet_pressure_mesh_finish(limpet_pressure_mesh *mesh, int inner,
                                                   double depth,
                                                   const limpet_pressure_material *material,
                                                   limpet_error *error);

#endif
