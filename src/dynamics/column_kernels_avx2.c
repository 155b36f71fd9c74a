/* dynamics/column_kernels_avx2.c: columns of a point for x86-64 with AVX2. Nothing is contracted:
 * the bits are those of the baseline. */
#if defined(__x86_64__)
#define LIMPET_COLUMN_KERNELS limpet_column_kernels_avx2
#define LIMPET_COLUMN_KERNELS_NAME "avx2"
#include "dynamics/column_kernels_code.h"
#else
typedef int limpet_column_kernels_avx2_is_empty;
#endif
