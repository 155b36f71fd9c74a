/* solve/body_sweep_baseline.c: the kernel of body_sweep.h for whatever the compiler assumes of
 * every machine, and the choice. */
#define LIMPET_BODY_RELAX limpet_body_relax_baseline
#include "solve/body_sweep_kernel.h"

#include "math/dense_table.h"

limpet_body_relax *limpet_body_relax_here(void) {
#if defined(__x86_64__)
  if (limpet_dense() != &limpet_dense_baseline) return limpet_body_relax_avx2;
#endif
  return limpet_body_relax_baseline;
}
