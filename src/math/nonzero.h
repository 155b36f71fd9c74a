/* math/nonzero.h: whether an array holds anything but zeros, without a branch for each number: what
 * a model may have and mostly has not, as damping and armature, is asked in every step. */
#ifndef LIMPET_MATH_NONZERO_H
#define LIMPET_MATH_NONZERO_H

#include <stdbool.h>
#include <string.h>

// All bits but signs, two numbers at a time, which every 64-bit processor can do. NaN is not zero.
static inline bool limpet_any_nonzero(const double *x, int count) {
  typedef unsigned long long pair __attribute__((vector_size(16), aligned(8), may_alias));
  enum { BLOCK = 8 };
  pair found = {0, 0};
  if (count < BLOCK) {
    int i = 0;
    for (; i + 2 <= count; i += 2) found |= *(const pair *)(x + i);
    if (i < count && x[i] != 0.0) return true;
  } else {
    // blocks of eight, of which the last one may begin within the one before
    const double *last = x + count - BLOCK;
    for (const double *from = x; from < last; from += BLOCK)
      found |= *(const pair *)from | *(const pair *)(from + 2) | *(const pair *)(from + 4) |
               *(const pair *)(from + 6);
    found |= *(const pair *)last | *(const pair *)(last + 2) | *(const pair *)(last + 4) |
             *(const pair *)(last + 6);
  }
  return (found[0] | found[1]) << 1 != 0;
}

// Whether one of them is true, eight at a time.
static inline bool limpet_any_true(const bool *x, int count) {
  unsigned long long found = 0, eight;
  int i = 0;
  for (; i + (int)sizeof eight <= count; i += (int)sizeof eight) {
    memcpy(&eight, x + i, sizeof eight);
    found |= eight;
  }
  for (; i < count; ++i) found |= x[i];
  return found != 0;
}

#endif
