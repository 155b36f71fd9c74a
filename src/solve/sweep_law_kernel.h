/* solve/sweep_law_kernel.h: one contact meets its law, for kernels of sweeps, which are compiled
 * for several instruction sets (body_sweep_kernel.h, tree_sweep_kernel.h). */
#ifndef LIMPET_SOLVE_SWEEP_LAW_KERNEL_H
#define LIMPET_SOLVE_SWEEP_LAW_KERNEL_H

#include <math.h>

#include "math/extremes.h"
#include "math/lanes.h"
#include "solve/sweep_law.h"

INLINE double normal_impulse(const limpet_sweep_law *c, double target) {
  const double a = c->force - c->give * target, b = 1.0 - c->dissipation * target;
  if (!(a > 0.0 && b > 0.0)) return 0.0;
  const double p = c->alpha * b, q = c->beta * a;
  const double half = 0.5 * (1.0 + p + q), square = 0.25 + 0.5 * (p + q) + 0.25 * (p - q) * (p - q);
  return c->dt * a * b / (half + sqrt(square));
}

// The change dx of the impulse x at the speed u; returns its square.
INLINE double change_of(const limpet_sweep_law *c, double friction, const double u[3],
                        const double x[3], double dx[3]) {
  const double *w = c->w;
  const double n = normal_impulse(c, u[2] - w[2] * x[2]);
  dx[0] = dx[1] = 0.0;
  dx[2] = n - x[2];
  const double w_t = limpet_max(w[0], w[1]), bound = friction * n;
  if (w_t > 0.0) {
    const double p[2] = {u[0] + c->slant[0] * dx[2] - w_t * x[0],
                         u[1] + c->slant[1] * dx[2] - w_t * x[1]};
    const double size = sqrt(p[0] * p[0] + p[1] * p[1]);
    const double share = size > w_t * bound ? bound / size : 1.0 / w_t;
    for (int e = 0; e < 2; ++e) dx[e] = -share * p[e] - x[e];
  }
  return w[0] * dx[0] * dx[0] + w[1] * dx[1] * dx[1] + w[2] * dx[2] * dx[2];
}

#endif
