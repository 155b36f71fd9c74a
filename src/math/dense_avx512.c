/* math/dense_avx512.c: the dense kernels for x86-64 with AVX-512 (its foundation, "F"), AVX2 and
 * FMA: tiles are twice as wide, all else is as for AVX2, and so are the bits. Contraction is on:
 * see dense_kernels.h. */
#if defined(__x86_64__)
#define LIMPET_DENSE_TABLE limpet_dense_avx512
#define LIMPET_DENSE_NAME "avx512"
#include "math/dense_kernels.h"
#else
typedef int limpet_dense_avx512_is_empty;
#endif
