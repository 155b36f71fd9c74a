/* geometry/mesh_geometry.h: from a triangle mesh as it stands in a file to what simulation needs:
 * mass properties, inertial frame, convex hull, fitted primitives. Conventions are MuJoCo's (see
 * docs/mjcf.md), because the models are made for them. */
#ifndef LIMPET_GEOMETRY_MESH_GEOMETRY_H
#define LIMPET_GEOMETRY_MESH_GEOMETRY_H

#include "limpet/geometry.h"

typedef struct limpet_mesh_input {
  const char *name, *file;  // for messages; may be NULL
  int vertex_count, face_count;
  const double *vertices;  // (vertex_count x 3)  [m]
  const int *faces;        // (face_count x 3); face_count 0: the faces of the convex hull are used
  int tetrahedron_count;   // 0: none
  const int *tetrahedra;   // (tetrahedron_count x 4)
  const double *field;     // (vertex_count)  NULL: none
  const float *texture_coordinates;  // (face_count x 3 x 2)  NULL: none
  const double *tangents;            // (vertex_count x 2 x 3)  NULL: none
  bool concave;                      // see limpet_mesh
  double scale[3];
  double reference_position[3], reference_quaternion[4];
  limpet_mesh_inertia inertia;
  int hull_vertex_limit;  // -1: no limit
  bool single_precision;  // round processed vertices to float
  bool want_hull;
} limpet_mesh_input;

/* Fills `mesh` (see limpet_mesh): vertices are scaled, moved by the reference pose, then moved to
 * the centre of mass and turned to the principal axes, which position and quaternion record. All
 * arrays, the hull included, are one malloc block in *storage. Errors: no volume, open mesh with
 * exact inertia, inconsistent faces, index out of range, NaN, hull that cannot be built. */
limpet_status limpet_mesh_process(limpet_mesh *mesh, void **storage, const limpet_mesh_input *input,
                                  limpet_error *error);

/* Mass properties of a unit-density (solid) or unit-area-density (shell) shape about its own
 * origin, which for every kind is its centre of mass: volume [m^3] or area [m^2], and the diagonal
 * of its inertia per density. Meshes: from mesh->volume and mesh->box. */
void limpet_shape_mass(double *volume, double inertia[3], limpet_shape_kind kind,
                       const double size[3], const limpet_mesh *mesh, bool shell);

/* Primitive of `kind` fitted to a mesh (MJCF: type="box" mesh="..."): size, and its pose in the
 * mesh's inertial frame. `aabb`: to the bounding box, else to the box of equal inertia. */
void limpet_shape_fit(double size[3], double position[3], double quaternion[4],
                      limpet_shape_kind kind, const limpet_mesh *mesh, bool aabb);

/* Convex hull of points by qhull, coplanar facets merged; one malloc block. NULL and an
 * error when the points are flat or few. */
limpet_hull *limpet_hull_create(const double *points, int count, int vertex_limit,
                                limpet_error *error);

#endif
