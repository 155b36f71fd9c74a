/* gradient/touch_change.c: see touch_change.h.
 *
 *   b = a + phi n,   n_A = n,  n_B = -n:  outward normals;   s, t (2): surface_form.h of A and B
 *   da = P_A s,  dn = N_A s                     in A, which stays
 *   db = w + P_B t,  dn = omega x n - N_B t     in B, which moves; w: velocity of its body at b
 * phi may be negative, for the depth is stationary, too. d phi = n . w, for all else is tangential:
 *   N_A s + N_B t = omega x n,   (P_A + phi N_A) s - P_B t = w - n (n . w)
 * Without phi, for smooth surfaces that roll on each other, these are the equations of Montana, The
 * kinematics of contact and grasp, International Journal of Robotics Research 7 (1988).
 * Cost: one factor of 4 x 4, 150 flops a twist. */
#include "gradient/touch_change.h"

#include <math.h>

#include "geometry/convex.h"
#include "gradient/surface_form.h"
#include "gradient/twist.h"
#include "math/lu.h"
#include "math/vec3.h"

enum { UNKNOWNS = 4 };

// [-]  below this share of its column a pivot means that the points have no one place
static const double least_pivot = 1e-8;
/* [-]  of the length: cores that overlap by more may be as deep elsewhere. Cores that are apart
 * have one nearest place. */
static const double deep_share = 1e-2;

typedef struct touch {
  limpet_surface_form form[2];  // A, B
  double phi, length;           // [m]  distance; what flat directions are measured in
  double t[2][3];               // tangents
  double factor[UNKNOWNS * UNKNOWNS];
  int pivot[UNKNOWNS];
} touch;

// The size of what meets: flat directions then count like curved ones.
static double length_of(const limpet_shape *a, const limpet_shape *b) {
  return fmin(limpet_shape_radius(a->kind, a->size, a->hull),
              limpet_shape_radius(b->kind, b->size, b->hull));
}

static bool is_deep(const touch *x, const limpet_shape *a, const limpet_shape *b) {
  if (a->kind == LIMPET_SHAPE_PLANE || b->kind == LIMPET_SHAPE_PLANE) return false;
  return !(x->phi + limpet_core_radius(a) + limpet_core_radius(b) > -deep_share * x->length);
}

// Flat directions by their share of the length, rows of lengths divided by it.
static bool factor(touch *x) {
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < 2; ++k) {
      limpet_surface_form *form = &x->form[side];
      const bool is_flat = limpet_vec3_dot(form->normal[k], form->normal[k]) == 0.0;
      if (is_flat) limpet_vec3_scale(form->point[k], x->length, form->point[k]);
      for (int i = 0; i < 2; ++i) {
        const double turn = limpet_vec3_dot(x->t[i], form->normal[k]),
                     way = limpet_vec3_dot(x->t[i], form->point[k]) / x->length;
        double *column = x->factor + 2 * side + k;
        column[UNKNOWNS * i] = turn;
        column[UNKNOWNS * (2 + i)] = side == 0 ? way + x->phi / x->length * turn : -way;
      }
    }
  if (limpet_lu(UNKNOWNS, x->factor, x->pivot) != 0) return false;
  for (int i = 0; i < UNKNOWNS; ++i)
    if (!(fabs(x->factor[(UNKNOWNS + 1) * i]) > least_pivot)) return false;
  return true;
}

// s of both forms, from what the body of B does at its point.
static void solve(const touch *x, const double turn[3], const double w[3], double s[UNKNOWNS]) {
  for (int i = 0; i < 2; ++i) {
    s[i] = limpet_vec3_dot(x->t[i], turn);
    s[2 + i] = limpet_vec3_dot(x->t[i], w) / x->length;
  }
  limpet_lu_solve(UNKNOWNS, x->factor, x->pivot, s);
}

static void along(double (*direction)[3], const double s[2], double to[3]) {
  limpet_vec3_scale(to, s[0], direction[0]);
  limpet_vec3_addmul(to, to, s[1], direction[1]);
}

// Both features go on for `reach` of a twist along which they move by s.
static bool stays(limpet_surface_form *form, const double s[2], double reach) {
  double way[3], turn[3];
  along(form->point, s, way);
  along(form->normal, s, turn);
  return reach * limpet_vec3_norm(way) <= form->room_point &&
         reach * limpet_vec3_norm(turn) <= form->room_normal;
}

bool limpet_touch_point_rates(const limpet_shape *a, const limpet_shape *b,
                              const limpet_contact_point *point, const double P[3], double reach,
                              limpet_box_point_change change[6]) {
  touch x = {.phi = point->distance, .length = length_of(a, b)};
  const double *n = point->normal;
  double back[3];
  limpet_vec3_neg(back, n);
  if (is_deep(&x, a, b) || !limpet_surface_form_make(a, point->on_a, n, &x.form[0]) ||
      !limpet_surface_form_make(b, point->on_b, back, &x.form[1]))
    return false;
  limpet_vec3_tangents(x.t[0], x.t[1], n);
  if (!factor(&x)) return false;
  for (int k = 0; k < 6; ++k) {
    limpet_box_point_change *to = &change[k];
    double w[3], turn[3] = {0.0}, dn[3], s[UNKNOWNS];
    limpet_twist_at(P, k, point->on_b, w);
    if (k < 3) {
      double axis[3] = {0.0};
      axis[k] = 1.0;
      limpet_vec3_cross(turn, axis, n);
    }
    solve(&x, turn, w, s);
    if (!stays(&x.form[0], s, reach) || !stays(&x.form[1], s + 2, reach)) return false;
    along(x.form[0].point, s, to->on_a);
    along(x.form[1].point, s + 2, to->on_b);
    limpet_vec3_add(to->on_b, to->on_b, w);
    along(x.form[0].normal, s, dn);
    limpet_vec3_cross(to->turn, n, dn);
    to->distance = limpet_vec3_dot(n, w);
  }
  return true;
}
