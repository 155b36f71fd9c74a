/* gradient/surface_form.h: the surface of a convex shape near one of its points, to second order.
 *
 * With two numbers s the point moves within its shape, and its outward normal turns with it:
 *   d point = s_0 point[0] + s_1 point[1],   d normal = s_0 normal[0] + s_1 normal[1]
 * Of a curved direction u with the radius of curvature R: R u and u. A radius of 0 is that of edges
 * (across them), rims and corners, whose normal turns while the point stays. Of a flat direction: u
 * and 0. */
#ifndef LIMPET_GRADIENT_SURFACE_FORM_H
#define LIMPET_GRADIENT_SURFACE_FORM_H

#include "geometry/shape.h"

typedef struct limpet_surface_form {
  double point[2][3];   // [m], [-] of flat directions
  double normal[2][3];  // [-], zero
  double room_point;    // [m]  how far the point may move
  double room_normal;   // [rad]  how far the normal may turn, to where another feature begins
} limpet_surface_form;

/* The form at the point x of the surface, where the outward unit normal may be n (common frame).
 * False: x is not on the surface, n is not a normal there, or the shape is none of those known:
 * planes, balls, capsules, ellipsoids, cylinders, boxes, and hulls of meshes. */
bool limpet_surface_form_make(const limpet_shape *shape, const double x[3], const double n[3],
                              limpet_surface_form *form);

#endif
