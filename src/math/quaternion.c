/* math/quaternion.c: conversions and the exponential map of unit quaternions. */
#include "math/quaternion.h"

void limpet_quaternion_from_matrix(double q[4], const double R[9]) {
  // Shepperd's choice: the largest of the four squares is computed from the diagonal, the others
  // from it
  const double trace = R[0] + R[4] + R[8];
  if (trace > R[0] && trace > R[4] && trace > R[8]) {
    q[0] = 0.5 * sqrt(1.0 + trace);
    const double s = 0.25 / q[0];
    q[1] = s * (R[7] - R[5]), q[2] = s * (R[2] - R[6]), q[3] = s * (R[3] - R[1]);
  } else {
    int i = R[4] > R[0] ? 1 : 0;
    if (R[8] > R[4 * i]) i = 2;
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double x = 0.5 * sqrt(1.0 + R[4 * i] - R[4 * j] - R[4 * k]), s = 0.25 / x;
    q[1 + i] = x;
    q[0] = s * (R[3 * k + j] - R[3 * j + k]);
    q[1 + j] = s * (R[3 * i + j] + R[3 * j + i]);
    q[1 + k] = s * (R[3 * i + k] + R[3 * k + i]);
  }
  limpet_quaternion_normalize(q);
  if (q[0] < 0.0)
    for (int i = 0; i < 4; ++i) q[i] = -q[i];
}

void limpet_quaternion_exp(double q[4], const double rotation_vector[3]) {
  const double angle = limpet_vec3_norm(rotation_vector), half = 0.5 * angle;
  // sin(half)/angle by its series where the quotient would lose digits
  const double s = angle > 1e-4 ? sin(half) / angle : 0.5 - angle * angle / 48.0;
  q[0] = cos(half);
  limpet_vec3_scale(q + 1, s, rotation_vector);
}

void limpet_quaternion_log(double rotation_vector[3], const double q[4]) {
  const double s = limpet_vec3_norm(q + 1), sign = q[0] < 0.0 ? -1.0 : 1.0;
  const double angle = 2.0 * atan2(s, fabs(q[0]));
  const double factor = s > 1e-8 ? angle / s : 2.0;
  limpet_vec3_scale(rotation_vector, sign * factor, q + 1);
}

void limpet_quaternion_integrate(double q[4], const double angular_velocity[3], double dt) {
  double turn[3], step[4], r[4];
  limpet_vec3_scale(turn, dt, angular_velocity);
  limpet_quaternion_exp(step, turn);
  limpet_quaternion_mul(r, q, step);
  limpet_quaternion_normalize(r);
  limpet_quaternion_copy(q, r);
}
