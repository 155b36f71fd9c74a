/* geometry/depth_refine.c: the depth of overlapping cores, from a direction that is nearly the
 * best.
 *
 * The depth is the least value of the support function h(n) of A - B over unit n, and at its place
 * the support point is w = h n. EPA needs ever more faces to follow a curved surface there. Instead
 * B is moved out by (h(n) + gap) n, so that the cores are just apart, and GJK gives the direction
 * n' of their distance: exact where a flat face decides, and where the surface has the radius of
 * curvature R the error of n shrinks by (h + gap) / (R + gap), which is small for the shallow
 * overlaps that contact has. Deep overlaps converge slowly; two steps in a row then are
 * extrapolated with their own ratio, and a step that does not lower h ends the search. For
 * polytopes the direction is right and one step gives the witness points, where the face that EPA
 * ended with is but a part of the flat face and does not contain the projection of the origin. GJK
 * begins with the corners of EPA's face and then with the simplex of the step before, which is
 * nearly the answer. Newton's method (depth_newton.c) is tried from the first directions, which
 * ends most searches that would converge slowly.
 * Cost: a GJK for each step, 2 to 4 steps when shallow, half as long as from nothing. No
 * workspace. */
#include "geometry/convex.h"
#include "math/vec3.h"

enum { STEP_LIMIT = 24, NEWTON_LIMIT = 4 };

static const double gap_share = 0.02;         // of the size
static const double depth_tolerance = 1e-12;  // of the size: a smaller gain ends the search
static const double ratio_limit = 0.98;

// h(n).
static double support_height(const limpet_minkowski *pair, const double normal[3]) {
  limpet_minkowski_point point = limpet_minkowski_point_none();
  limpet_minkowski_support(&point, pair, normal);
  return limpet_vec3_dot(point.w, normal);
}

// Moves B of every point of the simplex along `normal`.
static void simplex_move(limpet_simplex *simplex, double distance, const double normal[3]) {
  for (int i = 0; i < simplex->count; ++i) {
    limpet_minkowski_point *p = &simplex->point[i];
    limpet_vec3_addmul(p->b, p->b, distance, normal);
    limpet_vec3_sub(p->w, p->a, p->b);
  }
}

/* The direction and the witness points of B moved out along `normal`; false if that did not take
 * the cores apart. GJK goes on from the simplex of the step before. */
static bool direction_from_outside(double better[3], double a[3], double b[3],
                                   const limpet_minkowski *pair, limpet_simplex *simplex,
                                   const double normal[3], double distance) {
  limpet_minkowski moved = *pair;
  double v[3];
  limpet_vec3_addmul(moved.offset, pair->offset, distance, normal);
  simplex_move(simplex, distance, normal);
  if (limpet_gjk_continue(v, simplex, &moved, INFINITY) != LIMPET_GJK_APART) return false;
  simplex_move(simplex, -distance, normal);
  limpet_vec3_neg(better, v);
  limpet_vec3_normalize(better);
  limpet_vec3_zero(a);
  for (int i = 0; i < simplex->count; ++i)
    limpet_vec3_addmul(a, a, simplex->weight[i], simplex->point[i].a);
  limpet_vec3_sub(b, a, v);
  limpet_vec3_addmul(b, b, -distance, normal);
  return true;
}

// Tries the direction beyond n' that the last two steps point to.
static void extrapolate(double n[3], double *height, const limpet_minkowski *pair,
                        const double step[3], double ratio) {
  double far[3];
  limpet_vec3_addmul(far, n, ratio / (1.0 - ratio), step);
  limpet_vec3_normalize(far);
  const double far_height = support_height(pair, far);
  if (far_height >= *height) return;
  *height = far_height;
  limpet_vec3_copy(n, far);
}

// A least depth by Newton's method from `start`, no more than `height`. False: none is found.
static bool newton_from(double normal[3], double a[3], double b[3], double *depth,
                        const limpet_minkowski *pair, const limpet_simplex *simplex,
                        const double start[3], double height, double size) {
  double n[3], on_a[3], on_b[3], least;
  limpet_vec3_copy(n, start);
  const bool hull = pair->a->kind == LIMPET_SHAPE_MESH || pair->b->kind == LIMPET_SHAPE_MESH;
  const bool found = hull ? limpet_depth_newton_hull(n, on_a, on_b, &least, pair, simplex, size)
                          : limpet_depth_newton(n, on_a, on_b, &least, pair, size, NULL);
  if (!found || least > height + depth_tolerance * size) return false;
  *depth = least;
  limpet_vec3_copy(normal, n);
  limpet_vec3_copy(a, on_a);
  limpet_vec3_copy(b, on_b);
  return true;
}

double limpet_depth_refine(double normal[3], double a[3], double b[3], const limpet_minkowski *pair,
                           limpet_simplex *simplex, double depth, double size) {
  const bool curved = limpet_core_is_curved(pair->a) || limpet_core_is_curved(pair->b);
  bool settled = !curved;
  double last_step = 0.0;
  for (int k = 0; k < STEP_LIMIT; ++k) {
    double better[3], on_a[3], on_b[3], middle[3], step[3];
    if (!direction_from_outside(better, on_a, on_b, pair, simplex, normal,
                                depth + gap_share * size))
      break;
    double height = support_height(pair, better);
    const double gain = depth - height;
    if (gain < -depth_tolerance * size && k > 0) break;
    limpet_vec3_sub(step, better, normal);
    const double length = limpet_vec3_norm(step);
    if (gain > 0.0) {
      if (k > 0 && length < ratio_limit * last_step)
        extrapolate(better, &height, pair, step, length / last_step);
      depth = height;
      limpet_vec3_copy(normal, better);
    }
    last_step = length;
    if (curved && k < NEWTON_LIMIT && gain > depth_tolerance * size &&
        newton_from(normal, a, b, &depth, pair, simplex, normal, depth, size)) {
      settled = true;
      break;
    }

    // witness points: the middle of GJK's, moved apart along the normal
    limpet_vec3_add(middle, on_a, on_b);
    limpet_vec3_scale(middle, 0.5, middle);
    limpet_vec3_addmul(a, middle, 0.5 * depth, normal);
    limpet_vec3_addmul(b, middle, -0.5 * depth, normal);
    if (gain <= depth_tolerance * size) break;
  }
  if (!settled) limpet_depth_newton_settle(normal, a, b, &depth, pair, simplex, size);
  return depth;
}
