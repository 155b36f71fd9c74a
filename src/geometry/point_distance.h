/* geometry/point_distance.h: signed distance of one point from a shape, by kind. */
#ifndef LIMPET_GEOMETRY_POINT_DISTANCE_H
#define LIMPET_GEOMETRY_POINT_DISTANCE_H

#include "geometry/shape.h"

/* Signed distance of c (axes of the shape) from the surface, negative inside, and its gradient
 * (unit, same axes); see limpet/distance.h. */
typedef double limpet_point_distance_function(double gradient[3], const limpet_shape *shape,
                                              const double c[3]);
extern limpet_point_distance_function *const limpet_point_distance[LIMPET_SHAPE_COUNT];

#endif
