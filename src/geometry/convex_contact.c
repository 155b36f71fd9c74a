/* geometry/convex_contact.c: contact points of any two convex shapes.
 *
 *   1. signed distance, normal and witness points by GJK and EPA
 *   2. the features of A and B that face each other along the normal
 *   3. the normal becomes that of a face (A's, else B's) that is nearly perpendicular to it and
 *     just as deep: of the axes that are
 *      equal to round-off in a face contact, noise must not choose
 *   4. the common area of the features, if the normal is nearly that of a face (a vertex on a face,
 *      or an edge across it: then both ends of their stretch, as bodies rock from one to the other)
 *      or roughly so for both (two faces that touch along crossing edges): several points; else the
 *      witness points
 *   5. where the face is certain to carry the other shape, all of this comes from the face alone
 *      (convex_rest.c); where edges are certain to be nearest, 1 comes from them (convex_edges.c)
 * The deepest point is always among them: where the clipped features do not contain it (corners
 * that were rounded off, crossing edges) the witness points are added. */
#include "geometry/face.h"
#include "math/vec3.h"

static const double exact_cosine = 1.0 - 5e-13;  // 1e-6 rad: the normal is that of the face
// 8 degrees: both features as good as perpendicular to the normal
static const double near_cosine = 0.99;
// of the size: the deepest point is missing if it is deeper by this
// 1e-2 rad: what lies across a face; a stretch of 0.1 m is 1 mm higher at its far end then
static const double flat_cosine = 1.0 - 5e-5;
static const double depth_tolerance = 5e-10;
// the same where a polygon stands for a round cap that is flat on the normal
static const double cap_tolerance = 1e-6;
// 1e-5 rad: a face normal that may replace the normal
static const double snap_cosine = 1.0 - 5e-11;
static const double snap_tolerance = 2e-8;  // of the size: if it is as deep to this
static const uint32_t witness_feature = 0xC0000000u;
// of the smaller shape: a candidate that is nearer to the witness points is at their place
static const double same_place = 1e-3;

// Cosine of the angle between the normal and the feature's own normal; 1 or less for a segment that
// is tilted.
static double face_cosine(const limpet_face *face, const double normal[3]) {
  if (face->count > 2) return fabs(limpet_vec3_dot(face->normal, normal));
  double u[3];
  limpet_vec3_sub(u, face->point[1], face->point[0]);
  limpet_vec3_normalize(u);
  const double sine = limpet_vec3_dot(u, normal);
  return sqrt(fmax(0.0, 1.0 - sine * sine));
}

static bool faces_meet(const limpet_face *a, const limpet_face *b, const double normal[3]) {
  if (a->count == 0 || b->count == 0) return false;
  const double ca = face_cosine(a, normal), cb = face_cosine(b, normal);
  if (ca > near_cosine && cb > near_cosine) return true;
  return (a->count > 2 && ca > flat_cosine) || (b->count > 2 && cb > flat_cosine);
}

// The normal of the face, if it is close to `normal` and as deep to `tolerance`; `sign` turns it
// from A to B.
static bool snap_to_face(double normal[3], const limpet_minkowski *pair, const limpet_face *face,
                         double sign, double distance, double tolerance) {
  double n[3];
  limpet_minkowski_point extreme = limpet_minkowski_point_none();
  if (face->count < 3) return false;
  limpet_vec3_scale(n, sign, face->normal);
  if (limpet_vec3_dot(n, normal) < snap_cosine) return false;
  limpet_minkowski_support(&extreme, pair, n);
  if (-limpet_vec3_dot(extreme.w, n) - pair->radius_a - pair->radius_b < distance - tolerance)
    return false;
  limpet_vec3_copy(normal, n);
  return true;
}

static bool is_flat_cap(const limpet_shape *shape, const limpet_face *face,
                        const double normal[3]) {
  return shape->kind == LIMPET_SHAPE_CYLINDER && face->count > 2 &&
         face_cosine(face, normal) > exact_cosine;
}

// The candidate at the place of the witness points, or -1.
static int candidate_there(const limpet_candidates *candidates, const limpet_minkowski *pair,
                           const limpet_convex_result *result) {
  const limpet_shape *a = pair->a, *b = pair->b;
  int there = -1;
  double near = same_place * fmin(limpet_shape_radius(a->kind, a->size, a->hull),
                                  limpet_shape_radius(b->kind, b->size, b->hull));
  for (int i = 0; i < candidates->count; ++i) {
    const double way = limpet_vec3_distance(candidates->on_a[i], result->on_a);
    if (way < near) near = way, there = i;
  }
  return there;
}

/* Adds the witness points unless a candidate is as deep. One at their place becomes them and keeps
 * its name: two contacts at one place would push twice as hard as one, and bodies would rock as the
 * second comes and goes. */
static void add_witness(limpet_candidates *candidates, const limpet_minkowski *pair,
                        const limpet_convex_result *result, double tolerance) {
  double extent = limpet_vec3_norm(pair->offset), deepest = INFINITY, apart[3];
  for (int i = 0; i < candidates->count; ++i) {
    deepest = fmin(deepest, candidates->distance[i]);
    extent = fmax(extent, limpet_vec3_distance(candidates->on_a[i], candidates->on_a[0]));
  }
  if (deepest <= result->distance + tolerance * extent) return;
  const int there = candidate_there(candidates, pair, result);
  const int i = there >= 0                                      ? there
                : candidates->count < LIMPET_CANDIDATE_CAPACITY ? candidates->count++
                                                                : LIMPET_CANDIDATE_CAPACITY - 1;
  limpet_vec3_copy(candidates->on_a[i], result->on_a);
  limpet_vec3_copy(candidates->on_b[i], result->on_b);
  limpet_vec3_sub(apart, result->on_b, result->on_a);
  candidates->distance[i] = limpet_vec3_dot(apart, result->normal);
  if (there < 0) candidates->feature[i] = witness_feature;
}

/* The points in which the features of both shapes meet along the normal, which becomes that of a
 * face that is as good. Returns the tolerance to which they contain the deepest point. */
static double meet_features(limpet_candidates *candidates, limpet_convex_result *result,
                            const limpet_minkowski *pair, limpet_rest *rest) {
  limpet_face face_a, face_b;
  double d[3];
  double *normal = result->normal;
  limpet_mat3_tmul_vec(d, pair->rotation, normal);
  limpet_vec3_neg(d, d);
  limpet_shape_face(&face_a, pair->a, normal);
  limpet_shape_face(&face_b, pair->b, d);
  limpet_face_turn(&face_b, pair);

  // the normal of a face that is as good
  const double tolerance = snap_tolerance * limpet_vec3_norm(pair->offset);
  *rest = (limpet_rest){.face = -1};
  if (snap_to_face(normal, pair, &face_a, 1.0, result->distance, tolerance))
    rest->face = face_a.number;
  else if (snap_to_face(normal, pair, &face_b, -1.0, result->distance, tolerance))
    rest->face = face_b.number, rest->of_b = true;
  if (rest->face >= 0) limpet_convex_witness(result, pair);

  // the points of the cores, moved to the surfaces
  if (faces_meet(&face_a, &face_b, normal)) limpet_face_meet(candidates, &face_a, &face_b, normal);
  for (int i = 0; i < candidates->count; ++i) {
    limpet_vec3_addmul(candidates->on_a[i], candidates->on_a[i], pair->radius_a, normal);
    limpet_vec3_addmul(candidates->on_b[i], candidates->on_b[i], -pair->radius_b, normal);
    candidates->distance[i] -= pair->radius_a + pair->radius_b;
  }
  const bool cap = is_flat_cap(pair->a, &face_a, normal) || is_flat_cap(pair->b, &face_b, normal);
  return cap ? cap_tolerance : depth_tolerance;
}

// Whether the face carries; then the manifold is made.
static bool is_carried(limpet_manifold *manifold, const limpet_minkowski *pair,
                       const limpet_rest *rest, double margin) {
  if (rest->face < 0 || !limpet_convex_rest_own(rest->of_b ? pair->b : pair->a, rest->face) ||
      !limpet_convex_rest(manifold, pair, rest, margin))
    return false;
  manifold->rest = *rest;
  return true;
}

// Of shapes that meet with that normal and distance.
typedef struct meeting {
  limpet_convex_result result;
  limpet_candidates candidates;
  limpet_rest rest;
  double tolerance;
} meeting;

static void meet(meeting *m, const limpet_minkowski *pair, const limpet_convex_result *query) {
  m->result = *query;
  m->candidates.count = 0;
  m->rest = (limpet_rest){.face = -1};
  m->tolerance = pair->a->kind == LIMPET_SHAPE_SPHERE
                     ? 0.0
                     : meet_features(&m->candidates, &m->result, pair, &m->rest);
}

static void meeting_fill(limpet_manifold *manifold, meeting *m, const limpet_minkowski *pair,
                         double margin) {
  manifold->count = 0;
  add_witness(&m->candidates, pair, &m->result, m->tolerance);
  limpet_manifold_fill(manifold, &m->candidates, pair->a, m->result.normal, margin);
}

void limpet_convex_manifold(limpet_manifold *manifold, const limpet_minkowski *pair,
                            const limpet_convex_result *query, double margin) {
  meeting m;
  meet(&m, pair, query);
  if (!is_carried(manifold, pair, &m.rest, margin)) meeting_fill(manifold, &m, pair, margin);
}

void limpet_convex_points(limpet_manifold *manifold, const limpet_minkowski *pair,
                          const limpet_convex_result *query, double margin) {
  meeting m;
  meet(&m, pair, query);
  meeting_fill(manifold, &m, pair, margin);
}

void limpet_convex_contact(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b,
                           double margin) {
  limpet_minkowski pair;
  limpet_convex_result result;
  const limpet_rest known = manifold->rest;
  manifold->count = 0;
  limpet_minkowski_create(&pair, a, b);
  if (known.face >= 0 && limpet_convex_rest(manifold, &pair, &known, margin)) return;
  manifold->count = 0;
  manifold->rest = (limpet_rest){.face = -1};
  limpet_edges edges = known.edges;
  bool by_edges = limpet_convex_edges(&result, &pair, &edges, margin);
  if (!by_edges) {
    if (!limpet_convex_query(&result, &pair, margin)) return;
    edges = result.edges;
    by_edges = limpet_convex_edges(&result, &pair, &edges, margin);
  }
  if (limpet_within_margin(result.distance, margin))
    limpet_convex_manifold(manifold, &pair, &result, margin);
  if (by_edges && manifold->rest.face < 0) manifold->rest.edges = edges;
}
