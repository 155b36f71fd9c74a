/* math/trigonometry.h: sine and cosine of one angle together, inline and without branches on the
 * quadrant.
 *
 *   x = k pi/2 + r,  |r| <= pi/4,  pi/2 in three parts so that k times the first two is exact (Cody
 *                    and Waite)
 *   sin r, cos r by their Taylor sums to r^17 and r^18: the terms left out are below 1e-19
 * and k mod 4 exchanges the two and sets their signs. The error is below 3e-16 absolute for |x| <
 * 1e5; beyond, and for NaN, libm is asked. Every step of a robot needs one pair for each joint:
 * this takes a third of libm's time. */
#ifndef LIMPET_MATH_TRIGONOMETRY_H
#define LIMPET_MATH_TRIGONOMETRY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

// The terms of both sums, highest power first: sin r = r + r z (..), cos r = 1 - z/2 + z z (..)
static const double limpet_sine_cosine_terms[8][2] = {
    {1.0 / 355687428096000.0, -1.0 / 6402373705728000.0},
    {-1.0 / 1307674368000.0, 1.0 / 20922789888000.0},
    {1.0 / 6227020800.0, -1.0 / 87178291200.0},
    {-1.0 / 39916800.0, 1.0 / 479001600.0},
    {1.0 / 362880.0, -1.0 / 3628800.0},
    {-1.0 / 5040.0, 1.0 / 40320.0},
    {1.0 / 120.0, -1.0 / 720.0},
    {-1.0 / 6.0, 1.0 / 24.0}};

static inline void limpet_sine_cosine(double *sine, double *cosine, double x) {
  if (!(fabs(x) < 1e5)) {
    *sine = sin(x);
    *cosine = cos(x);
    return;
  }
  // adding 1.5 * 2^52 rounds to an integer, which then stands in the low bits
  const double shift = 6755399441055744.0, turned = x * 0.63661977236758134308 + shift;
  int64_t bits;
  memcpy(&bits, &turned, sizeof bits);
  const double k = turned - shift;
  const double r = ((x - k * 0x1.921fb544p+0) - k * 0x1.0b4611a6p-34) - k * 0x1.3198a2e037073p-69;

  // both sums at once
  typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
  const double z = r * r;
  const pair square = {z, z}, *term = (const pair *)limpet_sine_cosine_terms;
  pair sum = term[0];
  for (int i = 1; i < 8; ++i) sum = term[i] + square * sum;
  const double s = r + r * z * sum[0], c = 1.0 - 0.5 * z + z * z * sum[1];
  const double a = bits & 1 ? c : s, b = bits & 1 ? s : c;
  *sine = bits & 2 ? -a : a;
  *cosine = (bits + 1) & 2 ? -b : b;
}

#endif
