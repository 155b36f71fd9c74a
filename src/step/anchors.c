/* step/anchors.c: see anchors.h. Anchors are looked up in a hash table with open addressing, made
 * for the step: O(contacts). */
#include "step/anchors.h"

#include <string.h>

#include "math/vec3.h"

enum { KEY_SIZE = 4 };

typedef struct anchor_table {
  const double *anchors;
  int *slot;  // (mask + 1)  1 + place of an anchor; 0: empty
  uint32_t mask;
} anchor_table;

// What an anchor is found by.
static void key_of(const limpet_contact_records *records, int index, double key[KEY_SIZE]) {
  const limpet_contact_record *record = &records->record[index];
  const limpet_geom_pair *geoms = &records->pair[record->pair].geoms;
  key[0] = geoms->geom_a + 1;
  key[1] = geoms->geom_b;
  key[2] = (double)(uint32_t)record->feature;
  key[3] = (double)(uint32_t)(record->feature >> 32);
}

static uint32_t slot_of(const anchor_table *table, const double key[KEY_SIZE]) {
  uint64_t hash = 0;
  for (int i = 0; i < KEY_SIZE; ++i) hash = (hash ^ (uint64_t)key[i]) * 0x9e3779b97f4a7c15u;
  return (uint32_t)(hash >> 32) & table->mask;
}

// The slot that has the key, or the empty one where it belongs.
static int *find(const anchor_table *table, const double key[KEY_SIZE]) {
  uint32_t at = slot_of(table, key);
  for (; table->slot[at] > 0; at = (at + 1) & table->mask)
    if (memcmp(table->anchors + LIMPET_ANCHOR_SIZE * (table->slot[at] - 1), key,
               KEY_SIZE * sizeof *key) == 0)
      break;
  return &table->slot[at];
}

static int used_anchors(const limpet_data *data) {
  int used = 0;
  while (used < data->model->options.anchor_count && data->anchor[LIMPET_ANCHOR_SIZE * used] > 0.0)
    ++used;
  return used;
}

limpet_status limpet_anchors_load(const limpet_data *data, const limpet_contact_records *records,
                                  limpet_arena *arena, limpet_contact_problem *problem) {
  const int used = used_anchors(data);
  anchor_table table = {.anchors = data->anchor, .mask = 1};
  while (table.mask < 2 * (uint32_t)used) table.mask = 2 * table.mask + 1;
  problem->carried = LIMPET_TAKE_ZERO(arena, double, 3 * problem->contact_count);
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  table.slot = LIMPET_TAKE_ZERO(arena, int, table.mask + 1);
  if (!problem->carried || !table.slot) return LIMPET_ERROR_MEMORY;
  for (int k = 0; k < used; ++k) *find(&table, data->anchor + LIMPET_ANCHOR_SIZE * k) = k + 1;
  for (int i = 0; i < problem->contact_count; ++i) {
    double key[KEY_SIZE];
    key_of(records, problem->contact_source[i], key);
    const int place = *find(&table, key);
    if (place > 0)
      limpet_vec3_copy(problem->carried + 3 * i,
                       data->anchor + LIMPET_ANCHOR_SIZE * (place - 1) + KEY_SIZE);
  }
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}

void limpet_anchors_store(limpet_data *data, const limpet_contact_records *records,
                          const limpet_contact_problem *problem, const double *carried) {
  const int room = data->model->options.anchor_count, before = used_anchors(data);
  int count = 0;
  for (int i = 0; i < problem->contact_count && count < room; ++i) {
    const double *f = carried + 3 * i;
    if (f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0) continue;
    double *anchor = data->anchor + LIMPET_ANCHOR_SIZE * count++;
    key_of(records, problem->contact_source[i], anchor);
    limpet_vec3_copy(anchor + KEY_SIZE, carried + 3 * i);
  }
  if (before > count)
    memset(data->anchor + LIMPET_ANCHOR_SIZE * count, 0,
           (size_t)(LIMPET_ANCHOR_SIZE * (before - count)) * sizeof *data->anchor);
}
