// gradient/contact_kernels_avx2.c: inner loops of columns of contacts for x86-64 with AVX2 and FMA.
#if defined(__x86_64__)
#define LIMPET_CONTACT_KERNELS limpet_contact_kernels_avx2
#define LIMPET_CONTACT_KERNELS_NAME "avx2"
#include "gradient/contact_kernels_code.h"
#else
typedef int limpet_contact_kernels_avx2_is_empty;
#endif
