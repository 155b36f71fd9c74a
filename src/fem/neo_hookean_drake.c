/* fem/neo_hookean_drake.c: neo-Hookean law with Lame's constants as Drake takes them,
 *   psi = 1/2 [mu (|F|^2 - 3) + lambda (J - 1 - mu/lambda)^2]
 * which is that of neo_hookean.c plus the constant mu^2/(2 lambda), so psi(I) is not 0. Small
 * strains have lambda - mu instead of lambda: softer than E and nu say (10 % at nu = 0.3), and
 * below nu = 1/8 the bulk modulus, lambda - mu/3, is negative: what is at rest swells by itself. */
#include "fem/neo_hookean.h"

static double principal(const limpet_elastic_constants *c, const double s[3], double J1,
                        limpet_principal *out) {
  return limpet_neo_hookean_principal(c, s, J1, out) + 0.5 * c->mu * c->mu / c->lambda;
}

const limpet_elastic_law limpet_elastic_law_neo_hookean_drake = {
    .descriptor = {.name = "neo-hookean-drake",
                   .text = "Stable neo-Hookean rubber with Drake's constants, for comparison: "
                           "softer than E and nu say, by 10 % at nu = 0.3. nu must be above 1/8.",
                   .reference = "Drake 1.51, multibody/fem"},
    .principal = principal,
};
