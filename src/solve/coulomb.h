/* solve/coulomb.h: one island under Coulomb's law with the normal impulse of the same step.
 *
 *   F(v) = A (v - v*) - J_n' n(v_n) + J_t' mu n(v_n) t(v_t) - rows = 0
 * F is the gradient g_b of the convex cost f_b with friction bounds mu b (law/coulomb.c), at
 * b = n(v_n). With H the positive definite Hessian of f_b, friction's direction a variable of its
 * own (law/friction_direction.h), and k' = -n', Newton's step of F solves
 *   (H - J_t' mu t k' J_n) d = -F
 * which has a curl. But for the bounds that normal impulses have after the step,
 *   b = (n - k' J_n d(b))+,   d(b) = -H^-1 g_b                                             (*)
 * d(b) is that step, and a direction of descent of the convex f_b. So the factor, line search and
 * directions of friction of a convex step serve; (*) takes a few back-solves more, by Anderson's
 * method (optim/anderson.h). The whole step is taken if it halves |F|, else what the line search
 * on f_b gives.
 *   start     contacts begin where the last step left them: one linear step with n, t linearised
 *             at the forces that contacts carried (coulomb_start.c), which some sweeps over all
 *             contacts make better where there are many (coulomb_sweep.c)
 *   stalled   where |F| has no new record for a while, the convex problem shifted by the present
 *             slip speeds (coulomb_shift.c) is solved. It is the solution where it leaves no gap;
 *             else its forces, after more sweeps, start the iteration anew, and each third time
 *             some such problems follow each other
 * Solved: |F| is below the tolerance, and friction then Coulomb's to round-off of n; or a shifted
 * problem is solved to the tolerance with gaps below 0.5 um, and friction Coulomb's to round-off.
 * At the iteration limit the forces are those of a shifted problem: in the cone, with a gap.
 * Cost of an iteration: one factorisation, 2 to 5 back-solves. */
#ifndef LIMPET_SOLVE_COULOMB_H
#define LIMPET_SOLVE_COULOMB_H

#include "solve/island_contact_space.h"
#include "solve/island_solver.h"
#include "solve/solve.h"

/* Linear models of the contacts of an island:
 *   gamma_n = normal - stiffness (v_n - point_n)
 *   gamma_t = -mu b direction - G_t (v_t - point_t),   G in solver->contact_G */
typedef struct limpet_coulomb {
  double *point;       // (contacts x 3) [m/s]
  double *normal;      // (contacts) [N s]
  double *stiffness;   // (contacts) [N s^2/m]  k' there
  double *direction;   // (contacts x 2)  friction over its bound
  double *bound;       // (contacts) [N s]  b of the linear step
  double *next_bound;  // (contacts) [N s]  the right-hand side of (*)
  double *best_bound;  // (contacts) [N s]  that came closest to (*)
  double *weight;      // (contacts) [1/kg^1/2]  mu w^1/2: bounds are compared as speeds
  double *shift;       // (contacts) [m/s]  slip speeds that a shifted problem expects
  double *forces;      // (contacts x 3) [N s]  from which a start is foreseen
  double *v_before;    // (contacts x 3) [m/s]
  double *x_before;    // (n)
  double *x_shifted;   // (n)  solution of the last shifted problem
  bool shifted;        // there is one
  double *memory;      // of Anderson's method
  // of sweeps: coulomb_sweep.c
  limpet_contact_space *space;   // NULL: no sweeps for this island
  bool space_filled;             // in this step
  double *swept, *sweep_weight;  // (size of the space)  impulses before a sweep, roots of its A_ii
  double *sweep_memory;          // of Anderson's method
} limpet_coulomb;

// Takes the workspace from the arena.
limpet_status limpet_coulomb_create(limpet_island_solver *solver, limpet_arena *arena);

// Solves the island; the counts are in solver->info.
void limpet_coulomb_solve(limpet_island_solver *solver, const limpet_newton_settings *settings,
                          const limpet_solve_start *start);
// carried (all contacts x 3) [N] W <- the island's forces.
void limpet_coulomb_carry(const limpet_island_solver *solver, double *carried);

// Linear models at the state, G weighted by solver->coulomb->bound.
void limpet_coulomb_linearise(limpet_island_solver *solver);
/* Linear models, and bounds, from the forces in solver->coulomb->forces; `swept`: which have the
 * velocities of the state. */
void limpet_coulomb_foresee(limpet_island_solver *solver, bool swept);
/* u [m/s] with u - w n(u) = target, w [1/kg]; n and -n' there. By Newton's method, from the root in
 * closed form where the law has one; else monotone, as n is convex where it acts. */
double limpet_coulomb_normal_point(const limpet_contact_constants *constants, double w,
                                   double target, double *n, double *slope);
// Takes the memory of sweeps from the arena, for islands where they gain time.
limpet_status limpet_coulomb_sweeps_create(limpet_island_solver *solver, limpet_arena *arena);
/* Makes solver->coulomb->forces better by sweeps over the island's contacts; solver->x becomes the
 * velocity with them, and the state is left as it is. False, and nothing done, where the island has
 * few contacts, or a large block. */
bool limpet_coulomb_sweep(limpet_island_solver *solver, int sweeps);
void limpet_coulomb_set_form(limpet_island_solver *solver, limpet_friction_form form);
/* The convex problem shifted by the slip speeds at the state. Returns whether it is solved and
 * leaves no gap; solver->coulomb->forces are its forces in any case. */
bool limpet_coulomb_shift(limpet_island_solver *solver, const limpet_newton_settings *settings);
// At most `most` of such problems, each shifted by the slip speeds of the last, until no gap is
// left or no iterations are: the outcome says which.
void limpet_coulomb_close_gaps(limpet_island_solver *solver, const limpet_newton_settings *settings,
                               int most);
/* The step d (n) from the state by the linear models: factors, then iterates (*) until bounds agree
 * within `tolerance` [kg^1/2 m/s] and a share of themselves. contact_dv and row_du are J d. False
 * where the matrix is not positive definite. */
bool limpet_coulomb_step(limpet_island_solver *solver, double tolerance, double *d);

#endif
