/* math/extremes.h: the larger and the smaller of two numbers, inline.
 *
 * As fmax and fmin: where one of the two is not a number the other one is returned. Compilers call
 * the library for those, which costs more than the comparison. */
#ifndef LIMPET_MATH_EXTREMES_H
#define LIMPET_MATH_EXTREMES_H

static inline double limpet_max(double a, double b) { return a > b || b != b ? a : b; }
static inline double limpet_min(double a, double b) { return a < b || b != b ? a : b; }
// The same by one comparison: b where one is no number.
static inline double limpet_larger(double a, double b) { return a > b ? a : b; }
static inline double limpet_smaller(double a, double b) { return a < b ? a : b; }

#endif
