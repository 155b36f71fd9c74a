/* geometry/convex_rest.c: contact of two convex shapes of which a flat face carries the other.
 *
 * Most contacts that last are of this kind. With the face F of the shape S known, its normal n and
 * the support point p of the other core O towards it, the planes give
 *   d0 = n.(p - F)      a lower bound of the signed distance of the cores
 * and a point q of O at that height (the mean of the deepest points where F and the facing feature
 * of O meet) shows that it is the distance itself:
 *   apart     q lies over F: no point of S is nearer to it than d0
 *   overlap   the ball around q of radius -d0 lies in the pyramid from F to the middle of S, which
 * S contains: S - O contains the ball of radius -d0 around the origin, and along n no more. So the
 * depth is -d0 With a margin in both, n is the only such direction, and GJK and EPA would end there
 * too. Their answer ends in this function as well (convex_contact.c), so a result does not depend
 * on whether the face was known from the step before. Cost: a support point, the facing feature,
 * the clipping: a fifth of the general way. */
#include "geometry/face.h"
#include "math/vec3.h"

static const double level_tolerance = 1e-9;   // of the size: heights that count as the deepest
static const double margin_tolerance = 1e-8;  // of the size: distances that count as the margin
static const double inside_share = 1e-6;      // of the face: by how much q lies inside
// 4.5e-5 rad: a face of A that is as good as one of B comes first
static const double clear_cosine = 1.0 - 1e-9;

// The face in question and what meets it, in the axes of A.
typedef struct rest_view {
  const limpet_minkowski *pair;
  bool of_b;
  limpet_face carrier, other;
  double normal[3];  // from A to B
  double extent;     // [m]  of the face
  double size;       // [m]  scale of the tolerances
  double height;     // [m]  d0
} rest_view;

static bool view_make(rest_view *view, const limpet_minkowski *pair, const limpet_rest *rest) {
  const bool of_b = rest->of_b;
  view->pair = pair, view->of_b = of_b;
  if (!limpet_shape_face_numbered(&view->carrier, of_b ? pair->b : pair->a, rest->face))
    return false;
  if (of_b) limpet_face_turn(&view->carrier, pair);
  limpet_vec3_scale(view->normal, of_b ? -1.0 : 1.0, view->carrier.normal);

  // the feature of the other that faces it
  if (of_b) {
    limpet_shape_face(&view->other, pair->a, view->normal);
    if (view->other.count > 2 && limpet_vec3_dot(view->other.normal, view->normal) > clear_cosine)
      return false;
  } else {
    double d[3];
    limpet_mat3_tmul_vec(d, pair->rotation, view->normal);
    limpet_vec3_neg(d, d);
    limpet_shape_face(&view->other, pair->b, d);
    limpet_face_turn(&view->other, pair);
  }

  limpet_minkowski_point extreme = limpet_minkowski_point_none();
  if (view->other.count > 0) extreme.vertex[of_b ? 0 : 1] = view->other.id[0];
  extreme.vertex[of_b ? 1 : 0] = view->carrier.id[0];
  limpet_minkowski_support(&extreme, pair, view->normal);
  view->height = -limpet_vec3_dot(extreme.w, view->normal);
  const limpet_face *f = &view->carrier;
  view->extent = limpet_vec3_distance(f->point[0], f->point[f->count / 2]);
  view->size = limpet_vec3_norm(pair->offset) + view->extent;
  return true;
}

// Mean of the points of O that are as deep as the deepest. False: none is.
static bool deepest_point(double q[3], const rest_view *view, const limpet_candidates *candidates) {
  int count = 0;
  limpet_vec3_zero(q);
  for (int i = 0; i < candidates->count; ++i) {
    if (candidates->distance[i] > view->height + level_tolerance * view->size) continue;
    limpet_vec3_add(q, q, view->of_b ? candidates->on_a[i] : candidates->on_b[i]);
    ++count;
  }
  if (count > 0) limpet_vec3_scale(q, 1.0 / count, q);
  return count > 0;
}

// The middle of S in the axes of A.
static void middle_of(double middle[3], const rest_view *view) {
  const limpet_minkowski *pair = view->pair;
  const limpet_shape *shape = view->of_b ? pair->b : pair->a;
  limpet_vec3_zero(middle);
  if (shape->kind == LIMPET_SHAPE_MESH) limpet_vec3_copy(middle, shape->hull->centre);
  if (!view->of_b) return;
  double turned[3];
  limpet_mat3_mul_vec(turned, pair->rotation, middle);
  limpet_vec3_add(middle, turned, pair->offset);
}

/* Whether q is inside all planes through an edge of the face and, apart, its normal, or, in
 * overlap, the middle of S; by the radius of the ball and a little more. */
static bool is_inside(const rest_view *view, const double q[3]) {
  const limpet_face *f = &view->carrier;
  const bool apart = view->height > 0.0;
  const double least = inside_share * view->extent + (apart ? 0.0 : -view->height);
  double middle[3];
  middle_of(middle, view);
  for (int k = 0; k < f->count; ++k) {
    const double *p = f->point[k];
    double edge[3], down[3], outward[3], arm[3];
    limpet_vec3_sub(edge, f->point[k + 1 < f->count ? k + 1 : 0], p);
    if (apart) limpet_vec3_neg(down, f->normal);
    else limpet_vec3_sub(down, middle, p);
    limpet_vec3_cross(outward, down, edge);
    limpet_vec3_normalize(outward);
    limpet_vec3_sub(arm, p, q);
    if (!(limpet_vec3_dot(outward, arm) >= least)) return false;
  }
  return true;
}

bool limpet_convex_rest(limpet_manifold *manifold, const limpet_minkowski *pair,
                        const limpet_rest *rest, double margin) {
  rest_view view;
  if (!view_make(&view, pair, rest)) return false;
  const double radii = pair->radius_a + pair->radius_b, distance = view.height - radii;
  if (fabs(distance - margin) <= margin_tolerance * view.size) return false;
  manifold->count = 0;
  if (!limpet_within_margin(distance, margin)) return true;

  limpet_candidates candidates;
  candidates.count = 0;
  if (view.other.count == 0) return false;
  limpet_face_meet(&candidates, view.of_b ? &view.other : &view.carrier,
                   view.of_b ? &view.carrier : &view.other, view.normal);
  double q[3];
  if (!deepest_point(q, &view, &candidates) || !is_inside(&view, q)) return false;

  // the points of the cores, moved to the surfaces
  for (int i = 0; i < candidates.count; ++i) {
    limpet_vec3_addmul(candidates.on_a[i], candidates.on_a[i], pair->radius_a, view.normal);
    limpet_vec3_addmul(candidates.on_b[i], candidates.on_b[i], -pair->radius_b, view.normal);
    candidates.distance[i] -= radii;
  }
  limpet_manifold_fill(manifold, &candidates, pair->a, view.normal, margin);
  return true;
}

bool limpet_convex_rest_own(const limpet_shape *shape, int face) {
  limpet_face numbered, found;
  if (!limpet_shape_face_numbered(&numbered, shape, face)) return false;
  limpet_shape_face(&found, shape, numbered.normal);
  return found.number == face;
}
