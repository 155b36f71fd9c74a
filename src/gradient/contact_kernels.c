// gradient/contact_kernels.c: which inner loops this machine has; chosen when the library is
// loaded.
#include "gradient/contact_kernels.h"

static const limpet_contact_kernels *kernels = &limpet_contact_kernels_baseline;

#if defined(__x86_64__)
__attribute__((constructor)) static void kernels_choose(void) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    kernels = &limpet_contact_kernels_avx2;
}
#endif

const limpet_contact_kernels *limpet_contact_kernels_here(void) { return kernels; }
