/* optim/qp_avx2.c: the kernels of quadratic programmes for x86-64 with AVX2 and FMA. Contraction is
 * on: see qp_kernels.h. */
#if defined(__x86_64__)
#define LIMPET_QP_TABLE limpet_qp_avx2
#include "optim/qp_kernels.h"
#else
typedef int limpet_qp_avx2_is_empty;
#endif
