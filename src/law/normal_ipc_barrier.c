/* law/normal_ipc_barrier.c: the barrier of Incremental Potential Contact as a normal law.
 *
 *   E(phi)   = -kappa (s - phi)+^2 ln(phi/s)                                    [J]   0 < phi
 *   f_n(phi) = kappa (s - phi)+ [ (s - phi)+/phi - 2 ln(phi/s) ]                [N]
 *   n(v) = dt f_n(phi),  N(v) = -E(phi),   phi = phi0 + dt v
 *   kappa [N/m] stiffness, s [m] distance at which the force begins, with zero slope
 *
 * With g = s - phi: f' = kappa [2 ln(phi/s) - 4 g/phi - g^2/phi^2], negative for 0 < phi < s. Near
 * phi = s the force is 3 kappa g^2/s, near zero kappa s^2/phi. A contact that starts a step nearer
 * than `least` is treated as if it were at `least`, as in normal_log_barrier.c.
 * References: Castro, Han, Masterjohn, Irrotational Contact Fields, section IX-B; Li et al.,
 * Incremental potential contact, ACM Trans. Graph. 39 (2020). */
#include <math.h>

#include "law/normal_law.h"

enum { STIFFNESS, DISTANCE, LEAST };

static double impulse(const limpet_normal_law *law, const limpet_normal_point *p, double v,
                      double *curvature, double *integral) {
  (void)law;
  const double kappa = p->parameter[STIFFNESS], s = p->parameter[DISTANCE];
  const double phi = fmax(p->distance, p->parameter[LEAST]) + p->dt * v, g = s - phi;
  *curvature = 0.0;
  if (!(phi > 0.0)) {
    if (integral) *integral = -INFINITY;
    return *curvature = INFINITY;
  }
  if (integral) *integral = 0.0;
  if (!(g > 0.0)) return 0.0;
  // ln(phi/s) to all digits at both ends
  const double logarithm = g < 0.5 * s ? log1p(-g / s) : log(phi / s), ratio = g / phi;
  if (integral) *integral = kappa * g * g * logarithm;
  *curvature = p->dt * p->dt * kappa * (ratio * ratio + 4.0 * ratio - 2.0 * logarithm);
  return p->dt * kappa * g * (ratio - 2.0 * logarithm);
}

static double energy(const limpet_normal_law *law, const limpet_normal_point *p, double phi) {
  (void)law;
  const double s = p->parameter[DISTANCE], x = fmax(phi, p->parameter[LEAST]), g = s - x;
  return g > 0.0 ? -p->parameter[STIFFNESS] * g * g * log(x / s) : 0.0;
}

static double range(const limpet_normal_law *law, const double *parameter) {
  (void)law;
  return parameter[DISTANCE];
}

static const limpet_parameter parameters[] = {
    {"stiffness", "N/m", 1e5, 1e-300, INFINITY, "kappa"},
    {"distance", "m", 1e-3, 1e-12, INFINITY, "distance at which the force begins"},
    {"least", "m", 1e-6, 1e-15, INFINITY,
     "distance from which contacts count that start a step nearer or inside"},
};

const limpet_normal_law limpet_normal_law_ipc_barrier = {
    .descriptor = {.name = "ipc-barrier",
                   .text = "A compliant layer of the given thickness around a core that is never "
                           "reached: the barrier of "
                           "Incremental Potential Contact. Smooth where it begins; no dissipation "
                           "but that of the step.",
                   .reference =
                       "Castro, Han, Masterjohn, Irrotational Contact Fields, section IX-B",
                   .parameter_count = sizeof parameters / sizeof parameters[0],
                   .parameters = parameters},
    .impulse = impulse,
    .energy = energy,
    .range = range,
};
