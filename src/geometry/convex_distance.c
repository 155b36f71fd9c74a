/* geometry/convex_distance.c: signed distance of two convex shapes, by GJK where their cores are
 * apart and by EPA where they overlap.
 *
 * With core distance d, unit normal n (from A to B) and core witness points a, b:  b - a = d n,
 *   on_a = a + r_A n,  on_b = b - r_B n,  distance = d - r_A - r_B = (on_b - on_a).n
 * GJK finds the distance of curved cores to round-off, but a normal n that is off by e costs only
 * e^2, so it is good to the root of that. Newton's method (depth_newton.c) takes over where GJK
 * knows the normal to a milliradian, and ends at round-off: normal and points are then smooth
 * functions of the pose. Where it finds no end (the rim of a cap that faces n) GJK goes on. For the
 * side of a cylinder, whose normal decides whether bodies roll, there is another way then: where n
 * is perpendicular to its axis the cylinder is, near the contact, a capsule, whose core is
 * straight. The query is made again with capsules and its answer taken if it has the same distance
 * and its normal is indeed perpendicular.
 */
#include "geometry/convex.h"
#include "geometry/pair.h"
#include "math/vec3.h"

#include <assert.h>

static const double side_cosine = 1e-4;     // |n.axis| below which the contact is on the side
static const double equal_distance = 1e-9;  // of the size
static const double right_cosine = 1e-6;    // |n.axis| that counts as perpendicular

// Normal, points and distance of the cores that GJK ended with.
static void take_points(limpet_convex_result *result, double *distance, const double v[3],
                        const limpet_simplex *simplex) {
  *distance = limpet_vec3_norm(v);
  limpet_vec3_scale(result->normal, -1.0 / *distance, v);
  limpet_vec3_zero(result->on_a);
  for (int i = 0; i < simplex->count; ++i)
    limpet_vec3_addmul(result->on_a, result->on_a, simplex->weight[i], simplex->point[i].a);
  limpet_vec3_sub(result->on_b, result->on_a, v);
}

// The same to round-off. False: they stay as they are.
static bool settle(limpet_convex_result *result, double *distance, const limpet_minkowski *pair,
                   const limpet_simplex *simplex) {
  const limpet_shape *a = pair->a, *b = pair->b;
  const double size = limpet_shape_radius(a->kind, a->size, a->hull) +
                      limpet_shape_radius(b->kind, b->size, b->hull) + *distance;
  double depth = -*distance;
  if (!limpet_depth_newton_settle(result->normal, result->on_a, result->on_b, &depth, pair, simplex,
                                  size))
    return false;
  *distance = -depth;
  return true;
}

// Of cores of which one is curved. *settled: Newton's method ended at round-off.
static limpet_gjk_outcome curved_distance(limpet_convex_result *result, double *distance,
                                          const limpet_minkowski *pair, limpet_simplex *simplex,
                                          double reach, bool *settled) {
  double v[3];
  limpet_gjk_outcome outcome = limpet_gjk_roughly(v, simplex, pair, reach);
  if (outcome != LIMPET_GJK_APART) return outcome;
  take_points(result, distance, v, simplex);
  *settled = settle(result, distance, pair, simplex);
  if (*settled) return outcome;
  outcome = limpet_gjk_continue(v, simplex, pair, reach);
  if (outcome == LIMPET_GJK_APART) take_points(result, distance, v, simplex);
  return outcome;
}

static bool query(limpet_convex_result *result, const limpet_minkowski *pair, double limit,
                  bool *settled) {
  const double reach = limit + pair->radius_a + pair->radius_b;
  limpet_simplex simplex;
  limpet_gjk_outcome outcome;
  double distance, v[3];
  *settled = false;
  result->edges = (limpet_edges){{0, 0}, {0, 0}};
  if (limpet_core_is_curved(pair->a) || limpet_core_is_curved(pair->b)) {
    outcome = curved_distance(result, &distance, pair, &simplex, reach, settled);
  } else {
    outcome = limpet_gjk(v, &simplex, pair, reach);
    if (outcome == LIMPET_GJK_APART) {
      take_points(result, &distance, v, &simplex);
      limpet_convex_edges_of(&result->edges, pair, &simplex);
    }
  }
  if (outcome == LIMPET_GJK_BEYOND) return false;
  if (outcome == LIMPET_GJK_OVERLAP)
    distance = -limpet_epa(result->normal, result->on_a, result->on_b, pair, &simplex);
  limpet_vec3_addmul(result->on_a, result->on_a, pair->radius_a, result->normal);
  limpet_vec3_addmul(result->on_b, result->on_b, -pair->radius_b, result->normal);
  result->distance = distance - pair->radius_a - pair->radius_b;
  return true;
}

// |n.axis| for a cylinder, 1 for all other kinds.
static double side_measure(const limpet_shape *shape, double normal_on_axis) {
  return shape->kind == LIMPET_SHAPE_CYLINDER ? fabs(normal_on_axis) : 1.0;
}

static double axis_component(const limpet_minkowski *pair, const double normal[3]) {
  return pair->rotation[2] * normal[0] + pair->rotation[5] * normal[1] +
         pair->rotation[8] * normal[2];
}

// Asks again with capsules in place of the cylinders that are touched on their side.
static void polish_sides(limpet_convex_result *result, const limpet_minkowski *pair) {
  const bool side_a = side_measure(pair->a, result->normal[2]) < side_cosine;
  const bool side_b = side_measure(pair->b, axis_component(pair, result->normal)) < side_cosine;
  if (!side_a && !side_b) return;
  limpet_minkowski straight = *pair;
  limpet_shape a = *pair->a, b = *pair->b;
  limpet_convex_result better;
  if (side_a) a.kind = LIMPET_SHAPE_CAPSULE, straight.a = &a, straight.radius_a = a.size[0];
  if (side_b) b.kind = LIMPET_SHAPE_CAPSULE, straight.b = &b, straight.radius_b = b.size[0];
  bool settled;
  query(&better, &straight, INFINITY, &settled);

  const double size = limpet_vec3_norm(pair->offset);
  if (fabs(better.distance - result->distance) > equal_distance * size) return;
  if (side_a && fabs(better.normal[2]) > right_cosine) return;
  if (side_b && fabs(axis_component(pair, better.normal)) > right_cosine) return;
  *result = better;
  result->edges = (limpet_edges){{0, 0}, {0, 0}};  // those of the capsules
}

static bool is_strictly_convex(const limpet_shape *shape) {
  return shape->kind == LIMPET_SHAPE_SPHERE || shape->kind == LIMPET_SHAPE_ELLIPSOID;
}

void limpet_convex_witness(limpet_convex_result *result, const limpet_minkowski *pair) {
  const bool by_a = is_strictly_convex(pair->a);
  if (!by_a && !is_strictly_convex(pair->b)) return;
  limpet_minkowski_point extreme = limpet_minkowski_point_none();
  limpet_minkowski_support(&extreme, pair, result->normal);
  if (by_a) {
    limpet_vec3_addmul(result->on_a, extreme.a, pair->radius_a, result->normal);
    limpet_vec3_addmul(result->on_b, result->on_a, result->distance, result->normal);
  } else {
    limpet_vec3_addmul(result->on_b, extreme.b, -pair->radius_b, result->normal);
    limpet_vec3_addmul(result->on_a, result->on_b, -result->distance, result->normal);
  }
}

bool limpet_convex_query(limpet_convex_result *result, const limpet_minkowski *pair, double limit) {
  assert(result && pair);
  bool settled;
  if (!query(result, pair, limit, &settled)) return false;
  if (!settled) polish_sides(result, pair);
  limpet_convex_witness(result, pair);
  return true;
}

double limpet_convex_distance(const limpet_shape *a, const limpet_shape *b, double on_a[3],
                              double on_b[3], double normal[3]) {
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
