/* law/normal_law.h: the normal impulse of a contact by its normal law, for the contact models.
 *
 * The default, linear elasticity with Hunt-Crossley dissipation (constants->normal NULL), is
 * inlined, because nearly all contacts have it. */
#ifndef LIMPET_LAW_NORMAL_LAW_H
#define LIMPET_LAW_NORMAL_LAW_H

#include "law/hunt_crossley.h"

// All normal laws, in the order of lists. A new one is one line here: X(NAME) stands for
// limpet_normal_law_NAME.
#define LIMPET_NORMAL_LAW_LIST(X) \
  X(hunt_crossley)                \
  X(hertz)                        \
  X(kelvin_voigt)                 \
  X(log_barrier)                  \
  X(ipc_barrier)

#define LIMPET_DECLARE_NORMAL_LAW(name) extern const limpet_normal_law limpet_normal_law_##name;
LIMPET_NORMAL_LAW_LIST(LIMPET_DECLARE_NORMAL_LAW)
#undef LIMPET_DECLARE_NORMAL_LAW

// The contact as a law's functions see it.
limpet_normal_point limpet_normal_point_of(const limpet_contact_constants *constants);
// By law->normal, which is not NULL.
double limpet_normal_impulse_by_law(const limpet_contact_constants *constants, double v,
                                    double *curvature, double *integral);

// n(v), and -n'(v) >= 0 into *curvature.
static inline double limpet_normal_impulse(const limpet_contact_constants *constants, double v,
                                           double *curvature) {
  return constants->normal ? limpet_normal_impulse_by_law(constants, v, curvature, NULL)
                           : limpet_hunt_crossley(constants, v, curvature);
}

// n(v), and N(v) into *integral.
static inline double limpet_normal_impulse_and_integral(const limpet_contact_constants *constants,
                                                        double v, double *integral) {
  double curvature;
  if (constants->normal) return limpet_normal_impulse_by_law(constants, v, &curvature, integral);
  *integral = limpet_hunt_crossley_integral(constants, v);
  return limpet_hunt_crossley(constants, v, &curvature);
}

/* prepare of Lagged and Similar: the lagged impulse gamma_n0 = dt f_n(phi0, v_n0), which the start
 * of the step lets expect, and the slip speed (26) with it. Vertices at the rim of a soft foot stay
 * loaded to a share r of their friction for good, and creep by eps_s r/sqrt(1 - r^2), some eps_s
 * where r is near 1: points of deformable bodies take a tenth of v_s and of sigma. */
void limpet_normal_law_lag(limpet_contact_constants *constants,
                           const limpet_contact_settings *settings);

/* Changes of gamma_n0 and eps_s by changes dc of the constants, which are prepared. False: not
 * known in closed form. */
bool limpet_normal_law_lag_change(const limpet_contact_constants *constants,
                                  const limpet_contact_constants *dc,
                                  const limpet_contact_settings *settings, double *impulse,
                                  double *slip_speed);

// Elastic energy [J] of a contact at the distance phi [m].
double limpet_normal_energy(const limpet_contact_constants *constants, double phi);

#endif
