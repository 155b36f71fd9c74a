/* geometry/shape.c: support functions and radii of the shapes.
 *
 *   support of a core in its own axes (d: direction of any length > 0)
 *     point 0 | segment (0, 0, h sgn d_z) | box h_i sgn d_i | cylinder (r d_xy/|d_xy|, h sgn d_z) |
 *     ellipsoid S^2 d / |S d| - rho d/|d|
 *   with S = diag(semi-axes); shapes with a radius add radius * d/|d|: spheres, capsules, and
 *     ellipsoids with
 *   rho = 0.9 min^2/max of their semi-axes. Of an ellipsoid min^2/max is the least radius of
 *     curvature, so a ball of that radius rolls inside it, and the ellipsoid is a smaller convex
 *     core with that rounding (Blaschke). So shallow overlaps leave the cores apart, where the
 *     distance is convex in the normal and needs no EPA; 0.9 keeps the core of a nearly round one
 *     from being a point. Zero components count as positive.
 * Cost: O(1), hulls as limpet_hull_support. No workspace. */
#include "geometry/convex.h"
#include "math/vec3.h"

#include <assert.h>

const char *limpet_shape_kind_word(limpet_shape_kind kind) {
  assert(kind >= 0 && kind < LIMPET_SHAPE_COUNT);
  static const char *const word[LIMPET_SHAPE_COUNT] = {
      "plane", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "cloud", "soft"};
  return word[kind];
}

static void point_support(double point[3], const limpet_shape *shape, const double direction[3]) {
  (void)shape, (void)direction;
  limpet_vec3_zero(point);
}

static void segment_support(double point[3], const limpet_shape *shape, const double direction[3]) {
  limpet_vec3_set(point, 0.0, 0.0, direction[2] < 0.0 ? -shape->size[1] : shape->size[1]);
}

static double ellipsoid_rounding(const double s[3]) {
  const double least = fmin(s[0], fmin(s[1], s[2])), most = fmax(s[0], fmax(s[1], s[2]));
  return 0.9 * least * least / most;
}

static void ellipsoid_support(double point[3], const limpet_shape *shape,
                              const double direction[3]) {
  const double *s = shape->size, *d = direction;
  const double u[3] = {s[0] * d[0], s[1] * d[1], s[2] * d[2]};
  const double scale = 1.0 / limpet_vec3_norm(u),
               rounding = ellipsoid_rounding(s) / limpet_vec3_norm(d);
  for (int i = 0; i < 3; ++i) point[i] = scale * s[i] * u[i] - rounding * d[i];
}

static void cylinder_support(double point[3], const limpet_shape *shape,
                             const double direction[3]) {
  const double radius = shape->size[0],
               norm = sqrt(direction[0] * direction[0] + direction[1] * direction[1]);
  const double scale = norm > 0.0 ? radius / norm : 0.0;
  point[0] = norm > 0.0 ? scale * direction[0] : radius;
  point[1] = scale * direction[1];
  point[2] = direction[2] < 0.0 ? -shape->size[1] : shape->size[1];
}

static void box_support(double point[3], const limpet_shape *shape, const double direction[3]) {
  for (int i = 0; i < 3; ++i) point[i] = direction[i] < 0.0 ? -shape->size[i] : shape->size[i];
}

static void hull_support(double point[3], const limpet_shape *shape, const double direction[3]) {
  limpet_vec3_copy(point, shape->hull->vertices + 3 * limpet_hull_support(shape->hull, direction));
}

limpet_core_support_function *const limpet_core_support[LIMPET_SHAPE_COUNT] = {
    NULL,         point_support, segment_support, ellipsoid_support, cylinder_support, box_support,
    hull_support, NULL,
};

double limpet_core_radius(const limpet_shape *shape) {
  switch (shape->kind) {
    case LIMPET_SHAPE_SPHERE:
    case LIMPET_SHAPE_CAPSULE: return shape->size[0];
    case LIMPET_SHAPE_ELLIPSOID: return ellipsoid_rounding(shape->size);
    default: return 0.0;
  }
}

void limpet_shape_support(double point[3], const limpet_shape *shape, const double direction[3]) {
  assert(shape->kind != LIMPET_SHAPE_PLANE);
  double d[3], local[3];
  limpet_mat3_tmul_vec(d, shape->rotation, direction);
  limpet_core_support[shape->kind](local, shape, d);
  const double radius = limpet_core_radius(shape);
  if (radius > 0.0) limpet_vec3_addmul(local, local, radius / limpet_vec3_norm(d), d);
  limpet_mat3_mul_vec(point, shape->rotation, local);
  limpet_vec3_add(point, point, shape->position);
}

double limpet_shape_radius(limpet_shape_kind kind, const double size[3], const limpet_hull *hull) {
  assert(size);
  switch (kind) {
    case LIMPET_SHAPE_SPHERE: return size[0];
    case LIMPET_SHAPE_CAPSULE: return size[0] + size[1];
    case LIMPET_SHAPE_ELLIPSOID: return fmax(size[0], fmax(size[1], size[2]));
    case LIMPET_SHAPE_CYLINDER: return sqrt(size[0] * size[0] + size[1] * size[1]);
    case LIMPET_SHAPE_BOX: return limpet_vec3_norm(size);
    case LIMPET_SHAPE_MESH: return hull->radius;
    default: return INFINITY;
  }
}
