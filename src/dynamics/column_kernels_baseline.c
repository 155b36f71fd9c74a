/* dynamics/column_kernels_baseline.c: columns of a point for whatever the compiler assumes of every
 * machine. */
#define LIMPET_COLUMN_KERNELS limpet_column_kernels_baseline
#define LIMPET_COLUMN_KERNELS_NAME "baseline"
#include "dynamics/column_kernels_code.h"
