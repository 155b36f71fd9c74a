/* geometry/mesh_mass.h: volume, centre of mass and inertia of a triangle mesh. */
#ifndef LIMPET_GEOMETRY_MESH_MASS_H
#define LIMPET_GEOMETRY_MESH_MASS_H

#include "limpet/geometry.h"

typedef struct limpet_mesh_mass {
  double volume;      // [m^3]; shell: area [m^2]
  double com[3];      // [m]
  double inertia[9];  // [m^5]; shell: [m^4]  about the centre of mass, axes of the vertices, unit
                      // density
} limpet_mesh_mass;

/* Of the surface `faces` (face_count x 3) over `vertices`. `kind` CONVEX counts as EXACT: the
 * caller passes the faces of the hull. Errors: no volume, an open or inside-out surface with
 * EXACT. */
limpet_status limpet_mesh_mass_compute(limpet_mesh_mass *mass, const double *vertices,
                                       const int *faces, int face_count, limpet_mesh_inertia kind,
                                       limpet_error *error);

#endif
