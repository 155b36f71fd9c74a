/* geometry/pressure_meet_face.h: compliant tetrahedra with faces of a rigid boundary. */
#ifndef LIMPET_GEOMETRY_PRESSURE_MEET_FACE_H
#define LIMPET_GEOMETRY_PRESSURE_MEET_FACE_H

#include "geometry/pressure_kernels.h"

// A query of a field of tetrahedra and a rigid boundary.
typedef struct limpet_pressure_facing {
  limpet_pressure_surface *surface;
  const limpet_pressure_body *soft, *hard;
  limpet_pressure_frame frame;  // of the rigid body in the compliant one
  bool rigid_is_a;
  double least;    // [Pa]  what lies deeper outside is cut away
  uint64_t query;  // number of this query
  const limpet_pressure_kernels *kernels;
} limpet_pressure_facing;

// False: no memory, which the workspace notes.
bool limpet_pressure_facing_begin(limpet_pressure_facing *facing, limpet_pressure_surface *surface);
// Whether the face has few enough corners for limpet_pressure_meet_face.
bool limpet_pressure_facing_takes(const limpet_pressure_facing *facing, int face);
// Adds the part of a face that lies within a tetrahedron, if there is one.
void limpet_pressure_meet_face(const limpet_pressure_facing *facing, int cell, int face);
/* Whether they may meet after the bodies have moved by up to `slack` [m] against each other. */
bool limpet_pressure_face_is_near(const limpet_pressure_facing *facing, int cell, int face,
                                  double slack);

#endif
