/* collide/soft_boxes.h: boxes of the faces or edges of a surface in their order, and boxes of
 * groups of neighbours in it, so that those that meet a box are found without looking at each. */
#ifndef LIMPET_COLLIDE_SOFT_BOXES_H
#define LIMPET_COLLIDE_SOFT_BOXES_H

#include "base/arena.h"

typedef struct limpet_soft_box {
  double low[3], high[3];  // [m]  W
} limpet_soft_box;

typedef struct limpet_soft_boxes {
  int count;
  limpet_soft_box *box;    // (count)
  limpet_soft_box *group;  // (count/LIMPET_SOFT_GROUP, rounded up)
} limpet_soft_boxes;

enum { LIMPET_SOFT_GROUP = 8 };

// Room for `most` boxes, none there yet. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_soft_boxes_take(limpet_soft_boxes *boxes, int most, limpet_arena *arena);
/* The box of `count` points x[point[k]] (`x`: three numbers each), and of where they end; NULL:
 * they stay. */
limpet_soft_box limpet_soft_box_of(int count, const int *point, const double *x, const double *end);
// One more box, of such points.
void limpet_soft_boxes_add(limpet_soft_boxes *boxes, int count, const int *point, const double *x,
                           const double *end);
// Number of the first box from `from` on that meets `with`; count where there is none.
int limpet_soft_boxes_next(const limpet_soft_boxes *boxes, int from, const limpet_soft_box *with);

#endif
