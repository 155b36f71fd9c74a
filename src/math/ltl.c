/* math/ltl.c: the kernels of ltl.h for this machine, chosen once when the library is loaded. */
#include "math/ltl.h"

static const limpet_ltl_table *table = &limpet_ltl_baseline;

#if defined(__x86_64__)
__attribute__((constructor)) static void table_choose(void) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) table = &limpet_ltl_avx2;
}
#endif

const limpet_ltl_table *limpet_ltl(void) { return table; }
