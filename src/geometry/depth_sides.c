// geometry/depth_sides.c: see depth_sides.h.
#include "geometry/depth_sides.h"

#include <math.h>

#include "geometry/depth_faces.h"
#include "math/vec3.h"

static const double flat_ratio = 0.2;  // of semi-axes, below which an ellipsoid has flat sides

void limpet_least_from(const limpet_minkowski *pair, double size, const double normal[3],
                       limpet_least_depth *least) {
  limpet_least_depth found;
  limpet_known_depth known = {.depth = least->depth};
  limpet_vec3_copy(known.normal, least->normal);
  limpet_vec3_copy(found.normal, normal);
  if (limpet_depth_newton(found.normal, found.a, found.b, &found.depth, pair, size, &known) &&
      found.depth < least->depth)
    *least = found;
}

// Whether the depth along a normal is less than the least, or `always`: then Newton's method.
static void least_along(const limpet_minkowski *pair, double size, const double normal[3],
                        bool always, limpet_least_depth *least) {
  for (int sign = -1; sign <= 1; sign += 2) {
    double n[3];
    limpet_vec3_scale(n, sign, normal);
    if (always || limpet_depth_along(pair, n) < least->depth)
      limpet_least_from(pair, size, n, least);
  }
}

/* The least along the normals of two straight sides, of a cylinder and of a box or another
 * cylinder: the polytope has no face there while other depths are as small. */
static void least_across_sides(const limpet_minkowski *pair, double size,
                               limpet_least_depth *least) {
  const double *R = pair->rotation;
  const limpet_shape_kind kind[2] = {pair->a->kind, pair->b->kind};
  for (int side = 0; side < 2; ++side) {
    if (kind[side] != LIMPET_SHAPE_CYLINDER || (side == 1 && kind[0] == LIMPET_SHAPE_CYLINDER))
      continue;
    const limpet_shape_kind other = kind[1 - side];
    if (other != LIMPET_SHAPE_CYLINDER && other != LIMPET_SHAPE_BOX) continue;
    for (int k = other == LIMPET_SHAPE_BOX ? 0 : 2; k < 3; ++k) {
      const double own[3] = {0.0, 0.0, 1.0}, axis[3] = {k == 0, k == 1, k == 2},
                   own_b[3] = {R[2], R[5], R[8]}, axis_b[3] = {R[k], R[3 + k], R[6 + k]};
      double n[3];
      if (side == 0) limpet_vec3_cross(n, own, axis_b);
      else limpet_vec3_cross(n, axis, own_b);
      if (limpet_vec3_normalize(n) > 0.0) least_along(pair, size, n, false, least);
    }
  }
}

// Index of the least number.
static int smallest(const double x[3]) {
  const int i = x[1] < x[0];
  return x[2] < x[i] ? 2 : i;
}

/* The least near the flat sides of thin ellipsoids: Newton's method ends there only from close by.
 */
static void least_on_flat_ellipsoids(const limpet_minkowski *pair, double size,
                                     limpet_least_depth *least) {
  const limpet_shape *shape[2] = {pair->a, pair->b};
  const double *R = pair->rotation;
  for (int side = 0; side < 2; ++side) {
    if (shape[side]->kind != LIMPET_SHAPE_ELLIPSOID) continue;
    const double *axis = shape[side]->size;
    const int k = smallest(axis);
    if (axis[k] > flat_ratio * fmin(axis[(k + 1) % 3], axis[(k + 2) % 3])) continue;
    const double own[3] = {k == 0, k == 1, k == 2}, other[3] = {R[k], R[3 + k], R[6 + k]};
    least_along(pair, size, side == 0 ? own : other, true, least);
  }
}

void limpet_least_at_sides(const limpet_minkowski *pair, double size, limpet_least_depth *least) {
  least_across_sides(pair, size, least);
  least_on_flat_ellipsoids(pair, size, least);
}
