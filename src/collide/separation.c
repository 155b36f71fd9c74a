/* collide/separation.c: separating axes that are kept from step to step.
 *
 * Along a unit axis u from A to B the shapes are at least  min over B of u.x - max over A of u.x
 *   apart: two support points.
 * Reference: van den Bergen, Collision Detection in Interactive 3D Environments (2003), section
 * 4.3. Cost: two support points; GJK where the axis no longer separates. */
#include "collide/separation.h"

#include "geometry/convex.h"
#include "math/vec3.h"

static const double slack = 1e-8;  // of the distance of the origins: the narrow phase errs by less

limpet_separation *limpet_separation_of(limpet_colliders *colliders, const limpet_model *model,
                                        int geom_a, int geom_b) {
  const limpet_shape_kind kind_a = model->geom_kind[geom_a], kind_b = model->geom_kind[geom_b];
  if (kind_a == LIMPET_SHAPE_PLANE || kind_b == LIMPET_SHAPE_PLANE) return NULL;
  if (kind_a == LIMPET_SHAPE_CLOUD || kind_b == LIMPET_SHAPE_CLOUD)
    return NULL;  // not convex: its own tree culls
  const unsigned flags = colliders->flags[model->geom_collider[geom_a]] |
                         colliders->flags[model->geom_collider[geom_b]];
  if (!(flags & LIMPET_COLLIDER_COSTLY)) return NULL;

  // Fibonacci hashing: the high bits of the product with 2^64 over the golden ratio
  const uint64_t hash = limpet_pair_key(geom_a, geom_b) * 0x9e3779b97f4a7c15ull;
  return &colliders->separation[(hash >> 40) & (uint64_t)(colliders->separation_count - 1)];
}

static bool apart_along(const double axis[3], const limpet_shape *a, const limpet_shape *b,
                        double reach) {
  double u[3], back[3], p[3], q[3], d[3];
  limpet_mat3_mul_vec(u, a->rotation, axis);
  limpet_vec3_neg(back, u);
  limpet_shape_support(p, a, u);
  limpet_shape_support(q, b, back);
  limpet_vec3_sub(d, q, p);
  return limpet_vec3_dot(d, u) > reach;
}

bool limpet_separation_holds(limpet_separation *separation, const limpet_shape *a,
                             const limpet_shape *b, double reach) {
  const double safe = reach + slack * limpet_vec3_distance(a->position, b->position);
  if (limpet_vec3_dot(separation->axis, separation->axis) > 0.0 &&
      apart_along(separation->axis, a, b, safe))
    return true;

  // v ends on a vector from B to A along which the cores are farther apart than the limit
  limpet_minkowski pair;
  limpet_simplex simplex;
  double v[3];
  limpet_minkowski_create(&pair, a, b);
  if (limpet_gjk(v, &simplex, &pair, safe + pair.radius_a + pair.radius_b) == LIMPET_GJK_BEYOND) {
    limpet_vec3_normalize(v);
    limpet_vec3_neg(separation->axis, v);
    return true;
  }
  separation->key = 0;
  return false;
}
