/* fem/kernels.c: the kernels of this machine, chosen once when the library is loaded. */
#include "fem/kernels.h"

static const limpet_fem_kernels *table = &limpet_fem_kernels_baseline;

#if defined(__x86_64__)
__attribute__((constructor)) static void table_choose(void) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    table = &limpet_fem_kernels_avx2;
}
#endif

const limpet_fem_kernels *limpet_fem(void) { return table; }
