/* gradient/core_change.c: see core_change.h.
 *
 *   cores   c_A = a + s u,  c_B = b + t v,  d = c_B - c_A = |d| n,   s, t: 0 of a ball
 *   free s  dd . u = 0,      free t  dd . v + d . dv = 0,    dd = w + v dt - u ds
 *           ds - (u.v) dt = w . u,   dt - (u.v) ds = -w . v - d . dv
 *   dn = (1 - n n') dd/|d|,  d(distance) = n . w
 *   on A  u ds + r_A dn,     on B  w + v dt - r_B dn
 * w: velocity of B's body at c_B; s and t at the end of their segment stay there. Cost: 60 flops a
 * twist. */
#include "gradient/core_change.h"

#include <math.h>

#include "gradient/twist.h"
#include "math/vec3.h"

static const double parallel_sine2 = 1e-4;  // as pair_capsule.c has it: more points than one
static const double match = 1e-9;           // [-]  of the size, by which it is the nearest point

// A segment, or a point; where its nearest point is.
typedef struct core {
  double axis[3], half, radius;
  double at, point[3];
  bool slides;
} core;

static bool core_make(const limpet_shape *shape, core *c) {
  *c = (core){.radius = shape->size[0]};
  if (shape->kind == LIMPET_SHAPE_SPHERE) return true;
  if (shape->kind != LIMPET_SHAPE_CAPSULE) return false;
  c->half = shape->size[1];
  for (int i = 0; i < 3; ++i) c->axis[i] = shape->rotation[3 * i + 2];
  return true;
}

static double clamp(double x, double limit) { return fmin(fmax(x, -limit), limit); }

// The nearest point is at x without its ends. False: too near to one of them.
static bool core_place(core *c, const double centre[3], double x, double near) {
  c->slides = fabs(x) < c->half;
  limpet_vec3_addmul(c->point, centre, c->at, c->axis);
  return c->half == 0.0 || fabs(fabs(x) - c->half) > near;
}

// Nearest points of both, between[3] their difference.
static bool meet(const limpet_shape *a, const limpet_shape *b, double near, core *A, core *B,
                 double between[3]) {
  double w[3];
  limpet_vec3_sub(w, b->position, a->position);
  const double uv = limpet_vec3_dot(A->axis, B->axis), uw = limpet_vec3_dot(A->axis, w),
               vw = limpet_vec3_dot(B->axis, w), sine2 = 1.0 - uv * uv;
  if (A->half > 0.0 && B->half > 0.0 && !(sine2 > parallel_sine2)) return false;
  A->at = clamp((uw - uv * vw) / sine2, A->half);
  B->at = clamp(uv * A->at - vw, B->half);
  A->at = clamp(uv * B->at + uw, A->half);
  if (!core_place(A, a->position, uv * B->at + uw, near) ||
      !core_place(B, b->position, uv * A->at - vw, near))
    return false;
  limpet_vec3_sub(between, B->point, A->point);
  return true;
}

// ds and dt, from w.
static void slide(const core *A, const core *B, const double d[3], const double w[3],
                  const double dv[3], double *ds, double *dt) {
  const double uv = limpet_vec3_dot(A->axis, B->axis), x = limpet_vec3_dot(w, A->axis),
               y = -limpet_vec3_dot(w, B->axis) - limpet_vec3_dot(d, dv);
  const double inverse = 1.0 / (1.0 - uv * uv);
  *ds = !A->slides ? 0.0 : B->slides ? (x + uv * y) * inverse : x;
  *dt = !B->slides ? 0.0 : A->slides ? (y + uv * x) * inverse : y;
}

bool limpet_core_point_rates(const limpet_shape *a, const limpet_shape *b,
                             const limpet_contact_point *point, const double P[3], double near,
                             limpet_box_point_change change[6]) {
  core A, B;
  double d[3];
  if (!core_make(a, &A) || !core_make(b, &B) || !meet(a, b, near, &A, &B, d)) return false;
  const double *n = point->normal, apart = limpet_vec3_norm(d), radii = A.radius + B.radius;
  if (!(apart > match * radii) || !(fabs(apart - radii - point->distance) <= match * radii) ||
      !(limpet_vec3_dot(d, n) > (1.0 - match) * apart))
    return false;
  for (int k = 0; k < 6; ++k) {
    limpet_box_point_change *to = &change[k];
    double w[3], dv[3] = {0.0}, dd[3], dn[3], ds, dt;
    limpet_twist_at(P, k, B.point, w);
    if (k < 3) {
      double axis[3] = {0.0};
      axis[k] = 1.0;
      limpet_vec3_cross(dv, axis, B.axis);
    }
    slide(&A, &B, d, w, dv, &ds, &dt);
    limpet_vec3_addmul(to->on_b, w, dt, B.axis);
    limpet_vec3_addmul(dd, to->on_b, -ds, A.axis);
    to->distance = limpet_vec3_dot(n, w);
    limpet_vec3_addmul(dn, dd, -limpet_vec3_dot(n, dd), n);
    limpet_vec3_scale(dn, 1.0 / apart, dn);
    limpet_vec3_cross(to->turn, n, dn);
    limpet_vec3_scale(to->on_a, ds, A.axis);
    limpet_vec3_addmul(to->on_a, to->on_a, A.radius, dn);
    limpet_vec3_addmul(to->on_b, to->on_b, -B.radius, dn);
  }
  return true;
}
