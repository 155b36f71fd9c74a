/* geometry/pressure_flat_face.h: one convex polygon of a flat rigid boundary in a curved compliant
 * body, for pressure_flat.c. All in the frame of the compliant body.
 *
 * The polygon meets the concave field of a sphere, ellipsoid, capsule or cylinder in a convex
 * region {p >= 0} of its plane. The region is swept around one of its points, from which it is seen
 * as a whole: x = c + s (cos theta t1 + sin theta t2), dA = s ds dtheta, out to the edge of the
 * polygon or to p = 0, whichever comes first. That is the place of largest p, or, where the face
 * lies flat on a cylinder or a capsule, about the middle of the region. */
#ifndef LIMPET_GEOMETRY_PRESSURE_FLAT_FACE_H
#define LIMPET_GEOMETRY_PRESSURE_FLAT_FACE_H

#include "geometry/pressure_facet.h"
#include "geometry/pressure_sweep.h"

// What was computed of the last angle.
typedef struct limpet_pressure_flat_memory {
  double theta, cosine, sine;  // NAN: none yet
} limpet_pressure_flat_memory;

typedef struct limpet_pressure_flat_chart {
  limpet_pressure_chart chart;
  limpet_pressure_flat_memory *memory;
  const limpet_pressure_field *field;
  const limpet_pressure_body *body;
  double least;  // [Pa]
  bool rigid_is_a;
  double centre[3], t1[3], t2[3];  // of the plane
  double outward[3];               // of the rigid body
  int count;
  double edge[LIMPET_PRESSURE_CORNERS][3];  // (a, b) . (u, v) <= c in the plane, from the centre
} limpet_pressure_flat_chart;

// A chart of the compliant body of a query. memory: of the caller, kept as long as the chart.
limpet_pressure_flat_chart limpet_pressure_flat_chart_of(const limpet_pressure_surface *surface,
                                                         limpet_pressure_flat_memory *memory);
/* Puts the centre of the chart into that of a polygon, whose radius [m] it returns; -1: all of it
 * is too far away. */
double limpet_pressure_flat_radius(limpet_pressure_flat_chart *chart,
                                   const limpet_pressure_polygon *corners);
// Triangle k of the fan of a face.
limpet_pressure_facet limpet_pressure_flat_facet(const limpet_pressure_flat_chart *chart,
                                                 const limpet_pressure_polygon *corners, int k);
/* Adds the part of a polygon that is pressed to the surface; the chart's `outward` is set. `whole`:
 * a square that stands for a plane, whose corners mean nothing. */
void limpet_pressure_flat_sweep(limpet_pressure_surface *surface, limpet_pressure_flat_chart *chart,
                                const limpet_pressure_polygon *corners, bool whole);

#endif
