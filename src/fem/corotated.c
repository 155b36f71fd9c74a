/* fem/corotated.c: the corotated law,
 *   psi = mu |F - R|^2 + lambda/2 (J - 1)^2 = mu sum (s_i - 1)^2 + lambda/2 (J - 1)^2
 * R: the rotation of F, J = s0 s1 s2. Twists have the pole 4 mu/(s_i + s_j) where an inverted
 * element has two equal and opposite stretches; the sum is kept away from zero there.
 * Source: Stomakhin, Howes, Schroeder, Teran, Energetically consistent invertible elasticity
 * (2012). */
#include <math.h>

#include "fem/elastic_law.h"

static const double least_sum = 1e-12;  // [-]  of two stretches

static double principal(const limpet_elastic_constants *c, const double s[3], double J1,
                        limpet_principal *out) {
  const double mu = c->mu, lambda = c->lambda;
  const double dJ[3] = {s[1] * s[2], s[0] * s[2], s[0] * s[1]};
  const int left[3] = {1, 0, 0}, right[3] = {2, 2, 1};
  double energy = 0.5 * lambda * J1 * J1;
  for (int i = 0; i < 3; ++i) {
    energy += mu * (s[i] - 1.0) * (s[i] - 1.0);
    out->slope[i] = 2.0 * mu * (s[i] - 1.0) + lambda * J1 * dJ[i];
    const double sum = s[left[i]] + s[right[i]], pressure = lambda * J1 * s[i];
    const double away = fabs(sum) < least_sum ? least_sum : sum;
    out->stretch[i] = 2.0 * mu - pressure;
    out->twist[i] = 2.0 * mu - 4.0 * mu / away + pressure;
  }
  out->curvature[0] = 2.0 * mu + lambda * dJ[0] * dJ[0];
  out->curvature[1] = lambda * (dJ[0] * dJ[1] + J1 * s[2]);
  out->curvature[2] = lambda * (dJ[0] * dJ[2] + J1 * s[1]);
  out->curvature[3] = 2.0 * mu + lambda * dJ[1] * dJ[1];
  out->curvature[4] = lambda * (dJ[1] * dJ[2] + J1 * s[0]);
  out->curvature[5] = 2.0 * mu + lambda * dJ[2] * dJ[2];
  return energy;
}

const limpet_elastic_law limpet_elastic_law_corotated = {
    .descriptor = {.name = "corotated",
                   .text = "Distance of F from its rotation, and volume. Newton's method each "
                           "step. Defined for inverted elements.",
                   .reference = "Stomakhin, Howes, Schroeder, Teran, Energetically consistent "
                                "invertible elasticity (2012)"},
    .principal = principal,
};
