/* fem/neo_hookean.c: stable neo-Hookean law,
 *   psi = mu/2 (|F|^2 - 3) - mu (J - 1) + lambda/2 (J - 1)^2,  lambda = Lame's + mu
 * so that small strains have the E and nu that are asked for, psi(I) = 0 and P(I) = 0. Any F is
 * allowed, inverted ones included. Source: Smith, de Goes, Kim, Stable neo-Hookean flesh simulation
 * (2018), with the constants of its section 3.4 and without the logarithm. */
#include "fem/neo_hookean.h"

double limpet_neo_hookean_by_volume(double mu, double energy, double pressure, double stiffness,
                                    const double s[3], limpet_principal *out) {
  const double dJ[3] = {s[1] * s[2], s[0] * s[2], s[0] * s[1]};
  for (int i = 0; i < 3; ++i) {
    energy += 0.5 * mu * (s[i] - 1.0) * (s[i] + 1.0);
    out->slope[i] = mu * s[i] + pressure * dJ[i];
    out->stretch[i] = mu - pressure * s[i];
    out->twist[i] = mu + pressure * s[i];
  }
  out->curvature[0] = mu + stiffness * dJ[0] * dJ[0];
  out->curvature[1] = stiffness * dJ[0] * dJ[1] + pressure * s[2];
  out->curvature[2] = stiffness * dJ[0] * dJ[2] + pressure * s[1];
  out->curvature[3] = mu + stiffness * dJ[1] * dJ[1];
  out->curvature[4] = stiffness * dJ[1] * dJ[2] + pressure * s[0];
  out->curvature[5] = mu + stiffness * dJ[2] * dJ[2];
  return energy;
}

double limpet_neo_hookean_principal(const limpet_elastic_constants *c, const double s[3], double J1,
                                    limpet_principal *out) {
  const double mu = c->mu, lambda = c->lambda;
  return limpet_neo_hookean_by_volume(mu, (0.5 * lambda * J1 - mu) * J1, lambda * J1 - mu, lambda,
                                      s, out);
}

const limpet_elastic_law limpet_elastic_law_neo_hookean = {
    .descriptor = {.name = "neo-hookean",
                   .text = "Stable neo-Hookean rubber. Newton's method each step. Small strains "
                           "have the E and nu that are asked for; inverted elements recover.",
                   .reference = "Smith, de Goes, Kim, Stable neo-Hookean flesh simulation (2018)"},
    .principal = limpet_neo_hookean_principal,
    .shift = 1.0,
};
