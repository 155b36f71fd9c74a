/* geometry/pair_capsule_box.c: contact of a capsule A and a box B, in closed form.
 *
 *   p(t) = c + t u, |t| <= h: the axis of the capsule in the axes of the box, whose half sizes are
 * s apart    f(t) = sum max(|p_i(t)| - s_i, 0)^2 is convex and made of parabolas. Newton's method
 *            for its slope ends at the least value as soon as both sides of a step have the same
 *            parabola
 *   overlap  the difference of box and segment is a polytope whose faces have the normals e_i and
 *            e_i x u: the axis with the largest separation
 *              |c_i| - h |u_i| - s_i   or   |c.n| - sum s_j |n_j|,  n = e_i x u/|e_i x u|
 *            is that of the depth. What is nearest to the origin lies within that face, so the
 *            end of the segment lies over the box' face, and the edges cross within both
 * Faces come before edges where both are as deep to round-off. The points follow from the features
 * that face each other, as for other convex shapes (convex_contact.c).
 * Reference: Gottschalk, Lin, Manocha, SIGGRAPH 1996, for the axes. Cost: some 300 instructions
 * for the distance. */
#include "geometry/face.h"
#include "geometry/pair_list.h"
#include "math/vec3.h"

enum { STEP_LIMIT = 24 };
static const double touch_tolerance = 1e-10;  // of the size: nearer cores count as overlapping
static const double axis_tolerance = 1e-10;   // of the size: bias to faces
// sin^2 of the angle below which an edge is parallel to the capsule
static const double parallel_tolerance = 1e-12;

typedef struct axis_box {
  double c[3], u[3], half;  // the capsule's axis in the axes of the box
  const double *s;          // half sizes of the box
} axis_box;

static void view_create(axis_box *x, const limpet_minkowski *pair) {
  limpet_mat3_tmul_vec(x->c, pair->rotation, pair->offset);
  limpet_vec3_neg(x->c, x->c);
  limpet_vec3_copy(x->u, pair->rotation + 6);
  x->half = pair->a->size[1], x->s = pair->b->size;
}

// From the box to p(t). Half the slope of f into *slope, half its second derivative into *bend.
static void gap_at(const axis_box *x, double t, double gap[3], double *slope, double *bend) {
  *slope = *bend = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double p = x->c[i] + t * x->u[i], s = x->s[i];
    gap[i] = p > s ? p - s : p < -s ? p + s : 0.0;
    *slope += x->u[i] * gap[i];
    if (gap[i] != 0.0) *bend += x->u[i] * x->u[i];
  }
}

static bool same_parabola(const double a[3], const double b[3]) {
  for (int i = 0; i < 3; ++i)
    if ((a[i] > 0.0) != (b[i] > 0.0) || (a[i] < 0.0) != (b[i] < 0.0)) return false;
  return true;
}

// t of the point of the axis that is nearest to the box, and the gap there.
static double nearest_on_axis(const axis_box *x, double gap[3]) {
  double low = -x->half, high = x->half, slope, bend;
  gap_at(x, low, gap, &slope, &bend);
  if (slope >= 0.0) return low;
  gap_at(x, high, gap, &slope, &bend);
  if (slope <= 0.0) return high;
  double t = 0.0;
  gap_at(x, t, gap, &slope, &bend);
  for (int k = 0; k < STEP_LIMIT && slope != 0.0; ++k) {
    if (slope > 0.0) high = t;
    else low = t;
    double next = t - slope / bend, there[3];
    const bool inside = next > low && next < high;
    if (!inside) next = 0.5 * (low + high);
    if (next == t) break;
    gap_at(x, next, there, &slope, &bend);
    const bool done = inside && same_parabola(gap, there);
    limpet_vec3_copy(gap, there);
    t = next;
    if (done) break;
  }
  return t;
}

// In the axes of the box: where cores touch or overlap, or are apart.
typedef struct core_contact {
  double distance;          // [m]  of the cores
  double normal[3];         // from A to B
  double on_a[3], on_b[3];  // [m]
} core_contact;

static void face_contact(const axis_box *x, int i, core_contact *r) {
  const double n = x->c[i] < 0.0 ? 1.0 : -1.0;
  const double end = x->u[i] * n > 0.0 ? x->half : x->u[i] * n < 0.0 ? -x->half : 0.0;
  limpet_vec3_zero(r->normal);
  r->normal[i] = n;
  limpet_vec3_addmul(r->on_a, x->c, end, x->u);
  limpet_vec3_addmul(r->on_b, r->on_a, r->distance, r->normal);
}

// The axis crosses an edge along e_i; n points from the capsule's centre to that of the box.
static void edge_contact(const axis_box *x, int i, const double n[3], core_contact *r) {
  double q[3];
  for (int k = 0; k < 3; ++k) q[k] = n[k] > 0.0 ? -x->s[k] : x->s[k];
  q[i] = 0.0;
  limpet_vec3_copy(r->normal, n);

  // nearest points of the two lines: c + t u, q + r e_i
  double w[3];
  limpet_vec3_sub(w, q, x->c);
  const double sine2 = 1.0 - x->u[i] * x->u[i];
  const double t = (limpet_vec3_dot(w, x->u) - w[i] * x->u[i]) / sine2;
  limpet_vec3_addmul(r->on_a, x->c, fmax(-x->half, fmin(x->half, t)), x->u);
  limpet_vec3_addmul(r->on_b, r->on_a, r->distance, n);
}

// Depth of cores that overlap: see the head.
static void overlap(const axis_box *x, double size, core_contact *r) {
  const double *c = x->c, *u = x->u, *s = x->s;
  int face = 0;
  r->distance = -INFINITY;
  for (int i = 0; i < 3; ++i) {
    const double separation = fabs(c[i]) - x->half * fabs(u[i]) - s[i];
    if (separation > r->distance + axis_tolerance * size) r->distance = separation, face = i;
  }
  int edge = -1;
  double best[3];
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    const double square = u[i1] * u[i1] + u[i2] * u[i2];
    if (square < parallel_tolerance) continue;

    // e_i x u has the components -u_i2, u_i1 at i1, i2
    const double scale = 1.0 / sqrt(square);
    const double centre = scale * (c[i2] * u[i1] - c[i1] * u[i2]);
    const double separation = fabs(centre) - scale * (s[i1] * fabs(u[i2]) + s[i2] * fabs(u[i1]));
    if (!(separation > r->distance + axis_tolerance * size)) continue;
    const double sign = centre < 0.0 ? scale : -scale;
    r->distance = separation, edge = i;
    best[i] = 0.0, best[i1] = -sign * u[i2], best[i2] = sign * u[i1];
  }
  if (edge < 0) face_contact(x, face, r);
  else edge_contact(x, edge, best, r);
}

// False: farther apart than `limit`.
static bool cores_meet(const axis_box *x, double size, double limit, core_contact *r) {
  for (int i = 0; i < 3; ++i)
    if (fabs(x->c[i]) - x->half * fabs(x->u[i]) - x->s[i] > limit) return false;
  double gap[3];
  const double t = nearest_on_axis(x, gap), distance = limpet_vec3_norm(gap);
  if (distance > limit) return false;
  if (distance <= touch_tolerance * size) {
    overlap(x, size, r);
    return true;
  }
  r->distance = distance;
  limpet_vec3_scale(r->normal, -1.0 / distance, gap);
  limpet_vec3_addmul(r->on_a, x->c, t, x->u);
  limpet_vec3_sub(r->on_b, r->on_a, gap);
  return true;
}

// The same as limpet_convex_query for a capsule A and a box B, in closed form.
static bool query(limpet_convex_result *result, const limpet_minkowski *pair, double limit) {
  axis_box x;
  core_contact r;
  view_create(&x, pair);
  const double radius = pair->radius_a;
  const double size = x.half + x.s[0] + x.s[1] + x.s[2];
  if (!cores_meet(&x, size, limit + radius, &r)) return false;

  // to the axes of the capsule
  limpet_mat3_mul_vec(result->normal, pair->rotation, r.normal);
  limpet_mat3_mul_vec(result->on_a, pair->rotation, r.on_a);
  limpet_mat3_mul_vec(result->on_b, pair->rotation, r.on_b);
  limpet_vec3_add(result->on_a, result->on_a, pair->offset);
  limpet_vec3_add(result->on_b, result->on_b, pair->offset);
  limpet_vec3_addmul(result->on_a, result->on_a, radius, result->normal);
  result->distance = r.distance - radius;
  return true;
}

static void capsule_box(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b,
                        double margin) {
  limpet_minkowski pair;
  limpet_convex_result result;
  manifold->count = 0;
  manifold->rest.face = -1;
  limpet_minkowski_create(&pair, a, b);
  if (query(&result, &pair, margin) && limpet_within_margin(result.distance, margin))
    limpet_convex_points(manifold, &pair, &result, margin);
}

const limpet_shape_pair limpet_pair_capsule_box = {
    LIMPET_SHAPE_CAPSULE,
    LIMPET_SHAPE_BOX,
    capsule_box,
    NULL,
    "closed form, up to 2 points",
    "Gottschalk, Lin, Manocha 1996; Sutherland, Hodgman 1974"};
