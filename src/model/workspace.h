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
  bool open;           // arena[current] holds a step that was prepared and not committed
  int64_t open_count;  // times that an arena was opened: tells prepared steps apart
  const void *record;  // what the last step solved: see step/prepared.h; NULL: nothing
  void *object[LIMPET_SLOT_COUNT];
  void (*destroy[LIMPET_SLOT_COUNT])(void *object);
};

/* Step memory, empty: the arena that does not hold the results of the last step, which becomes the
 * current one. What was opened before and not kept is dropped. */
limpet_arena *limpet_workspace_open(limpet_workspace *workspace);
// What lies in the current arena are results now: the next call opens the other one.
void limpet_workspace_keep(limpet_workspace *workspace);
// Both at once, for results that no step makes; the record of the last step is gone.
limpet_arena *limpet_workspace_turn(limpet_workspace *workspace);
static inline limpet_arena *limpet_workspace_arena(limpet_workspace *workspace) {
  return &workspace->arena[workspace->current];
}

#endif
