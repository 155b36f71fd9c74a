/* optim/qp_baseline.c: the kernels of quadratic programmes for whatever the compiler assumes of
 * every machine, and the choice. Contraction is on: see qp_kernels.h. */
#define LIMPET_QP_TABLE limpet_qp_baseline
#include "optim/qp_kernels.h"

#include "math/dense_table.h"

const limpet_qp_table *limpet_qp_kernels(void) {
#if defined(__x86_64__)
  if (limpet_dense() != &limpet_dense_baseline) return &limpet_qp_avx2;
#endif
  return &limpet_qp_baseline;
}
