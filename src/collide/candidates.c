/* collide/candidates.c: see candidates.h.
 *
 *   1. colliders that left their wide boxes ask whom the new ones meet: all others where they are
 *      few, else the trees; of two that left the one with the lower number asks for both
 *   2. what passes the filters is sorted by two passes of counting
 *   3. it is merged with the list as it was: what is in both keeps its memory, what no longer meets
 *      goes
 * Cost: about a microsecond for each collider that left, two passes over the list. */
#include "collide/candidates.h"

#include <assert.h>
#include <string.h>

#include "collide/colliders.h"

// Pairs found, from the arena; the room doubles.
typedef struct found_list {
  int count, room;
  limpet_candidate *item;
  limpet_arena *arena;
  bool failed;
} found_list;

static void found_add(found_list *list, int a, int b, int pair) {
  if (list->count == list->room) {
    const int room = 2 * list->room + 64;
    limpet_candidate *item = LIMPET_TAKE(list->arena, limpet_candidate, room);
    if (!item) {
      list->failed = true;
      return;
    }
    if (list->count) memcpy(item, list->item, (size_t)list->count * sizeof *item);
    list->item = item, list->room = room;
  }
  list->item[list->count++] = a < b ? (limpet_candidate){a, b, pair, LIMPET_NONE, -1.0}
                                    : (limpet_candidate){b, a, pair, LIMPET_NONE, -1.0};
}

// ------------------------------------------------------------------------------------- finding

// Planes have no boxes: each goes with every other collider that it may touch.
static void planes_add(const limpet_colliders *colliders, const limpet_model *model,
                       found_list *list) {
  for (int k = 0; k < colliders->plane_count; ++k) {
    const int plane = colliders->plane[k];
    for (int i = 0; i < colliders->moving_count; ++i)
      if (limpet_colliders_allowed(colliders, model, plane, colliders->moving[i]))
        found_add(list, plane, colliders->moving[i], -1);
    for (int i = 0; i < colliders->fixed_count; ++i)
      if (limpet_colliders_allowed(colliders, model, plane, colliders->fixed[i]))
        found_add(list, plane, colliders->fixed[i], -1);
  }
}

static void explicit_pairs_add(const limpet_colliders *colliders, const limpet_model *model,
                               found_list *list) {
  for (int k = 0; k < model->pair_count; ++k) {
    const int a = model->geom_collider[model->pair_geom[2 * k]],
              b = model->geom_collider[model->pair_geom[2 * k + 1]];
    if (a < 0 || b < 0 || !((colliders->flags[a] | colliders->flags[b]) & LIMPET_COLLIDER_MOVES))
      continue;
    found_add(list, a, b, k);
  }
}

// Those of a few colliders whose wide boxes meet that of collider c, into colliders->found.
static int few_query(limpet_colliders *colliders, int c, const int *few, int count) {
  const limpet_box *box = &colliders->wide[c];
  int found = 0;
  colliders->tests += count;
  for (int i = 0; i < count; ++i) {
    colliders->found[found] = few[i];
    found += limpet_boxes_meet(box, &colliders->wide[few[i]]);
  }
  return found;
}

// Whom the wide box of collider c meets among the moving or the fixed ones.
static void neighbours_add(limpet_colliders *colliders, const limpet_model *model, int c, int group,
                           found_list *list) {
  const bool moving = group == LIMPET_TREE_MOVING;
  const int all = moving ? colliders->moving_count : colliders->fixed_count;
  const int count =
      all <= LIMPET_FEW_COLLIDERS
          ? few_query(colliders, c, moving ? colliders->moving : colliders->fixed, all)
          : limpet_box_tree_query(&colliders->tree[group], &colliders->wide[c], colliders->stack,
                                  colliders->found, colliders->count, &colliders->tests);
  assert(count <= colliders->count);
  for (int i = 0; i < count; ++i) {
    const int other = colliders->found[i];
    if (other == c || ((colliders->flags[other] & LIMPET_COLLIDER_LEFT) && other < c)) continue;
    if (limpet_colliders_allowed(colliders, model, c, other)) found_add(list, c, other, -1);
  }
}

// One pass of a stable sort by counting, by b or by a.
static void counting_pass(limpet_colliders *colliders, const limpet_candidate *from,
                          limpet_candidate *to, int count, bool by_a) {
  int *bucket = colliders->bucket;
  memset(bucket, 0, ((size_t)colliders->count + 1) * sizeof *bucket);
  for (int k = 0; k < count; ++k) ++bucket[(by_a ? from[k].a : from[k].b) + 1];
  for (int c = 0; c < colliders->count; ++c) bucket[c + 1] += bucket[c];
  for (int k = 0; k < count; ++k) to[bucket[by_a ? from[k].a : from[k].b]++] = from[k];
}

// ------------------------------------------------------------------------------------- merging

// Whether a candidate of the list as it was remains one.
static bool remains(const limpet_colliders *colliders, const limpet_candidate *c) {
  const unsigned flags = colliders->flags[c->a] | colliders->flags[c->b];
  return c->pair >= 0 || (flags & LIMPET_COLLIDER_PLANE) || !(flags & LIMPET_COLLIDER_LEFT) ||
         limpet_boxes_meet(&colliders->wide[c->a], &colliders->wide[c->b]);
}

// Takes over a candidate of the list as it was, or gives its memory back. Returns the next place.
static inline int take_over(limpet_colliders *colliders, const limpet_candidate *c, int to) {
  if (remains(colliders, c)) colliders->candidates.spare[to++] = *c;
  else limpet_pair_memories_give(&colliders->memories, c->memory);
  return to;
}

static void merge(limpet_colliders *colliders, const limpet_candidate *found, int found_count) {
  limpet_candidates *list = &colliders->candidates;
  int to = 0, i = 0, j = 0;
  while (i < list->count || j < found_count) {
    const int64_t next = j < found_count ? limpet_candidate_order(&found[j]) : INT64_MAX;
    for (; i < list->count && limpet_candidate_order(&list->item[i]) < next; ++i)
      to = take_over(colliders, &list->item[i], to);
    if (j == found_count) continue;
    if (i == list->count || limpet_candidate_order(&list->item[i]) > next) {
      list->spare[to] = found[j++];
      list->spare[to++].memory = limpet_pair_memories_take(&colliders->memories);
      continue;
    }
    // what was found again is the one that is there
    if (list->item[i].pair < 0) ++j;
    to = take_over(colliders, &list->item[i++], to);
  }
  limpet_candidate *swap = list->item;
  list->item = list->spare, list->spare = swap;
  list->count = to;
}

limpet_status limpet_candidates_renew(limpet_colliders *colliders, const limpet_model *model,
                                      limpet_arena *arena) {
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  limpet_candidates *list = &colliders->candidates;
  found_list found = {.arena = arena};
  if (!list->started) {
    planes_add(colliders, model, &found);
    explicit_pairs_add(colliders, model, &found);
  }
  for (int k = 0; k < colliders->left_count; ++k) {
    const int c = colliders->left[k];
    neighbours_add(colliders, model, c, LIMPET_TREE_MOVING, &found);
    if (colliders->flags[c] & LIMPET_COLLIDER_MOVES)
      neighbours_add(colliders, model, c, LIMPET_TREE_FIXED, &found);
  }
  limpet_candidate *sorted = LIMPET_TAKE(arena, limpet_candidate, found.count);
  const int least = 8 * colliders->count + 64;
  if (found.failed || !sorted ||
      limpet_candidates_room(list, list->count + found.count, least) != LIMPET_OK ||
      limpet_pair_memories_grow(&colliders->memories, list->room) != LIMPET_OK)
    return LIMPET_ERROR_MEMORY;
  counting_pass(colliders, found.item, sorted, found.count, false);
  counting_pass(colliders, sorted, found.item, found.count, true);
  merge(colliders, found.item, found.count);
  list->started = true;
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}
