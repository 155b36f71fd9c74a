/* contact/point_kernels_avx2.c: contact points for x86-64 with AVX2. Nothing is contracted: the
 * bits are the baseline's. */
#if defined(__x86_64__)
#define LIMPET_POINT_KERNELS limpet_point_kernels_avx2
#define LIMPET_POINT_KERNELS_NAME "avx2"
#include "contact/point_kernels_code.h"
#else
typedef int limpet_point_kernels_avx2_is_empty;
#endif
