// collide/soft_gap.h: how far two convex hulls, of soft surfaces or of geoms, are apart at least.
#ifndef LIMPET_COLLIDE_SOFT_GAP_H
#define LIMPET_COLLIDE_SOFT_GAP_H

#include <stdbool.h>

#include "collide/soft_surface.h"
#include "geometry/shape.h"

/* The hull of a surface's vertices, of which those on straight ways are at both ends; or of a
 * shape. */
typedef struct limpet_gap_hull {
  const limpet_soft_surface *surface;  // NULL: the shape
  const double *x, *end;               // (vertices x 3)  [m]; end NULL: they stay
  limpet_shape shape;
} limpet_gap_hull;

// The point of a hull that is lowest along n. False: it has none.
bool limpet_gap_lowest(const limpet_gap_hull *hull, const double n[3], double point[3]);
/* How far [m] b is beyond a along a direction n [unit], which is looked for until it is more than
 * `enough`, is known not to become so much, or `rounds` are over. At most zero: none was found.
 * v: a point of B - A to begin with; it is changed. */
double limpet_hull_gap(const limpet_gap_hull *a, const limpet_gap_hull *b, double v[3],
                       double enough, int rounds, double n[3]);
// The same of two surfaces, from the difference of the means of their vertices on.
double limpet_soft_gap(const limpet_soft_surface *a, const limpet_soft_surface *b, const double *x,
                       const double *end, double enough, int rounds, double n[3]);

#endif
