/* solve/tree_sweep_baseline.c: the kernels of tree_sweep.h for whatever the compiler assumes of
 * every machine, and the choice. */
#define LIMPET_TREE_SWEEP limpet_tree_sweep_baseline
#include "solve/tree_sweep_kernel.h"

#include "math/dense_table.h"

const limpet_tree_sweep_kernels *limpet_tree_sweep_here(void) {
#if defined(__x86_64__)
  if (limpet_dense() != &limpet_dense_baseline) return &limpet_tree_sweep_avx2;
#endif
  return &limpet_tree_sweep_baseline;
}
