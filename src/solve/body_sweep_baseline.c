/* solve/body_sweep_baseline.c: the kernels of body_sweep.h for whatever the compiler assumes of
 * every machine, and the choice. */
#define LIMPET_BODY_SWEEP limpet_body_sweep_baseline
#include "solve/body_sweep_kernel.h"

#include "math/dense_table.h"

const limpet_body_sweep_kernels *limpet_body_sweep_here(void) {
#if defined(__x86_64__)
  if (limpet_dense() != &limpet_dense_baseline) return &limpet_body_sweep_avx2;
#endif
  return &limpet_body_sweep_baseline;
}
