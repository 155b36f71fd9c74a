/* collide/separation.c: see separation.h.
 *
 * Along a unit axis u from A to B the shapes are at least  min over B of u.x - max over A of u.x
 *   apart: two support points. That gap g holds on: after points of B have moved by w at most
 *   against those of A, they are still g - w apart,
 *       w = |d - d_then| + turned_A r_A + turned_B r_B
 *   d: the middle of B's carrier less that of A's, turned: since then (bounds.h), r: radii about
 * the middles. What moves both alike does not count. Reference: van den Bergen, Collision Detection
 * in Interactive 3D Environments (2003), section 4.3. Cost: 40 instructions for 1, two support
 * points for 2, some 300 for 3. */
#include "collide/separation.h"

#include "collide/cull.h"
#include "geometry/convex.h"
#include "math/vec3.h"

static const double slack = 1e-8;  // of the distance of the origins: the narrow phase errs by less
static const double turning_error = 1e-12;  // of what turned, which is a sum over many steps

bool limpet_separation_pays(limpet_shape_kind a, limpet_shape_kind b) {
  if (a == LIMPET_SHAPE_CLOUD || b == LIMPET_SHAPE_CLOUD) return false;
  if (a == LIMPET_SHAPE_PLANE) return b == LIMPET_SHAPE_MESH;
  if (b == LIMPET_SHAPE_PLANE) return a == LIMPET_SHAPE_MESH;
  return a > LIMPET_SHAPE_CAPSULE || b > LIMPET_SHAPE_CAPSULE;
}

static bool is_iterated(limpet_shape_kind kind) {
  return kind != LIMPET_SHAPE_SPHERE && kind != LIMPET_SHAPE_BOX;
}

// Height u.x of the support point along u (W), from the hull's vertex where the last search ended.
static double support_height(const limpet_shape *shape, const double u[3], int *vertex) {
  double p[3], d[3];
  if (shape->kind == LIMPET_SHAPE_MESH) {
    limpet_mat3_tmul_vec(d, shape->rotation, u);
    *vertex = limpet_hull_support_from(shape->hull, d, *vertex);
    return limpet_vec3_dot(d, shape->hull->vertices + 3 * *vertex) +
           limpet_vec3_dot(u, shape->position);
  }
  limpet_shape_support(p, shape, u);
  return limpet_vec3_dot(p, u);
}

// Gap of the pair along an axis of A's axes.
static double gap_along(const double axis[3], limpet_pair_memory *memory,
                        const limpet_pair_view *pair) {
  double u[3], back[3];
  limpet_mat3_mul_vec(u, pair->shape_a.rotation, axis);
  limpet_vec3_neg(back, u);
  return -support_height(&pair->shape_b, back, &memory->vertex[1]) -
         support_height(&pair->shape_a, u, &memory->vertex[0]);
}

// Gap of the half space A and the hull B, or the other way round.
static double gap_over_plane(limpet_pair_memory *memory, const limpet_pair_view *pair) {
  const bool swapped = pair->shape_b.kind == LIMPET_SHAPE_PLANE;
  const limpet_shape *plane = swapped ? &pair->shape_b : &pair->shape_a,
                     *other = swapped ? &pair->shape_a : &pair->shape_b;
  const double down[3] = {-plane->rotation[2], -plane->rotation[5], -plane->rotation[8]};
  return limpet_vec3_dot(down, plane->position) - support_height(other, down, &memory->vertex[0]);
}

// What the motion of a pair is measured by.
typedef struct pair_motion {
  double d[3];     // [m]  the middle of B's carrier less that of A's
  double turning;  // [m]  how far points of both have turned, at most
} pair_motion;

static void motion_now(pair_motion *now, const limpet_colliders *colliders, int a, int b) {
  const limpet_carrier *of_a = &colliders->carrier[colliders->carrier_of[a]],
                       *of_b = &colliders->carrier[colliders->carrier_of[b]];
  limpet_vec3_sub(now->d, of_b->pose, of_a->pose);
  now->turning = of_a->turned * colliders->arm[2 * a] + of_b->turned * colliders->arm[2 * b];
}

// What is left of the gap that was certain [m].
static double gap_left(const limpet_pair_memory *memory, const pair_motion *now) {
  return memory->gap - limpet_vec3_distance(now->d, memory->from) -
         (now->turning - memory->turning);
}

// Keeps a gap, from which motion counts. Whether it is wider than `safe`.
static bool gap_keep(limpet_pair_memory *memory, double gap, const pair_motion *now, double safe) {
  memory->gap = gap, memory->turning = now->turning;
  limpet_vec3_copy(memory->from, now->d);
  return gap > safe;
}

static bool axis_is_known(const limpet_pair_memory *memory) {
  return limpet_vec3_dot(memory->axis, memory->axis) > 0.0;
}

// 3 and 4: a new axis, and the gap along it.
static bool axis_search(limpet_pair_memory *memory, const limpet_colliders *colliders,
                        const limpet_model *model, const limpet_data *data,
                        const limpet_pair_view *pair, const pair_motion *now, double safe) {
  double axis[3];
  bool found = limpet_colliders_boxes_apart(colliders, model, data, pair->a, pair->b, safe, axis);
  if (!found && (is_iterated(pair->shape_a.kind) || is_iterated(pair->shape_b.kind))) {
    // v ends on a vector from B to A along which the cores are farther apart than the limit
    limpet_minkowski cores;
    limpet_simplex simplex;
    limpet_minkowski_create(&cores, &pair->shape_a, &pair->shape_b);
    const double limit = safe + cores.radius_a + cores.radius_b;
    limpet_vec3_neg(axis, memory->axis);
    found = (axis_is_known(memory) ? limpet_gjk_along : limpet_gjk)(axis, &simplex, &cores,
                                                                    limit) == LIMPET_GJK_BEYOND;
    limpet_vec3_normalize(axis);
    limpet_vec3_neg(axis, axis);
  }
  if (!found) return false;
  limpet_vec3_copy(memory->axis, axis);
  return gap_keep(memory, gap_along(axis, memory, pair), now, safe);
}

// The distance from which on a pair counts as farther apart than its reach.
static double safe_distance(const limpet_pair_view *pair, const pair_motion *now) {
  const double distance = limpet_vec3_distance(pair->shape_a.position, pair->shape_b.position);
  return pair->reach + slack * distance + turning_error * now->turning;
}

bool limpet_separation_certain(const limpet_pair_memory *memory, const limpet_colliders *colliders,
                               const limpet_pair_view *pair) {
  pair_motion now;
  motion_now(&now, colliders, pair->a, pair->b);
  return gap_left(memory, &now) > safe_distance(pair, &now);
}

bool limpet_separation_holds(limpet_pair_memory *memory, const limpet_colliders *colliders,
                             const limpet_model *model, const limpet_data *data,
                             const limpet_pair_view *pair) {
  pair_motion now;
  motion_now(&now, colliders, pair->a, pair->b);
  const double safe = safe_distance(pair, &now);
  if (gap_left(memory, &now) > safe) return true;
  if (pair->shape_a.kind == LIMPET_SHAPE_PLANE || pair->shape_b.kind == LIMPET_SHAPE_PLANE)
    return gap_keep(memory, gap_over_plane(memory, pair), &now, safe);
  if (axis_is_known(memory) && gap_keep(memory, gap_along(memory->axis, memory, pair), &now, safe))
    return true;
  if (axis_search(memory, colliders, model, data, pair, &now, safe)) return true;
  memory->gap = -1.0;
  return false;
}
