/* math/quaternion.h: unit quaternions (w, x, y, z), Hamilton product; the rotation of q takes child
 * axes to parent axes. */
#ifndef LIMPET_MATH_QUATERNION_H
#define LIMPET_MATH_QUATERNION_H

#include "math/vec3.h"

static inline void limpet_quaternion_identity(double q[4]) { q[0] = 1.0, q[1] = q[2] = q[3] = 0.0; }
static inline void limpet_quaternion_copy(double r[4], const double q[4]) {
  r[0] = q[0], r[1] = q[1], r[2] = q[2], r[3] = q[3];
}
static inline void limpet_quaternion_conjugate(double r[4], const double q[4]) {
  r[0] = q[0], r[1] = -q[1], r[2] = -q[2], r[3] = -q[3];
}
static inline void limpet_quaternion_mul(double r[4], const double a[4],
                                         const double b[4]) {  // r separate from a, b
  r[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  r[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  r[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  r[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

// Scales to unit length and returns the length it had; a zero quaternion becomes the identity and 0
// is returned. What is no number stays none, so that a step sees it.
static inline double limpet_quaternion_normalize(double q[4]) {
  const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (n != 0.0)
    for (int i = 0; i < 4; ++i) q[i] /= n;
  else limpet_quaternion_identity(q);
  return n;
}

// Rotation matrix of a unit quaternion.
static inline void limpet_quaternion_to_matrix(double R[9], const double q[4]) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  R[0] = w * w + x * x - y * y - z * z, R[1] = 2 * (x * y - w * z), R[2] = 2 * (x * z + w * y);
  R[3] = 2 * (x * y + w * z), R[4] = w * w - x * x + y * y - z * z, R[5] = 2 * (y * z - w * x);
  R[6] = 2 * (x * z - w * y), R[7] = 2 * (y * z + w * x), R[8] = w * w - x * x - y * y + z * z;
}

// r = rotation of q applied to a; r separate from a.
static inline void limpet_quaternion_rotate(double r[3], const double q[4], const double a[3]) {
  double t[3], u[3];
  limpet_vec3_cross(t, q + 1, a);
  limpet_vec3_scale(t, 2.0, t);
  limpet_vec3_cross(u, q + 1, t);
  for (int i = 0; i < 3; ++i) r[i] = a[i] + q[0] * t[i] + u[i];
}

// Quaternion of the rotation by `angle` [rad] about the unit `axis`.
static inline void limpet_quaternion_from_axis_angle(double q[4], const double axis[3],
                                                     double angle) {
  const double s = sin(0.5 * angle);
  q[0] = cos(0.5 * angle), q[1] = s * axis[0], q[2] = s * axis[1], q[3] = s * axis[2];
}

// In quaternion.c: quaternion (w >= 0) of a rotation matrix; exponential of a rotation vector
// [rad]; its inverse (angle in [0, pi]); q * exp(dt w) for w in child axes, which is how a ball
// joint moves.
void limpet_quaternion_from_matrix(double q[4], const double R[9]);
void limpet_quaternion_exp(double q[4], const double rotation_vector[3]);
void limpet_quaternion_log(double rotation_vector[3], const double q[4]);
void limpet_quaternion_integrate(double q[4], const double angular_velocity[3], double dt);

#endif
