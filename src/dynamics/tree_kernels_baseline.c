/* dynamics/tree_kernels_baseline.c: sweeps over bodies for whatever the compiler assumes of every
 * machine. */
#define LIMPET_TREE_KERNELS limpet_tree_kernels_baseline
#define LIMPET_TREE_KERNELS_NAME "baseline"
#include "dynamics/tree_kernels_code.h"
