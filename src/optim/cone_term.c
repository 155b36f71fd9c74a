/* optim/cone_term.c: see cone_term.h. */
#include "optim/cone_term.h"

#include <math.h>
#include <string.h>

double limpet_cone_term_slack(limpet_cone_term b, const double x[3]) {
  if (!b.squares && !(x[2] > 0.0)) return -1.0;
  if (!(b.mu > 0.0)) return b.squares ? 1.0 : x[2];
  const double most = b.mu * fabs(x[2]), friction = sqrt(x[0] * x[0] + x[1] * x[1]);
  return (most - friction) * (most + friction);
}

double limpet_cone_term_parameter(limpet_cone_term b) {
  return b.mu > 0.0 ? 2.0 : b.squares ? 0.0 : 1.0;
}

void limpet_cone_term_ray(limpet_cone_term b, const double x[3], const double dx[3], double *first,
                          double *second) {
  *first = *second = 0.0;
  if (b.mu > 0.0) {
    const double q = limpet_cone_term_slack(b, x), mu2 = b.mu * b.mu;
    *first = 2.0 * (mu2 * x[2] * dx[2] - x[0] * dx[0] - x[1] * dx[1]) / q;
    *second = (mu2 * dx[2] * dx[2] - dx[0] * dx[0] - dx[1] * dx[1]) / q;
  } else if (!b.squares) *first = dx[2] / x[2];
}

void limpet_cone_term_inverse(limpet_cone_term b, const double x[3], double curvature,
                              double root[9], double step[3]) {
  memset(root, 0, 9 * sizeof *root);
  memset(step, 0, 3 * sizeof *step);
  const double n = x[2], n2 = n * n;
  if (!(b.mu > 0.0)) {
    root[8] = b.squares ? 1.0 / sqrt(curvature) : n / sqrt(1.0 + curvature * n2);
    step[2] = b.squares ? 0.0 : n / (1.0 + curvature * n2);
    return;
  }
  // a: entry NN of D^-1; softer: what the curvature leaves of it
  const double friction = sqrt(x[0] * x[0] + x[1] * x[1]), q = limpet_cone_term_slack(b, x);
  const double a = 0.5 * (n2 + friction * friction / (b.mu * b.mu)),
               softer = 1.0 / (1.0 + curvature * a);
  const double axis[2] = {friction > 0.0 ? x[0] / friction : 1.0,
                          friction > 0.0 ? x[1] / friction : 0.0};
  const double along = 0.5 * q / (b.mu * sqrt(a)), across = sqrt(0.5 * q),
               ray = n * sqrt(softer / a);
  root[0] = along * axis[0], root[1] = -across * axis[1], root[2] = ray * x[0];
  root[3] = along * axis[1], root[4] = across * axis[0], root[5] = ray * x[1];
  root[8] = sqrt(a * softer);
  for (int i = 0; i < 2; ++i) step[i] = x[i] * (1.0 - curvature * n2 * softer);
  step[2] = n * softer;
}
