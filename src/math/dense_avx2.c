/* math/dense_avx2.c: the dense kernels for x86-64 with AVX2 and FMA. Contraction is on: see
 * dense_kernels.h. */
#if defined(__x86_64__)
#define LIMPET_DENSE_TABLE limpet_dense_avx2
#define LIMPET_DENSE_NAME "avx2"
#include "math/dense_kernels.h"
#else
typedef int limpet_dense_avx2_is_empty;
#endif
