/* optim/qp_derivative.h: derivatives of the solution of a quadratic programme, by the implicit
 * function theorem on the equations of its faces (face.h).
 *
 *   H dx - A'du = -(dQ x + dc - dG'lambda + curvature of boundaries)
 *   A dx        = -(dG x + dh) on tight rows
 *
 * x is differentiable where every tight row has a positive multiplier (and no s or lambda lies
 * where two faces of its cone meet). Where some rows are tight without a multiplier, x is only
 * piecewise differentiable. The derivative returned is then that of the piece on which those rows
 * open, an element of the generalised Jacobian: every subset of independent rows without multiplier
 * belongs to some direction in which they open together. Tight rows that depend on others do not
 * matter for Q and c; for G and h they open, too. `weak_count` and `dependent_count` count both
 * kinds. */
#ifndef LIMPET_OPTIM_QP_DERIVATIVE_H
#define LIMPET_OPTIM_QP_DERIVATIVE_H

#include <stdbool.h>

#include "optim/qp.h"

// Between begin and the next solve in the same workspace.
typedef struct limpet_qp_derivative {
  const limpet_qp_problem *problem;
  const limpet_qp_solution *solution;
  limpet_qp_workspace *workspace;
  int weak_count;       // tight rows and cones without a multiplier: x has a kink
  int dependent_count;  // tight rows in the span of others: x is differentiable in Q and c, may
                        // have a kink in G and h
} limpet_qp_derivative;

// A change of the problem; NULL: none.
typedef struct limpet_qp_change {
  const double *Q;  // (n, n)  symmetric
  const double *c;  // (n)
  const double *G;  // (m + sum d, n)
  const double *h;  // (m + sum d)
} limpet_qp_change;

// What limpet_qp_derivative_adjoint writes; NULL: not wanted.
typedef struct limpet_qp_gradient {
  double *Q;  // (n, n)  symmetric
  double *c;  // (n)
  double *G;  // (m + sum d, n)
  double *h;  // (m + sum d)
} limpet_qp_gradient;

// Factors the equations at a solution (outcome SOLVED) of the problem. False: they cannot be.
bool limpet_qp_derivative_begin(limpet_qp_derivative *derivative, const limpet_qp_problem *problem,
                                const limpet_qp_solution *solution, limpet_qp_workspace *workspace);

// dx (n) and, unless NULL, dlambda (m + sum d) in the direction of a change.
void limpet_qp_derivative_along(limpet_qp_derivative *derivative, const limpet_qp_change *change,
                                double *dx, double *dlambda);

// The gradient of a function of x whose gradient there is gx (n), with respect to the problem.
void limpet_qp_derivative_adjoint(limpet_qp_derivative *derivative, const double *gx,
                                  const limpet_qp_gradient *gradient);

// dx/dc (n, n), symmetric: -Z (Z'HZ)^-1 Z' with Z the null space of the tight rows.
void limpet_qp_derivative_matrix(const limpet_qp_derivative *derivative, double *dx_dc);

#endif
