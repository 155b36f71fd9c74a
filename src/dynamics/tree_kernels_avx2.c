/* dynamics/tree_kernels_avx2.c: sweeps over bodies for x86-64 with AVX2. Nothing is contracted: the
 * bits are the baseline's. */
#if defined(__x86_64__)
#define LIMPET_TREE_KERNELS limpet_tree_kernels_avx2
#define LIMPET_TREE_KERNELS_NAME "avx2"
#include "dynamics/tree_kernels_code.h"
#else
typedef int limpet_tree_kernels_avx2_is_empty;
#endif
