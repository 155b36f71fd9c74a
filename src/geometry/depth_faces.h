/* geometry/depth_faces.h: the depth of overlapping cores along the normals of their flat faces. */
#ifndef LIMPET_GEOMETRY_DEPTH_FACES_H
#define LIMPET_GEOMETRY_DEPTH_FACES_H

#include "geometry/convex.h"

// The face along whose normal the cores are the least deep.
typedef struct limpet_face_depth {
  double depth;      // [m]
  double normal[3];  // unit, from A to B, axes of A
  bool of_b;         // whose face it is
} limpet_face_depth;

// Depth along a unit normal, axes of A  [m].
double limpet_depth_along(const limpet_minkowski *pair, const double normal[3]);

/* Caps of cylinders, faces of boxes and hulls. Whether one of them is less deep than `face` says,
 * which it then becomes. */
bool limpet_depth_at_faces(limpet_face_depth *face, const limpet_minkowski *pair);

/* Witness points where the one support point of the other core lies over the face, to `slack` [m].
 * False: it does not, or has others beside it. */
bool limpet_depth_face_witness(double a[3], double b[3], const limpet_minkowski *pair,
                               const limpet_face_depth *face, double slack);

#endif
