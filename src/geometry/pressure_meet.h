/* geometry/pressure_meet.h: pairs of compliant tetrahedra. */
#ifndef LIMPET_GEOMETRY_PRESSURE_MEET_H
#define LIMPET_GEOMETRY_PRESSURE_MEET_H

#include "geometry/pressure_kernels.h"

// A query of two fields of tetrahedra.
typedef struct limpet_pressure_meeting {
  limpet_pressure_surface *surface;
  const limpet_pressure_body *a, *b;
  limpet_pressure_frame frame;  // of B in A
  double least;                 // [Pa]  what lies deeper outside is cut away
  uint64_t query;               // number of this query
  const limpet_pressure_kernels *kernels;
} limpet_pressure_meeting;

// False: no memory, which the workspace notes.
bool limpet_pressure_meeting_begin(limpet_pressure_meeting *meeting,
                                   limpet_pressure_surface *surface);
// Adds the polygon in which tetrahedron i of A and j of B have the same pressure, if there is one.
void limpet_pressure_meet(const limpet_pressure_meeting *meeting, int i, int j);
// Whether they may meet after the bodies have moved by up to `slack` [m] against each other.
bool limpet_pressure_is_near(const limpet_pressure_meeting *meeting, int i, int j, double slack);

#endif
