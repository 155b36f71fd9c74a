/* math/transpose_four.h: rows 0 ... 3 of a 4 x 4 block to its columns, for any type of four doubles
 * (lanes.h has aligned ones, the dense kernels have others). to: no part of from. */
#ifndef LIMPET_MATH_TRANSPOSE_FOUR_H
#define LIMPET_MATH_TRANSPOSE_FOUR_H

#define TRANSPOSE_FOUR(type, from, to)                                         \
  do {                                                                         \
    const type a_ = __builtin_shufflevector((from)[0], (from)[1], 0, 4, 2, 6), \
               b_ = __builtin_shufflevector((from)[0], (from)[1], 1, 5, 3, 7), \
               c_ = __builtin_shufflevector((from)[2], (from)[3], 0, 4, 2, 6), \
               d_ = __builtin_shufflevector((from)[2], (from)[3], 1, 5, 3, 7); \
    (to)[0] = __builtin_shufflevector(a_, c_, 0, 1, 4, 5);                     \
    (to)[1] = __builtin_shufflevector(b_, d_, 0, 1, 4, 5);                     \
    (to)[2] = __builtin_shufflevector(a_, c_, 2, 3, 6, 7);                     \
    (to)[3] = __builtin_shufflevector(b_, d_, 2, 3, 6, 7);                     \
  } while (0)

#endif
