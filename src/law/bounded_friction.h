/* law/bounded_friction.h: regularised friction with a bound that is known.
 *
 *   gamma_t = -b v_t/s,  s = sqrt(|v_t|^2 + eps^2),  cost b (s - eps)
 * Its Hessian has a direction of its own for friction: friction_direction.h. */
#ifndef LIMPET_LAW_BOUNDED_FRICTION_H
#define LIMPET_LAW_BOUNDED_FRICTION_H

#include <math.h>

// gamma_t at the slip v (2) [m/s] for the bound b [N s]; returns the cost [J].
static inline double limpet_bounded_friction(double bound, double eps, const double v[2],
                                             double gamma[2]) {
  const double slip2 = v[0] * v[0] + v[1] * v[1], s = sqrt(slip2 + eps * eps);
  const double shared = bound / (s * (s + eps)), pull = shared * (s + eps);  // one division
  gamma[0] = -pull * v[0];
  gamma[1] = -pull * v[1];
  return shared * s * slip2;  // = b (s - eps), to all digits
}

// t1t1, t1t2, t2t2 of the Hessian into G for t = v_t/s and the second variable w; pull: b/s.
static inline void limpet_bounded_friction_hessian(double pull, const double t[2],
                                                   const double w[2], double G[3]) {
  G[0] = pull * (1.0 - t[0] * w[0]);
  G[1] = -0.5 * pull * (t[0] * w[1] + t[1] * w[0]);
  G[2] = pull * (1.0 - t[1] * w[1]);
}

#endif
