/* solve/friction_programme.h: the second phase of the two-phase method: a convex programme over the
 * impulses that keep the normal velocities, by the logarithmic barrier.
 *
 *   minimise   f0   literal   sum over contacts with friction |(W u + c)_T|^2
 *                   repaired  1/2 |u|^2 + c'x                                u = u^ + W'x,  W root
 *                             of A: contact_root.h
 *   subject to      W_N u as it is with w    over `push`, contacts that keep their normal speeds: C
 *                   = W_N W' of the paper
 *                   cone    |x_T| <= mu |x_N|                                friction_barrier.h
 *                   bound   literal |x_N|^2, repaired 1'x_N <= its value at the start + bound
 *                   open    W_k u >= its value at the start - slack          over `open`, contacts
 *                           that may part
 *   h(x) = t f0 + barriers,   t grows until gap = (parameters of the barriers)/t is a small share
 *                             of what f0 can fall by
 *   Newton directions of h (friction_equations.h), Brent's method along them up to where the first
 *     slack vanishes
 *
 * gap counts 2 for each cone, 1 for each other constraint: the functions |x_T|^2 - mu^2 x_N^2 are
 * not convex (defect D7), so that the paper's (number of constraints)/t is no bound; the parameters
 * of the barriers are. Where x is the minimiser of h, f0 is at most that far from its least value;
 * a Newton decrement d adds the share d/(1 - d)/sqrt(parameters). The start must satisfy cones,
 * bound and open rows strictly. On its way x stays on its nappe of each cone.
 * References: Drumwright, Shell, A robust and tractable contact model (2009), section 3.2; Boyd,
 * Vandenberghe, Convex Optimization, chapter 11; Nesterov, Nemirovskii, Interior-point polynomial
 * algorithms in convex programming (1994), 2.3. */
#ifndef LIMPET_SOLVE_FRICTION_PROGRAMME_H
#define LIMPET_SOLVE_FRICTION_PROGRAMME_H

#include <stddef.h>

#include "solve/contact_root.h"
#include "solve/friction_barrier.h"

typedef struct limpet_friction_programme {
  bool literal;
  const limpet_contact_root *root;
  const double *linear;  // (contacts x 3) [m/s]  c
  const double *mu;      // (contacts) [-]
  const double *w;       // (contacts) [N s]  normal impulses with which the normal speeds are right
  const int *push;       // (push_count)  contacts
  int *open;             // (open_count)  contacts; those that the others determine are taken out
  int push_count, open_count;
  double bound;     // [N s] or [N^2 s^2]  slack of the bound, at the start
  double *slack;    // (open_count) [m/s]  of the speeds, at the start; both slacks follow x
  double *x;        // (contacts x 3) [N s]  start and result
  double accuracy;  // [-]  gap over what f0 can fall by, at the end
  // what happened
  int iterations, evaluations, factorizations;
  double gap;   // [unit of f0]  f0 is at most this far from its least value
  double fall;  // [unit of f0]  f0 can fall by this, at most
  bool converged;
  // workspace: see limpet_friction_programme_lay_out
  double *u, *wanted_u;     // (n)  at x; at w
  double *start, *start_u;  // (contacts x 3), (n)  at the start
  double *dx, *du;          // (contacts x 3), (n)  a direction
  double *total, *total_u;  // (contacts x 3), (n)  a sum of such
  double *ray;  // (push + open) x 2  slack(x + a dx) = slack(x) (1 + a first + a^2 second)
  double bound_first, bound_second;  // bound(x + a dx) = bound - a first - a^2 second
  double slope, curvature;           // of f0 along dx
  double t;                          // [1/unit of f0]
  double *left;  // (contacts x 3)  repaired: what remains of c as seen from the surfaces
  // of the equations for the direction
  bool careful;                     // by reflections of rows, not by squares
  double *gradient;                 // (n)  of f0 over u
  double *Z, *B, *root_B, *unseen;  // (n x n)
  int d;                            // rows of Z and root_B
  double *F, *FG;                   // (forces x n)  literal
  int forces, tau_count;
  double *bound_row;  // (push x 3)  gradient of the bound at the start, less what the constraints
                      // make of it
  double *cone,
      *step;  // (push x 9), (push x 3)  roots of inverse Hessians, steps of the cones alone
  double bound_curvature;  // of the bound on each normal
  double *G;               // (n x n)
  double *E, *EG;          // (open x n)  rows of open contacts, less what the constraints determine
  double *border;          // (n)
  double *K;               // (size x size), size = forces + 1 + open_count
  double *rows;            // those whose squares K is, where it is careful
  double *right, *solution;  // (size)
  double *field, *before;    // (n)
} limpet_friction_programme;

/* Lays the workspace out for up to so many contacts and velocities (memory NULL: only counts).
 * Returns its size [bytes], a multiple of 8. */
size_t limpet_friction_programme_lay_out(limpet_friction_programme *programme, bool literal,
                                         int contacts, int velocities, char *memory);

// From x into x; what happened.
void limpet_friction_programme_solve(limpet_friction_programme *programme);

// ----------------------------------------------------------------------- in pieces, for tests

// u of the start, and what the equations need of it.
void limpet_friction_programme_begin(limpet_friction_programme *programme);
/* Newton's direction of h for the present t and x into dx, du; *squared: the square of the
 * decrement. Returns 1 where round-off does not let it be found. */
int limpet_friction_programme_direction(limpet_friction_programme *programme, double *squared);
// Whether x satisfies all inequalities strictly.
bool limpet_friction_programme_inside(const limpet_friction_programme *programme);
// f0 of u and x.
double limpet_friction_programme_objective(const limpet_friction_programme *programme);

#endif
