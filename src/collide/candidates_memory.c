/* collide/candidates_memory.c: memory of the list of candidates: see candidates.h. */
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "collide/candidates.h"

limpet_status limpet_candidates_room(limpet_candidates *list, int count, int least) {
  if (count <= list->room) return LIMPET_OK;
  int room = list->room > least ? list->room : least;
  while (room < count) room *= 2;
  const size_t n = (size_t)room;
  limpet_candidates grown = {.count = list->count,
                             .room = room,
                             .item = limpet_pages_alloc(n * sizeof *grown.item),
                             .spare = limpet_pages_alloc(n * sizeof *grown.spare),
                             .started = list->started};
  if (!grown.item || !grown.spare) {
    limpet_candidates_free(&grown);
    return LIMPET_ERROR_MEMORY;
  }
  if (list->count) memcpy(grown.item, list->item, (size_t)list->count * sizeof *grown.item);
  limpet_candidates_free(list);
  *list = grown;
  return LIMPET_OK;
}

void limpet_candidates_free(limpet_candidates *candidates) {
  free(candidates->item);
  free(candidates->spare);
  *candidates = (limpet_candidates){0};
}
