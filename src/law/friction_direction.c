/* law/friction_direction.c: see friction_direction.h. */
#include "law/friction_direction.h"

#include <math.h>

void limpet_friction_direction_step(const limpet_contact_constants *constants, int count,
                                    const double *v, const double *dv, double *dual) {
  for (int i = 0; i < count; ++i, v += 3, dv += 3, dual += 2) {
    const double s = sqrt(v[0] * v[0] + v[1] * v[1] +
                          constants[i].compliant.slip_speed * constants[i].compliant.slip_speed);
    const double inverse = 1.0 / s, t1 = v[0] * inverse, t2 = v[1] * inverse;
    const double along = t1 * dv[0] + t2 * dv[1];
    const double w1 = t1 + (dv[0] - dual[0] * along) * inverse,
                 w2 = t2 + (dv[1] - dual[1] * along) * inverse;
    const double size = sqrt(w1 * w1 + w2 * w2), shrink = size > 1.0 ? 1.0 / size : 1.0;
    dual[0] = shrink * w1, dual[1] = shrink * w2;
  }
}

double limpet_friction_change(double bound, double dbound, double eps, double deps,
                              const double v[2], const double dv[2], double dgamma[2]) {
  const double s = sqrt(v[0] * v[0] + v[1] * v[1] + eps * eps);
  if (!(s > 0.0)) {
    dgamma[0] = dgamma[1] = 0.0;
    return 0.0;
  }
  const double ds = (v[0] * dv[0] + v[1] * dv[1] + eps * deps) / s;
  for (int e = 0; e < 2; ++e)
    dgamma[e] = -(dbound * v[e] + bound * dv[e] - bound * v[e] * ds / s) / s;
  return ds;
}
