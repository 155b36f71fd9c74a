/* geometry/distance_avx2.c: the distance kernels for x86-64 with AVX2. Nothing is contracted: the
 * bits are the baseline's. */
#if defined(__x86_64__)
#define LIMPET_DISTANCE_TABLE limpet_distance_avx2
#define LIMPET_DISTANCE_NAME "avx2"
#include "geometry/distance_kernels.h"
#else
typedef int limpet_distance_avx2_is_empty;
#endif
