/* math/nonzero.h: whether an array holds anything but zeros, without a branch for each number: what
 * a model may have and mostly has not, as damping and armature, is asked in every step. */
#ifndef LIMPET_MATH_NONZERO_H
#define LIMPET_MATH_NONZERO_H

#include <stdbool.h>

// Two numbers at a time, which every 64-bit processor can do. NaN is not zero.
static inline bool limpet_any_nonzero(const double *x, int count) {
  typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
  typedef long long pair_mask __attribute__((vector_size(16)));
  pair_mask found = {0, 0};
  int i = 0;
  for (; i + 2 <= count; i += 2) found |= (pair_mask)(*(const pair *)(x + i) != (pair){0.0, 0.0});
  if (i < count && x[i] != 0.0) return true;
  return (found[0] | found[1]) != 0;
}

#endif
