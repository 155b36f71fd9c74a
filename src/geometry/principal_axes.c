/* geometry/principal_axes.c: principal axes of a symmetric tensor, as MuJoCo chooses them.
 *
 * Axes are free up to signs, and up to a rotation where moments are equal. MuJoCo's choice is kept,
 * because files quote poses in it: Jacobi rotations of the largest off-diagonal entry, accumulated
 * as a quaternion from the identity, each turning by less than 45 degrees; then quarter turns that
 * sort the moments. */
#include "geometry/principal_axes.h"

#include <math.h>

#include "math/quaternion.h"

// Relative to the sum of moments: axes of a plane in which all moments are equal to single
// precision stay as they are.
static const double degenerate = 1e-7;

/* One Jacobi rotation of D = R(q)' I R(q) about the axis that zeroes its largest off-diagonal
 * entry, applied to q. Returns false when D is diagonal to round-off. */
static bool principal_rotation(double q[4], const double D[9]) {
  static const int row[3] = {1, 0, 0},
                   column[3] = {2, 2, 1};  // entry that a turn about x, y, z zeroes
  int axis = 2;
  if (fabs(D[2]) > fabs(D[1])) axis = 1;
  if (fabs(D[5]) > fabs(D[3 * row[axis] + column[axis]])) axis = 0;
  const int r = row[axis], c = column[axis];
  const double sum = fabs(D[0]) + fabs(D[4]) + fabs(D[8]), entry = fabs(D[3 * r + c]);
  if (entry <= 1e-15 * sum || fmax(entry, fabs(D[4 * r] - D[4 * c])) <= degenerate * sum)
    return false;

  // tangent of the smaller of the two angles that work, |angle| <= 45 degrees
  const double tau = (D[4 * c] - D[4 * r]) / (2.0 * D[3 * r + c]);
  const double t = (tau >= 0.0 ? 1.0 : -1.0) / (fabs(tau) + sqrt(1.0 + tau * tau));
  const double angle = axis == 1 ? atan(t) : -atan(t);
  double axis_vector[3] = {0.0, 0.0, 0.0}, turn[4], product[4];
  axis_vector[axis] = 1.0;
  limpet_quaternion_from_axis_angle(turn, axis_vector, angle);
  limpet_quaternion_mul(product, q, turn);
  limpet_quaternion_normalize(product);
  limpet_quaternion_copy(q, product);
  return true;
}

void limpet_principal_axes(double moment[3], double q[4], const double I[9]) {
  double R[9], S[9], D[9];
  limpet_quaternion_identity(q);
  for (int round = 0; round < 200; ++round) {
    limpet_quaternion_to_matrix(R, q);
    limpet_mat3_mul(S, I, R);
    limpet_mat3_tmul(D, R, S);
    for (int i = 0; i < 3; ++i) moment[i] = D[4 * i];
    if (!principal_rotation(q, D)) break;
  }

  // a quarter turn about the third axis exchanges the other two; equal moments stay
  const double least = 1e-12 * (moment[0] + moment[1] + moment[2]);
  for (int i = 0; i < 3; ++i) {
    const int a = i % 2;
    if (moment[a] + least >= moment[a + 1]) continue;
    const double exchanged = moment[a];
    moment[a] = moment[a + 1], moment[a + 1] = exchanged;
    double turn[4] = {sqrt(0.5), 0.0, 0.0, 0.0}, product[4];
    turn[1 + (a + 2) % 3] = sqrt(0.5);
    limpet_quaternion_mul(product, q, turn);
    limpet_quaternion_copy(q, product);
  }
  limpet_quaternion_normalize(q);
}
