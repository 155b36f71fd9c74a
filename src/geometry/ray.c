/* geometry/ray.c: rays against shapes, and points inside them.
 *
 * A line p + t d meets a convex shape in one interval of t. It is
 *   ellipsoid  where |(p + t d)/axes| <= 1, a quadratic          sphere: the same with equal axes
 *   box        the intersection of three slabs
 *   cylinder   of an endless cylinder (a quadratic in x, y) and a slab
 *   capsule    the hull of three intervals: that of the cylinder and those of the two balls,
 *              because their union is convex
 * A ray meets the surface at the begin of the interval, or at its end where it starts inside. */
#include <assert.h>

#include "geometry/ray_interval.h"

// Where |p + t d| <= half.
static limpet_interval slab(double p, double d, double half) {
  if (d == 0.0) return fabs(p) <= half ? limpet_interval_all : limpet_interval_none;
  const double a = (-half - p) / d, b = (half - p) / d;
  return (limpet_interval){fmin(a, b), fmax(a, b)};
}

static limpet_interval cylinder(const double p[3], const double d[3], double radius, double half) {
  const limpet_interval side =
      limpet_interval_of_quadratic(d[0] * d[0] + d[1] * d[1], p[0] * d[0] + p[1] * d[1],
                                   p[0] * p[0] + p[1] * p[1] - radius * radius);
  return limpet_interval_both(side, slab(p[2], d[2], half));
}

static limpet_interval ellipsoid(const double p[3], const double d[3], const double size[3]) {
  double q[3], e[3];
  for (int i = 0; i < 3; ++i) q[i] = p[i] / size[i], e[i] = d[i] / size[i];
  return limpet_interval_of_quadratic(limpet_vec3_dot(e, e), limpet_vec3_dot(q, e),
                                      limpet_vec3_dot(q, q) - 1.0);
}

// The interval of the line in axes of the shape; planes and meshes: nothing.
static limpet_interval line(const limpet_shape *shape, const double p[3], const double d[3]) {
  const double *size = shape->size;
  switch (shape->kind) {
    case LIMPET_SHAPE_SPHERE: return limpet_interval_of_ball(p, d, 0.0, size[0]);
    case LIMPET_SHAPE_ELLIPSOID: return ellipsoid(p, d, size);
    case LIMPET_SHAPE_CYLINDER: return cylinder(p, d, size[0], size[1]);
    case LIMPET_SHAPE_BOX:
      return limpet_interval_both(
          slab(p[0], d[0], size[0]),
          limpet_interval_both(slab(p[1], d[1], size[1]), slab(p[2], d[2], size[2])));
    case LIMPET_SHAPE_CAPSULE:
      return limpet_interval_hull(
          cylinder(p, d, size[0], size[1]),
          limpet_interval_hull(limpet_interval_of_ball(p, d, size[1], size[0]),
                               limpet_interval_of_ball(p, d, -size[1], size[0])));
    default: return limpet_interval_none;
  }
}

static double plane_ray(const double size[3], const double p[3], const double d[3]) {
  if (!(d[2] < -1e-15)) return -1.0;
  const double t = -p[2] / d[2];
  if (t < 0.0) return -1.0;
  for (int i = 0; i < 2; ++i)
    if (size[i] > 0.0 && fabs(p[i] + t * d[i]) > size[i]) return -1.0;
  return t;
}

double limpet_shape_ray(const limpet_shape *shape, const double from[3],
                        const double direction[3]) {
  assert(shape && from);
  double p[3], d[3];
  limpet_ray_into_axes(p, from, shape->position, shape->rotation);
  limpet_mat3_tmul_vec(d, shape->rotation, direction);
  if (shape->kind == LIMPET_SHAPE_PLANE) return plane_ray(shape->size, p, d);
  const limpet_interval met = line(shape, p, d);
  if (met.begin > met.end || met.end < 0.0) return -1.0;
  return met.begin >= 0.0 ? met.begin : met.end;
}

double limpet_ray_ball_bound(const double offset[3], const double direction[3], double radius) {
  const double square = limpet_vec3_dot(offset, offset), along = limpet_vec3_dot(offset, direction);
  const double grown = radius + 1e-7 * (sqrt(square) + radius);
  if (square - along * along > grown * grown || along + grown < 0.0) return INFINITY;
  return along - grown;
}

bool limpet_shape_holds(const limpet_shape *shape, const double point[3]) {
  assert(shape && point);
  const double up[3] = {0.0, 0.0, 1.0};
  double p[3];
  limpet_ray_into_axes(p, point, shape->position, shape->rotation);
  const limpet_interval column = line(shape, p, up);
  return column.begin <= 0.0 && column.end >= 0.0;
}
