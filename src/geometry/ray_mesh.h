/* geometry/ray_mesh.h: a ray on its way through a mesh: what the files about that share. */
#ifndef LIMPET_GEOMETRY_RAY_MESH_H
#define LIMPET_GEOMETRY_RAY_MESH_H

#include "geometry/item_tree.h"
#include "geometry/ray_interval.h"

typedef struct limpet_mesh_walk {
  const limpet_mesh *mesh;
  double p[3], d[3];  // [m], [-]  in axes of the mesh
  double q[3], e[3];  // [m], [-]  in axes of the boxes: the same, or those of the height field
  double inverse[3];  // [-]  1/e; 0: it stands still along that axis
  double slack;       // [m]  of the box of a face
  double nearest;     // [m]  INFINITY: nothing yet
  int face;
} limpet_mesh_walk;

// Where the ray is within a box that is thicker by `slack` [m].
limpet_interval limpet_mesh_ray_box(const limpet_mesh_walk *ray, const double centre[3],
                                    const double half[3], double slack);

// Low and high corner [m] of a face, in axes of the boxes.
void limpet_mesh_face_box(const limpet_mesh *mesh, int face, double box[6]);

// Enters the face where it is met no later than what is met already.
void limpet_mesh_face_visit(limpet_mesh_walk *ray, int face);

// The cells of the mesh's height field that are on the way.
void limpet_mesh_heights_visit(limpet_mesh_walk *ray);

#endif
