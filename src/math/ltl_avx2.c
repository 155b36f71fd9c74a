/* math/ltl_avx2.c: the kernels of ltl.h for x86-64 with AVX2 and FMA. Contraction is on: see
 * ltl_kernels.h. */
#if defined(__x86_64__)
#define LIMPET_LTL_TABLE limpet_ltl_avx2
#include "math/ltl_kernels.h"
#else
typedef int limpet_ltl_avx2_is_empty;
#endif
