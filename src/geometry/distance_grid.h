/* geometry/distance_grid.h: signed distances of a mesh, sampled on a grid in its axes. */
#ifndef LIMPET_GEOMETRY_DISTANCE_GRID_H
#define LIMPET_GEOMETRY_DISTANCE_GRID_H

#include "limpet/distance.h"

struct limpet_distance_grid {
  double low[3];   // [m]  first sample
  double spacing;  // [m]
  int count[3];    // samples along each axis, 2 or more
  double error;    // [m]  bound of |interpolated - exact|
  double *sample;  // (count[0] x count[1] x count[2])  [m]  z runs fastest
};

/* Distance of c (axes of the mesh) and its gradient, interpolated. False: c is outside of the grid,
 * or where the gradient of the interpolant vanishes. */
bool limpet_distance_grid_at(double *distance, double gradient[3], const limpet_distance_grid *grid,
                             const double c[3]);

#endif
