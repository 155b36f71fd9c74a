/* gradient/loop_change.h: how the rows of a loop (connect, weld, distance) change with the two
 * bodies that it joins, in closed form: constraint/loop.h. */
#ifndef LIMPET_GRADIENT_LOOP_CHANGE_H
#define LIMPET_GRADIENT_LOOP_CHANGE_H

#include "gradient/contact_motion.h"
#include "gradient/patch_sides.h"
#include "gradient/row_change.h"

enum { LIMPET_LOOP_ROWS = 6 };

/* How the impulse of a row changes with what its law reads, at the solution:
 * gamma = rho (v_hat - u), u the speed along the row. */
typedef struct limpet_loop_law {
  double rho, rest;  // 1/R; v_hat - u
  double v_by_g, v_by_b, v_by_r, rho_by_g, rho_by_r, rho_by_w;
} limpet_loop_law;

// Velocities that move A alone, B alone, and both.
enum { LIMPET_LOOP_BOTH = LIMPET_SIDES, LIMPET_LOOP_PARTS };

// One of the two bodies, about C.
typedef struct limpet_loop_body {
  int unit, tree;              // rigid unit; its tree, LIMPET_NONE: it does not move
  double lever[3];             // [m]  C from the origin of the tree
  double V[6], V0[6], A[6];    // solution, start; acceleration at constant velocities
  double U[6];                 // V by what does not move both
  double origin[3], pivot[3];  // [m]  limpet_probe_origin, limpet_probe_pivot
} limpet_loop_body;

// A column C of a velocity that does not move both, in the rows of each part, and that of its W.
typedef struct limpet_loop_arm {
  double c[2][3], w[2][3];
} limpet_loop_arm;

// One loop, about the point C = P at the start of the step, which stays.
typedef struct limpet_loop_view {
  int island, loop, count;  // count: of its rows
  limpet_loop_kind kind;
  int row[LIMPET_LOOP_ROWS];  // of the problem; LIMPET_NONE: it moves nothing
  double gamma[LIMPET_LOOP_ROWS];
  limpet_loop_law law[LIMPET_LOOP_ROWS];
  const limpet_contact_motion *motion;  // of the trees of both bodies
  limpet_loop_body body[2];             // A, B
  int from[LIMPET_LOOP_PARTS + 1];      // velocities of each part
  int *dof;                             // from[last] of them, of each part from the root
  limpet_loop_arm *arm;                 // of those of one body
  double end[2][3];                     // P, Q less C
  double at[2][3];                      // where the rows act on A and on B, less C
  double turn[3];                       // from the frame at P to that at Q
  double axis[3];                       // of distance: the unit vector from P to Q
  double length;                        // |Q - P|
  double G[2][9];                       // dw = sum over columns c of 2 w'G dc + c'G c' dZ; w: of W
  double Dn[3];                         // of distance: dw = 2 Dn . d(axis), too
  bool known, weighs;                   // weighs: a law depends on w
  double *dw;  // (dofs x 2)  w of each part along poses, weights held; where weighs
} limpet_loop_view;

/* Factors of what moves the two bodies, about C. Along the pose of a velocity, of S, dV, dV0
 * and dA of its steps on both paths (body_path.h); along the velocity itself by_v, of S, and dA, of
 * dA_v. Of the acceleration that limpet_probe_bend tells of: minus the linear part of dA. */
typedef struct limpet_loop_factors {
  limpet_side_factors side[2];
  double shared[6];  // of S of what moves both bodies, instead of xi of both
  double by_v[2][6];
  double weight[2];  // of w of each part
} limpet_loop_factors;

/* loop_view.c: views (at most row_count of them) of all loops with rows in the step's problem.
 * Fills the motions of their trees. Memory from the arena stays. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
limpet_status limpet_loop_views_make(limpet_contact_motion *motion, limpet_row_probe *rows,
                                     limpet_arena *arena, limpet_loop_view *views, int *count);
// Whether a row is one of a loop.
bool limpet_loop_has_row(const limpet_constraint_row *row);

// Of y . dgamma.
void limpet_loop_factors_of(const limpet_probe *probe, const limpet_loop_view *view,
                            const double y[LIMPET_LOOP_ROWS], limpet_loop_factors *factors);
// Factors of S, along poses, of -sum of gamma_i df_i . X, the motions X of both bodies B less A.
void limpet_loop_wrench_factors(const limpet_loop_view *view, const double X[2][6],
                                double xi[2][6]);
// The wrench about C on B of impulses c of the rows, as the body of a side sees it; A has less it.
void limpet_loop_wrench(const limpet_loop_view *view, const double c[LIMPET_LOOP_ROWS], int side,
                        double f[6]);

// loop_weight.c: fills weighs and dw of a view. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_loop_weights_make(limpet_loop_view *view, limpet_arena *arena);
// w of a part by the entry of A_JJ^-1 between two velocities, places of `arm`.
double limpet_loop_by_weight(const limpet_loop_view *view, int part, int k, int l);

#endif
