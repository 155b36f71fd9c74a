/* law/hunt_crossley.h: the normal impulse of linear elasticity with Hunt-Crossley dissipation, as a
 * function of one speed.
 *
 *   n(v)  = dt (f_e0 - dt k v)+ (1 - d v)+                                              (7), (22)
 *   N(v)  antiderivative of n with N(0) = 0, constant from v^ = min(f_e0/(dt k), 1/d) on     (23)
 *   dt [s] step, k [N/m] stiffness, d [s/m] dissipation, f_e0 [N] elastic force at its start
 *
 * The form in f_e0 instead of phi0 stays finite for k -> 0. It is Drake's (shared reference
 * drake.md, 2.4).
 * Reference: Castro, Han, Masterjohn, Irrotational Contact Fields, sections IV and VI. */
#ifndef LIMPET_LAW_HUNT_CROSSLEY_H
#define LIMPET_LAW_HUNT_CROSSLEY_H

#include <math.h>

#include "law/contact_model.h"
#include "math/extremes.h"

// [N]  Elastic force of the gap as it is at the start, and its change.
static inline double limpet_start_force(const limpet_contact_constants *c) {
  return c->elastic_force + c->dt * c->stiffness * c->bend_speed;
}
static inline double limpet_start_force_change(const limpet_contact_constants *c,
                                               const limpet_contact_constants *dc) {
  return dc->elastic_force + dc->dt * c->stiffness * c->bend_speed +
         c->dt * (dc->stiffness * c->bend_speed + c->stiffness * dc->bend_speed);
}

// n(v), and -n'(v) >= 0 into *curvature.
static inline double limpet_hunt_crossley(const limpet_contact_constants *constants, double v,
                                          double *curvature) {
  const double fe = constants->elastic_force - constants->dt * constants->stiffness * v,
               damping = 1.0 - constants->dissipation * v;
  const int touching = fe > 0.0 && damping > 0.0;
  *curvature = touching ? constants->dt * (constants->stiffness * constants->dt * damping +
                                           constants->dissipation * fe)
                        : 0.0;
  return touching ? constants->dt * fe * damping : 0.0;
}

// dn, the change of n(v) by a change dv of the speed and dc of the constants.
static inline double limpet_hunt_crossley_change(const limpet_contact_constants *c,
                                                 const limpet_contact_constants *dc, double v,
                                                 double dv) {
  const double fe = c->elastic_force - c->dt * c->stiffness * v, damping = 1.0 - c->dissipation * v;
  if (!(fe > 0.0 && damping > 0.0)) return 0.0;
  const double dfe = dc->elastic_force - (dc->dt * c->stiffness + c->dt * dc->stiffness) * v -
                     c->dt * c->stiffness * dv;
  const double ddamping = -dc->dissipation * v - c->dissipation * dv;
  return dc->dt * fe * damping + c->dt * (dfe * damping + fe * ddamping);
}

// N(v).
static inline double limpet_hunt_crossley_integral(const limpet_contact_constants *constants,
                                                   double v) {
  const double dt = constants->dt, k = constants->stiffness, d = constants->dissipation,
               fe0 = constants->elastic_force;
  const double margin = 1e-15;  // [-]  above round-off of one product
  // v^ only where v may be beyond it: both divisions cost more than the rest
  const double stiff = dt * k + 1e-300, damping = d + 1e-300;
  const bool before = fe0 - v * stiff > margin * fabs(v * stiff) && v * damping < 1.0 - margin;
  const double u = before ? v : limpet_min(v, limpet_min(fe0 / stiff, 1.0 / damping));
  return dt * (u * (fe0 - 0.5 * dt * k * u) - 0.5 * d * u * u * (fe0 - 2.0 / 3.0 * dt * k * u));
}

#endif
