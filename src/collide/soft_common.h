// collide/soft_common.h: where two surfaces on their ways can meet at all.
#ifndef LIMPET_COLLIDE_SOFT_COMMON_H
#define LIMPET_COLLIDE_SOFT_COMMON_H

#include <stdbool.h>

#include "collide/soft_surface.h"

// Where two surfaces on their ways can meet: a box, and a slab across a direction.
typedef struct limpet_soft_common {
  double low[3], high[3];  // [m]
  double n[3];             // [unit]
  double least, most;      // [m]  along n
} limpet_soft_common;

// False: nowhere.
bool limpet_soft_common_find(const limpet_soft_surface *a, const limpet_soft_surface *b,
                             const double *x, const double *end, limpet_soft_common *common);
/* Sides of it that a way is beyond, all of it: what is beyond one side with all of its vertices
 * meets nothing of the other surface. */
unsigned char limpet_soft_common_sides(const limpet_soft_common *common, const double x[3],
                                       const double end[3]);

#endif
