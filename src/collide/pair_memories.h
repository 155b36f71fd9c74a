/* collide/pair_memories.h: what is remembered of pairs of colliders from step to step.
 *
 * A pair that came near has a memory of its own, which the narrow phase reads and writes. It only
 * saves time: what it says is used where the answer without it would be the same. */
#ifndef LIMPET_COLLIDE_PAIR_MEMORIES_H
#define LIMPET_COLLIDE_PAIR_MEMORIES_H

#include <stdbool.h>

#include "geometry/pair.h"
#include "limpet/base.h"

typedef struct limpet_pair_memory {
  double axis[3];    // unit, from A to B, axes of A: along it they were apart; zero: not known
  double gap;        // [m]  by which they were certainly apart then; -1: not known
  double from[3];    // [m]  W  the middle of B's carrier less that of A's then
  double turning;    // [m]  how far points of both had turned then, at most
  int vertex[2];     // of hulls A and B, from where the search for support points starts
  limpet_rest rest;  // the face that carried the other shape, or the edges that were nearest
  bool quiet;        // the last query found no contact
} limpet_pair_memory;

typedef struct limpet_pair_memories {
  int room;
  limpet_pair_memory *item;  // (room)
  int *unused;               // (unused_count)  those that belong to nobody
  int unused_count;
} limpet_pair_memories;

// Room for `room` memories at least. LIMPET_OK or LIMPET_ERROR_MEMORY: nothing changed.
limpet_status limpet_pair_memories_grow(limpet_pair_memories *memories, int room);
// A memory that knows nothing; some must be unused.
int limpet_pair_memories_take(limpet_pair_memories *memories);
void limpet_pair_memories_give(limpet_pair_memories *memories, int memory);
void limpet_pair_memories_free(limpet_pair_memories *memories);

#endif
