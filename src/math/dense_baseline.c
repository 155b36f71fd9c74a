/* math/dense_baseline.c: the dense kernels for whatever the compiler assumes of every machine.
 * Contraction is on: see dense_kernels.h. */
#define LIMPET_DENSE_TABLE limpet_dense_baseline
#define LIMPET_DENSE_NAME "baseline"
#include "math/dense_kernels.h"
