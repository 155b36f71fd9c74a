/* law/normal_hertz.c: Hertz contact with Hunt-Crossley dissipation.
 *
 *   f_n(phi, v) = k_H x^(3/2) (1 - d v)+,  x = (-phi)+,  k_H = k/sqrt(depth)                  [N]
 *   n(v)  = dt f_n(phi0 + dt v, v)
 *   N(v)  = -k_H [2/5 (1 + d phi0/dt) x^(5/2) + 2/7 d/dt x^(7/2)] + constant,
 *           x = -phi0 - dt min(v, v^),  v^ = min(-phi0/dt, 1/d)
 *   k [N/m] stiffness of the pair, d [s/m] dissipation,
 *   depth [m] at which the force is that of the linear spring k
 *
 * N follows from dv = -dx/dt and 1 - d v = 1 + d (phi0 + x)/dt. Hertz contact of a sphere of radius
 * R with a flat has k_H = 4/3 E* sqrt(R), so k = 4/3 E* sqrt(R depth), E* = E/(1 - nu^2) of the
 * softer side.
 * References: K. L. Johnson, Contact Mechanics (1985), section 4.2; Hunt, Crossley (1975). */
#include <math.h>

#include "law/normal_law.h"

enum { DEPTH };

static double coefficient(const limpet_normal_point *point) {
  return point->stiffness / sqrt(point->parameter[DEPTH]);
}

static double antiderivative(const limpet_normal_point *p, double x) {
  const double root = sqrt(x), ratio = p->dissipation / p->dt;
  return -coefficient(p) * x * x * root *
         (0.4 * (1.0 + ratio * p->distance) + 2.0 / 7.0 * ratio * x);
}

static double impulse(const limpet_normal_law *law, const limpet_normal_point *p, double v,
                      double *curvature, double *integral) {
  (void)law;
  const double dt = p->dt, d = p->dissipation, k = coefficient(p);
  if (integral) {
    const double end = d > 0.0 ? fmin(v, 1.0 / d) : v;
    *integral = antiderivative(p, fmax(0.0, -p->distance - dt * end));
  }
  const double x = -p->distance - dt * v, damping = 1.0 - d * v;
  *curvature = 0.0;
  if (!(x > 0.0 && damping > 0.0)) return 0.0;
  const double root = sqrt(x);
  *curvature = dt * k * root * (1.5 * dt * damping + d * x);
  return dt * k * x * root * damping;
}

static double energy(const limpet_normal_law *law, const limpet_normal_point *p, double phi) {
  (void)law;
  return phi < 0.0 ? 0.4 * coefficient(p) * phi * phi * sqrt(-phi) : 0.0;
}

static const limpet_parameter parameters[] = {
    {"depth", "m", 1e-5, 1e-12, 1.0,
     "at which the force is that of the linear spring of the geoms' stiffness"},
};

const limpet_normal_law limpet_normal_law_hertz = {
    .descriptor = {.name = "hertz",
                   .text = "Force grows with depth to the power 3/2, as between curved elastic "
                           "bodies, multiplied by 1 - d v_n as "
                           "in hunt-crossley. For a sphere of radius R on a flat of modulus E* "
                           "choose k = 4/3 E* sqrt(R depth).",
                   .reference = "K. L. Johnson, Contact Mechanics; src/law/normal_hertz.c",
                   .parameter_count = sizeof parameters / sizeof parameters[0],
                   .parameters = parameters},
    .impulse = impulse,
    .energy = energy,
};
