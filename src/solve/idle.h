/* solve/idle.h: contacts of an island that will press on nothing in a step, left out of its solve.
 *
 * A contact is idle where it carried nothing in the last step and its normal law gives nothing at
 * twice the speed with which it closes at the start of the step, as those of a face that touches
 * along an edge. The problem without them is solved first. Where none of them presses at its
 * solution they add nothing to F there, so it is one of the whole problem; else that is solved as
 * if nothing had been left out. Islands of many contacts, of which some would nearly always press,
 * are solved whole at once. */
#ifndef LIMPET_SOLVE_IDLE_H
#define LIMPET_SOLVE_IDLE_H

#include "contact/problem.h"

typedef struct limpet_idle {
  const limpet_contact_problem *problem;  // the whole one
  const limpet_island *island;
  limpet_contact_problem rest;  // one island, without what is idle
  limpet_island rest_island;
  bool *left_out;    // (contacts of the island)
  double *velocity;  // (contacts of the island x 3)  [m/s]  of what is left out: limpet_idle_stays
  int *contact;      // (contacts of `rest`)  where they are in the problem
  int *spin;         // (spins of `rest`)  likewise
} limpet_idle;

// Whether enough of an island's contacts are idle; then the problem without them, from the arena.
// LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_idle_leave_out(limpet_idle *idle, const limpet_contact_problem *problem,
                                    int island, limpet_arena *arena, bool *any);
// Velocities of what was left out at the island's solution x. False: one of them presses.
bool limpet_idle_stays(limpet_idle *idle, const double *x);

#endif
