/* geometry/pressure_corners.h: polygons whose corners carry what a tetrahedron says of them. */
#ifndef LIMPET_GEOMETRY_PRESSURE_CORNERS_H
#define LIMPET_GEOMETRY_PRESSURE_CORNERS_H

#include <stdbool.h>

enum {
  LIMPET_CORNER_PRESSURE = 3,  // of a corner, after its place [m]: [Pa]
  LIMPET_CORNER_SHARE = 4,     //   of the four vertices of a tetrahedron
  LIMPET_CORNER_NUMBERS = 8,   //   in all
  /* Four corners, cut at five numbers. A plane adds one corner to a convex polygon; where the
   * polygon lies in the plane, round-off alone decides, and may make 3 corners of 2: 4, 6, 9, 13,
   * 19, 28. */
  LIMPET_PRESSURE_CORNERS_OF_CUT = 28
};

typedef struct limpet_pressure_corner {
  double at[LIMPET_CORNER_NUMBERS];
} limpet_pressure_corner;

// x + t (y - x), all numbers.
static inline void limpet_pressure_corner_between(limpet_pressure_corner *z,
                                                  const limpet_pressure_corner *x,
                                                  const limpet_pressure_corner *y, double t) {
  for (int i = 0; i < LIMPET_CORNER_NUMBERS; ++i) z->at[i] = x->at[i] + t * (y->at[i] - x->at[i]);
}

/* The part of a convex polygon, in room[0], where all shares are at least 0 and the pressure is at
 * least `least` [Pa]: in one of the two rooms, with *count corners. NULL: none. */
const limpet_pressure_corner *limpet_pressure_corners_within(
    limpet_pressure_corner room[2][LIMPET_PRESSURE_CORNERS_OF_CUT], int *count, double least);

#endif
