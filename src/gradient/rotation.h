/* gradient/rotation.h: derivatives of rotation vectors: log(exp(d) exp(e)) = d + T(d)^-1 e,
 *   T^-1 = 1 + 1/2 [d] + c [d]^2,   c = 1/p^2 - (1 + cos p)/(2 p sin p),   p = |d| < pi
 * T is the right Jacobian of SO(3); log(exp(e) exp(d)) = d + T(-d)^-1 e. Reference: Chirikjian,
 * Stochastic models, information theory and Lie groups 2, section 10. */
#ifndef LIMPET_GRADIENT_ROTATION_H
#define LIMPET_GRADIENT_ROTATION_H

#include <math.h>

#include "limpet/model.h"
#include "math/vec3.h"

// The first of three velocities of a joint that turn, or LIMPET_NONE.
static inline int limpet_rotation_dof(const limpet_model *model, int joint) {
  if (model->joint_kind[joint] == LIMPET_JOINT_FREE) return model->joint_v[joint] + 3;
  return model->joint_kind[joint] == LIMPET_JOINT_BALL ? model->joint_v[joint] : LIMPET_NONE;
}

// T(d)^-1 (3 x 3)
static inline void limpet_rotation_log_change(double T[9], const double d[3]) {
  const double p = limpet_vec3_norm(d), p2 = p * p;
  const double c =
      p < 1e-2 ? 1.0 / 12.0 + p2 / 720.0 : 1.0 / p2 - (1.0 + cos(p)) / (2.0 * p * sin(p));
  const double cross[9] = {0.0, -d[2], d[1], d[2], 0.0, -d[0], -d[1], d[0], 0.0};
  for (int i = 0; i < 9; ++i)
    T[i] = (i % 4 == 0 ? 1.0 - c * p2 : 0.0) + 0.5 * cross[i] + c * d[i / 3] * d[i % 3];
}

#endif
