/* model/workspace.h: what a world needs besides its state and results: step memory, and what higher
 * floors keep from step to step. A slot belongs to the floor that is named; that floor creates its
 * object on first use and gives the function that frees it. */
#ifndef LIMPET_MODEL_WORKSPACE_H
#define LIMPET_MODEL_WORKSPACE_H

#include <assert.h>

#include "base/arena.h"
#include "limpet/data.h"

typedef enum limpet_slot {
  LIMPET_SLOT_COLLIDE,       // the broad phase: see collide/colliders.h
  LIMPET_SLOT_STEP,          // threads
  LIMPET_SLOT_PRESSURE,      // contact surfaces: see collide/pressure.h
  LIMPET_SLOT_SOFT_SURFACE,  // surfaces of deformable bodies: see collide/soft.h
  LIMPET_SLOT_SOFT_MOTION,   // elements of deformable bodies: see step/soft_motion.h
  LIMPET_SLOT_SOFT_ENERGY,   // what deformable bodies store: see dynamics/soft_energy.h
  LIMPET_SLOT_SUBSTEPS,      // of the scheme `adaptive`: see step/adaptive.c
  LIMPET_SLOT_COUNT
} limpet_slot;

/* What of data's derived arrays has been filled since reset or since the state was written.
 * Functions assert that what they read is there; new poses make stale what follows from them. */
typedef enum limpet_mark {
  LIMPET_MARK_POSES = 1,        // limpet_kinematics
  LIMPET_MARK_GEOMS = 2,        // limpet_geom_kinematics
  LIMPET_MARK_VELOCITIES = 4,   // limpet_velocity_kinematics
  LIMPET_MARK_MASS = 8,         // limpet_mass_matrix
  LIMPET_MARK_TENDONS = 16,     // limpet_tendon_kinematics
  LIMPET_MARK_PASSIVE = 32,     // limpet_passive_forces
  LIMPET_MARK_SHARED_MASS = 64  // the mass matrix has parts of armature that several trees share
} limpet_mark;

// One array of the state, as limpet_data has it.
typedef struct limpet_state_array {
  double *numbers;
  int rows, columns;
  bool packed;  // rows that begin with 0 are not in use: they are the last ones
} limpet_state_array;
enum { LIMPET_STATE_ARRAYS = 32 };

struct limpet_workspace {
  limpet_arena arena[2];  // results of a step live in arena[current] until the next but one;
                          // scratch is released by marks
  int current;
  bool open;           // arena[current] holds a step that was prepared and not committed
  int64_t open_count;  // times that an arena was opened: tells prepared steps apart
  unsigned marks;      // bits of limpet_mark
  double *scratch;     // (scratch_size)  64-byte aligned: see limpet_scratch_begin
  size_t scratch_size;
  bool scratch_taken;
  // steps keep the world of their middle (step/flight.h) and the workspaces of islands
  // (solve/solve.h)
  bool derivatives_follow;
  /* Rules by which trees flew in the last step; another rule is another result, so differences
   * around that step hold them. turn_parts (2 tree_count): parts in which bodies alone turned,
   * without impulses and with them (step/gyration.h), and in which other trees flew, in the first
   * of the two; renewed (2 tree_count): whether the mean
   * velocity was renewed, in flight and at its end (step/flight.h); missed_spin (3 tree_count)
   * [rad/s]: by what bodies alone that loops hold missed the spin that was expected of them
   * (step/flight_ahead.c), body axes */
  int *turn_parts, *renewed;
  double *missed_spin;
  bool holds_rules;
  /* Steps take at least the parts of the one that was prepared last with this off: two halves of a
   * step take parts of half the length then, and differ from it by their error (step/adaptive.c) */
  bool keeps_parts;
  limpet_state_array state[LIMPET_STATE_ARRAYS];  // (state_count)  in the order of the full state
  int state_count;
  void *solved;  // what the last step solved: see step/prepared.h; NULL: nothing
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

/* Whether `data` is a world of `model`, with these marks: what functions that read it assert. */
static inline bool limpet_data_ready(const limpet_model *model, const limpet_data *data,
                                     unsigned marks) {
  return model && data && data->model == model && (data->workspace->marks & marks) == marks;
}

// Fills workspace->state: once, when the arrays of a world are there.
void limpet_workspace_state_find(limpet_data *data);
/* limpet_data_state_read and limpet_data_state_write, in the same places, of what is in use: the
 * rest of packed arrays is neither read nor written. */
void limpet_workspace_state_pack(const limpet_data *data, double *state);
void limpet_workspace_state_unpack(limpet_data *data, const double *state);

// Entries of the rows of all actuators (limpet_actuator_row), at most.
size_t limpet_actuator_entries(const limpet_model *model);

/* Room for `count` doubles until limpet_scratch_end, for one function at a time. It is there since
 * the world was created, so that functions of tree dynamics cannot fail: its
 * size covers the most that one of them needs. */
static inline double *limpet_scratch_begin(limpet_workspace *workspace, size_t count) {
  assert(!workspace->scratch_taken && count <= workspace->scratch_size);
  (void)count;
  workspace->scratch_taken = true;
  return workspace->scratch;
}
static inline void limpet_scratch_end(limpet_workspace *workspace) {
  assert(workspace->scratch_taken);
  workspace->scratch_taken = false;
}

#endif
