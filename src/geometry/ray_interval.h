/* geometry/ray_interval.h: where on its line a ray is inside of something: what the files about
 * rays share. */
#ifndef LIMPET_GEOMETRY_RAY_INTERVAL_H
#define LIMPET_GEOMETRY_RAY_INTERVAL_H

#include <math.h>

#include "geometry/ray.h"
#include "math/vec3.h"

typedef struct limpet_interval {
  double begin, end;  // empty: begin > end
} limpet_interval;

static const limpet_interval limpet_interval_all = {-INFINITY, INFINITY},
                             limpet_interval_none = {INFINITY, -INFINITY};

static inline limpet_interval limpet_interval_both(limpet_interval a, limpet_interval b) {
  return (limpet_interval){fmax(a.begin, b.begin), fmin(a.end, b.end)};
}

static inline limpet_interval limpet_interval_hull(limpet_interval a, limpet_interval b) {
  if (a.begin > a.end) return b;
  if (b.begin > b.end) return a;
  return (limpet_interval){fmin(a.begin, b.begin), fmax(a.end, b.end)};
}

// Where a t^2 + 2 b t + c <= 0, a >= 0.
static inline limpet_interval limpet_interval_of_quadratic(double a, double b, double c) {
  if (!(a > 0.0)) return c <= 0.0 ? limpet_interval_all : limpet_interval_none;
  const double discriminant = b * b - a * c;
  if (discriminant < 0.0) return limpet_interval_none;
  const double root = sqrt(discriminant);
  return (limpet_interval){(-b - root) / a, (-b + root) / a};
}

static inline limpet_interval limpet_interval_of_ball(const double p[3], const double d[3],
                                                      double height, double radius) {
  const double q[3] = {p[0], p[1], p[2] - height};
  return limpet_interval_of_quadratic(limpet_vec3_dot(d, d), limpet_vec3_dot(q, d),
                                      limpet_vec3_dot(q, q) - radius * radius);
}

// A point of the common frame in axes of a shape.
static inline void limpet_ray_into_axes(double p[3], const double point[3],
                                        const double position[3], const double rotation[9]) {
  double offset[3];
  limpet_vec3_sub(offset, point, position);
  limpet_mat3_tmul_vec(p, rotation, offset);
}

#endif
