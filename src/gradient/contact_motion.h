/* gradient/contact_motion.h: how the bodies of a tree in contact move, and how each velocity moves
 * what hangs on it: what contacts need of trees, whether columns (contact_columns.h) or products
 * (contact_sweep.h) are wanted. Spatial vectors about the origin of each tree, W. */
#ifndef LIMPET_GRADIENT_CONTACT_MOTION_H
#define LIMPET_GRADIENT_CONTACT_MOTION_H

#include "gradient/patch_view.h"

/* Sums before a velocity, own rotations of its joint left out: P, P0 with the velocities v of the
 * solution and v0 at the start, B of accelerations at constant velocities. Along the pose j a body
 * with V, V0, A has
 *   dV = S_j x (V - P),   dV0 = S_j x (V0 - P0),   dA = S_j x A + q_j + p_j x V0
 * and along velocity j  dV0 = S_j,  dA = rate_j + S_j x V0:  body_path.h. */
typedef struct limpet_pose_motion {
  double S[6], V[6];  // axis, P x S_j
  double p[6], q[6];  // P0 x S_j,  B x S_j - p_j x P0
} limpet_pose_motion;

typedef struct limpet_rate_motion {
  double S[6], rate[6];  // axis, S'_j + p_j
} limpet_rate_motion;

// Poses and rates are rows of what factors multiply.
typedef struct limpet_dof_motion {
  limpet_pose_motion pose;
  limpet_rate_motion rate;
  double P[6], P0[6];
  double C[6], W[6];  // of Delassus estimates: body_path.h; where they are steady
} limpet_dof_motion;

enum {
  LIMPET_POSE_WIDTH = sizeof(limpet_pose_motion) / sizeof(double),
  LIMPET_RATE_WIDTH = sizeof(limpet_rate_motion) / sizeof(double),
  LIMPET_DOF_STRIDE = sizeof(limpet_dof_motion) / sizeof(double)  // from one row to the next
};

typedef struct limpet_contact_motion {
  const limpet_column_writer *w;
  bool weighs;               // laws of contacts read Delassus estimates: D is there
  bool steady;               // they or laws of loops do: C and W are there
  limpet_body_motion *body;  // (body_count)
  limpet_dof_motion *dof;    // (nv)  of bodies that are not reached zero
  bool *filled;              // (body_count)
} limpet_contact_motion;

// Of no tree yet. Memory from the writer's arena stays. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_contact_motion_take(const limpet_column_writer *w,
                                         limpet_contact_motion *motion);
// The writer gets motions of its own.
limpet_status limpet_contact_motion_new(limpet_column_writer *writer);
// Whether weights belong to whole joints: dynamics/delassus.h.
bool limpet_contact_motion_whole_joints(const limpet_contact_motion *motion);
// Whether pose j moves C of velocity k, which is on the same path: body_path.h.
bool limpet_contact_motion_moves_steady(const limpet_contact_motion *motion, int j, int k);
// Of a body of a tree and those before it, once.
void limpet_contact_motion_reach(limpet_contact_motion *motion, int body);
// Of all bodies of a tree, once.
void limpet_contact_motion_fill(limpet_contact_motion *motion, int tree);

#endif
