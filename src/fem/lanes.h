/* fem/lanes.h: four doubles at once, and singular values of four 3 x 3 matrices at once; part of
 * the files that are compiled for each instruction set.
 *
 * A 3 x 3 matrix is an array of nine lanes, row-major. */
#include "math/lanes.h"

#include <string.h>

INLINE lanes root(lanes x) { return (lanes){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])}; }
INLINE lanes dot3(lanes x0, lanes x1, lanes x2, lanes y0, lanes y1, lanes y2) {
  return x0 * y0 + x1 * y1 + x2 * y2;
}

INLINE lanes determinant(const lanes A[9]) {
  return A[0] * (A[4] * A[8] - A[5] * A[7]) + A[1] * (A[5] * A[6] - A[3] * A[8]) +
         A[2] * (A[3] * A[7] - A[4] * A[6]);
}

// Columns p and q of A (and V) turned so that those of A are square to each other.
INLINE void columns_turn(const int p, const int q, lanes A[9], lanes V[9]) {
  const lanes a = dot3(A[p], A[3 + p], A[6 + p], A[p], A[3 + p], A[6 + p]);
  const lanes b = dot3(A[q], A[3 + q], A[6 + q], A[q], A[3 + q], A[6 + q]);
  const lanes c = dot3(A[p], A[3 + p], A[6 + p], A[q], A[3 + q], A[6 + q]);
  // tangent of the angle: t = c'/(d + sign(d) sqrt(d^2 + c'^2)), c' = 2 c, d = b - a
  const lanes d = b - a, c2 = c + c;
  const lanes r = root(d * d + c2 * c2) + all(1e-300);
  const lanes t = c2 / choose(d < all(0.0), d - r, d + r);
  const lanes cosine = all(1.0) / root(all(1.0) + t * t), sine = cosine * t;
#pragma GCC unroll 3
  for (int i = 0; i < 9; i += 3) {
    const lanes ap = A[i + p], aq = A[i + q], vp = V[i + p], vq = V[i + q];
    A[i + p] = cosine * ap - sine * aq;
    A[i + q] = sine * ap + cosine * aq;
    V[i + p] = cosine * vp - sine * vq;
    V[i + q] = sine * vp + cosine * vq;
  }
}

// Whether columns p and q are square to each other, to round-off.
INLINE lane_mask columns_askew(const int p, const int q, const lanes A[9]) {
  const double tolerance = 1e-30;  // [-]  of the cosine squared
  const lanes a = dot3(A[p], A[3 + p], A[6 + p], A[p], A[3 + p], A[6 + p]);
  const lanes b = dot3(A[q], A[3 + q], A[6 + q], A[q], A[3 + q], A[6 + q]);
  const lanes c = dot3(A[p], A[3 + p], A[6 + p], A[q], A[3 + q], A[6 + q]);
  return c * c > all(tolerance) * a * b;
}

// Swaps columns p and q where the second is longer; one changes sign, so that V stays a rotation.
INLINE void columns_order(const int p, const int q, lanes A[9], lanes V[9]) {
  const lanes a = dot3(A[p], A[3 + p], A[6 + p], A[p], A[3 + p], A[6 + p]);
  const lanes b = dot3(A[q], A[3 + q], A[6 + q], A[q], A[3 + q], A[6 + q]);
  const lane_mask swap = b > a;
#pragma GCC unroll 3
  for (int i = 0; i < 9; i += 3) {
    const lanes ap = A[i + p], aq = A[i + q], vp = V[i + p], vq = V[i + q];
    A[i + p] = choose(swap, aq, ap), A[i + q] = choose(swap, -ap, aq);
    V[i + p] = choose(swap, vq, vp), V[i + q] = choose(swap, -vp, vq);
  }
}

// x scaled to unit length; where it is zero, `instead`.
INLINE void unit(lanes x[3], const lanes instead[3]) {
  const lanes length = root(dot3(x[0], x[1], x[2], x[0], x[1], x[2]));
  const lane_mask zero = length <= all(1e-290);
  const lanes inverse = all(1.0) / choose(zero, all(1.0), length);
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) x[i] = choose(zero, instead[i], x[i] * inverse);
}

/* F = U diag(s) V', U and V rotations, s[0] >= s[1] >= |s[2]|, by one-sided Jacobi rotations.
 * Golub, Van Loan, Matrix Computations, section 8.6.3. */
INLINE void svd(const lanes F[9], lanes U[9], lanes V[9], lanes s[3]) {
  enum { SWEEPS = 12 };  // at most; four to six are usual
  lanes A[9];
#pragma GCC unroll 9
  for (int i = 0; i < 9; ++i) A[i] = F[i], V[i] = all(i % 4 == 0 ? 1.0 : 0.0);
  for (int sweep = 0; sweep < SWEEPS; ++sweep) {
    columns_turn(0, 1, A, V);
    columns_turn(0, 2, A, V);
    columns_turn(1, 2, A, V);
    if (!any(columns_askew(0, 1, A) | columns_askew(0, 2, A) | columns_askew(1, 2, A))) break;
  }
  columns_order(0, 1, A, V);
  columns_order(0, 2, A, V);
  columns_order(1, 2, A, V);

  // first column, the second square to it, the third completes a rotation
  const lanes zero = all(0.0), one = all(1.0), ex[3] = {one, zero, zero};
  lanes u[3] = {A[0], A[3], A[6]}, w[3], z[3], e[3];
  unit(u, ex);
  const lane_mask steep = u[0] * u[0] > all(0.5);
  const lanes away[3] = {choose(steep, zero, one), choose(steep, one, zero), zero};
  const lanes along = dot3(away[0], away[1], away[2], u[0], u[1], u[2]);
  const lanes across = dot3(A[1], A[4], A[7], u[0], u[1], u[2]);
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) w[i] = A[3 * i + 1] - across * u[i], e[i] = away[i] - along * u[i];
  unit(e, ex);
  unit(w, e);
  z[0] = u[1] * w[2] - u[2] * w[1];
  z[1] = u[2] * w[0] - u[0] * w[2];
  z[2] = u[0] * w[1] - u[1] * w[0];
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) U[3 * i] = u[i], U[3 * i + 1] = w[i], U[3 * i + 2] = z[i];
  s[0] = dot3(u[0], u[1], u[2], A[0], A[3], A[6]);
  s[1] = dot3(w[0], w[1], w[2], A[1], A[4], A[7]);
  s[2] = dot3(z[0], z[1], z[2], A[2], A[5], A[8]);
}

/* R <- the rotation of F = R S, S positive definite, by Newton's method on R^-T = R; false: there
 * is an element in it that is inverted or so thin that this takes more than NEWTON steps. R <- (R +
 * R^-T)/2,   R^-T = cofactors of R over its determinant Errors are squared in each step, so it ends
 * where one changed R by less than the root of round-off. Source: Higham, Functions of Matrices,
 * section 8.3. */
INLINE bool polar(const lanes F[9], lanes R[9]) {
  enum { NEWTON = 8 };
  const lanes least = all(1e-3), half = all(0.5), small = all(1e-17);
#pragma GCC unroll 9
  for (int i = 0; i < 9; ++i) R[i] = F[i];
  for (int step = 0; step < NEWTON; ++step) {
    const lanes C[9] = {
        R[4] * R[8] - R[5] * R[7], R[5] * R[6] - R[3] * R[8], R[3] * R[7] - R[4] * R[6],
        R[2] * R[7] - R[1] * R[8], R[0] * R[8] - R[2] * R[6], R[1] * R[6] - R[0] * R[7],
        R[1] * R[5] - R[2] * R[4], R[2] * R[3] - R[0] * R[5], R[0] * R[4] - R[1] * R[3]};
    const lanes J = dot3(R[0], R[1], R[2], C[0], C[1], C[2]);
    if (any(~(J > least))) return false;
    const lanes inverse = half / J;
    lanes change = all(0.0);
#pragma GCC unroll 9
    for (int i = 0; i < 9; ++i) {
      const lanes next = half * R[i] + inverse * C[i], d = next - R[i];
      change += d * d;
      R[i] = next;
    }
    if (!any(change > small)) return true;
  }
  return false;
}

// C = A B, C = A B'.
INLINE void mul(lanes C[9], const lanes A[9], const lanes B[9]) {
#pragma GCC unroll 3
  for (int i = 0; i < 9; i += 3)
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) C[i + j] = A[i] * B[j] + A[i + 1] * B[3 + j] + A[i + 2] * B[6 + j];
}
INLINE void mul_t(lanes C[9], const lanes A[9], const lanes B[9]) {
#pragma GCC unroll 3
  for (int i = 0; i < 9; i += 3)
#pragma GCC unroll 3
    for (int j = 0; j < 9; j += 3)
      C[i + j / 3] = A[i] * B[j] + A[i + 1] * B[j + 1] + A[i + 2] * B[j + 2];
}
// C = A' B
INLINE void tmul(lanes C[9], const lanes A[9], const lanes B[9]) {
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i)
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j)
      C[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
}
