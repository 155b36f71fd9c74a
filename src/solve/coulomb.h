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
 *   stalled   where |F| has no new record for a while, sweeps make the present forces better, and
 *             a linear step from these starts the iteration anew
 *   the end   stalled again, or near the limit: in small islands pivoting, with facets for cones
 *             (coulomb_facets.c), and Newton's method from there. Else thousands of sweeps, and the
 *             convex problem shifted by their slip speeds (coulomb_shift.c). It is the solution
 *             where it leaves no gap; else the iteration goes on from its forces. Where that finds
 *             none: more sweeps, the problem with their slip speeds, that with those of its
 *             solution, and so on; last, pivoting once more, in large islands of those contacts
 *             that keep sweeps from their end.
 *
 * Solved: |F| is below the tolerance, and friction then Coulomb's to round-off of n; or a shifted
 * problem is solved to the tolerance with gaps below 1 um, and friction Coulomb's to round-off.
 * At the iteration limit the forces are those of a shifted problem: in the cone, with a gap; where
 * that is not solved, those of sweeps: in the cone, momentum met, normal impulses off their law.
 *
 * Cost of an iteration: one factorisation, 2 to 5 back-solves; without the factorisation where the
 * last factor serves again, near the solution. */
#ifndef LIMPET_SOLVE_COULOMB_H
#define LIMPET_SOLVE_COULOMB_H

#include "solve/body_sweep.h"
#include "solve/coulomb_turning.h"
#include "solve/island_contact_space.h"
#include "solve/island_solver.h"
#include "solve/solve.h"
#include "solve/tree_sweep.h"

// When sweeps over an island's contacts gain time.
typedef enum limpet_sweeps_when {
  LIMPET_SWEEPS_NEVER,
  LIMPET_SWEEPS_AT_STALLS,
  LIMPET_SWEEPS_FIRST,  // and at stalls
} limpet_sweeps_when;

// Where forces come from that a start is foreseen from.
typedef enum limpet_coulomb_source {
  LIMPET_COULOMB_CARRIED,   // of the last step, or of a shifted problem: the state is not theirs
  LIMPET_COULOMB_SWEPT,     // of sweeps, at the state
  LIMPET_COULOMB_FORESEEN,  // of the linear models, at the state: limpet_coulomb_foreseen
} limpet_coulomb_source;

// [m]  Gap of a shifted problem that counts as closed: a hundredth of the overlap that a second
// look leaves as it is; and slip speeds that are good enough leave this of it.
#define LIMPET_GAP_CLOSED 1e-6
#define LIMPET_GAP_NEAR (0.25 * LIMPET_GAP_CLOSED)

// Sweeps in a row, at most: fewer where they settle.
typedef struct limpet_coulomb_sweeps {
  int accelerated;  // by Anderson's method, at least one
  int plain;        // after them
  bool first;       // of the step: only where these gain time
  double gap;       // [m]  plain ones end where slips are so close to where they go; 0: do not look
} limpet_coulomb_sweeps;

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
  double *kept_bound;  // (contacts) [N s]  while a step is tried
  double *weight;      // (contacts) [1/kg^1/2]  mu w^1/2: bounds are compared as speeds
  double *shift;       // (contacts) [m/s]  slip speeds that a shifted problem expects
  double *last_shift;  // (contacts) [m/s]  those of the problem before
  double *forces;      // (contacts x 3) [N s]  from which a start is foreseen
  double *v_before;    // (contacts x 3) [m/s]
  double *x_before;    // (n)
  // the shifted problem that left the shortest gap [m] so far: its solution (n), its speeds
  // (contacts) [m/s]; INFINITY: none was solved
  double *gapped, *gapped_shift, least_gap;
  double *memory;  // of Anderson's method
  // of sweeps: coulomb_sweep.c
  limpet_sweeps_when sweeps;
  bool heavy;                   // a sweep costs much: trees of many velocities
  bool soft;                    // deformable bodies take part with many vertices
  bool only_trees;              // no deformable body takes part
  bool pivots;                  // pivoting may find its forces: coulomb_facets.c
  bool free_bodies;             // it costs little: free bodies without constraint rows
  limpet_arena *later;          // from which the room is taken when it is needed; NULL: it is there
  limpet_arena room;            // memory for the following, which the first sweep fills
  limpet_contact_space *space;  // NULL: there was none yet
  limpet_turning turning;       // of the contacts in it
  // (size of the space + 2 spins)  impulses and torques before a sweep, and now; roots of A_ii
  double *swept, *sweep_now, *sweep_weight;
  double *sweep_slant;              // (contacts x 2) [1/kg]  W_tn
  double *sweep_own;                // (contacts x 9) [1/kg]  W of each contact
  int *sweep_order;                 // (contacts)  of a sweep
  limpet_body_contact *sweep_body;  // (contacts)  those between bodies that float alone
  const limpet_body_sweep_kernels *body_kernels;
  bool sweep_alike;  // all contacts have the law of these kernels, and nothing turns
  // (contacts), (rows)  of trees, and the kernels for them; NULL: sweeps go without
  limpet_tree_contact *sweep_tree;
  limpet_tree_row *sweep_row;
  const limpet_tree_sweep_kernels *tree_kernels;
  bool *sweep_jams;         // (contacts)  friction may hold it closed: coulomb_jam.c
  double *sweep_slip;       // (contacts) [m/s]  when it was looked at last
  double *sweep_change;     // (contacts) [kg m^2/s^2]  of the last sweep, squared
  int awake_count, *awake;  // (contacts)  those that made a share of it
  double *sweep_memory;     // of Anderson's method
  int facets_count;         // contacts that coulomb_facets.c took from sweeps
  limpet_arena facets;      // memory of coulomb_facets.c; nothing: it was not needed yet
} limpet_coulomb;

// Takes the workspace from the arena.
limpet_status limpet_coulomb_create(limpet_island_solver *solver, limpet_arena *arena);

/* Solves the island; the counts are in solver->info. `known`: the guess of the start is a solution
 * of the same island, and stays it if it meets the tolerance as solutions do. */
void limpet_coulomb_solve(limpet_island_solver *solver, const limpet_newton_settings *settings,
                          const limpet_solve_start *start, bool known);
// Force [N] W of the island's contact; carried (all contacts x 3) [N] W <- those of all.
void limpet_coulomb_carry_one(const limpet_island_solver *solver, int contact, double force[3]);
void limpet_coulomb_carry(const limpet_island_solver *solver, double *carried);

// Linear models at the state, G weighted by solver->coulomb->bound.
void limpet_coulomb_linearise(limpet_island_solver *solver);
// The same but for G, which stays that of the last factor.
void limpet_coulomb_expand(limpet_island_solver *solver);
// Linear models, and bounds, from the forces in solver->coulomb->forces.
void limpet_coulomb_foresee(limpet_island_solver *solver, limpet_coulomb_source source);
// solver->coulomb->forces, and torques, <- those of the linear models at the state.
void limpet_coulomb_foreseen(limpet_island_solver *solver);
/* u [m/s] with u - w n(u) = target, w [1/kg]; n and -n' there. By Newton's method, which is
 * monotone as n is convex where it acts. */
double limpet_coulomb_normal_point(const limpet_contact_constants *constants, double w,
                                   double target, double *n, double *slope);
// n there alone.
double limpet_coulomb_impulse(const limpet_contact_constants *constants, double w, double target);
/* gamma (3) [N s]: the impulse with which one contact meets its law, stiction as rigid, whose
 * velocity is f + W gamma; the nearest to the normal impulse `present` on its way. See
 * coulomb_jam.c. */
void limpet_coulomb_jam(const limpet_contact_constants *constants, const double W[9],
                        const double f[3], double present, double gamma[3]);
// Takes the memory of sweeps from the arena, for islands where they gain time.
limpet_status limpet_coulomb_sweeps_create(limpet_island_solver *solver, limpet_arena *arena);
/* Contacts and rows of trees as their kernels take them, and bytes for it. Nothing, where free
 * bodies alone take part, or others than trees. False: there is no memory. */
bool limpet_coulomb_sweep_trees_open(limpet_island_solver *solver);
size_t limpet_coulomb_sweep_trees_room(const limpet_island_solver *solver);
/* The space of an island of free bodies with dense matrices, created already, and sweep_own of its
 * contacts. False: A is not positive definite, or there is no memory. */
bool limpet_coulomb_sweep_bodies_fill(limpet_island_solver *solver);
// What sweeps need, once in a step. False: A is not positive definite, or there is no memory.
bool limpet_coulomb_sweeps_open(limpet_island_solver *solver);
/* Makes solver->coulomb->forces better by sweeps over the island's contacts; solver->x becomes the
 * velocity with them, and the state is left as it is. False, and nothing done, where such sweeps
 * gain no time. */
bool limpet_coulomb_sweep(limpet_island_solver *solver, const limpet_coulomb_sweeps *sweeps);
// solver->coulomb->forces <- those of the last sweeps. False: there were none in this step.
bool limpet_coulomb_recall_sweeps(limpet_island_solver *solver);
/* The impulses of the last sweeps become those of the island, solver->x and the state their
 * velocity: momentum is met to round-off, friction is in the cone. */
void limpet_coulomb_take_sweeps(limpet_island_solver *solver);
/* Whether pivoting may find forces in an island (coulomb_facets.c): of free bodies alone. [bytes]
 * that it works in. */
bool limpet_coulomb_facets_fit(const limpet_island_solver *solver);
size_t limpet_coulomb_facets_room(const limpet_island_solver *solver);
/* solver->coulomb->forces, those of the last sweeps, and solver->x with them, <- forces of the
 * island with facets for cones, about those that were there; other ones in each attempt (from 0).
 * False: there are none. */
bool limpet_coulomb_facets(limpet_island_solver *solver, int attempt);
/* The same after sweeps that do not end: contacts that change most, and what touches their bodies,
 * by pivoting, all others by sweeps, in turn. `again`: goes on with the same contacts. */
bool limpet_coulomb_facets_awake(limpet_island_solver *solver, bool again);
/* The contacts that made most of the change of the last sweeps, at most `most`, and neighbours of
 * these while there is room; returns how many. */
int limpet_coulomb_awake(const limpet_island_solver *solver, int most, int *contact);
// Plain sweeps over all contacts of the last sweeps but `held` (count).
void limpet_coulomb_sweep_others(limpet_island_solver *solver, int count, const int *held,
                                 int sweeps);
void limpet_coulomb_set_form(limpet_island_solver *solver, limpet_friction_form form);
// solver->coulomb->forces <- those of the convex problem shifted by the slip speeds at the state,
// roughly solved. The outcome is a failure or the iteration limit.
void limpet_coulomb_shift(limpet_island_solver *solver, const limpet_newton_settings *settings);
// s [m/s] of a contact at the state.
double limpet_coulomb_slip_speed(const limpet_island_solver *solver, int contact);
/* The linear step that starts a shifted problem, whose laws are in that form: solver->x <- where it
 * leads from the forces in solver->coulomb->forces and `torque` (spins x 2), which were solved for
 * the shift `before` (contacts) at the state. It stays as it is where that has the lower cost, or
 * the matrix is not positive definite. See coulomb_shifted_start.c. */
void limpet_coulomb_start_shifted(limpet_island_solver *solver, const double *before,
                                  const double *torque);
/* Convex problems, `problems` at most, each shifted by the slip speeds of the last, the first by
 * those at the state, until no gap is left or no iterations are: the outcome says which. In islands
 * of many contacts each starts from the forces of the last, and the first from those of sweeps in
 * solver->coulomb->forces, where the state is `swept`. */
void limpet_coulomb_close_gaps(limpet_island_solver *solver, const limpet_newton_settings *settings,
                               int problems, bool swept);
/* The state <- the solution of the shifted problem that left the shortest gap in this solve, of
 * those where nothing turns. False: there is none, or its gap is longer than 0.1 mm. */
bool limpet_coulomb_recall_gap(limpet_island_solver *solver);
/* The island without friction, from rest: convex, and nothing gets inside. What a step ends with
 * where everything else has diverged; its outcome is that of an unsolved one. Where iterations do
 * not suffice sweeps end it, which keep momentum; without sweeps it may be from nowhere. */
void limpet_coulomb_drop_friction(limpet_island_solver *s, const limpet_newton_settings *settings);
/* The step d (n) from the state by the linear models: factors, then iterates (*) until bounds agree
 * within `tolerance` [kg^1/2 m/s] and a share of themselves. contact_dv and row_du are J d. False
 * where the matrix is not positive definite. */
bool limpet_coulomb_step(limpet_island_solver *solver, double tolerance, double *d);
// The same with the factor of the step before.
void limpet_coulomb_step_again(limpet_island_solver *solver, double tolerance, double *d);

#endif
