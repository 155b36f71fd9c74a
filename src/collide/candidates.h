/* collide/candidates.h: the pairs of colliders that come into question, kept from step to step.
 *
 * A pair is a candidate while the wide boxes (bounds.h) of both meet, and it passes the filters;
 * planes and explicit pairs always are. Only where a collider left its wide box is the list
 * renewed, by asking the trees for what left. Each candidate has a memory of its own, which the
 * narrow phase reads and writes and which lives as long as the candidate.
 * Memory: 132 bytes a candidate, room for eight candidates a collider at first, doubled where that
 * is not enough. */
#ifndef LIMPET_COLLIDE_CANDIDATES_H
#define LIMPET_COLLIDE_CANDIDATES_H

#include "base/arena.h"
#include "geometry/pair.h"
#include "limpet/data.h"

/* What is remembered of a pair. It only saves time: what it says is used where the answer without
 * it would be the same. */
typedef struct limpet_pair_memory {
  double axis[3];    // unit, from A to B, axes of A: along it they were apart; zero: not known
  double gap;        // [m]  by which they were certainly apart then; -1: not known
  double way;        // [m]  how far both had moved then (bounds.h)
  int vertex[2];     // of hulls A and B, from where the search for support points starts
  limpet_rest rest;  // the face that carried the other shape, or the edges that were nearest
  bool quiet;        // the last query found no contact
} limpet_pair_memory;

typedef struct limpet_candidate {
  int a, b;    // colliders, a < b
  int pair;    // index of the explicit pair, or -1
  int memory;  // index into the memories
  // [m]  up to this sum of both spreads (bounds.h) their boxes or spheres are apart; -1: not known
  double until;
} limpet_candidate;

typedef struct limpet_candidates {
  int count, room;
  limpet_candidate *item;      // (count)  by a, then b
  limpet_candidate *spare;     // (room)  the next list while it is made
  limpet_pair_memory *memory;  // (room)
  int *unused;                 // (unused_count)  memories that belong to nobody
  int unused_count;
  bool started;  // planes and explicit pairs are in
} limpet_candidates;

struct limpet_colliders;

// After colliders left their wide boxes. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_candidates_renew(struct limpet_colliders *colliders, const limpet_model *model,
                                      limpet_arena *arena);
// Room for `count` candidates, `least` at first. LIMPET_OK or LIMPET_ERROR_MEMORY: nothing changed.
limpet_status limpet_candidates_room(limpet_candidates *candidates, int count, int least);
void limpet_candidates_free(limpet_candidates *candidates);

#endif
