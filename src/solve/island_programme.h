/* solve/island_programme.h: one island of rigid contacts as a quadratic programme.
 *
 *   minimise 1/2 x'Qx + c'x   subject to   G x + h in K,   x = (v, s)
 *   Q, c      A and -A v*; rows of constraints that pull both ways add a a'/R and -a v_hat/R
 *   G, h      rows of contacts over u = (v_t1, v_t2, v_n, w_n) = B v + bias (contact_model.h);
 *             one-sided constraints a v - v_hat
 *   s         one for each row of bounded impulse (dry friction, servos with limits),
 *             gamma = clamp((v_hat - a v)/R, lower, upper): its cost is
 *             1/2 (v_hat - a v - s)^2/R + t,  t >= upper s, t >= lower s
 * Reference: Tracy, Manchester, quasi-dynamic point clouds with torsional friction, equation
 * (13). */
#ifndef LIMPET_SOLVE_ISLAND_PROGRAMME_H
#define LIMPET_SOLVE_ISLAND_PROGRAMME_H

#include "optim/qp.h"
#include "solve/solve.h"

typedef struct limpet_island_programme {
  const limpet_contact_problem *problem;
  const limpet_island *island;
  const limpet_rigid_model *model;
  int n;           // velocities; further variables follow
  double *basis;   // (contacts x 4 x n)  B
  double *offset;  // (contacts x 3)  [m/s, rad/s]  bias of the tangents and about the normal
  double *rows;    // (contacts x LIMPET_RIGID_ROWS x 4)
  int *row_first;  // (contacts)  in G
  int *row_count;  // (contacts)
  limpet_qp_problem qp;
  double *Q, *c, *G, *h;
  int *cone_dimension;
  int *constraint_row;  // (island's rows)  in G, or -1: not one-sided
  limpet_qp_workspace workspace;
  limpet_qp_solution solution;  // x: the velocities first

  // results
  limpet_outcome outcome;
  bool on_faces;  // rows and cones are tight or free to round-off, not an interior point near them
  limpet_rigid_counts counts;
  double residual;                                 // [-]
  double cost;                                     // [J]
  double *impulse;                                 // (n)  J' gamma
  double *velocity, *gamma, *torsion, *row_gamma;  // (contacts x 3), x 3, (contacts), (rows)
} limpet_island_programme;

// Takes the memory from the arena and fills the programme.
limpet_status limpet_island_programme_create(limpet_island_programme *programme,
                                             const limpet_contact_problem *problem, int island,
                                             limpet_arena *arena);

/* Solves it and fills the results. Where the rows contradict each other (outcome infeasible) what
 * is inside is left inside: rows that ask for motion ask for none. */
void limpet_island_programme_solve(limpet_island_programme *programme);

#endif
