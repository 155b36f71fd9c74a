/* geometry/pair_capsule.c: contact of two capsules, in closed form.
 *
 *   axes A: s u, B: w + t v about A's centre, |s| <= h_A, |t| <= h_B; the closest points solve
 *     s = (u.w - (u.v)(v.w)) / |u x v|^2, t = (u.v) s - v.w, each clamped to its segment in turn
 *       (Ericson, Real-Time
 *     Collision Detection, 2005, 5.1.9)
 *   distance = |w + t v - s u| - r_A - r_B
 * Nearly parallel capsules (sine below 1e-2) give the two ends of the stretch that they share, and
 * the closest points too if they are deeper. A single point divides the overlap in the ratio of the
 * radii, as Drake's portal refinement does. Where the axes cross the normal is that of both; where
 * they coincide it is any normal of them. */
#include "geometry/face.h"
#include "geometry/pair_list.h"
#include "math/vec3.h"

static const double parallel_sine = 1e-2;
// of the half lengths: a shorter common stretch is a point
static const double stretch_tolerance = 1e-6;
static const double deeper_tolerance = 1e-9;  // of the size
static const double crossing_tolerance = 1e-14;

typedef struct axis_pair {
  double u[3], v[3], w[3], cross[3];
  double uv, uw, vw, sine2;
  double half_a, half_b, radius_a, radius_b;
  const double *origin;  // of A
} axis_pair;

static double clamp(double x, double limit) { return x < -limit ? -limit : x > limit ? limit : x; }

static void axis_pair_create(axis_pair *p, const limpet_shape *a, const limpet_shape *b) {
  for (int i = 0; i < 3; ++i) p->u[i] = a->rotation[3 * i + 2], p->v[i] = b->rotation[3 * i + 2];
  limpet_vec3_sub(p->w, b->position, a->position);
  limpet_vec3_cross(p->cross, p->u, p->v);
  p->uv = limpet_vec3_dot(p->u, p->v), p->uw = limpet_vec3_dot(p->u, p->w),
  p->vw = limpet_vec3_dot(p->v, p->w);
  p->sine2 = limpet_vec3_dot(p->cross, p->cross);
  p->half_a = a->size[1], p->half_b = b->size[1], p->radius_a = a->size[0],
  p->radius_b = b->size[0];
  p->origin = a->position;
}

// A normal of both axes, towards B's centre if that lies to one side.
static void crossing_normal(double normal[3], const axis_pair *p) {
  if (p->sine2 > crossing_tolerance) {
    limpet_vec3_scale(normal, (limpet_vec3_dot(p->cross, p->w) < 0.0 ? -1.0 : 1.0) / sqrt(p->sine2),
                      p->cross);
  } else {
    double spare[3];
    limpet_vec3_tangents(normal, spare, p->u);
  }
}

// Appends the contact of the spheres around the points at s and t.
static void add_spheres(limpet_manifold *manifold, const axis_pair *p, double s, double t,
                        double margin, uint32_t feature) {
  double normal[3], on_a[3], on_b[3];
  for (int i = 0; i < 3; ++i) normal[i] = p->w[i] + t * p->v[i] - s * p->u[i];
  const double gap = limpet_vec3_norm(normal), distance = gap - p->radius_a - p->radius_b;
  if (!limpet_within_margin(distance, margin)) return;
  if (gap > crossing_tolerance * (p->radius_a + p->radius_b))
    limpet_vec3_scale(normal, 1.0 / gap, normal);
  else crossing_normal(normal, p);
  limpet_vec3_addmul(on_a, p->origin, s, p->u);
  limpet_vec3_addmul(on_a, on_a, p->radius_a, normal);
  limpet_vec3_addmul(on_b, on_a, distance, normal);
  limpet_manifold_add(manifold, on_a, on_b, normal, distance, feature);
}

static void closest_points(double *s, double *t, const axis_pair *p) {
  *s = p->sine2 > crossing_tolerance ? clamp((p->uw - p->uv * p->vw) / p->sine2, p->half_a)
                                     : clamp(p->uw, p->half_a);
  *t = p->uv * *s - p->vw;
  if (fabs(*t) <= p->half_b) return;
  *t = clamp(*t, p->half_b);
  *s = clamp(p->uv * *t + p->uw, p->half_a);
}

static void capsule_capsule(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b,
                            double margin) {
  axis_pair p;
  double s, t;
  manifold->count = 0;
  axis_pair_create(&p, a, b);
  closest_points(&s, &t, &p);

  // the stretch of A's axis beside B
  const double reach = p.half_b * fabs(p.uv);
  const double low = fmax(-p.half_a, p.uw - reach), high = fmin(p.half_a, p.uw + reach);
  if (p.sine2 > parallel_sine * parallel_sine ||
      high - low <= stretch_tolerance * (p.half_a + p.half_b)) {
    add_spheres(manifold, &p, s, t, margin, 0);
    return;
  }
  add_spheres(manifold, &p, low, clamp(p.uv * low - p.vw, p.half_b), margin, 1);
  add_spheres(manifold, &p, high, clamp(p.uv * high - p.vw, p.half_b), margin, 2);

  // the closest points, where the axes pass each other between the ends
  double ends = INFINITY, gap[3];
  for (int k = 0; k < manifold->count; ++k) ends = fmin(ends, manifold->point[k].distance);
  for (int i = 0; i < 3; ++i) gap[i] = p.w[i] + t * p.v[i] - s * p.u[i];
  const double closest = limpet_vec3_norm(gap) - p.radius_a - p.radius_b;
  if (closest < ends - deeper_tolerance * (p.half_a + p.half_b))
    add_spheres(manifold, &p, s, t, margin, 0);
}

// The closest points, both moved along the normal until the middle of them divides the overlap in
// the ratio of the radii.
static void capsule_single(limpet_manifold *manifold, const limpet_shape *a, const limpet_shape *b,
                           double margin) {
  axis_pair p;
  double s, t;
  manifold->count = 0;
  axis_pair_create(&p, a, b);
  closest_points(&s, &t, &p);
  add_spheres(manifold, &p, s, t, margin, 0);
  if (manifold->count == 0) return;
  limpet_contact_point *point = &manifold->point[0];
  const double shift = point->distance * (p.radius_a / (p.radius_a + p.radius_b) - 0.5);
  limpet_vec3_addmul(point->on_a, point->on_a, shift, point->normal);
  limpet_vec3_addmul(point->on_b, point->on_b, shift, point->normal);
}

const limpet_shape_pair limpet_pair_capsule_capsule = {
    LIMPET_SHAPE_CAPSULE,
    LIMPET_SHAPE_CAPSULE,
    capsule_capsule,
    capsule_single,
    "closed form, 1 point, 2 or 3 if nearly parallel",
    "Ericson, Real-Time Collision Detection, 5.1.9"};
