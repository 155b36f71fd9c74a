/* collide/pair_memories.c: see pair_memories.h. */
#include "collide/pair_memories.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"

limpet_status limpet_pair_memories_grow(limpet_pair_memories *memories, int room) {
  if (room <= memories->room) return LIMPET_OK;
  const size_t n = (size_t)room;
  limpet_pair_memories grown = {.room = room,
                                .item = limpet_pages_alloc(n * sizeof *grown.item),
                                .unused = limpet_pages_alloc(n * sizeof *grown.unused),
                                .unused_count = memories->unused_count};
  if (!grown.item || !grown.unused) {
    limpet_pair_memories_free(&grown);
    return LIMPET_ERROR_MEMORY;
  }
  if (memories->room)
    memcpy(grown.item, memories->item, (size_t)memories->room * sizeof *grown.item);
  if (memories->unused_count)
    memcpy(grown.unused, memories->unused, (size_t)memories->unused_count * sizeof *grown.unused);
  for (int m = room - 1; m >= memories->room; --m) grown.unused[grown.unused_count++] = m;
  limpet_pair_memories_free(memories);
  *memories = grown;
  return LIMPET_OK;
}

int limpet_pair_memories_take(limpet_pair_memories *memories) {
  assert(memories->unused_count > 0);
  const int m = memories->unused[--memories->unused_count];
  memories->item[m] = (limpet_pair_memory){.gap = -1.0, .rest = {.face = -1}};
  return m;
}

void limpet_pair_memories_give(limpet_pair_memories *memories, int memory) {
  assert(memory >= 0 && memory < memories->room && memories->unused_count < memories->room);
  memories->unused[memories->unused_count++] = memory;
}

void limpet_pair_memories_free(limpet_pair_memories *memories) {
  free(memories->item);
  free(memories->unused);
  *memories = (limpet_pair_memories){0};
}
