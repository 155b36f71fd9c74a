/* math/spatial.h: spatial vectors and inertias, in world axes about a point that the caller chooses
 * (the tree's origin).
 *
 * motion  m = [angular velocity; velocity of the body point that is at the origin]
 * force   f = [moment about the origin; force]           power = m . f
 * inertia of a body about the origin, ten numbers: [mass, h = mass * com (3), I (6: xx yy zz xy xz
 * yz)]
 *   I is the rotational inertia about the origin (not about the centre of mass), so inertias of
 *     bodies add up entry by entry.
 *   f = I m:  moment = I w + h x v,  force = mass v - h x w = mass v + w x h
 * Source: Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 2. */
#ifndef LIMPET_MATH_SPATIAL_H
#define LIMPET_MATH_SPATIAL_H

#include "math/vec3.h"

// Two doubles of a spatial vector: every processor has registers of two lanes, and compilers leave
// loops over six numbers scalar.
typedef double limpet_spatial_lanes __attribute__((vector_size(16), aligned(8), may_alias));

/* Six numbers in lanes: what is stored one by one and loaded by two soon after waits until the
 * stores have retired. */
static inline void limpet_spatial_set(double r[6], double a, double b, double c, double d, double e,
                                      double f) {
  limpet_spatial_lanes *y = (limpet_spatial_lanes *)r;
  y[0] = (limpet_spatial_lanes){a, b};
  y[1] = (limpet_spatial_lanes){c, d};
  y[2] = (limpet_spatial_lanes){e, f};
}

// Sums even and odd places apart.
static inline double limpet_spatial_dot(const double a[6], const double b[6]) {
  const limpet_spatial_lanes *x = (const limpet_spatial_lanes *)a,
                             *y = (const limpet_spatial_lanes *)b;
  const limpet_spatial_lanes sum = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
  return sum[0] + sum[1];
}
static inline void limpet_spatial_zero(double a[6]) {
  limpet_spatial_set(a, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
}
static inline void limpet_spatial_copy(double r[6], const double a[6]) {
  const limpet_spatial_lanes *x = (const limpet_spatial_lanes *)a;
  limpet_spatial_lanes *y = (limpet_spatial_lanes *)r;
  for (int i = 0; i < 3; ++i) y[i] = x[i];
}
static inline void limpet_spatial_addmul(double r[6], double s, const double a[6]) {  // r += s a
  const limpet_spatial_lanes *x = (const limpet_spatial_lanes *)a;
  limpet_spatial_lanes *y = (limpet_spatial_lanes *)r;
  for (int i = 0; i < 3; ++i) y[i] += s * x[i];
}

// A motion vector about one point, about another instead; lever = that point - the first.
static inline void limpet_spatial_shift_motion(double to[6], const double from[6],
                                               const double lever[3]) {
  double turn[3];
  limpet_vec3_cross(turn, from, lever);
  limpet_vec3_copy(to, from);
  limpet_vec3_add(to + 3, from + 3, turn);
}

// r = u x m, the rate of a motion vector m that moves with velocity u.
static inline void limpet_spatial_cross_motion(double r[6], const double u[6], const double m[6]) {
  double a[3], b[3], c[3];
  limpet_vec3_cross(a, u, m);
  limpet_vec3_cross(b, u, m + 3);
  limpet_vec3_cross(c, u + 3, m);
  limpet_spatial_set(r, a[0], a[1], a[2], b[0] + c[0], b[1] + c[1], b[2] + c[2]);
}

// r = u x* f, the rate of a force vector f that moves with velocity u.
static inline void limpet_spatial_cross_force(double r[6], const double u[6], const double f[6]) {
  double a[3], b[3], c[3];
  limpet_vec3_cross(a, u, f);
  limpet_vec3_cross(b, u + 3, f + 3);
  limpet_vec3_cross(c, u, f + 3);
  limpet_spatial_set(r, a[0] + b[0], a[1] + b[1], a[2] + b[2], c[0], c[1], c[2]);
}

// f = I m for a ten-number inertia.
static inline void limpet_spatial_inertia_mul(double f[6], const double I[10], const double m[6]) {
  const double *h = I + 1, *w = m, *v = m + 3;
  limpet_spatial_set(f, I[4] * w[0] + I[7] * w[1] + I[8] * w[2] + h[1] * v[2] - h[2] * v[1],
                     I[7] * w[0] + I[5] * w[1] + I[9] * w[2] + h[2] * v[0] - h[0] * v[2],
                     I[8] * w[0] + I[9] * w[1] + I[6] * w[2] + h[0] * v[1] - h[1] * v[0],
                     I[0] * v[0] + w[1] * h[2] - w[2] * h[1],
                     I[0] * v[1] + w[2] * h[0] - w[0] * h[2],
                     I[0] * v[2] + w[0] * h[1] - w[1] * h[0]);
}

/* Inertia about the origin of a body of mass `mass` whose centre of mass is at c (relative to the
 * origin) and whose inertia about c, in world axes, is the symmetric 3x3 matrix Ic, of which the
 * upper triangle is read. */
static inline void limpet_spatial_inertia(double I[10], double mass, const double c[3],
                                          const double Ic[9]) {
  const double xx = c[0] * c[0], yy = c[1] * c[1], zz = c[2] * c[2];
  I[0] = mass;
  limpet_vec3_scale(I + 1, mass, c);
  I[4] = Ic[0] + mass * (yy + zz);
  I[5] = Ic[4] + mass * (xx + zz);
  I[6] = Ic[8] + mass * (xx + yy);
  I[7] = Ic[1] - mass * c[0] * c[1];
  I[8] = Ic[2] - mass * c[0] * c[2];
  I[9] = Ic[5] - mass * c[1] * c[2];
}

#endif
