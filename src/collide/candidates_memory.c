/* collide/candidates_memory.c: memory of the list of candidates: see candidates.h. */
#include <stdlib.h>
#include <string.h>

#include "collide/candidates.h"

limpet_status limpet_candidates_room(limpet_candidates *list, int count, int least) {
  if (count <= list->room) return LIMPET_OK;
  int room = list->room > least ? list->room : least;
  while (room < count) room *= 2;
  const size_t n = (size_t)room;
  limpet_candidates grown = {.room = room,
                             .item = malloc(n * sizeof *grown.item),
                             .spare = malloc(n * sizeof *grown.spare),
                             .memory = malloc(n * sizeof *grown.memory),
                             .unused = malloc(n * sizeof *grown.unused)};
  if (!grown.item || !grown.spare || !grown.memory || !grown.unused) {
    limpet_candidates_free(&grown);
    return LIMPET_ERROR_MEMORY;
  }
  const size_t used = (size_t)list->count;
  if (used) memcpy(grown.item, list->item, used * sizeof *grown.item);
  if (list->room) memcpy(grown.memory, list->memory, (size_t)list->room * sizeof *grown.memory);
  if (list->unused_count)
    memcpy(grown.unused, list->unused, (size_t)list->unused_count * sizeof *grown.unused);
  grown.count = list->count, grown.unused_count = list->unused_count;
  grown.started = list->started;
  for (int m = room - 1; m >= list->room; --m) grown.unused[grown.unused_count++] = m;
  limpet_candidates_free(list);
  *list = grown;
  return LIMPET_OK;
}

void limpet_candidates_free(limpet_candidates *candidates) {
  free(candidates->item);
  free(candidates->spare);
  free(candidates->memory);
  free(candidates->unused);
  *candidates = (limpet_candidates){0};
}
