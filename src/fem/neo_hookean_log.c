/* fem/neo_hookean_log.c: neo-Hookean law whose energy grows without bound as volume vanishes,
 *   psi = mu/2 (|F|^2 - 3) - mu g(J) + lambda/2 (J - 1)^2,   g = ln J
 * lambda Lame's. Pulled or pressed along one axis at nu = 0 it has P = mu (s - 1/s), so it carries
 * each load; the laws without a logarithm have a largest one (docs/theory/fem.md). Below J_c g goes
 * on as its Taylor polynomial of second order: energy is finite for any F, inverted ones included,
 * and to invert an element takes a pressure of mu/J_c.
 * Source: Ciarlet, Mathematical elasticity, volume I (1988), theorem 4.10-2: such laws have any E
 * and nu at small strains. */
#include <math.h>

#include "fem/neo_hookean.h"

static const double least = 0.01;  // J_c

static double principal(const limpet_elastic_constants *c, const double s[3], double J1,
                        limpet_principal *out) {
  const double mu = c->mu, lambda = c->lambda, J = 1.0 + J1;

  // g, g', g''
  const double below = fmin(J - least, 0.0) / least, at = J < least ? least : J;
  const double g = (J < least ? log(least) : log1p(J1)) + below - 0.5 * below * below;
  const double g1 = (1.0 - below) / at, g2 = -1.0 / (at * at);

  return limpet_neo_hookean_by_volume(mu, 0.5 * lambda * J1 * J1 - mu * g, lambda * J1 - mu * g1,
                                      lambda - mu * g2, s, out);
}

const limpet_elastic_law limpet_elastic_law_neo_hookean_log = {
    .descriptor = {.name = "neo-hookean-log",
                   .text = "Neo-Hookean rubber that resists the loss of its volume without bound, "
                           "so it carries each load. Newton's method each step. Small strains have "
                           "the E and nu that are asked for; inverted elements recover.",
                   .reference = "Ciarlet, Mathematical elasticity, volume I (1988)"},
    .principal = principal,
};
