/* math/lanes3.h: vectors of three numbers, quaternions and 3x3 matrices in four lanes, for files
 * that are compiled for each instruction set.
 *
 * A vector has x, y, z in its first lanes; what is in the fourth is of no account. Sums run in the
 * order of vec3.h and quaternion.h, so where nothing is contracted the bits are theirs. Nothing is
 * read or written beyond the three numbers. */
#ifndef LIMPET_MATH_LANES3_H
#define LIMPET_MATH_LANES3_H

#include "math/lanes.h"

typedef double two_lanes __attribute__((vector_size(16), aligned(8), may_alias));

// Three numbers, the fourth lane 0.
INLINE lanes three(const double *x) {
#if defined(__AVX2__)
  return (lanes)_mm256_maskload_pd(x, _mm256_setr_epi64x(-1, -1, -1, 0));
#else
  return (lanes){x[0], x[1], x[2], 0.0};
#endif
}
INLINE void three_put(double *x, lanes a) {
  *(two_lanes *)x = __builtin_shufflevector(a, a, 0, 1);
  x[2] = a[2];
}
// Of numbers that have one before them.
INLINE lanes three_after(const double *x) {
  const lanes a = lanes_at(x - 1);
  return __builtin_shufflevector(a, a, 1, 2, 3, 0);
}
// Six numbers: a and b.
INLINE void six_put(double *x, lanes a, lanes b) {
  const lanes turned = __builtin_shufflevector(b, b, 1, 2, 3, 0);
  *(two_lanes *)(x + 4) = __builtin_shufflevector(turned, turned, 0, 1);
  lanes_put(x, __builtin_shufflevector(a, b, 0, 1, 2, 4));
}
INLINE bool three_zero(lanes a) { return (bits(a != all(0.0)) & 7) == 0; }
INLINE bool three_equal(lanes a, lanes b) { return (bits(a != b) & 7) == 0; }

INLINE lanes lane(lanes a, const int i) { return all(a[i]); }
INLINE lanes yzx(lanes a) { return __builtin_shufflevector(a, a, 1, 2, 0, 3); }
INLINE lanes zxy(lanes a) { return __builtin_shufflevector(a, a, 2, 0, 1, 3); }
INLINE lanes cross(lanes a, lanes b) { return yzx(a) * zxy(b) - zxy(a) * yzx(b); }

// x, y, z of a quaternion (w, x, y, z), and back.
INLINE lanes quaternion_vector(lanes q) { return __builtin_shufflevector(q, q, 1, 2, 3, 0); }
INLINE lanes quaternion_with(double w, lanes a) {
  const lanes turned = __builtin_shufflevector(a, a, 3, 0, 1, 2);
  return __builtin_shufflevector(turned, all(w), 4, 1, 2, 3);
}

// a with the signs of some lanes changed.
INLINE lanes negated(lanes a, const bool x, const bool y, const bool z, const bool w) {
  const long long sign = (long long)(1ULL << 63);
  return (lanes)((lane_mask)a ^
                 (lane_mask){x ? sign : 0, y ? sign : 0, z ? sign : 0, w ? sign : 0});
}

INLINE lanes quaternion_times(lanes a, lanes b) {
  const lanes b1 = __builtin_shufflevector(b, b, 1, 0, 3, 2),
              b2 = __builtin_shufflevector(b, b, 2, 3, 0, 1),
              b3 = __builtin_shufflevector(b, b, 3, 2, 1, 0);
  return lane(a, 0) * b + lane(a, 1) * negated(b1, 1, 0, 1, 0) +
         lane(a, 2) * negated(b2, 1, 0, 0, 1) + lane(a, 3) * negated(b3, 1, 1, 0, 0);
}

// The rotation of q applied to a.
INLINE lanes quaternion_turned(lanes q, lanes a) {
  const lanes v = quaternion_vector(q), t = all(2.0) * cross(v, a);
  return a + lane(q, 0) * t + cross(v, t);
}

// Rotation matrix of a unit quaternion, by rows and by columns.
INLINE void quaternion_axes(lanes q, lanes row[3], lanes column[3]) {
  const lanes v = quaternion_vector(q), square = q * q;
  const lanes product = v * yzx(v), turn = lane(q, 0) * zxy(v);
  // lanes: R01, R12, R20 and R10, R21, R02
  const lanes minus = all(2.0) * (product - turn), plus = all(2.0) * (product + turn);
  const lanes diagonal = lane(square, 0) + negated(lane(square, 1), 0, 1, 1, 0) +
                         negated(lane(square, 2), 1, 0, 1, 0) +
                         negated(lane(square, 3), 1, 1, 0, 0);
  const lanes m = zxy(minus), p = zxy(plus);
  row[0] =
      __builtin_shufflevector(__builtin_shufflevector(diagonal, m, 0, 5, 2, 3), plus, 0, 1, 6, 3);
  row[1] =
      __builtin_shufflevector(__builtin_shufflevector(plus, diagonal, 0, 5, 2, 3), m, 0, 1, 6, 3);
  row[2] =
      __builtin_shufflevector(__builtin_shufflevector(m, plus, 0, 5, 2, 3), diagonal, 0, 1, 6, 3);
  column[0] =
      __builtin_shufflevector(__builtin_shufflevector(diagonal, p, 0, 5, 2, 3), minus, 0, 1, 6, 3);
  column[1] =
      __builtin_shufflevector(__builtin_shufflevector(minus, diagonal, 0, 5, 2, 3), p, 0, 1, 6, 3);
  column[2] =
      __builtin_shufflevector(__builtin_shufflevector(p, minus, 0, 5, 2, 3), diagonal, 0, 1, 6, 3);
}

// A matrix by its rows to nine numbers.
INLINE void rows_put(double R[9], const lanes row[3]) {
  lanes_put(R, row[0]);
  lanes_put(R + 3, row[1]);
  three_put(R + 6, row[2]);
}

// R a from the rows of R.
INLINE lanes rows_times(const double *R, lanes a) {
  const lanes product[4] = {lanes_at(R) * a, lanes_at(R + 3) * a, three_after(R + 6) * a, a};
  lanes part[4];
  transpose(product, part);
  return part[0] + part[1] + part[2];
}

// Sum of the three columns (or rows) times x.
INLINE lanes columns_times(const lanes column[3], const double *x) {
  return column[0] * all(x[0]) + column[1] * all(x[1]) + column[2] * all(x[2]);
}

#endif
