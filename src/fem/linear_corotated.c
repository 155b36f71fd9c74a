/* fem/linear_corotated.c: linear elasticity in axes that turn with each element,
 *   psi = mu e:e + lambda/2 tr(e)^2,  e = sym(R0' F) - I,  P = R0 (2 mu e + lambda tr(e) I)
 * R0: rotation of F at the start of the step. Positive semidefinite for any F, so that a step with
 * contact is a convex problem. With the rotation of F itself in place of R0 the same stress is the
 * gradient of psi(s) = mu sum (s_i - 1)^2 + lambda/2 (sum s_i - 3)^2; this energy is reported, and
 * bodies come to rest where it is least. Source: Han, Masterjohn, Castro, A convex formulation of
 * frictional contact between rigid and deformable bodies (2023). */
#include <math.h>

#include "fem/elastic_law.h"

static const double least_sum = 1e-12;  // [-]  of two stretches

static double principal(const limpet_elastic_constants *c, const double s[3], double J1,
                        limpet_principal *out) {
  (void)J1;
  const int left[3] = {1, 0, 0}, right[3] = {2, 2, 1};
  const double mu = c->mu, pressure = c->lambda * (s[0] + s[1] + s[2] - 3.0);
  double energy = 0.5 * pressure * (s[0] + s[1] + s[2] - 3.0);
  for (int i = 0; i < 3; ++i) {
    energy += mu * (s[i] - 1.0) * (s[i] - 1.0);
    out->slope[i] = 2.0 * mu * (s[i] - 1.0) + pressure;
    const double sum = s[left[i]] + s[right[i]];
    out->stretch[i] = 2.0 * mu;
    out->twist[i] =
        2.0 * mu + (2.0 * pressure - 4.0 * mu) / (fabs(sum) < least_sum ? least_sum : sum);
  }
  for (int i = 0; i < 6; ++i) out->curvature[i] = c->lambda;
  out->curvature[0] += 2.0 * mu, out->curvature[3] += 2.0 * mu, out->curvature[5] += 2.0 * mu;
  return energy;
}

const limpet_elastic_law limpet_elastic_law_linear_corotated = {
    .descriptor = {.name = "linear-corotated",
                   .text = "Linear elasticity in axes that turn with each element, those of the "
                           "start of the step. One linear solve a step, in a world Newton's method "
                           "where turning would bring energy; strains should stay moderate.",
                   .reference = "Han, Masterjohn, Castro, A convex formulation of frictional "
                                "contact between rigid and deformable bodies (2023)"},
    .frozen = true,
    .rotates = true,
    .principal = principal,
};
