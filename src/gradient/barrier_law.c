/* gradient/barrier_law.c: a spring and a logarithmic barrier in series, with Hunt and Crossley's
 * dissipation.
 *
 *   x = f/k - kappa/(f + c),   c = kappa/range,   x = -(phi0 + dt v)        f = 0 at x = -range
 *   f = k/2 [y + sqrt(y^2 + 4 (x c + kappa)/k)],   y = x - c/k
 *   f' = 1/(1/k + kappa/(f + c)^2)
 *   n(v) = dt f (1 - d v)+
 *   N(v) = -[(1 + d phi0/dt) F1 + d/dt F2],   F1 = int f dx,   F2 = int x f dx   from x = -range
 *   F1 = x f - int x df = x f - [f^2/(2k) - kappa ln(1 + f/c)]
 *   F2 = x^2 f/2 - 1/2 int x^2 df
 *   int x^2 df = f^3/(3k^2) - 2 kappa/k [f - c ln(1 + f/c)] + kappa^2 [1/c - 1/(f + c)]
 * k [N/m], kappa [J]. N is constant from v = 1/d on. */
#include "gradient/barrier_law.h"

#include <math.h>

enum { ENERGY, RANGE };

// N of a force f at the depth x, up to a constant.
static double integral_of(const limpet_normal_point *p, double x, double f) {
  const double k = p->stiffness, d = p->dissipation, kappa = p->parameter[ENERGY],
               c = kappa / p->parameter[RANGE], logarithm = log1p(f / c);
  const double first = x * f - (f * f / (2.0 * k) - kappa * logarithm);
  if (d == 0.0) return -first;
  const double squares = f * f * f / (3.0 * k * k) - 2.0 * kappa / k * (f - c * logarithm) +
                         kappa * kappa * f / (c * (f + c));
  const double second = 0.5 * (x * x * f - squares);
  return -((1.0 + d * p->distance / p->dt) * first + d / p->dt * second);
}

// f(x), and f'(x) into *slope.
static double force_of(const limpet_normal_point *p, double x, double *slope) {
  const double k = p->stiffness, kappa = p->parameter[ENERGY], c = kappa / p->parameter[RANGE];
  const double y = x - c / k, product = (x * c + kappa) / k;
  *slope = 0.0;
  if (!(product > 0.0)) return 0.0;
  // the root without cancellation, on either side
  const double root = sqrt(y * y + 4.0 * product);
  const double f = y >= 0.0 ? 0.5 * k * (y + root) : 2.0 * k * product / (root - y);
  *slope = 1.0 / (1.0 / k + kappa / ((f + c) * (f + c)));
  return f;
}

static double impulse(const limpet_normal_law *law, const limpet_normal_point *p, double v,
                      double *curvature, double *integral) {
  (void)law;
  const double d = p->dissipation;
  const bool ended = d * v >= 1.0;
  const double at = ended ? 1.0 / d : v, x = -(p->distance + p->dt * at);
  double slope;
  const double f = force_of(p, x, &slope), damping = ended ? 0.0 : 1.0 - d * v;
  if (integral) *integral = integral_of(p, x, f);
  *curvature = ended ? 0.0 : p->dt * (slope * p->dt * damping + f * d);
  return p->dt * f * damping;
}

static double range(const limpet_normal_law *law, const double *parameter) {
  (void)law;
  return parameter[RANGE];
}

static const limpet_parameter parameters[] = {
    {"energy", "J", 1e-3, 1e-300, INFINITY, "kappa: the force is kappa/d at the distance d"},
    {"range", "m", 0.1, 1e-12, INFINITY, "distance from which contacts count"},
};

const limpet_normal_law limpet_barrier_law = {
    .descriptor = {.name = "spring-and-barrier",
                   .text =
                       "A spring and a logarithmic barrier in series, for smoothed derivatives.",
                   .reference = "docs/gradients.md",
                   .parameter_count = sizeof parameters / sizeof parameters[0],
                   .parameters = parameters},
    .impulse = impulse,
    .range = range,
};
