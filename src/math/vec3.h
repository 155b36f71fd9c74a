/* math/vec3.h: vectors of three doubles and 3x3 matrices (row-major), as inline functions on plain
 * arrays.
 *
 * The result comes first. Unless said otherwise it may be the same array as an argument only where
 * the operation is element-wise (add, sub, scale, addmul, neg, copy); cross products and matrix
 * products need a separate result. */
#ifndef LIMPET_MATH_VEC3_H
#define LIMPET_MATH_VEC3_H

#include <math.h>

#define LIMPET_PI 3.14159265358979323846

static inline void limpet_vec3_set(double r[3], double x, double y, double z) {
  r[0] = x, r[1] = y, r[2] = z;
}
static inline void limpet_vec3_zero(double r[3]) { r[0] = r[1] = r[2] = 0.0; }
static inline void limpet_vec3_copy(double r[3], const double a[3]) {
  r[0] = a[0], r[1] = a[1], r[2] = a[2];
}
static inline void limpet_vec3_neg(double r[3], const double a[3]) {
  r[0] = -a[0], r[1] = -a[1], r[2] = -a[2];
}
static inline void limpet_vec3_add(double r[3], const double a[3], const double b[3]) {
  r[0] = a[0] + b[0], r[1] = a[1] + b[1], r[2] = a[2] + b[2];
}
static inline void limpet_vec3_sub(double r[3], const double a[3], const double b[3]) {
  r[0] = a[0] - b[0], r[1] = a[1] - b[1], r[2] = a[2] - b[2];
}
static inline void limpet_vec3_scale(double r[3], double s, const double a[3]) {
  r[0] = s * a[0], r[1] = s * a[1], r[2] = s * a[2];
}
static inline void limpet_vec3_addmul(double r[3], const double a[3], double s,
                                      const double b[3]) {  // r = a + s b
  r[0] = a[0] + s * b[0], r[1] = a[1] + s * b[1], r[2] = a[2] + s * b[2];
}
static inline double limpet_vec3_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline void limpet_vec3_cross(double r[3], const double a[3], const double b[3]) {
  r[0] = a[1] * b[2] - a[2] * b[1];
  r[1] = a[2] * b[0] - a[0] * b[2];
  r[2] = a[0] * b[1] - a[1] * b[0];
}
static inline double limpet_vec3_norm(const double a[3]) { return sqrt(limpet_vec3_dot(a, a)); }
static inline double limpet_vec3_distance(const double a[3], const double b[3]) {
  const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return limpet_vec3_norm(d);
}

// Scales `a` to unit length in place and returns the length it had; a zero vector becomes (0, 0, 1)
// and 0 is returned. What is no number becomes (0, 0, 1), too, with the length NaN, and what is
// longer than doubles reach becomes zero with an infinite length: callers that take numbers from
// outside look at the length.
static inline double limpet_vec3_normalize(double a[3]) {
  const double n = limpet_vec3_norm(a);
  if (n > 0.0) limpet_vec3_scale(a, 1.0 / n, a);
  else limpet_vec3_set(a, 0.0, 0.0, 1.0);
  return n;
}

// r = R a and r = R' a, R a 3x3 matrix.
static inline void limpet_mat3_mul_vec(double r[3], const double R[9], const double a[3]) {
  r[0] = R[0] * a[0] + R[1] * a[1] + R[2] * a[2];
  r[1] = R[3] * a[0] + R[4] * a[1] + R[5] * a[2];
  r[2] = R[6] * a[0] + R[7] * a[1] + R[8] * a[2];
}
static inline void limpet_mat3_tmul_vec(double r[3], const double R[9], const double a[3]) {
  r[0] = R[0] * a[0] + R[3] * a[1] + R[6] * a[2];
  r[1] = R[1] * a[0] + R[4] * a[1] + R[7] * a[2];
  r[2] = R[2] * a[0] + R[5] * a[1] + R[8] * a[2];
}

// C = A B, C = A' B, C = A B'.
static inline void limpet_mat3_mul(double C[9], const double A[9], const double B[9]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}
static inline void limpet_mat3_tmul(double C[9], const double A[9], const double B[9]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      C[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
}
static inline void limpet_mat3_mul_t(double C[9], const double A[9], const double B[9]) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      C[3 * i + j] =
          A[3 * i] * B[3 * j] + A[3 * i + 1] * B[3 * j + 1] + A[3 * i + 2] * B[3 * j + 2];
}
static inline void limpet_mat3_identity(double A[9]) {
  for (int i = 0; i < 9; ++i) A[i] = (i % 4 == 0) ? 1.0 : 0.0;
}
static inline void limpet_mat3_copy(double C[9], const double A[9]) {
  for (int i = 0; i < 9; ++i) C[i] = A[i];
}
static inline double limpet_mat3_determinant(const double A[9]) {
  return A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
         A[2] * (A[3] * A[7] - A[4] * A[6]);
}

// Two unit tangents t1, t2 with t1 x t2 = n for a unit n; t1 has a zero in component i, |n[i]| < 1.
static inline void limpet_vec3_tangents_across(double t1[3], double t2[3], const double n[3],
                                               int i) {
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  const double m = sqrt(1.0 - n[i] * n[i]), r = 1.0 / m, s = -r * n[i];
  t1[i] = 0.0, t1[j] = -r * n[k], t1[k] = r * n[j];
  t2[i] = m, t2[j] = s * n[j], t2[k] = s * n[k];
}

/* The tangents of Drake (reference/drake.md, 5.3): the first has its zero where |n| is smallest, so
 * it turns continuously with n away from ties. */
static inline void limpet_vec3_tangents(double t1[3], double t2[3], const double n[3]) {
  int i = 0;
  if (fabs(n[1]) < fabs(n[i])) i = 1;
  if (fabs(n[2]) < fabs(n[i])) i = 2;
  limpet_vec3_tangents_across(t1, t2, n, i);
}

/* Tangents that do not turn with the round-off of a normal along an axis, where two components are
 * nearly zero. */
static inline void limpet_vec3_steady_tangents(double t1[3], double t2[3], const double n[3]) {
  limpet_vec3_tangents_across(t1, t2, n, fabs(n[0]) < 0.8 ? 0 : 1);
}

/* Eigenvalues w (descending) and right-handed eigenvectors (columns of V) of the symmetric A, by
 * Jacobi rotations to round-off. In mat3.c. */
void limpet_mat3_eigen(const double A[9], double w[3], double V[9]);

#endif
