/* math/six.h: six numbers in lanes, four and two: a twist, a wrench, or a row of a Jacobian for one
 * body. For kernels that are compiled for several instruction sets (dense_table.h): what they
 * inline from here becomes AVX2 where they are. */
#ifndef LIMPET_MATH_SIX_H
#define LIMPET_MATH_SIX_H

// vectors wider than the machine's are only passed to functions that are inlined
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

typedef double limpet_six_low __attribute__((vector_size(32), aligned(8), may_alias));
typedef double limpet_six_high __attribute__((vector_size(16), aligned(8), may_alias));

typedef struct limpet_six {
  limpet_six_low low;
  limpet_six_high high;
} limpet_six;

#define LIMPET_SIX_INLINE static inline __attribute__((always_inline))

LIMPET_SIX_INLINE limpet_six limpet_six_at(const double *x) {
  return (limpet_six){*(const limpet_six_low *)x, *(const limpet_six_high *)(x + 4)};
}

LIMPET_SIX_INLINE void limpet_six_store(double *x, limpet_six a) {
  *(limpet_six_low *)x = a.low, *(limpet_six_high *)(x + 4) = a.high;
}

// a + s b
LIMPET_SIX_INLINE limpet_six limpet_six_addmul(limpet_six a, double s, limpet_six b) {
  return (limpet_six){a.low + s * b.low, a.high + s * b.high};
}

LIMPET_SIX_INLINE limpet_six limpet_six_scaled(double s, limpet_six a) {
  return (limpet_six){s * a.low, s * a.high};
}

// Products number by number, and added to those of two others.
LIMPET_SIX_INLINE limpet_six limpet_six_product(limpet_six a, limpet_six b) {
  return (limpet_six){a.low * b.low, a.high * b.high};
}

LIMPET_SIX_INLINE limpet_six limpet_six_add_product(limpet_six sum, limpet_six a, limpet_six b) {
  return (limpet_six){sum.low + a.low * b.low, sum.high + a.high * b.high};
}

LIMPET_SIX_INLINE double limpet_six_sum(limpet_six a) {
  const limpet_six_high sum =
      (__builtin_shufflevector(a.low, a.low, 0, 1) + __builtin_shufflevector(a.low, a.low, 2, 3)) +
      a.high;
  return sum[0] + sum[1];
}

/* J v of one contact between `sides` (1 or 2, a constant) bodies: u (3) from the rows J_s (3 x 6)
 * and the velocities v_s. */
LIMPET_SIX_INLINE void limpet_six_speeds(const int sides, const double *const J[2],
                                         const limpet_six v[2], double u[3]) {
#pragma GCC unroll 3
  for (int e = 0; e < 3; ++e) {
    limpet_six sum = limpet_six_product(limpet_six_at(J[0] + 6 * e), v[0]);
    if (sides == 2) sum = limpet_six_add_product(sum, limpet_six_at(J[1] + 6 * e), v[1]);
    u[e] = limpet_six_sum(sum);
  }
}

// f + J' gamma for the rows J (3 x 6) of one body.
LIMPET_SIX_INLINE limpet_six limpet_six_push(limpet_six f, const double *J, const double gamma[3]) {
#pragma GCC unroll 3
  for (int e = 0; e < 3; ++e) f = limpet_six_addmul(f, gamma[e], limpet_six_at(J + 6 * e));
  return f;
}

#endif
