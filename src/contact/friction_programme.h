/* contact/friction_programme.h: the second phase of the two-phase method: a convex programme over the null space of the normal
 * velocities, by the logarithmic barrier.
 *
 *   minimise   f0 = 1/2 x'Q x + c'x,   x = w + N'y            rows of N: null space of the normal velocities that stay
 *   subject to cone    |x_T|^2 < mu^2 x_N^2                    each contact with friction
 *              bound   literal:  |x_N|^2 < bound               repaired:  1'x_N < bound
 *              open    E x + e > 0                             speeds of contacts that may part
 *   h(y) = t f0 - sum log(slacks),   t grows until (number of constraints)/t is a small share of f0
 *   Newton directions of h, Brent's method along them up to where the first slack vanishes
 * The start y = 0 must satisfy all strictly. Variables of a contact follow each other: N, T1, T2, or N alone.
 * -log(mu^2 x_N^2 - |x_T|^2) is convex on each nappe of the cone; a path of small steps never leaves the one it starts on.
 * Reference: Drumwright, Shell, A robust and tractable contact model (2009), section 3.2; Boyd, Vandenberghe, Convex
 * Optimization, chapter 11. Cost of an iteration: O(m d^2 + d^3). */
#ifndef LIMPET_CONTACT_FRICTION_PROGRAMME_H
#define LIMPET_CONTACT_FRICTION_PROGRAMME_H

#include <stdbool.h>
#include <stddef.h>

typedef struct limpet_friction_programme {
  int m, d, contacts, opens;
  bool literal;
  const int *at;     // (contacts)  first variable
  const double *mu;  // (contacts)  [-]  0: N alone
  const double *Q;   // (m x m)
  const double *c;   // (m)
  const double *N;   // (d x m)
  const double *E;   // (opens x m)
  const double *e;   // (opens)  [m/s]
  const double *w;   // (m)  [N s]
  double bound;      // [N^2 s^2] or [N s]
  double *x;         // (m)  the result
  // workspace: see limpet_friction_programme_lay_out
  double *dx, *Qx, *Qdx, *gradient, *H, *T, *reduced, *dy, *trial;
  double slope, curvature;  // of f0 along dx
  double t;                 // [1/unit of f0]  of the barrier
  // what happened
  int iterations, evaluations;
  double gap;  // (number of constraints)/t, at the end
  bool converged;
} limpet_friction_programme;

// Lays the workspace out for up to m variables (memory NULL: only counts). Returns its size [bytes].
size_t limpet_friction_programme_lay_out(limpet_friction_programme *programme, int m, char *memory);

// x: the solution, or w where nothing can move.
void limpet_friction_programme_solve(limpet_friction_programme *programme);

/* h at `x` with its gradient and Hessian over x ((m), (m x m), may be NULL); INFINITY, and nothing filled, where a constraint
 * is not satisfied strictly. */
double limpet_friction_programme_barrier(const limpet_friction_programme *programme, const double *x, double *gradient,
                                         double *H);

#endif
