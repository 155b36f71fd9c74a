/* geometry/shape.h: a shape in a pose, its support function and radius. */
#ifndef LIMPET_GEOMETRY_SHAPE_H
#define LIMPET_GEOMETRY_SHAPE_H

#include "limpet/distance.h"

/* Point of the shape (common frame) that is farthest along `direction` (common frame, any length >
 * 0); ties go to the lowest index, so the result does not depend on history. Not for planes and
 * clouds. */
void limpet_shape_support(double point[3], const limpet_shape *shape, const double direction[3]);

// Radius of the smallest origin-centred sphere around the shape  [m]; INFINITY for planes; not for
//                                                                clouds.
double limpet_shape_radius(limpet_shape_kind kind, const double size[3], const limpet_hull *hull);

#endif
