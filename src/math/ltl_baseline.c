/* math/ltl_baseline.c: the kernels of ltl.h for whatever the compiler assumes of every machine.
 * Contraction is on: see ltl_kernels.h. */
#define LIMPET_LTL_TABLE limpet_ltl_baseline
#include "math/ltl_kernels.h"
