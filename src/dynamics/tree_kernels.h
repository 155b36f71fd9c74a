/* dynamics/tree_kernels.h: sweeps over the bodies of a tree, as a table of functions for one
 * instruction set. All tables give the same bits. */
#ifndef LIMPET_DYNAMICS_TREE_KERNELS_H
#define LIMPET_DYNAMICS_TREE_KERNELS_H

#include "limpet/data.h"

typedef struct limpet_tree_kernels {
  const char *name;  // "baseline", "avx2"
  /* Poses, centres of mass, and of bodies in trees inertias and motion axes, of the bodies `first`
   * to `end`, which are those of a tree, or one that is in none: q and mocap poses ->
   * body_position, body_quaternion, body_rotation, body_com, body_inertia, tree_origin, dof_axis */
  void (*kinematics)(const limpet_model *model, limpet_data *data, int first, int end);
  /* The same in two parts: of trees that begin with a free joint that is at the world's origin, and
   * the shift of the bodies of one of them to where it is. */
  void (*kinematics_apart)(const limpet_model *model, limpet_data *data, int first, int end);
  void (*shift)(const limpet_model *model, limpet_data *data, int first, int end);
  // All that `kinematics` writes of the bodies of a tree.
  void (*poses_copy)(const limpet_model *model, limpet_data *to, const limpet_data *from, int tree);
  // to (count) <- from; four numbers or more
  void (*numbers_copy)(double *to, const double *from, int count);
  // geom_position and geom_rotation of `count` geoms; geom NULL: those from 0 on
  void (*geoms)(const limpet_model *model, limpet_data *data, int count, const int *geom);
  /* V_b = V_parent + sum of S_d v_d, and S_d' = U x S_d, U the velocity of the frame to which the
   * axis is fixed: body_velocity (of the parents before) -> body_velocity, dof_axis_rate */
  void (*velocities)(const limpet_model *model, limpet_data *data, int first, int end);
  // body_velocity alone
  void (*body_velocities)(const limpet_model *model, limpet_data *data, int first, int end);
  // tau (nv) of those bodies' velocities: rnea.c. work: 12 a body of the model; vdot may be NULL
  void (*newton_euler)(double *tau, double *work, const limpet_model *model,
                       const limpet_data *data, const double *vdot, int first, int end);
  // body_velocities of a tree, and tau of it where vdot is zero, without dof_axis_rate. work: 12 a
  // body of the tree
  void (*moving_bias)(double *tau, double *work, const limpet_model *model, limpet_data *data,
                      int tree);
  // M (n x n) of a tree with the armature of joints: crba.c. work: 10 a body of the tree, and n
  void (*mass_matrix)(double *M, double *work, const limpet_model *model, const limpet_data *data,
                      int tree);
  /* f (6) = sum of I_b V_b and total (10) = sum of I_b over a tree; returns its kinetic energy [J],
   * armature excepted */
  double (*momentum)(double f[6], double total[10], const limpet_model *model,
                     const limpet_data *data, int tree);
  // body_velocities, and the same
  double (*moving_momentum)(double f[6], double total[10], const limpet_model *model,
                            limpet_data *data, int tree);
  // N (n x 3) of a tree with a mass: velocity of its centre of mass by v. work: 4 a body of the
  // tree
  void (*arms)(double *N, double *work, const limpet_model *model, const limpet_data *data,
               int tree);
  /* a [m/s^2]: acceleration of the centre of mass of a tree at constant joint velocities. After
   * limpet_velocity_kinematics. work: 6 a body of the tree */
  void (*bend)(double a[3], double *work, const limpet_model *model, const limpet_data *data,
               int tree);
  // twist (6 a body), about the origin of the tree, that velocities v (nv) give the bodies of a
  // tree
  void (*twists)(const limpet_model *model, const limpet_data *data, const double *v, int tree,
                 double *twist);
  /* How fast the bodies of a tree move, and by what more with the velocities v (nv) in the place of
   * data->v: change (6 a body) of their twists; returns |v_r| + |dv_r| of the origin of the first
   * body [m/s], way[b] = |v_o - v_r| + |dv_o - dv_r| + (|w| + |dw|) radius of the others */
  double (*ways)(const limpet_model *model, const limpet_data *data, const double *v, int tree,
                 double *change, double *way);
} limpet_tree_kernels;

extern const limpet_tree_kernels
    limpet_tree_kernels_baseline;  // whatever the compiler assumes of every machine
extern const limpet_tree_kernels limpet_tree_kernels_avx2;  // x86-64 only
const limpet_tree_kernels *limpet_tree_kernels_here(void);  // those of this machine

#endif
