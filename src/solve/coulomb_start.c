/* solve/coulomb_start.c: where contacts are after a step, from the forces that they carried before.
 *
 * A near-rigid contact answers to 1e-8 m, so velocities tell little of its force; but forces change
 * little from step to step. Each contact is linearised at the point of its law where a contact of
 * the Delassus number w [1/kg] alone would be, with the forces gamma [N s] and, where it had none,
 * the velocity v [m/s]:
 *   normal    u - w n(u) = target,   target = -w gamma_n (carried),  v_n (new),
 *                                    v_n - w gamma_n (v is that of the forces: after sweeps, and
 *                                    after a linear step)
 *   friction  p = v_t - w gamma_t:   slides, w mu n < |p|, along p with |p| - w mu n;
 *             sticks else, with the direction p/(w mu n)
 */
#include <math.h>

#include "law/normal_law.h"
#include "solve/coulomb.h"
#include "solve/friction_disc.h"

enum { ROOT_LIMIT = 60 };
static const double root_tolerance = 1e-12;  // [-]

/* The same for Hunt-Crossley's law: with u = target + w n both factors of n are linear in n,
 *   n = dt (a - alpha n)(b - beta n),  a = f_e0 - dt k target,  b = 1 - d target,
 *                                      alpha = dt k w,  beta = d w
 * of which n is the smaller root, written without differences. */
static double damped_impulse(const limpet_contact_constants *c, double w, double target) {
  const double a = c->elastic_force - c->dt * c->stiffness * target,
               b = 1.0 - c->dissipation * target;
  if (!(a > 0.0 && b > 0.0)) return 0.0;
  const double p = c->dt * c->dt * c->stiffness * w * b, q = c->dt * c->dissipation * w * a;
  const double half = 0.5 * (1.0 + p + q), square = 0.25 + 0.5 * (p + q) + 0.25 * (p - q) * (p - q);
  return c->dt * a * b / (half + sqrt(square));
}

// By Newton's method.
static double general_point(const limpet_contact_constants *constants, double w, double target,
                            double *n, double *slope) {
  double u = target;
  for (int i = 0; i < ROOT_LIMIT; ++i) {
    *n = limpet_normal_impulse(constants, u, slope);
    if (!isfinite(*n)) {  // beyond a barrier; rest is within
      u *= 0.5;
      continue;
    }
    const double miss = u - w * *n - target;
    if (fabs(miss) <= root_tolerance * (fabs(target) + w * *n)) return u;
    u -= miss / (1.0 + w * *slope);
  }
  *n = limpet_normal_impulse(constants, u, slope);
  return u;
}

double limpet_coulomb_normal_point(const limpet_contact_constants *constants, double w,
                                   double target, double *n, double *slope) {
  if (constants->normal) return general_point(constants, w, target, n, slope);
  *n = damped_impulse(constants, w, target);
  limpet_hunt_crossley(constants, target + w * *n, slope);
  return target + w * *n;
}

double limpet_coulomb_impulse(const limpet_contact_constants *constants, double w, double target) {
  double n, slope;
  if (!constants->normal) return damped_impulse(constants, w, target);
  general_point(constants, w, target, &n, &slope);
  return n;
}

void limpet_coulomb_foresee(limpet_island_solver *s, limpet_coulomb_source source) {
  limpet_coulomb *c = s->coulomb;
  const bool held_there = source != LIMPET_COULOMB_CARRIED;
  const double *const torque[] = {[LIMPET_COULOMB_CARRIED] = NULL,
                                  [LIMPET_COULOMB_SWEPT] = c->turning.tau,
                                  [LIMPET_COULOMB_FORESEEN] = s->spins.tau};
  for (int i = 0; i < s->island->contact_count; ++i) {
    const limpet_contact_constants *own = &s->own_constants[i];
    const double *v = s->contact_v + 3 * i, *gamma = c->forces + 3 * i, w = own->delassus;
    double *G = s->contact_G + LIMPET_HESSIAN_SIZE * i;
    const double carried = gamma[2] > 0.0;
    const double held = held_there ? v[2] - w * gamma[2] : -w * gamma[2];
    const double target = gamma[2] > 0.0 ? held : v[2];
    const double p[2] = {v[0] - w * carried * gamma[0], v[1] - w * carried * gamma[1]};
    c->point[3 * i + 2] =
        limpet_coulomb_normal_point(own, w, target, &c->normal[i], &c->stiffness[i]);
    c->bound[i] = c->normal[i];
    const limpet_friction_disc disc = {own->compliant.slip_speed, w, own->friction * c->bound[i]};
    limpet_friction_disc_foresee(&disc, p, c->point + 3 * i, c->direction + 2 * i, G);
    G[3] = G[4] = 0.0;
    G[5] = c->stiffness[i];
    for (int e = 0; e < 2; ++e) s->contact_dual[2 * i + e] = c->direction[2 * i + e];
  }
  limpet_island_spins_foresee(s, torque[source]);
}
