/* gradient/smooth_island.h: one island of compliant contacts: its momentum balance and the matrix
 * that is its derivative.
 *
 *   r(v) = A (v - v*) - J'gamma(v) = 0,   H = dr/dv,   dv = -H^-1 dr
 * Symmetric and positive definite where gamma is a gradient. Under Coulomb's law (model `coulomb`)
 * it is not: friction follows the normal impulse, - J_t' mu t k' J_n is added, k' = -dn/dv_n, and
 * - J_s' rho t k' J_n of friction against turning. */
#ifndef LIMPET_GRADIENT_SMOOTH_ISLAND_H
#define LIMPET_GRADIENT_SMOOTH_ISLAND_H

#include "solve/island_solver.h"
#include "solve/solve.h"

// What stands at a switch at the solution: the derivative is that of one side.
typedef enum limpet_weak_kind {
  LIMPET_WEAK_ROW,      // a row that reaches its bound
  LIMPET_WEAK_CLOSING,  // a contact whose normal force begins
  LIMPET_WEAK_TOUCHING  // a contact that begins the step touching: bounds of friction begin there
} limpet_weak_kind;

typedef struct limpet_weak {
  limpet_weak_kind kind;
  int index;  // within the island
} limpet_weak;

typedef struct limpet_smooth_island {
  int n;
  limpet_island_solver base;  // at the solution, evaluated
  double *x;                  // (n)  solution, in the island's order
  double *L;                  // (n, n)  Cholesky factor of H there, or LU factors of -H
  int *pivot;                 // (n)  of the LU factors; NULL: Cholesky
  /* (4 n + 6 contacts + 4 spins + 2 rows)  work of a refinement of each solution; NULL: H has
   * digits enough */
  double *refined;
  bool approximate;  // v solves these equations only roughly: coulomb_shift.c
  int weak_count;
  limpet_weak *weak;  // (weak_count)  what stands at a switch
} limpet_smooth_island;

/* At a solution of the problem, whose workspaces are used where it kept them; kink_speed [m/s,
 * rad/s]: nearer to a switch than this is weak. A numerical failure where H is not positive
 * definite, or singular. */
limpet_outcome limpet_smooth_island_begin(limpet_smooth_island *smooth,
                                          const limpet_contact_problem *problem,
                                          const limpet_contact_solution *solution, int island,
                                          double kink_speed, limpet_arena *arena);
/* r (n) of another problem with the island's contacts and rows, at the solution; impulses to first
 * order in the change: law_change.h. After it, the speed [m/s, rad/s] of each weak one from its
 * switch (weak_count). */
limpet_outcome limpet_smooth_island_evaluate(const limpet_smooth_island *smooth,
                                             const limpet_contact_problem *problem, int island,
                                             limpet_arena *arena, double *r);
/* [m/s]  Change of the normal speed of contact `i` at which its force would end, by its tangent;
 * or, where it has none, begin. */
double limpet_smooth_island_margin(const limpet_smooth_island *smooth, int i);
// Change of the switch speed of weak `i` by a change dx (n) of the solution.
double limpet_smooth_island_switch_rate(const limpet_smooth_island *smooth, int i,
                                        const double *dx);
// y (n) = -H^-1 x, -H'^-1 x; the arrays may be the same.
void limpet_smooth_island_solve(const limpet_smooth_island *smooth, const double *x, double *y);
// X (n x count) <- -H^-1 X.
void limpet_smooth_island_solve_many(const limpet_smooth_island *smooth, int count, double *X);
// X (n x n) = -H^-1.
void limpet_smooth_island_inverse(const limpet_smooth_island *smooth, double *X);
void limpet_smooth_island_adjoint(const limpet_smooth_island *smooth, const double *x, double *y);

#endif
