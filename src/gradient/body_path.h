/* gradient/body_path.h: the velocities on the way from the root of a tree to a body, and how the
 * body's own velocity changes with them. Spatial vectors about a point P that stays, W. */
#ifndef LIMPET_GRADIENT_BODY_PATH_H
#define LIMPET_GRADIENT_BODY_PATH_H

#include "base/arena.h"
#include "dynamics/delassus.h"
#include "gradient/probe.h"

typedef struct limpet_path_dof {
  double S[6];     // axis; the changes of the body by the pose begin with it
  double dV[6];    // of the body's velocity by the pose, with velocities v of the solution
  double dV0[6];   // the same with those at the start of the step
  double dA[6];    // of its acceleration A by the pose
  double dA_v[6];  // and by the velocity at the start
  double C[6];     // axis in those of Delassus estimates: dynamics/delassus.h
  double W[6];     // sum of C by the weights of its joint: D is the sum of C W'; 0 where shared
  int dof;
  bool shared;  // it moves the other body of the pair, too
} limpet_path_dof;

typedef struct limpet_body_path {
  const limpet_model *model;
  bool whole_joints;  // in Delassus estimates
  int count;
  limpet_path_dof *step;     // (count)  from the root
  double V[6], V0[6], A[6];  // of the body: solution, start; A at constant velocities
  double origin[3];          // [m]  of the body
  double pivot[3];           // [m]  limpet_curved_path_pivot; its origin until it is set
} limpet_body_path;

// Whether two velocities are rotations of one joint, whose axes turn with it.
bool limpet_dofs_turn_together(const limpet_model *model, int a, int b);
/* Both ways from the root, to two rigid units of the probe's world; velocities up to where they
 * meet are shared. weights: of Delassus estimates. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_body_paths_make(const limpet_probe *probe, const int unit[2],
                                     const double P[3], const limpet_delassus_weights *weights,
                                     limpet_arena *arena, limpet_body_path path[2]);
// The last body on the paths to both, of a tree; LIMPET_NONE: there is none.
int limpet_body_paths_meet(const limpet_model *model, int a, int b);
// Whether S of step k moves with step j of the same path.
bool limpet_body_path_moves(const limpet_body_path *path, int j, int k);
// The same for C.
bool limpet_body_path_moves_steady(const limpet_body_path *path, int j, int k);

#endif
