/* fem/kernels_baseline.c: the kernels for whatever the compiler assumes of every machine. */
#define LIMPET_FEM_TABLE limpet_fem_kernels_baseline
#define LIMPET_FEM_NAME "baseline"
#include "fem/kernels_code.h"
