/* gradient/tree_change.h: how the momentum balance of a tree changes with its state, in closed
 * form.
 *
 *   r = M(q_m) (v - v0) + h b(q_m, u) + K v - h f(q0),   K: implicit terms, constant
 *   q_m = q0, u = v0              plain flight, trees that actuators drive or that stay
 *   q_m = q0 (+) h/2 s u, u = v0 + s c/2    trees that were held in the last step: flight_part.c,
 *                                           flight_share.c; s is 1 but where driven, c is held
 * held dr/dq = B T_q - h df/dq,   dr/dv0 = B T_v + h b_u - M - h df/dv0 B = h d(RNEA)/dq_m at the
 * acceleration (v - v0)/h, T: derivatives of q_m. Trees that fly: tree_flight.h. What is not known
 * in closed form here: bodies with a gyroscopic torque, joints that turn far in a step, media,
 * tendons that are no sums of joints, actuators that read the state outside the solve, gravity
 * compensation by actuators, applied wrenches. */
#ifndef LIMPET_GRADIENT_TREE_CHANGE_H
#define LIMPET_GRADIENT_TREE_CHANGE_H

#include "gradient/tree_flight.h"

typedef struct limpet_tree_change {
  int first, n;  // velocities
  bool known;    // in closed form; else the rest is not filled
  bool flies;    // limpet_tree_flies
  // of trees that fly, from which q and v are then; NULL: not wanted. Room:
  // limpet_tree_flight_input
  limpet_tree_flight *flight;
  double *flight_room;
  bool by_middle;  // q_m is not q0
  double *q, *v;   // (n x n)  row: component of r; column: of the state
  // (6 x n)  of what impulses and forces f on its first joint add to its momentum, r + h f; NULL:
  // not wanted. Filled where it is there, `known` or not
  double *impulse_q, *impulse_v;
  // (n x n), (6 x n)  the same by c where steps depend on it; NULL: not wanted, or not known.
  // Weights by c are half of those by v
  double *change, *impulse_change;
  // (3 x n)  of limpet_flight.bend; NULL: the tree is not centred
  double *bend_q, *bend_v;
  // (n x n)  of 1/A_kk of rows, by q and by v
  double *own_q, *own_v;
  // of Delassus estimates, dynamics/delassus.h: entries of A_JJ^-1, limpet_tree_weight; or of the
  // 1/A_kk in their axes
  int weights;                  // how many
  int *local, *pair;            // (n)  place in the joint (0: alone); pairs with others before
  double *steady_q, *steady_v;  // (weights x n)
} limpet_tree_change;

// Row of the entry between velocity `dof` of the tree and the one in place l of its joint, at most
// its own place.
static inline int limpet_tree_weight(const limpet_tree_change *tree, int dof, int l) {
  return l == tree->local[dof] ? dof : tree->n + tree->pair[dof] + l;
}

/* Whether each tree has a closed form: fills trees (tree_count), nothing but their ranges and
 * `known`. The world is at the start of the step. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_tree_change_known(const limpet_probe *probe, limpet_arena *arena,
                                       limpet_tree_change *trees);

/* Fills q and v of the trees that are known, and the derivatives of 1/A_kk where `weights`. After
 * kinematics, velocities and tendons of the world. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_tree_change_fill(const limpet_probe *probe, bool weights, limpet_arena *arena,
                                      limpet_tree_change *trees);

#endif
