/* geometry/wrap.h: the shortest path of a string around a sphere or an endless cylinder. */
#ifndef LIMPET_GEOMETRY_WRAP_H
#define LIMPET_GEOMETRY_WRAP_H

#include <stdbool.h>

// A sphere, or a cylinder along the z axis of its frame, in a common frame W.
typedef struct limpet_wrap_shape {
  bool cylinder;
  double radius;           // [m]
  const double *position;  // (3)  [m]  W
  const double *rotation;  // (9)  shape axes to W, row-major
} limpet_wrap_shape;

typedef struct limpet_wrap {
  double first[3], last[3];  // [m]  W, where the string meets the surface and leaves it
  double length;             // [m]  between the two, along the surface
} limpet_wrap;

/* Path of a taut string from `from` to `to` (3) [m] W. `side` (3; NULL: none) chooses the way
 * round: the string passes the shape where the point lies. A side inside the shape pulls the string
 * through the shape, as through a ring. False: the string does not touch the shape and is straight;
 * this is so, too, where an end lies inside. */
bool limpet_wrap_path(const limpet_wrap_shape *shape, const double from[3], const double to[3],
                      const double *side, limpet_wrap *wrap);

#endif
