/* fem/kernels_avx2.c: the kernels for x86-64 with AVX2 and FMA. */
#if defined(__x86_64__)
#define LIMPET_FEM_TABLE limpet_fem_kernels_avx2
#define LIMPET_FEM_NAME "avx2"
#include "fem/kernels_code.h"
#else
typedef int limpet_fem_kernels_avx2_is_empty;
#endif
