/* solve/coulomb_descent.h: the iteration of coulomb.h between its parts: how it begins
 * (coulomb_begin.c), its steps (coulomb_descent.c), and the end of an island that these do not
 * solve (coulomb_end.c). */
#ifndef LIMPET_SOLVE_COULOMB_DESCENT_H
#define LIMPET_SOLVE_COULOMB_DESCENT_H

#include "solve/coulomb.h"

// [-]  |F| over its scale from which its own Newton step finds the way: forces of the last step
// would lead away from a solution that is as good as found
#define LIMPET_GOOD_START 1e-2
// [-]  |F| over its scale that may be the round-off of x
#define LIMPET_ROUNDED 1e-3
// iterations without a record that are still on their way; sweeps by Anderson's method
enum { LIMPET_ON_ITS_WAY = 2, LIMPET_ACCELERATED = 16 };

typedef struct limpet_descent {
  limpet_island_solver *solver;
  const limpet_newton_settings *settings;
  limpet_newton_measure measure;  // of F at the state
  double *x, *d;
  double record;  // least |F| since the last start
  int since;      // iterations since then
  double best;    // least |F|
  int stalled;    // iterations at the floor of round-off without gain
  bool stalled_before;
  bool settled;    // the last step was round-off of x, or its slope was
  bool converges;  // the last step gained so much that its factor may serve again
  int refined;     // iterations for what is light beside the rest
  bool known;      // the start is a solution of the same island
} limpet_descent;

// Laws become bounded, by b = n(v_n).
void limpet_descent_bound(limpet_island_solver *s);
// The state at x: F there, in the solver's gradient, and its measure. Laws become bounded.
void limpet_descent_place(limpet_descent *f);
// The forces that contacts carried, along their axes.
void limpet_descent_recall(limpet_island_solver *s);
// One linear step from the forces; the state stays where that leads beyond a barrier.
void limpet_descent_restart(limpet_descent *f, limpet_coulomb_source source);
// One iteration of coulomb.h. Returns false where the matrix is not positive definite.
bool limpet_descent_iterate(limpet_descent *f);
// Friction's direction is what it is at the state, which makes the first Hessian exact.
void limpet_descent_aim(limpet_descent *f);
// Whether Newton's method cannot bring |F| down any more: doubles end there.
bool limpet_descent_is_stuck(const limpet_descent *f);
// Whether the iteration ends at the state; the outcome is set then.
bool limpet_descent_ends(limpet_descent *f);
// Whether the iteration sets records close to a solution.
bool limpet_descent_converges(const limpet_descent *f);

// Where the iteration starts, and its first linear steps.
void limpet_descent_choose_start(limpet_descent *f, const limpet_solve_start *start);
void limpet_descent_begin(limpet_descent *f);

// The end of an island that Newton's method does not solve, or whose matrix cannot be factored.
void limpet_descent_end_late(limpet_descent *f);
void limpet_descent_end_unfactored(limpet_descent *f);
/* Whether impulses are beyond a share of what they may be where things are led back. Beyond all of
 * it, or beyond LIMPET_JAM_SHARE in an island that is not solved, the problem will be posed anew.
 */
bool limpet_descent_presses_beyond(const limpet_island_solver *s, double share);

#endif
