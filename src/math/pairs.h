/* math/pairs.h: sums over short arrays, two numbers at a time, which every 64-bit processor can do:
 * of some ten numbers calls and loops in more lanes cost more than the work. */
#ifndef LIMPET_MATH_PAIRS_H
#define LIMPET_MATH_PAIRS_H

#include <stdbool.h>

typedef double limpet_pair __attribute__((vector_size(16), aligned(8), may_alias));

static inline limpet_pair limpet_pair_at(const double *x) { return *(const limpet_pair *)x; }

// How many of n numbers are in pairs.
static inline long limpet_pairs_even(int n) { return n & ~1; }

static inline void limpet_pairs_copy(int n, double *y, const double *x) {
  long i = 0;
  for (; i < limpet_pairs_even(n); i += 2) *(limpet_pair *)(y + i) = limpet_pair_at(x + i);
  if (i < n) y[i] = x[i];
}

// y = a + s x
static inline void limpet_pairs_addmul(int n, double *y, const double *a, double s,
                                       const double *x) {
  long i = 0;
  for (; i < limpet_pairs_even(n); i += 2)
    *(limpet_pair *)(y + i) = limpet_pair_at(a + i) + s * limpet_pair_at(x + i);
  if (i < n) y[i] = a[i] + s * x[i];
}

// y += s (a - b)
static inline void limpet_pairs_add_difference(int n, double *y, double s, const double *a,
                                               const double *b) {
  long i = 0;
  for (; i < limpet_pairs_even(n); i += 2)
    *(limpet_pair *)(y + i) += s * (limpet_pair_at(a + i) - limpet_pair_at(b + i));
  if (i < n) y[i] += s * (a[i] - b[i]);
}

static inline double limpet_pairs_square(int n, const double *x) {
  limpet_pair sum = {0.0, 0.0};
  long i = 0;
  for (; i < limpet_pairs_even(n); i += 2) sum += limpet_pair_at(x + i) * limpet_pair_at(x + i);
  if (i < n) sum[0] += x[i] * x[i];
  return sum[0] + sum[1];
}

// (a + b) . x
static inline double limpet_pairs_dot_sum(int n, const double *a, const double *b,
                                          const double *x) {
  limpet_pair sum = {0.0, 0.0};
  long i = 0;
  for (; i < limpet_pairs_even(n); i += 2)
    sum += (limpet_pair_at(a + i) + limpet_pair_at(b + i)) * limpet_pair_at(x + i);
  if (i < n) sum[0] += (a[i] + b[i]) * x[i];
  return sum[0] + sum[1];
}

// Whether all of them are finite.
static inline bool limpet_pairs_finite(int n, const double *x) {
  limpet_pair sum = {0.0, 0.0};
  long i = 0;
  for (; i < limpet_pairs_even(n); i += 2) sum += 0.0 * limpet_pair_at(x + i);
  if (i < n) sum[0] += 0.0 * x[i];
  return sum[0] + sum[1] == 0.0;
}

#endif
