/* geometry/pressure_kernels_baseline.c: the kernels of tetrahedral fields for whatever the compiler
 * assumes of every machine. */
#define LIMPET_PRESSURE_TABLE limpet_pressure_kernels_baseline
#define LIMPET_PRESSURE_NAME "baseline"
#include "geometry/pressure_kernels_code.h"

// Chosen when the library is loaded: a query never asks again.
static const limpet_pressure_kernels *table = &limpet_pressure_kernels_baseline;

#if defined(__x86_64__)
__attribute__((constructor)) static void table_choose(void) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) table = &limpet_pressure_kernels_avx2;
}
#endif

const limpet_pressure_kernels *limpet_pressure_kernels_here(void) { return table; }
