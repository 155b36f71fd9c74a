/* step/flight_ending.h: the end of a step of flight, while it is being made: flight_end.c sets
 * positions and momentum, flight_account.c finds what trees gain, and flight_gain.c bounds it. */
#ifndef LIMPET_STEP_FLIGHT_ENDING_H
#define LIMPET_STEP_FLIGHT_ENDING_H

#include "step/flight.h"

// What a tree has at the end of the step.
typedef struct limpet_tree_account {
  bool moves;                // in this step
  bool known;                // gained, kinetic and now have been looked at
  double due;                // [J]  kinetic energy at the end but for impulses
  double gained;             // [J]  that came from nowhere
  double kinetic;            // [J]  the larger one of start and end
  double taken;              // [J]  work of impulses
  double cancelling;         // [-]  1 to 10: times the turn of joints that counts, flight_gain.c
  limpet_tree_momentum now;  // of bodies that are free and alone: neither mass nor inertia
} limpet_tree_account;

typedef struct limpet_ending {
  const limpet_model *model;
  const limpet_data *data;
  const limpet_step_settings *settings;
  const limpet_free_motion *motion;
  const limpet_step_solution *solution;  // impulses, what was solved for
  limpet_data *end;              // the world at the end of the step: its q and v are asked for
  double *mean;                  // (nv)
  limpet_tree_account *account;  // (tree_count)
} limpet_ending;

/* Whether a velocity of the tree, whose energy [J] is that, leads so far in the step that it may
 * gain energy to speak of: turns count by how far motions of joints cancel. Fills
 * account.cancelling. */
bool limpet_ending_cancels(const limpet_ending *e, int tree, double energy);
// After kinematics of the tree at the end of the step: the next one may begin from there.
void limpet_ending_posed(limpet_ending *e, int tree);
// What the tree carries at the end of the step, of the velocities that e->end has.
void limpet_ending_look(limpet_ending *e, int tree, limpet_tree_momentum *now);
// Positions from the mean velocities of the joints of a tree.
void limpet_ending_move(limpet_ending *e, int tree, const double *mean);
// [J]  Kinetic energy of the armature of joints and tendons, at the velocities of `at`.
double limpet_ending_armature(const limpet_ending *e, int tree, const limpet_data *at);
// Opens the account of a tree that carries `now` at the end.
const limpet_tree_account *limpet_ending_account(limpet_ending *e, int tree,
                                                 const limpet_tree_momentum *now);
/* Takes from trees, and from trees that loops join, what they gained from nowhere beyond 1 % of
 * their kinetic energy. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_ending_bound(limpet_ending *e, limpet_arena *arena);

#endif
