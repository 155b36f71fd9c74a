/* dynamics/derivative_kernels_baseline.c: derivatives of inverse dynamics for whatever the compiler
 * assumes of every machine. */
#define LIMPET_DERIVATIVE_KERNELS limpet_derivative_kernels_baseline
#define LIMPET_DERIVATIVE_KERNELS_NAME "baseline"
#include "dynamics/derivative_kernels_code.h"
