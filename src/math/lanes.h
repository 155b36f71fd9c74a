/* math/lanes.h: four doubles at once, for files that are compiled for each instruction set.
 *
 * A file includes it outside of any header guard's reach of others: all is static and inlined. A
 * mask has all bits of a lane set, or none. */
#ifndef LIMPET_MATH_LANES_H
#define LIMPET_MATH_LANES_H

// vectors wider than the machine's are only passed to functions that are inlined
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#include <math.h>
#include <stdbool.h>
#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "math/transpose_four.h"

#define INLINE static inline __attribute__((always_inline))
typedef double lanes __attribute__((vector_size(32), aligned(32), may_alias));
typedef double lanes_anywhere __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long lane_mask __attribute__((vector_size(32)));

enum { LANES = 4 };

INLINE lanes all(double x) { return (lanes){x, x, x, x}; }
INLINE lanes choose(lane_mask mask, lanes a, lanes b) {
  return (lanes)((mask & (lane_mask)a) | (~mask & (lane_mask)b));
}
INLINE bool any(lane_mask mask) { return mask[0] | mask[1] | mask[2] | mask[3]; }
// Four doubles at any place.
INLINE lanes lanes_at(const double *x) { return *(const lanes_anywhere *)x; }
INLINE void lanes_put(double *x, lanes value) { *(lanes_anywhere *)x = value; }
// Zeros in `count` places. Compilers make such loops calls of memset, which for some kB is slower.
INLINE void lanes_clear(double *x, int count) {
  double *end = x + (count & ~3);
  for (; end - x >= 4 * LANES; x += 4 * LANES) {
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) lanes_put(x + LANES * k, all(0.0));
    __asm__("" : "+r"(x));
  }
  for (; x < end; x += 4) {
    lanes_put(x, all(0.0));
    __asm__("" : "+r"(x));
  }
  for (int i = 0; i < (count & 3); ++i) x[i] = 0.0;
}

// Bit k: lane k of the mask.
INLINE int bits(lane_mask mask) {
#if defined(__AVX__)
  return _mm256_movemask_pd((__m256d)mask);
#else
  return (int)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
#endif
}
// Lanes index[0 ... 3] of x.
INLINE lanes pick(lanes x, const unsigned char index[4]) {
#if defined(__AVX2__)
  // of halves of a lane: 2 i and 2 i + 1
  const __m256i at = _mm256_cvtepu8_epi64(_mm_loadu_si32(index));
  const __m256i twice = _mm256_slli_epi64(at, 1);
  const __m256i halves = _mm256_or_si256(_mm256_or_si256(twice, _mm256_slli_epi64(twice, 32)),
                                         _mm256_set1_epi64x((long long)1 << 32));
  return (lanes)_mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps((__m256d)x), halves));
#else
  return (lanes){x[index[0]], x[index[1]], x[index[2]], x[index[3]]};
#endif
}

// Rows 0 ... 3 to columns.
INLINE void transpose(const lanes from[4], lanes to[4]) { TRANSPOSE_FOUR(lanes, from, to); }

#endif
