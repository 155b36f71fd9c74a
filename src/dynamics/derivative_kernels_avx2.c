/* dynamics/derivative_kernels_avx2.c: derivatives of inverse dynamics for x86-64 with AVX2. Nothing
 * is contracted: the bits are those of the baseline. */
#if defined(__x86_64__)
#define LIMPET_DERIVATIVE_KERNELS limpet_derivative_kernels_avx2
#define LIMPET_DERIVATIVE_KERNELS_NAME "avx2"
#include "dynamics/derivative_kernels_code.h"
#else
typedef int limpet_derivative_kernels_avx2_is_empty;
#endif
