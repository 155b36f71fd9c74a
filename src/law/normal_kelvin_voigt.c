/* law/normal_kelvin_voigt.c: linear spring and damper in parallel (Kelvin-Voigt), without tension.
 *
 *   f_n(phi, v) = k (-phi - tau_d v)+                                        [N]
 *   n(v)  = dt k (-phi0 - (dt + tau_d) v)+
 *   N(v)  = dt k [ -phi0 u - (dt + tau_d) u^2/2 ],  u = min(v, v^),  v^ = -phi0/(dt + tau_d)
 *   k [N/m] stiffness of the pair, tau_d [s] relaxation time, damping k tau_d [N s/m]
 *
 * The law of the model `sap`, R_n = 1/(dt k (dt + tau_d)). The damper acts at once at touch, and
 * holds back what parts.
 * Reference: Castro, Permenter, Han, An unconstrained convex formulation of compliant contact
 * (2023), section V. */
#include <math.h>

#include "law/normal_law.h"

static double impulse(const limpet_normal_law *law, const limpet_normal_point *p, double v,
                      double *curvature, double *integral) {
  (void)law;
  const double k = p->stiffness, span = p->dt + p->relaxation_time;
  const double force = p->elastic_force - k * span * v;
  if (integral) {
    const double u = fmin(v, p->elastic_force / (k * span + 1e-300));
    *integral = p->dt * u * (p->elastic_force - 0.5 * k * span * u);
  }
  *curvature = force > 0.0 ? p->dt * k * span : 0.0;
  return force > 0.0 ? p->dt * force : 0.0;
}

static double energy(const limpet_normal_law *law, const limpet_normal_point *p, double phi) {
  (void)law;
  return phi < 0.0 ? 0.5 * p->stiffness * phi * phi : 0.0;
}

static double stiffening(const limpet_normal_law *law, const limpet_normal_point *p) {
  (void)law;
  return 1.0 + p->relaxation_time / p->dt;
}

const limpet_normal_law limpet_normal_law_kelvin_voigt = {
    .descriptor = {.name = "kelvin-voigt",
                   .text = "Linear spring and damper in parallel, by the geoms' stiffness and "
                           "relaxation times, without tension. "
                           "Built into the model sap.",
                   .reference = "Castro, Permenter, Han, An unconstrained convex formulation of "
                                "compliant contact (2023)"},
    .impulse = impulse,
    .linear = true,
    .energy = energy,
    .stiffening = stiffening,
};
