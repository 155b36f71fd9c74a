/* gradient/twist.h: the six rigid motions of a body, one unit each: rotations about the axes of the
 * world through a point P, then translations. */
#ifndef LIMPET_GRADIENT_TWIST_H
#define LIMPET_GRADIENT_TWIST_H

#include "math/vec3.h"

// Velocity of the point x under twist k (0 to 5) about P.
static inline void limpet_twist_at(const double P[3], int k, const double x[3],
                                   double velocity[3]) {
  limpet_vec3_zero(velocity);
  if (k >= 3) {
    velocity[k - 3] = 1.0;
    return;
  }
  double axis[3] = {0.0}, arm[3];
  axis[k] = 1.0;
  limpet_vec3_sub(arm, x, P);
  limpet_vec3_cross(velocity, axis, arm);
}

#endif
