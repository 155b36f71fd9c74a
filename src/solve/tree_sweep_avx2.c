/* solve/tree_sweep_avx2.c: the kernels of tree_sweep.h for x86-64 with AVX2 and FMA. */
#if defined(__x86_64__)
#define LIMPET_TREE_SWEEP limpet_tree_sweep_avx2
#include "solve/tree_sweep_kernel.h"
#else
typedef int limpet_tree_sweep_avx2_is_empty;
#endif
