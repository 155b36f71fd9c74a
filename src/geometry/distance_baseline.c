/* geometry/distance_baseline.c: the distance kernels for whatever the compiler assumes of every
 * machine. */
#define LIMPET_DISTANCE_TABLE limpet_distance_baseline
#define LIMPET_DISTANCE_NAME "baseline"
#include "geometry/distance_kernels.h"
