// law/spin.c: see spin.h.
#include "law/spin.h"

#include <math.h>

void limpet_spin_hessian(double bound, double eps, const double w[2], const double *dual,
                         double G[3]) {
  const double s = sqrt(w[0] * w[0] + w[1] * w[1] + eps * eps);
  const double pull = bound / s, t1 = w[0] / s, t2 = w[1] / s;
  const double d1 = dual ? dual[0] : t1, d2 = dual ? dual[1] : t2;
  G[0] = pull * (1.0 - t1 * d1);
  G[1] = -0.5 * pull * (t1 * d2 + t2 * d1);
  G[2] = pull * (1.0 - t2 * d2);
}

void limpet_spin_along(double bound, double eps, const double w[2], const double dw[2],
                       double alpha, double *slope, double *curvature) {
  const double x = w[0] + alpha * dw[0], y = w[1] + alpha * dw[1];
  const double s = sqrt(x * x + y * y + eps * eps), pull = bound / s;
  const double along = x * dw[0] + y * dw[1];
  *slope += pull * along;
  *curvature += pull * (dw[0] * dw[0] + dw[1] * dw[1] - along * along / (s * s));
}
