/* collide/candidates.h: the pairs of colliders that come into question in worlds of many bodies,
 * kept from step to step. Worlds of few bodies have all pairs: carrier_pairs.h.
 *
 * A pair is a candidate while the wide boxes (bounds.h) of both meet, and it passes the filters;
 * planes and explicit pairs always are. Only where a collider left its wide box is the list
 * renewed, by asking the trees for what left. Each candidate has a memory of its own, which lives
 * as long as the candidate.
 * Memory: 156 bytes a candidate, room for eight candidates a collider at first, doubled where that
 * is not enough. */
#ifndef LIMPET_COLLIDE_CANDIDATES_H
#define LIMPET_COLLIDE_CANDIDATES_H

#include "base/arena.h"
#include "collide/pair_memories.h"
#include "limpet/data.h"

typedef struct limpet_candidate {
  int a, b;    // colliders, a < b
  int pair;    // index of the explicit pair, or -1
  int memory;  // index into the memories; LIMPET_NONE: it has none
  // [m]  up to this sum of both spreads (bounds.h) their boxes or spheres are apart; -1: not known
  double until;
} limpet_candidate;

typedef struct limpet_candidates {
  int count, room;
  limpet_candidate *item;   // (count)  by a, then b
  limpet_candidate *spare;  // (room)  the next list while it is made
  bool started;             // planes and explicit pairs are in
} limpet_candidates;

struct limpet_colliders;

// After colliders left their wide boxes. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_candidates_renew(struct limpet_colliders *colliders, const limpet_model *model,
                                      limpet_arena *arena);
// Room for `count` candidates, `least` at first. LIMPET_OK or LIMPET_ERROR_MEMORY: nothing changed.
limpet_status limpet_candidates_room(limpet_candidates *candidates, int count, int least);
void limpet_candidates_free(limpet_candidates *candidates);

static inline int64_t limpet_candidate_order(const limpet_candidate *c) {
  return (int64_t)((uint64_t)c->a << 32 | (uint64_t)c->b);
}

#endif
