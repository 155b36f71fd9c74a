/* gradient/meet_change.c: see meet_change.h.
 *
 * a on A and b on B = a + t n lie above each other along the normal n (face_meet.c); B moves by a
 * velocity field x(.), x = x(b):
 *   n of a face of A     dn = 0;  of B  dn = omega x n
 *   of edges u, v        dn = (1 - n n') u x (omega x v)/(n.u x v)
 *   a corner of B, face k of A    db = x,  k.da = 0:  dt = k.(x - t dn)/k.n,  da = x - t dn - dt n
 *   a corner of A, face k of B    da = 0,  k.db = k.x:  the same dt,  db = dt n + t dn
 *   an edge u of A, w of B        da = s u,  db = x + r w,  db - da = dt n + t dn
 * Cost: 100 flops a point and twist. */
#include "gradient/meet_change.h"

#include <math.h>

#include "gradient/twist.h"
#include "math/vec3.h"

static const double parallel = 1e-9;  // [-]  n.u x w of edges that meet in no one place

bool limpet_meet_is_one_place(const limpet_meet_normal *normal, const limpet_meet *meet) {
  double across[3];
  if (meet->kind != LIMPET_MEET_EDGES) return true;
  limpet_vec3_cross(across, meet->u, normal->n);
  return fabs(limpet_vec3_dot(across, meet->w)) > parallel;
}

static void normal_rate(const limpet_meet_normal *normal, int k, double dn[3]) {
  const double *n = normal->n;
  double axis[3] = {0.0}, uw[3], dw[3];
  limpet_vec3_zero(dn);
  if (k >= 3 || normal->owner == 0) return;
  axis[k] = 1.0;
  if (normal->owner == 1) {
    limpet_vec3_cross(dn, axis, n);
    return;
  }
  limpet_vec3_cross(uw, normal->u, normal->w);
  limpet_vec3_cross(dw, axis, normal->w);
  limpet_vec3_cross(dn, normal->u, dw);
  limpet_vec3_scale(dn, 1.0 / limpet_vec3_dot(n, uw), dn);
  limpet_vec3_addmul(dn, dn, -limpet_vec3_dot(n, dn), n);
}

static void rates(const limpet_meet_normal *normal, const limpet_meet *meet,
                  const limpet_contact_point *point, const double P[3], int k,
                  limpet_box_point_change *to) {
  const double *n = normal->n, t = point->distance;
  double x[3], dn[3], free[3];
  *to = (limpet_box_point_change){0};
  limpet_twist_at(P, k, point->on_b, x);
  normal_rate(normal, k, dn);
  limpet_vec3_cross(to->turn, n, dn);
  limpet_vec3_addmul(free, x, -t, dn);
  if (meet->kind == LIMPET_MEET_EDGES) {
    double un[3], wn[3];
    limpet_vec3_cross(un, meet->u, n), limpet_vec3_cross(wn, meet->w, n);
    const double r = -limpet_vec3_dot(un, free) / limpet_vec3_dot(un, meet->w),
                 s = limpet_vec3_dot(wn, free) / limpet_vec3_dot(wn, meet->u);
    limpet_vec3_addmul(to->on_b, x, r, meet->w);
    limpet_vec3_scale(to->on_a, s, meet->u);
    to->distance = limpet_vec3_dot(n, to->on_b) - limpet_vec3_dot(n, to->on_a);
    return;
  }
  to->distance = limpet_vec3_dot(meet->k, free) / limpet_vec3_dot(meet->k, n);
  if (meet->kind == LIMPET_MEET_CORNER_OF_B) {
    limpet_vec3_copy(to->on_b, x);
    limpet_vec3_addmul(to->on_a, free, -to->distance, n);
    return;
  }
  limpet_vec3_scale(to->on_b, t, dn);
  limpet_vec3_addmul(to->on_b, to->on_b, to->distance, n);
}

void limpet_meet_rates(const limpet_meet_normal *normal, const limpet_meet *meet,
                       const limpet_contact_point *point, const double P[3],
                       limpet_box_point_change change[6]) {
  for (int k = 0; k < 6; ++k) rates(normal, meet, point, P, k, &change[k]);
}
