/* collide/sweep.h: pairs of boxes that overlap, by sorting along one axis and sweeping. */
#ifndef LIMPET_COLLIDE_SWEEP_H
#define LIMPET_COLLIDE_SWEEP_H

#include "base/arena.h"
#include "collide/colliders.h"

typedef struct limpet_overlap {
  int a, b;  // colliders, in no particular order
  int pair;  // index of the explicit pair, or -1
} limpet_overlap;

typedef struct limpet_overlap_list {
  int count, room;
  limpet_overlap *item;
  limpet_arena *arena;
  int failed;  // 1: no memory, the list is not complete
} limpet_overlap_list;

// Appends one pair; the room doubles from the arena.
void limpet_overlap_add(limpet_overlap_list *list, int a, int b, int pair);

/* Sorts a list along colliders->axis, starting from the order that it has, and fills its boxes from
 * colliders->box. LIMPET_ERROR_MEMORY: none for a full
 * sort. */
limpet_status limpet_sweep_sort(limpet_colliders *colliders, limpet_sweep_list *list,
                                limpet_arena *arena);

// Overlapping boxes within one list, and between two lists.
void limpet_sweep_within(const limpet_sweep_list *list, limpet_overlap_list *overlaps);
void limpet_sweep_between(const limpet_sweep_list *one, const limpet_sweep_list *other,
                          limpet_overlap_list *overlaps);

#endif
