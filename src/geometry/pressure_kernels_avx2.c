/* geometry/pressure_kernels_avx2.c: the kernels of tetrahedral fields for x86-64 with AVX2. */
#if defined(__x86_64__)
#define LIMPET_PRESSURE_TABLE limpet_pressure_kernels_avx2
#define LIMPET_PRESSURE_NAME "avx2"
#include "geometry/pressure_kernels_code.h"
#else
typedef int limpet_pressure_kernels_avx2_is_empty;
#endif
