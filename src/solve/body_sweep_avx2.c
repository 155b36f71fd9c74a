/* solve/body_sweep_avx2.c: the kernels of body_sweep.h for x86-64 with AVX2 and FMA. */
#if defined(__x86_64__)
#define LIMPET_BODY_SWEEP limpet_body_sweep_avx2
#include "solve/body_sweep_kernel.h"
#else
typedef int limpet_body_sweep_avx2_is_empty;
#endif
