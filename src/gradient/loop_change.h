/* gradient/loop_change.h: how the rows of a loop (connect, weld, distance) change with the two
 * bodies that it joins, in closed form: constraint/loop.h. */
#ifndef LIMPET_GRADIENT_LOOP_CHANGE_H
#define LIMPET_GRADIENT_LOOP_CHANGE_H

#include "gradient/body_path.h"
#include "gradient/row_change.h"

enum { LIMPET_LOOP_ROWS = 6 };

/* How the impulse of a row changes with what its law reads, at the solution:
 * gamma = rho (v_hat - u), u the speed along the row. */
typedef struct limpet_loop_law {
  double rho, rest;  // 1/R; v_hat - u
  double v_by_g, v_by_b, v_by_r, rho_by_g, rho_by_r, rho_by_w;
} limpet_loop_law;

// One loop, about the point C = P at the start of the step, which stays.
typedef struct limpet_loop_view {
  int island, loop, count;  // count: of its rows
  limpet_loop_kind kind;
  int row[LIMPET_LOOP_ROWS];  // of the problem; LIMPET_NONE: it moves nothing
  double gamma[LIMPET_LOOP_ROWS];
  limpet_loop_law law[LIMPET_LOOP_ROWS];
  limpet_body_path path[2];  // of A, of B
  double end[2][3];          // P, Q less C
  double at[2][3];           // where the rows act on A and on B, less C
  double turn[3];            // from the frame at P to that at Q
  double axis[3];            // of distance: the unit vector from P to Q
  double length;             // |Q - P|
  double U[2][6];            // velocity of A and B by what does not move both
  double G[2][9];            // dw = sum over columns c of 2 w'G dc + c'G c' dZ; w: of W
  double Dn[3];              // of distance: dw = 2 Dn . d(axis), too
  bool known;
} limpet_loop_view;

// What the pose along one velocity does to both bodies; or the velocity itself.
typedef struct limpet_loop_change {
  const limpet_path_dof *by;
  int step[2];         // its place on each path; -1: it does not move this body
  double moved[2][3];  // d at
  double axis[3];      // d axis
  double dgamma[LIMPET_LOOP_ROWS];
} limpet_loop_change;

/* loop_view.c: views (at most row_count of them) of all loops with rows in the step's problem.
 * weights: of Delassus estimates. Memory from the arena stays. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_loop_views_make(const limpet_probe *probe, limpet_row_probe *rows,
                                     const limpet_delassus_weights *weights, limpet_arena *arena,
                                     limpet_loop_view *views, int *count);
// Whether a row is one of a loop.
bool limpet_loop_has_row(const limpet_constraint_row *row);

// Along the velocity at place k of a path: of the pose.
void limpet_loop_change_pose(const limpet_probe *probe, const limpet_loop_view *view, int side,
                             int k, limpet_loop_change *change);
// Of the velocity at the start of the step.
void limpet_loop_change_velocity(const limpet_probe *probe, const limpet_loop_view *view, int side,
                                 int k, limpet_loop_change *change);
// dgamma where what limpet_probe_bend tells of the tree of a side changes.
void limpet_loop_change_bend(const limpet_probe *probe, const limpet_loop_view *view, int side,
                             const double dbend[3], double dgamma[LIMPET_LOOP_ROWS]);
// dgamma by the entry of A_JJ^-1 between places k and l of a path, of one joint.
void limpet_loop_change_weight(const limpet_loop_view *view, int side, int k, int l,
                               double dgamma[6]);

// Generalised force of row i per unit of its impulse on the velocity at place k of a path.
double limpet_loop_entry(const limpet_loop_view *view, int i, int side, int k);
// Its change.
double limpet_loop_entry_change(const limpet_loop_view *view, const limpet_loop_change *change,
                                int i, int side, int k);

#endif
