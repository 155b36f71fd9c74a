/* geometry/gjk.c: distance of two convex cores.
 *
 * GJK (Gilbert, Johnson, Keerthi, IEEE J. Robotics Automation 4, 1988) finds the point v of the
 * Minkowski difference A - B that is closest to the origin. It keeps a simplex of at most four
 * support points whose closest point is v:
 *   w = support(-v);  stop when |v| - v.w/|v| is round-off, for v.w/|v| is a lower bound of the
 *                     distance and |v| an upper one
 *   v = point of conv(simplex + w) closest to the origin; the simplex keeps the points that carry v
 * The closest point of a triangle is found from its normal n = ab x ac as n (a.n)/(n.n), which
 * gives the direction of v to round-off even when |v| is tiny, and a triangle or tetrahedron that
 * is flat is treated as its edges or faces: no division by its area. |v| decreases at every step;
 * when it does not any more (round-off) the last simplex is the result.
 * Departures: no warm start (the result must not depend on history); direct case distinction
 * instead of Johnson's recursion.
 * Cost: some 4 to 8 steps for polytopes, 10 to 30 for curved shapes. No workspace. */
#include <assert.h>

#include "geometry/convex.h"
#include "math/vec3.h"

enum { STEP_LIMIT = 200 };

static const double gap_tolerance = 1e-13;  // of the largest |w|: the distance is known to this
static const double rough_share = 1e-6;  // of the distance: |v - its end| is below 1.4e-3 |v| then
// of the largest |w|: below this the cores count as overlapping
static const double touch_tolerance = 1e-11;
// sin^2 of the angle below which a triangle is a segment
static const double flat_tolerance = 1e-14;

void limpet_minkowski_create(limpet_minkowski *pair, const limpet_shape *a, const limpet_shape *b) {
  double offset[3];
  pair->a = a, pair->b = b;
  limpet_mat3_tmul(pair->rotation, a->rotation, b->rotation);
  limpet_vec3_sub(offset, b->position, a->position);
  limpet_mat3_tmul_vec(pair->offset, a->rotation, offset);
  pair->radius_a = limpet_core_radius(a), pair->radius_b = limpet_core_radius(b);
}

// Support point of a core, of hulls from and to *vertex.
static void core_support(double point[3], const limpet_shape *shape, const double direction[3],
                         int *vertex) {
  if (shape->kind != LIMPET_SHAPE_MESH) {
    limpet_core_support[shape->kind](point, shape, direction);
    return;
  }
  *vertex = limpet_hull_support_from(shape->hull, direction, *vertex);
  limpet_vec3_copy(point, shape->hull->vertices + 3 * *vertex);
}

void limpet_minkowski_support(limpet_minkowski_point *point, const limpet_minkowski *pair,
                              const double direction[3]) {
  double d[3], local[3];
  core_support(point->a, pair->a, direction, &point->vertex[0]);
  limpet_mat3_tmul_vec(d, pair->rotation, direction);
  limpet_vec3_neg(d, d);
  core_support(local, pair->b, d, &point->vertex[1]);
  limpet_mat3_mul_vec(point->b, pair->rotation, local);
  limpet_vec3_add(point->b, point->b, pair->offset);
  limpet_vec3_sub(point->w, point->a, point->b);
}

// The closest point of a simplex: v, its weights by index, and |v|^2.
typedef struct closest {
  double v[3], weight[4], square;
} closest;

static void closest_vertex(closest *best, const limpet_simplex *s, int i) {
  limpet_vec3_copy(best->v, s->point[i].w);
  for (int k = 0; k < 4; ++k) best->weight[k] = k == i ? 1.0 : 0.0;
  best->square = limpet_vec3_dot(best->v, best->v);
}

static void closest_segment(closest *best, const limpet_simplex *s, int i, int j) {
  double edge[3];
  const double *p = s->point[i].w, *q = s->point[j].w;
  limpet_vec3_sub(edge, q, p);
  const double along = -limpet_vec3_dot(p, edge), length = limpet_vec3_dot(edge, edge);
  if (along <= 0.0 || length <= 0.0) {
    closest_vertex(best, s, i);
  } else if (along >= length) {
    closest_vertex(best, s, j);
  } else {
    const double t = along / length;
    limpet_vec3_addmul(best->v, p, t, edge);
    for (int k = 0; k < 4; ++k) best->weight[k] = k == i ? 1.0 - t : k == j ? t : 0.0;
    best->square = limpet_vec3_dot(best->v, best->v);
  }
}

static void take_if_closer(closest *best, const closest *other) {
  if (other->square < best->square) *best = *other;
}

static void closest_triangle(closest *best, const limpet_simplex *s, int i, int j, int k) {
  const int corner[3] = {i, j, k};
  double ab[3], ac[3], n[3], c[3][3], part[3];
  const double *p[3] = {s->point[i].w, s->point[j].w, s->point[k].w};
  limpet_vec3_sub(ab, p[1], p[0]);
  limpet_vec3_sub(ac, p[2], p[0]);
  limpet_vec3_cross(n, ab, ac);
  const double nn = limpet_vec3_dot(n, n);
  const bool flat = nn <= flat_tolerance * limpet_vec3_dot(ab, ab) * limpet_vec3_dot(ac, ac);

  // areas of the three triangles that the projection of the origin makes with the edges, opposite
  // corners 0, 1, 2
  for (int e = 0; e < 3; ++e) {
    limpet_vec3_cross(c[e], p[(e + 1) % 3], p[(e + 2) % 3]);
    part[e] = limpet_vec3_dot(c[e], n);
  }
  if (!flat && part[0] > 0.0 && part[1] > 0.0 && part[2] > 0.0) {
    limpet_vec3_scale(best->v, limpet_vec3_dot(p[0], n) / nn, n);
    for (int m = 0; m < 4; ++m) best->weight[m] = 0.0;
    const double sum = part[0] + part[1] + part[2];
    for (int e = 0; e < 3; ++e) best->weight[corner[e]] = part[e] / sum;
    best->square = limpet_vec3_dot(best->v, best->v);
    return;
  }

  // outside: on one of the edges that the projection lies beyond
  closest other;
  best->square = INFINITY;
  for (int e = 0; e < 3; ++e) {
    if (!flat && part[e] > 0.0) continue;
    closest_segment(&other, s, corner[(e + 1) % 3], corner[(e + 2) % 3]);
    take_if_closer(best, &other);
  }
}

// Returns false if the origin lies inside the tetrahedron.
static bool closest_tetrahedron(closest *best, const limpet_simplex *s) {
  static const int face[4][4] = {
      {1, 2, 3, 0}, {0, 3, 2, 1}, {0, 1, 3, 2}, {0, 2, 1, 3}};  // corners, opposite corner
  bool outside = false;
  closest other;
  best->square = INFINITY;
  for (int f = 0; f < 4; ++f) {
    double ab[3], ac[3], ad[3], n[3];
    const double *a = s->point[face[f][0]].w;
    limpet_vec3_sub(ab, s->point[face[f][1]].w, a);
    limpet_vec3_sub(ac, s->point[face[f][2]].w, a);
    limpet_vec3_sub(ad, s->point[face[f][3]].w, a);
    limpet_vec3_cross(n, ab, ac);
    const double apex = limpet_vec3_dot(ad, n), origin = -limpet_vec3_dot(a, n);
    const bool flat =
        apex * apex <= flat_tolerance * limpet_vec3_dot(n, n) * limpet_vec3_dot(ad, ad);
    if (!flat && (apex > 0.0) == (origin > 0.0)) continue;
    outside = true;
    closest_triangle(&other, s, face[f][0], face[f][1], face[f][2]);
    take_if_closer(best, &other);
  }
  return outside;
}

static bool closest_point(closest *best, const limpet_simplex *s) {
  switch (s->count) {
    case 1: closest_vertex(best, s, 0); return true;
    case 2: closest_segment(best, s, 0, 1); return true;
    case 3: closest_triangle(best, s, 0, 1, 2); return true;
    default: return closest_tetrahedron(best, s);
  }
}

// Keeps the points with positive weight.
static void simplex_reduce(limpet_simplex *s, const closest *best) {
  int count = 0;
  for (int i = 0; i < s->count; ++i) {
    if (!(best->weight[i] > 0.0)) continue;
    if (count < i) s->point[count] = s->point[i];
    s->weight[count++] = best->weight[i];
  }
  s->count = count;
}

static bool simplex_has(const limpet_simplex *s, const double w[3]) {
  for (int i = 0; i < s->count; ++i) {
    const double *p = s->point[i].w;
    if (p[0] == w[0] && p[1] == w[1] && p[2] == w[2]) return true;
  }
  return false;
}

// From v, whose simplex has the squared distance `square`; INFINITY: v is a direction only, the
// simplex empty. share: of the distance, to which it is known at the end at least.
static limpet_gjk_outcome iterate(double v[3], limpet_simplex *simplex,
                                  const limpet_minkowski *pair, double limit, double square,
                                  double share) {
  limpet_minkowski_point w = simplex->count > 0 ? simplex->point[0] : limpet_minkowski_point_none();
  double direction[3], size = 0.0;
  for (int step = 0; step < STEP_LIMIT; ++step) {
    limpet_vec3_neg(direction, v);
    limpet_minkowski_support(&w, pair, direction);
    size = fmax(size, limpet_vec3_norm(w.w));

    // lower bound v.w/|v| of the distance: too far, or as good as the upper bound |v|
    const double vv = limpet_vec3_dot(v, v), vw = limpet_vec3_dot(v, w.w);
    if (vw > 0.0 && vw * vw > limit * limit * vv) return LIMPET_GJK_BEYOND;
    if (simplex->count > 0 &&
        (vv - vw <= fmax(gap_tolerance * size * sqrt(vv), share * vv) || simplex_has(simplex, w.w)))
      return LIMPET_GJK_APART;

    // the closest point of the simplex with w; without progress the last one was the best that
    // round-off allows
    closest best;
    simplex->point[simplex->count++] = w;
    if (!closest_point(&best, simplex)) return LIMPET_GJK_OVERLAP;
    if (best.square >= square) {
      --simplex->count;
      return LIMPET_GJK_APART;
    }
    square = best.square;
    simplex_reduce(simplex, &best);
    limpet_vec3_copy(v, best.v);
    if (square <= touch_tolerance * touch_tolerance * size * size) return LIMPET_GJK_OVERLAP;
  }
  return LIMPET_GJK_APART;
}

static limpet_gjk_outcome from_centres(double v[3], limpet_simplex *simplex,
                                       const limpet_minkowski *pair, double limit, double share) {
  assert(v && simplex && pair);
  // the first direction is that of the centres
  simplex->count = 0;
  limpet_vec3_neg(v, pair->offset);
  if (limpet_vec3_dot(v, v) == 0.0) v[0] = 1.0;
  return iterate(v, simplex, pair, limit, INFINITY, share);
}

limpet_gjk_outcome limpet_gjk(double v[3], limpet_simplex *simplex, const limpet_minkowski *pair,
                              double limit) {
  return from_centres(v, simplex, pair, limit, 0.0);
}

limpet_gjk_outcome limpet_gjk_along(double v[3], limpet_simplex *simplex,
                                    const limpet_minkowski *pair, double limit) {
  assert(v && simplex && pair);
  simplex->count = 0;
  return iterate(v, simplex, pair, limit, INFINITY, 0.0);
}

limpet_gjk_outcome limpet_gjk_roughly(double v[3], limpet_simplex *simplex,
                                      const limpet_minkowski *pair, double limit) {
  return from_centres(v, simplex, pair, limit, rough_share);
}

limpet_gjk_outcome limpet_gjk_continue(double v[3], limpet_simplex *simplex,
                                       const limpet_minkowski *pair, double limit) {
  closest best;
  if (!closest_point(&best, simplex) || best.square == 0.0) return LIMPET_GJK_OVERLAP;
  simplex_reduce(simplex, &best);
  limpet_vec3_copy(v, best.v);
  return iterate(v, simplex, pair, limit, best.square, 0.0);
}
