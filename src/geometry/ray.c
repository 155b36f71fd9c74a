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

#include "geometry/ray.h"

#include "math/vec3.h"

typedef struct interval {
  double begin, end;  // empty: begin > end
} interval;

static const interval everything = {-INFINITY, INFINITY}, nothing = {INFINITY, -INFINITY};

static interval both(interval a, interval b) {
  return (interval){fmax(a.begin, b.begin), fmin(a.end, b.end)};
}

static interval hull_of(interval a, interval b) {
  if (a.begin > a.end) return b;
  if (b.begin > b.end) return a;
  return (interval){fmin(a.begin, b.begin), fmax(a.end, b.end)};
}

// Where a t^2 + 2 b t + c <= 0, a >= 0.
static interval quadratic(double a, double b, double c) {
  if (!(a > 0.0)) return c <= 0.0 ? everything : nothing;
  const double discriminant = b * b - a * c;
  if (discriminant < 0.0) return nothing;
  const double root = sqrt(discriminant);
  return (interval){(-b - root) / a, (-b + root) / a};
}

// Where |p + t d| <= half.
static interval slab(double p, double d, double half) {
  if (d == 0.0) return fabs(p) <= half ? everything : nothing;
  const double a = (-half - p) / d, b = (half - p) / d;
  return (interval){fmin(a, b), fmax(a, b)};
}

static interval ball(const double p[3], const double d[3], double height, double radius) {
  const double q[3] = {p[0], p[1], p[2] - height};
  return quadratic(limpet_vec3_dot(d, d), limpet_vec3_dot(q, d),
                   limpet_vec3_dot(q, q) - radius * radius);
}

static interval cylinder(const double p[3], const double d[3], double radius, double half) {
  const interval side = quadratic(d[0] * d[0] + d[1] * d[1], p[0] * d[0] + p[1] * d[1],
                                  p[0] * p[0] + p[1] * p[1] - radius * radius);
  return both(side, slab(p[2], d[2], half));
}

static interval ellipsoid(const double p[3], const double d[3], const double size[3]) {
  double q[3], e[3];
  for (int i = 0; i < 3; ++i) q[i] = p[i] / size[i], e[i] = d[i] / size[i];
  return quadratic(limpet_vec3_dot(e, e), limpet_vec3_dot(q, e), limpet_vec3_dot(q, q) - 1.0);
}

// The interval of the line in axes of the shape; planes and meshes: nothing.
static interval line(const limpet_shape *shape, const double p[3], const double d[3]) {
  const double *size = shape->size;
  switch (shape->kind) {
    case LIMPET_SHAPE_SPHERE: return ball(p, d, 0.0, size[0]);
    case LIMPET_SHAPE_ELLIPSOID: return ellipsoid(p, d, size);
    case LIMPET_SHAPE_CYLINDER: return cylinder(p, d, size[0], size[1]);
    case LIMPET_SHAPE_BOX:
      return both(slab(p[0], d[0], size[0]),
                  both(slab(p[1], d[1], size[1]), slab(p[2], d[2], size[2])));
    case LIMPET_SHAPE_CAPSULE:
      return hull_of(cylinder(p, d, size[0], size[1]),
                     hull_of(ball(p, d, size[1], size[0]), ball(p, d, -size[1], size[0])));
    default: return nothing;
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

static void into_axes(double p[3], const double point[3], const double position[3],
                      const double rotation[9]) {
  double offset[3];
  limpet_vec3_sub(offset, point, position);
  limpet_mat3_tmul_vec(p, rotation, offset);
}

double limpet_shape_ray(const limpet_shape *shape, const double from[3],
                        const double direction[3]) {
  assert(shape && from);
  double p[3], d[3];
  into_axes(p, from, shape->position, shape->rotation);
  limpet_mat3_tmul_vec(d, shape->rotation, direction);
  if (shape->kind == LIMPET_SHAPE_PLANE) return plane_ray(shape->size, p, d);
  const interval met = line(shape, p, d);
  if (met.begin > met.end || met.end < 0.0) return -1.0;
  return met.begin >= 0.0 ? met.begin : met.end;
}

/* Moeller and Trumbore, Fast, minimum storage ray/triangle intersection (1997): from + t d = a + u
 * e1 + v e2. */
static double triangle_ray(const double a[3], const double b[3], const double c[3],
                           const double p[3], const double d[3]) {
  double e1[3], e2[3], h[3], s[3], q[3];
  limpet_vec3_sub(e1, b, a);
  limpet_vec3_sub(e2, c, a);
  limpet_vec3_cross(h, d, e2);
  const double determinant = limpet_vec3_dot(e1, h);
  if (determinant == 0.0) return -1.0;
  limpet_vec3_sub(s, p, a);
  const double u = limpet_vec3_dot(s, h) / determinant;
  if (!(u >= 0.0 && u <= 1.0)) return -1.0;
  limpet_vec3_cross(q, s, e1);
  const double v = limpet_vec3_dot(d, q) / determinant;
  if (!(v >= 0.0 && u + v <= 1.0)) return -1.0;
  return limpet_vec3_dot(e2, q) / determinant;
}

double limpet_mesh_ray(const limpet_mesh *mesh, const double position[3], const double rotation[9],
                       const double from[3], const double direction[3], int *face) {
  assert(mesh && position && rotation);
  double p[3], d[3], centre[3], nearest = -1.0;
  into_axes(p, from, position, rotation);
  limpet_mat3_tmul_vec(d, rotation, direction);

  // rays that pass the bounding box by; a flat one has some thickness
  limpet_vec3_sub(centre, p, mesh->aabb);
  interval met = everything;
  for (int i = 0; i < 3; ++i)
    met = both(met, slab(centre[i], d[i], mesh->aabb[3 + i] * (1.0 + 1e-9) + 1e-12));
  if (met.begin > met.end || met.end < 0.0) return -1.0;
  for (int f = 0; f < mesh->face_count; ++f) {
    const int *corner = mesh->faces + 3 * f;
    const double t = triangle_ray(mesh->vertices + 3 * corner[0], mesh->vertices + 3 * corner[1],
                                  mesh->vertices + 3 * corner[2], p, d);
    if (!(t >= 0.0 && (nearest < 0.0 || t < nearest))) continue;
    nearest = t;
    if (face) *face = f;
  }
  return nearest;
}

double limpet_cloud_ray(const limpet_cloud *cloud, const double position[3],
                        const double rotation[9], const double from[3], const double direction[3],
                        int *point) {
  assert(cloud && position);
  double offset[3], p[3], d[3], first = -1.0;
  if (cloud->point_radius == 0.0) return -1.0;
  limpet_vec3_sub(offset, from, position);
  limpet_mat3_tmul_vec(p, rotation, offset);
  limpet_mat3_tmul_vec(d, rotation, direction);
  for (int i = 0; i < cloud->point_count; ++i) {
    double q[3];
    limpet_vec3_sub(q, p, cloud->points + 3 * i);
    const interval met = ball(q, d, 0.0, cloud->point_radius);
    if (met.begin > met.end || met.end < 0.0) continue;
    const double t = met.begin >= 0.0 ? met.begin : met.end;
    if (first >= 0.0 && t >= first) continue;
    first = t;
    if (point) *point = i;
  }
  return first;
}

bool limpet_shape_holds(const limpet_shape *shape, const double point[3]) {
  assert(shape && point);
  const double up[3] = {0.0, 0.0, 1.0};
  double p[3];
  into_axes(p, point, shape->position, shape->rotation);
  const interval column = line(shape, p, up);
  return column.begin <= 0.0 && column.end >= 0.0;
}
