/* collide/sweep.c: sort and sweep.
 *
 * Boxes sorted by their low ends along the axis; box i overlaps along it just those that start
 * before i ends, a run after i, of which four at a time are compared along the two other axes. From
 * one step to the next the order hardly changes, so insertion takes linear time; where it would not
 * (first step, new axis), a merge sort does it. Cost: n + number of overlaps along one axis. */
#include "collide/sweep.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef struct interval {
  float low;
  int collider;
} interval;

void limpet_overlap_add(limpet_overlap_list *list, int a, int b, int pair) {
  assert(list && a >= 0 && b >= 0);
  if (list->count == list->room) {
    const int room = 2 * list->room + 64;
    limpet_overlap *item = LIMPET_TAKE(list->arena, limpet_overlap, room);
    if (!item) {
      list->failed = 1;
      return;
    }
    if (list->count) memcpy(item, list->item, (size_t)list->count * sizeof *item);
    list->item = item;
    list->room = room;
  }
  list->item[list->count++] = (limpet_overlap){a, b, pair};
}

// Returns 1 when the order was too far off to go on.
static int insertion_sort(interval *items, int n) {
  long budget = 16L * n + 64;
  for (int i = 1; i < n; ++i) {
    const interval item = items[i];
    int j = i;
    for (; j > 0 && items[j - 1].low > item.low; --j) items[j] = items[j - 1];
    items[j] = item;
    if ((budget -= i - j) < 0) return 1;
  }
  return 0;
}

// Bottom-up; the result is in `items`.
static void merge_sort(interval *items, interval *scratch, int n) {
  interval *from = items, *to = scratch;
  for (long width = 1; width < n; width *= 2) {
    for (long start = 0; start < n; start += 2 * width) {
      const long middle = start + width < n ? start + width : n,
                 end = start + 2 * width < n ? start + 2 * width : n;
      long i = start, j = middle;
      for (long k = start; k < end; ++k)
        to[k] = i < middle && (j >= end || !(from[j].low < from[i].low)) ? from[i++] : from[j++];
    }
    interval *t = from;
    from = to, to = t;
  }
  if (from != items) memcpy(items, from, (size_t)n * sizeof *items);
}

limpet_status limpet_sweep_sort(limpet_colliders *colliders, limpet_sweep_list *list,
                                limpet_arena *arena) {
  assert(colliders && list && arena);
  const int n = list->count, axis = colliders->axis;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  interval *items = LIMPET_TAKE(arena, interval, 2 * (size_t)n);
  if (!items) return LIMPET_ERROR_MEMORY;
  for (int k = 0; k < n; ++k)
    items[k] = (interval){colliders->box[6 * list->order[k] + axis], list->order[k]};
  if (insertion_sort(items, n)) merge_sort(items, items + n, n);

  // boxes in that order, the sweep axis first
  for (int i = 0; i < 3; ++i) {
    const int from = (axis + i) % 3;
    for (int k = 0; k < n; ++k) {
      list->low[i][k] = colliders->box[6 * items[k].collider + from];
      list->high[i][k] = colliders->box[6 * items[k].collider + 3 + from];
    }
    for (int k = n; k < n + 4; ++k) list->low[i][k] = INFINITY, list->high[i][k] = -INFINITY;
  }
  for (int k = 0; k < n; ++k) list->order[k] = items[k].collider;
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

// Bit t: box j + t of the list overlaps the box (low, high) along axes 1 and 2.
static inline unsigned overlap_bits(const limpet_sweep_list *list, int j, const float low[2],
                                    const float high[2]) {
#if defined(__SSE2__)
  const __m128 y = _mm_and_ps(_mm_cmple_ps(_mm_loadu_ps(list->low[1] + j), _mm_set1_ps(high[0])),
                              _mm_cmpge_ps(_mm_loadu_ps(list->high[1] + j), _mm_set1_ps(low[0])));
  const __m128 z = _mm_and_ps(_mm_cmple_ps(_mm_loadu_ps(list->low[2] + j), _mm_set1_ps(high[1])),
                              _mm_cmpge_ps(_mm_loadu_ps(list->high[2] + j), _mm_set1_ps(low[1])));
  return (unsigned)_mm_movemask_ps(_mm_and_ps(y, z));
#else
  unsigned bits = 0;
  for (int t = 0; t < 4; ++t) {
    const bool y = list->low[1][j + t] <= high[0] && list->high[1][j + t] >= low[0];
    const bool z = list->low[2][j + t] <= high[1] && list->high[2][j + t] >= low[1];
    bits |= (unsigned)(y && z) << t;
  }
  return bits;
#endif
}

// Boxes of `list` from place j on that start before `end`, against one box.
static void run_test(const limpet_sweep_list *list, int j, float end, const float low[2],
                     const float high[2], int collider, limpet_overlap_list *overlaps) {
  for (; list->low[0][j] <= end; j += 4) {
    unsigned bits = overlap_bits(list, j, low, high);
    for (int t = 0; bits; ++t, bits >>= 1)
      if ((bits & 1) && list->low[0][j + t] <= end)
        limpet_overlap_add(overlaps, collider, list->order[j + t], -1);
    if (j + 4 > list->count) break;
  }
}

void limpet_sweep_within(const limpet_sweep_list *list, limpet_overlap_list *overlaps) {
  for (int i = 0; i < list->count; ++i) {
    const float low[2] = {list->low[1][i], list->low[2][i]},
                high[2] = {list->high[1][i], list->high[2][i]};
    run_test(list, i + 1, list->high[0][i], low, high, list->order[i], overlaps);
  }
}

// Boxes of `one` against those of `other` that start later (`equal`: or at the same place) than
// they do.
static void sweep_after(const limpet_sweep_list *one, const limpet_sweep_list *other, bool equal,
                        limpet_overlap_list *overlaps) {
  int j = 0;
  for (int i = 0; i < one->count; ++i) {
    const float start = one->low[0][i];
    while (j < other->count && (equal ? other->low[0][j] < start : other->low[0][j] <= start)) ++j;
    const float low[2] = {one->low[1][i], one->low[2][i]},
                high[2] = {one->high[1][i], one->high[2][i]};
    run_test(other, j, one->high[0][i], low, high, one->order[i], overlaps);
  }
}

void limpet_sweep_between(const limpet_sweep_list *one, const limpet_sweep_list *other,
                          limpet_overlap_list *overlaps) {
  sweep_after(one, other, true, overlaps);
  sweep_after(other, one, false, overlaps);
}
