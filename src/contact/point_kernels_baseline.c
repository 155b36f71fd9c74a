/* contact/point_kernels_baseline.c: contact points for whatever the compiler assumes of every
 * machine. */
#define LIMPET_POINT_KERNELS limpet_point_kernels_baseline
#define LIMPET_POINT_KERNELS_NAME "baseline"
#include "contact/point_kernels_code.h"
