/* format/read/table.c: open addressing with linear steps; the table doubles when it is half full.
 */
#include "format/read/table.h"

#include <string.h>

#include "base/hash.h"
#include "base/text_distance.h"

enum { FIRST_SLOTS = 64 };
// edits [characters] within which a name is like another; short names differ by fewer
enum { SHORT_NAME = 4, SHORT_DISTANCE = 2, DISTANCE = 4 };

// the slot that has the name, or the free one where it belongs
static limpet_table_entry *slot_of(const limpet_table *table, int kind, const char *name) {
  const uint64_t start = LIMPET_HASH_START + (uint64_t)(unsigned)kind;
  const uint64_t hash = limpet_hash_bytes(start, name, strlen(name));
  const size_t mask = table->slot_count - 1;
  size_t i = (size_t)hash & mask;
  while (table->slot[i].name &&
         !(table->slot[i].kind == kind && strcmp(table->slot[i].name, name) == 0))
    i = (i + 1) & mask;
  return &table->slot[i];
}

void *limpet_table_find(const limpet_table *table, int kind, const char *name) {
  return table->slot_count ? slot_of(table, kind, name)->value : NULL;
}

const char *limpet_table_nearest(const limpet_table *table, int kind, const char *name) {
  const char *best = NULL;
  int best_distance = strlen(name) < SHORT_NAME ? SHORT_DISTANCE : DISTANCE;
  for (size_t i = 0; i < table->slot_count; ++i) {
    const limpet_table_entry *entry = &table->slot[i];
    if (!entry->name || entry->kind != kind) continue;
    const int distance = limpet_text_distance(name, entry->name);
    if (distance < best_distance ||
        (distance == best_distance && best && strcmp(entry->name, best) < 0))
      best = entry->name, best_distance = distance;
  }
  return best;
}

static bool enlarge(limpet_table *table, limpet_pool *pool) {
  limpet_table larger = {.slot_count = table->slot_count ? 2 * table->slot_count : FIRST_SLOTS,
                         .count = table->count};
  larger.slot = LIMPET_POOL_TAKE(pool, limpet_table_entry, larger.slot_count);
  if (!larger.slot) return false;
  for (size_t i = 0; i < table->slot_count; ++i) {
    const limpet_table_entry *entry = &table->slot[i];
    if (entry->name) *slot_of(&larger, entry->kind, entry->name) = *entry;
  }
  *table = larger;
  return true;
}

bool limpet_table_enter(limpet_table *table, limpet_pool *pool, int kind, const char *name,
                        void *value) {
  if (2 * table->count >= table->slot_count && !enlarge(table, pool)) return false;
  limpet_table_entry *entry = slot_of(table, kind, name);
  if (!entry->name) ++table->count;
  *entry = (limpet_table_entry){name, kind, value};
  return true;
}
