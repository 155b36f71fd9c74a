/* math/ldl3.h: L D L' of a symmetric 3 x 3 matrix, as of inertias, and solves with it. */
#ifndef LIMPET_MATH_LDL3_H
#define LIMPET_MATH_LDL3_H

#include <stdbool.h>

typedef struct limpet_ldl3 {
  double inverse[3];     // 1/D
  double l10, l20, l21;  // below the ones on the diagonal of L
} limpet_ldl3;

// Reads the lower triangle of A. False: it is not positive definite, and f is not to be used.
static inline bool limpet_ldl3_factor(const double A[9], limpet_ldl3 *f) {
  if (!(A[0] > 0.0)) return false;
  f->inverse[0] = 1.0 / A[0];
  f->l10 = A[3] * f->inverse[0], f->l20 = A[6] * f->inverse[0];
  const double d1 = A[4] - f->l10 * A[3], a21 = A[7] - f->l20 * A[3];
  if (!(d1 > 0.0)) return false;
  f->inverse[1] = 1.0 / d1;
  f->l21 = a21 * f->inverse[1];
  const double d2 = A[8] - f->l20 * A[6] - f->l21 * a21;
  if (!(d2 > 0.0)) return false;
  f->inverse[2] = 1.0 / d2;
  return true;
}

// x <- A^-1 x
static inline void limpet_ldl3_solve(const limpet_ldl3 *f, double x[3]) {
  x[1] -= f->l10 * x[0];
  x[2] = (x[2] - f->l20 * x[0] - f->l21 * x[1]) * f->inverse[2];
  x[1] = x[1] * f->inverse[1] - f->l21 * x[2];
  x[0] = x[0] * f->inverse[0] - f->l10 * x[1] - f->l20 * x[2];
}

#endif
