/* geometry/pressure_facet.h: a triangle of a rigid boundary in a smooth part of a curved field. */
#ifndef LIMPET_GEOMETRY_PRESSURE_FACET_H
#define LIMPET_GEOMETRY_PRESSURE_FACET_H

#include "geometry/pressure_contact.h"

typedef struct limpet_pressure_facet {
  const limpet_pressure_body *body;  // the compliant one; all of the facet in its frame
  bool rigid_is_a;
  double corner[3][3];    // [m]
  const double *outward;  // (3)  [-]  of the rigid body
  uint64_t feature;       // of its first point; the others follow
} limpet_pressure_facet;

/* Adds what a rule of three points makes of the part where p > 0 to whole: area [m^2],
 * integral of p [N]. Whether one of its points has p > 0. */
bool limpet_pressure_facet_estimate(const limpet_pressure_facet *facet, double whole[2]);
/* Adds points (3 or more) and the error of their sums to the surface. whole (2)  [m^2], [N]  its
 * size; length [m]: of moments; allowed [-]: error of force and moment over the whole. False: so
 * small an error needs too many points, nothing is added. */
bool limpet_pressure_facet_add(limpet_pressure_surface *surface, const limpet_pressure_facet *facet,
                               const double whole[2], double length, double allowed);

#endif
