/* model/workspace.h: what a world needs besides its state and results: step memory, and what higher
 * floors keep from step to step. A slot belongs to the floor that is named; that floor creates its
 * object on first use and gives the function that frees it. */
#ifndef LIMPET_MODEL_WORKSPACE_H
#define LIMPET_MODEL_WORKSPACE_H

#include "base/arena.h"
#include "limpet/data.h"

typedef enum limpet_slot {
  LIMPET_SLOT_COLLIDE,  // the broad phase: see collide/colliders.h
  LIMPET_SLOT_STEP,     // threads
  LIMPET_SLOT_COUNT
} limpet_slot;

struct limpet_workspace {
  limpet_arena arena[2];  // results of a step live in arena[current] until the next but one;
                          // scratch is released by marks
  int current;
  const void *record;  // what the last step solved, in arena[current]: see step/velocity_step.h;
                       // NULL: nothing
  void *object[LIMPET_SLOT_COUNT];
  void (*destroy[LIMPET_SLOT_COUNT])(void *object);
};

// Makes the other arena current and empties it; the contact arrays of the last step stay readable
// in the former one.
limpet_arena *limpet_workspace_turn(limpet_workspace *workspace);
static inline limpet_arena *limpet_workspace_arena(limpet_workspace *workspace) {
  return &workspace->arena[workspace->current];
}

#endif
