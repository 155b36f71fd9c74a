/* geometry/convex_distance.c: signed distance of two convex shapes, by GJK where their cores are apart and by EPA where they overlap.
 *
 * With core distance d, unit normal n (from A to B) and core witness points a, b:  b - a = d n,
 *   on_a = a + r_A n,  on_b = b - r_B n,  distance = d - r_A - r_B = (on_b - on_a).n */
#include "geometry/convex.h"
#include "geometry/pair.h"
#include "math/vec3.h"

#include <assert.h>

bool limpet_convex_query(limpet_convex_result *result, const limpet_minkowski *pair, double limit) {
  limpet_simplex simplex;
  double v[3], distance;
  const limpet_gjk_outcome outcome = limpet_gjk(v, &simplex, pair, limit + pair->radius_a + pair->radius_b);
  if (outcome == LIMPET_GJK_BEYOND) return false;
  if (outcome == LIMPET_GJK_OVERLAP) {
    distance = -limpet_epa(result->normal, result->on_a, result->on_b, pair, &simplex);
  } else {
    distance = limpet_vec3_norm(v);
    limpet_vec3_scale(result->normal, -1.0 / distance, v);
    limpet_vec3_zero(result->on_a);
    for (int i = 0; i < simplex.count; ++i)
      limpet_vec3_addmul(result->on_a, result->on_a, simplex.weight[i], simplex.point[i].a);
    limpet_vec3_sub(result->on_b, result->on_a, v);
  }
  limpet_vec3_addmul(result->on_a, result->on_a, pair->radius_a, result->normal);
  limpet_vec3_addmul(result->on_b, result->on_b, -pair->radius_b, result->normal);
  result->distance = distance - pair->radius_a - pair->radius_b;
  return true;
}

double limpet_convex_distance(const limpet_shape *a, const limpet_shape *b, double on_a[3], double on_b[3], double normal[3]) {
  assert(a->kind != LIMPET_SHAPE_PLANE && b->kind != LIMPET_SHAPE_PLANE);
  limpet_minkowski pair;
  limpet_convex_result result;
  limpet_minkowski_create(&pair, a, b);
  limpet_convex_query(&result, &pair, INFINITY);

  // from the axes of A to the common frame
  limpet_mat3_mul_vec(on_a, a->rotation, result.on_a);
  limpet_mat3_mul_vec(on_b, a->rotation, result.on_b);
  limpet_vec3_add(on_a, on_a, a->position);
  limpet_vec3_add(on_b, on_b, a->position);
  limpet_mat3_mul_vec(normal, a->rotation, result.normal);
  return result.distance;
}
