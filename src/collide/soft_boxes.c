/* collide/soft_boxes.c: see soft_boxes.h. */
#include "collide/soft_boxes.h"

#include "math/extremes.h"

enum { GROUP = LIMPET_SOFT_GROUP };

limpet_status limpet_soft_boxes_take(limpet_soft_boxes *boxes, int most, limpet_arena *arena) {
  *boxes = (limpet_soft_boxes){.box = LIMPET_TAKE(arena, limpet_soft_box, most),
                               .group = LIMPET_TAKE(arena, limpet_soft_box, most / GROUP + 1)};
  return boxes->box && boxes->group ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

static void grow(limpet_soft_box *box, const limpet_soft_box *by) {
  for (int k = 0; k < 3; ++k) {
    box->low[k] = limpet_min(box->low[k], by->low[k]);
    box->high[k] = limpet_max(box->high[k], by->high[k]);
  }
}

limpet_soft_box limpet_soft_box_of(int count, const int *point, const double *x,
                                   const double *end) {
  limpet_soft_box box;
  for (int i = 0; i < (end ? 2 * count : count); ++i) {
    const double *at = i < count ? x + 3 * point[i] : end + 3 * point[i - count];
    const limpet_soft_box one = {{at[0], at[1], at[2]}, {at[0], at[1], at[2]}};
    if (i == 0) box = one;
    else grow(&box, &one);
  }
  return box;
}

void limpet_soft_boxes_add(limpet_soft_boxes *boxes, int count, const int *point, const double *x,
                           const double *end) {
  limpet_soft_box *box = &boxes->box[boxes->count], *group = &boxes->group[boxes->count / GROUP];
  *box = limpet_soft_box_of(count, point, x, end);
  if (boxes->count % GROUP == 0) *group = *box;
  else grow(group, box);
  ++boxes->count;
}

static bool meet(const limpet_soft_box *a, const limpet_soft_box *b) {
  return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] &&
         b->low[1] <= a->high[1] && a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

int limpet_soft_boxes_next(const limpet_soft_boxes *boxes, int from, const limpet_soft_box *with) {
  for (int i = from; i < boxes->count;) {
    if (i % GROUP == 0 && !meet(&boxes->group[i / GROUP], with)) i += GROUP;
    else if (meet(&boxes->box[i], with)) return i;
    else ++i;
  }
  return boxes->count;
}
