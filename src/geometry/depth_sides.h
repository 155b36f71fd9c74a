/* geometry/depth_sides.h: least depths of curved cores by Newton's method (depth_newton.c) from
 * where the polytope of epa.c shows nothing. */
#ifndef LIMPET_GEOMETRY_DEPTH_SIDES_H
#define LIMPET_GEOMETRY_DEPTH_SIDES_H

#include "geometry/convex.h"

// The least depth that was found, and where it is.
typedef struct limpet_least_depth {
  double depth;       // [m]
  double normal[3];   // [-]  from A to B
  double a[3], b[3];  // [m]  points of the cores
} limpet_least_depth;

// Newton's method from a normal. size [m]: of A - B; least: replaced by what is less deep.
void limpet_least_from(const limpet_minkowski *pair, double size, const double normal[3],
                       limpet_least_depth *least);
// The same across straight sides of cylinders and boxes, and on flat ellipsoids.
void limpet_least_at_sides(const limpet_minkowski *pair, double size, limpet_least_depth *least);

#endif
