/* optim/cone_barrier.h: a convex programme over cones of three variables each, under equations, by
 * the logarithmic barrier.
 *
 *   variables       x_i = (x_T1, x_T2, x_N), one three for each block of W (block_rows.h)
 *   u               = u^ + W'x
 *   minimise   f0   energy    1/2 |u|^2 + c'x
 *                   squares   sum over blocks with mu > 0 of |(W u + c)_T|^2
 *   subject to      W_N u as it is with x_N = w, x_T = 0       over `push`, blocks that take part
 *                   cone    |x_T| <= mu |x_N|                  cone_term.h
 *                   bound   energy 1'x_N, squares |x_N|^2 <= its value at the start + bound
 *                   open    W_k u >= its value at the start - slack     over the blocks `open`
 *   h(x) = t f0 + barriers,   t grows until gap = (parameters of the barriers)/t is a small share
 *                             of what f0 can fall by
 *   Newton directions of h (cone_equations.h), Brent's method along them up to where the first
 *     slack vanishes
 *
 * The matrix W is data and not a pair of callbacks. A direction needs products of rows of W with
 * one another, and sums of them over cones; it orders rows by size and reflects them. What a caller
 * could do in its stead is only to multiply a vector, and most of the method would have to be
 * written anew for each caller. Callers differ in the numbers of W alone.
 *
 * gap counts 2 for each cone, 1 for each other constraint. The functions |x_T|^2 - mu^2 x_N^2 are
 * not convex, so that (number of constraints)/t is no bound; the parameters of the barriers are.
 * Where x is the minimiser of h, f0 is at most that far from its least value; a Newton decrement d
 * adds the share d/(1 - d)/sqrt(parameters). The start must satisfy cones, bound and open rows
 * strictly. On its way x stays on its nappe of each cone.
 * References: Boyd, Vandenberghe, Convex Optimization, chapter 11; Nesterov, Nemirovskii,
 * Interior-point polynomial algorithms in convex programming (1994), 2.3; Drumwright, Shell, A
 * robust and tractable contact model (2009), section 3.2, for the programme. */
#ifndef LIMPET_OPTIM_CONE_BARRIER_H
#define LIMPET_OPTIM_CONE_BARRIER_H

#include <stdbool.h>
#include <stddef.h>

#include "optim/block_rows.h"

typedef struct limpet_cone_barrier_problem {
  bool squares;            // the objective is `squares`, and cones have both nappes
  limpet_block_rows rows;  // W
  const double *u;         // (n)  u^
  const double *linear;    // (blocks x 3)  c
  const double *mu;        // (blocks) [-]
  const double *w;         // (blocks)  x_N with which W_N u is right
  const int *push;         // (push_count)  blocks, ascending
  const int *open;         // (open_count)
  int push_count, open_count;
  double bound;         // slack of the bound at the start
  const double *slack;  // (open_count)  of the open rows at the start
} limpet_cone_barrier_problem;

typedef struct limpet_cone_barrier_settings {
  double accuracy;  // [-]  gap over what f0 can fall by, at the end
} limpet_cone_barrier_settings;

typedef struct limpet_cone_barrier_solution {
  double *x;  // (blocks x 3)  start and result
} limpet_cone_barrier_solution;

typedef struct limpet_cone_barrier_info {
  int iterations, evaluations, factorizations;
  double gap;   // [unit of f0]  f0 is at most this far from its least value
  double fall;  // [unit of f0]  f0 can fall by this, at most
  bool converged;
} limpet_cone_barrier_info;

// Laid out by limpet_cone_barrier_lay_out.
typedef struct limpet_cone_barrier_workspace {
  // what is solved
  const limpet_cone_barrier_problem *problem;
  const limpet_cone_barrier_settings *settings;
  limpet_cone_barrier_info *info;
  double *x;
  // slacks that follow x, of the open rows that the others do not determine
  int *open, open_count;
  double bound, *slack;
  double *u, *wanted_u;     // (n)  at x; at w
  double *start, *start_u;  // (blocks x 3), (n)  at the start
  double *dx, *du;          // (blocks x 3), (n)  a direction
  double *total, *total_u;  // (blocks x 3), (n)  a sum of such
  double *ray;  // (push + open) x 2  slack(x + a dx) = slack(x) (1 + a first + a^2 second)
  double bound_first, bound_second;  // bound(x + a dx) = bound - a first - a^2 second
  double slope, curvature;           // of f0 along dx
  double t;                          // [1/unit of f0]
  double *left;  // (blocks x 3)  energy: what remains of c as seen from the best frame
  // of the equations for the direction
  bool careful;                     // by reflections of rows, not by squares
  double *gradient;                 // (n)  of f0 over u
  double *Z, *B, *root_B, *unseen;  // (n x n)
  int d;                            // rows of Z and root_B
  double *F, *FG;                   // (forces x n)  squares
  int forces, tau_count;
  double *bound_row;  // (push x 3)  gradient of the bound at the start, less what the equations
                      // make of it
  double *cone,
      *step;  // (push x 9), (push x 3)  roots of inverse Hessians, steps of the cones alone
  double bound_curvature;    // of the bound on each x_N
  double *G;                 // (n x n)
  double *E, *EG;            // (open x n)  open rows, less what the equations determine
  double *border;            // (n)
  double *K;                 // (size x size), size = forces + 1 + open_count
  double *rows;              // those whose squares K is, where it is careful
  double *right, *solution;  // (size)
  double *field, *before;    // (n)
} limpet_cone_barrier_workspace;

/* Lays the workspace out for up to so many blocks and columns (memory NULL: only counts). Returns
 * its size [bytes], a multiple of 8. */
size_t limpet_cone_barrier_lay_out(limpet_cone_barrier_workspace *workspace, bool squares,
                                   int blocks, int columns, char *memory);

// From solution->x into solution->x.
void limpet_cone_barrier_solve(const limpet_cone_barrier_problem *problem,
                               const limpet_cone_barrier_settings *settings,
                               limpet_cone_barrier_workspace *workspace,
                               limpet_cone_barrier_solution *solution,
                               limpet_cone_barrier_info *info);

// ----------------------------------------------------------------------- in pieces, for tests

// Takes the arguments over; u of the start, and what the equations need of it.
void limpet_cone_barrier_begin(const limpet_cone_barrier_problem *problem,
                               const limpet_cone_barrier_settings *settings,
                               limpet_cone_barrier_workspace *workspace,
                               limpet_cone_barrier_solution *solution,
                               limpet_cone_barrier_info *info);
/* Newton's direction of h for the present t and x into dx, du; *squared: the square of the
 * decrement. False where round-off does not let it be found. */
bool limpet_cone_barrier_direction(limpet_cone_barrier_workspace *workspace, double *squared);
// Whether x satisfies all inequalities strictly.
bool limpet_cone_barrier_inside(const limpet_cone_barrier_workspace *workspace);

#endif
