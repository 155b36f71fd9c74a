/* law/normal_log_barrier.c: the logarithmic barrier of interior-point methods as a normal law.
 *
 *   E(phi)   = -kappa ln(phi/range)        [J]      0 < phi
 *   f_n(phi) = kappa/phi                   [N]                                       (27)
 *   n(v) = dt f_n(phi),  N(v) = -E(phi),  -n'(v) = dt^2 kappa/phi^2,   phi = phi0 + dt v
 *   kappa [J], range [m] within which a contact has a force: it jumps to kappa/range there
 *
 * A contact that starts a step nearer than `least` is treated as if it were at `least`. So bodies
 * that start inside each other are pushed out, and round-off of curved motion does no harm.
 * Reference: Castro, Han, Masterjohn, Irrotational Contact Fields, section IX-A, which names this
 * law and does not implement it. */
#include <math.h>

#include "law/normal_law.h"

enum { ENERGY, RANGE, LEAST };

static double impulse(const limpet_normal_law *law, const limpet_normal_point *p, double v,
                      double *curvature, double *integral) {
  (void)law;
  const double kappa = p->parameter[ENERGY],
               phi = fmax(p->distance, p->parameter[LEAST]) + p->dt * v;
  if (!(phi > 0.0)) {
    if (integral) *integral = -INFINITY;
    return *curvature = INFINITY;
  }
  const double n = p->dt * kappa / phi;
  if (integral) *integral = kappa * log(phi / p->parameter[RANGE]);
  *curvature = p->dt * n / phi;
  return n;
}

static double energy(const limpet_normal_law *law, const limpet_normal_point *p, double phi) {
  (void)law;
  return -p->parameter[ENERGY] * log(fmax(phi, p->parameter[LEAST]) / p->parameter[RANGE]);
}

static double range(const limpet_normal_law *law, const double *parameter) {
  (void)law;
  return parameter[RANGE];
}

static const limpet_parameter parameters[] = {
    {"energy", "J", 1e-5, 1e-300, INFINITY,
     "kappa: a contact that carries the force f rests at the distance kappa/f"},
    {"range", "m", 1e-3, 1e-12, INFINITY, "distance from which contacts count"},
    {"least", "m", 1e-8, 1e-15, INFINITY,
     "distance from which contacts count that start a step nearer or inside"},
};

const limpet_normal_law limpet_normal_law_log_barrier = {
    .descriptor = {.name = "log-barrier",
                   .text = "Force kappa/phi across the gap phi > 0, never touching: what "
                           "interior-point solvers of rigid contact "
                           "do, as a law. Loaded contacts keep a distance; there is no dissipation "
                           "but that of the step.",
                   .reference =
                       "Castro, Han, Masterjohn, Irrotational Contact Fields, equation (27)",
                   .parameter_count = sizeof parameters / sizeof parameters[0],
                   .parameters = parameters},
    .impulse = impulse,
    .energy = energy,
    .range = range,
};
