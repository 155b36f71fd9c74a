/* dynamics/tree.h: the quantities of limpet/dynamics.h for some of the trees, so that what sleeps
 * costs nothing, and for one tree, so that it can be looked at in another pose while the rest of
 * the world stays as it is.
 *
 * A `limpet_data` that is a mirror has a state, poses, velocities, M and bias of its own, in the
 * arena, and shares everything else with the world that it was made from. */
#ifndef LIMPET_DYNAMICS_TREE_H
#define LIMPET_DYNAMICS_TREE_H

#include "base/arena.h"
#include "limpet/dynamics.h"
#include "model/trees.h"

// After limpet_kinematics of `data`, whose poses it starts from. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_mirror_make(const limpet_model *model, const limpet_data *data,
                                 limpet_arena *arena, limpet_data *mirror);
// Of which only bodies that hang on no joint are posed yet; _bare: of these only what trees hang
// on.
limpet_status limpet_mirror_make_unposed(const limpet_model *model, const limpet_data *data,
                                         limpet_arena *arena, limpet_data *mirror);
limpet_status limpet_mirror_make_bare(const limpet_model *model, const limpet_data *data,
                                      limpet_arena *arena, limpet_data *mirror);

// The pose of one geom. After the kinematics of its body.
void limpet_one_geom_kinematics(const limpet_model *model, limpet_data *data, int geom);
/* As limpet_geom_kinematics of colliders, limpet_velocity_kinematics, limpet_mass_matrix,
 * limpet_bias and limpet_passive_forces, for the trees of a list and for what belongs to no tree.
 * What is known of other trees stays. */
void limpet_trees_collider_kinematics(const limpet_model *model, limpet_data *data,
                                      limpet_trees trees);
void limpet_trees_velocities(const limpet_model *model, limpet_data *data, limpet_trees trees);
void limpet_trees_mass_matrix(const limpet_model *model, limpet_data *data, limpet_trees trees);
void limpet_trees_bias(const limpet_model *model, limpet_data *data, limpet_trees trees);
void limpet_trees_passive_forces(const limpet_model *model, limpet_data *data, limpet_trees trees);
// limpet_mass_mul for the velocities of the trees.
void limpet_trees_mass_mul(const limpet_model *model, const limpet_data *data, limpet_trees trees,
                           const double *x, double *y);
/* bias += the bias force of the armature of spatial tendons, each in a tree of the list. After
 * limpet_velocity_kinematics. */
void limpet_tendon_bias_add(const limpet_model *model, const limpet_data *data, limpet_trees trees,
                            double *bias);
// Whether there are such tendons.
bool limpet_tendons_swing(const limpet_model *model);
// The same of tendons over several trees.
void limpet_tendon_shared_bias_add(const limpet_model *model, const limpet_data *data,
                                   double *bias);
// a' v [m/s^2] of a tendon's row a; fixed: 0. After limpet_velocity_kinematics.
double limpet_tendon_row_rate(const limpet_model *model, const limpet_data *data, int tendon);
// Whether a joint of the tendon belongs to a tree of the list.
bool limpet_tendon_moves(const limpet_model *model, int tendon, limpet_trees trees);
// Whether the actuator acts on a tree of the list, or on what belongs to no tree.
bool limpet_actuator_acts(const limpet_model *model, int actuator, limpet_trees trees);

// Poses of trees that were computed before: a step looks at where it ends, and the next one begins
// there.
typedef struct limpet_known_poses {
  const limpet_data *world;  // has poses, centres of mass, inertias and motion axes of the trees
  const double *q;           // (nq)  positions that they belong to
  const bool *tree;          // (tree_count)  which trees are there
} limpet_known_poses;
/* As limpet_kinematics, for the trees of a list and for what belongs to no tree. A tree whose
 * positions are those of `known` bit by bit, and which hangs on the same pose, is copied from
 * there: with the same result. NULL: none is known. */
void limpet_trees_kinematics_known(const limpet_model *model, limpet_data *data, limpet_trees trees,
                                   const limpet_known_poses *known);

// The same for one tree, in a mirror too: they leave no mark of what has been filled.
void limpet_tree_kinematics(const limpet_model *model, limpet_data *data, int tree);
/* In two parts, of a tree that floats: with its first joint at the world's origin, and the shift to
 * where that joint is. */
void limpet_tree_kinematics_apart(const limpet_model *model, limpet_data *data, int tree);
void limpet_tree_shift(const limpet_model *model, limpet_data *data, int tree);
// What limpet_tree_kinematics fills becomes NaN: the coordinates make no pose.
void limpet_tree_lose_pose(const limpet_model *model, limpet_data *data, int tree);
void limpet_tree_kinematics_known(const limpet_model *model, limpet_data *data, int tree,
                                  const limpet_known_poses *known);
// Rows of the spatial tendons of the tree whose armature is a part of its mass matrix.
void limpet_tree_tendon_rows(const limpet_model *model, limpet_data *data, int tree);
void limpet_tree_velocities(const limpet_model *model, limpet_data *data, int tree);
void limpet_tree_mass_matrix(const limpet_model *model, limpet_data *data, int tree);
void limpet_tree_bias(const limpet_model *model, limpet_data *data, int tree);
// limpet_tree_body_velocities and limpet_tree_bias, where no tendon swings: limpet_tendons_swing.
void limpet_tree_moving_bias(const limpet_model *model, limpet_data *data, int tree);
/* Blocks (n x n) of limpet_rnea_derivatives, `share` times, and limpet_mass_derivative; by_v may be
 * NULL. vdot, x: (nv). */
void limpet_tree_rnea_derivatives(const limpet_model *model, limpet_data *data, int tree,
                                  const double *vdot, double share, double *by_q, double *by_v);
void limpet_tree_mass_derivative(const limpet_model *model, limpet_data *data, int tree,
                                 const double *x, double *by_q);
/* Products from the left with x (n): x' dtau/dq, x' dtau/dv of limpet_tree_rnea_derivatives and x'
 * M (n each). Linear in the number of velocities. */
void limpet_tree_rnea_product(const limpet_model *model, limpet_data *data, int tree,
                              const double *vdot, const double *x, double *by_q, double *by_v,
                              double *Mx);
// Of one body and what hangs on it, W, about the tree's origin.
typedef struct limpet_tree_sums {
  double I[10], F[6];  // inertia; momentum
} limpet_tree_sums;
// sum: (bodies of the tree). After limpet_tree_body_velocities.
void limpet_tree_sums_make(const limpet_model *model, const limpet_data *data, int tree,
                           limpet_tree_sums *sum);
/* Of a tree that begins with a free joint, M_b the first six rows of M, and its sums: the first
 * block of M (6 x 6), M_b v, and the centre of mass of the tree [m], W. */
void limpet_tree_first_block(const limpet_model *model, const limpet_data *data, int tree,
                             const limpet_tree_sums *sum, double M[36], double momentum[6],
                             double centre[3]);
// Likewise x' M_b, y' d(M_b v)/dq and y' M_b (n each).
void limpet_tree_first_product(const limpet_model *model, const limpet_data *data, int tree,
                               const limpet_tree_sums *sum, const double x[6], const double y[6],
                               double *xM, double *y_by_q, double *yM);
/* Of such a tree: the first six rows of M and of d(M x)/dq (6 x n), and
 * the centre of mass of the tree [m], W. */
void limpet_tree_first_momentum(const limpet_model *model, limpet_data *data, int tree,
                                const double *x, double *M, double *by_q, double centre[3]);
// The velocities that the joint of `dof` moves, without its own: from the one returned to *end.
int limpet_tree_behind(const limpet_model *model, int dof, int *end);
/* Derivative of the diagonal of M by the pose: by_q (n x n), row k of M_kk. After the kinematics of
 * the tree. */
void limpet_tree_mass_diagonal_derivative(const limpet_model *model, limpet_data *data, int tree,
                                          double *by_q);
/* Derivative of the block of M between the velocities of one joint of several, by all poses of the
 * tree: by_q, rows of its lower triangle, row by row, of n each. After the kinematics of the tree.
 */
void limpet_tree_mass_block_derivative(const limpet_model *model, limpet_data *data, int joint,
                                       double *by_q);
/* The same for the three rotations of the free joint that the tree begins with, about axes that do
 * not turn with the body: diagonal of R M_rr R', M_rr in the axes of the body. by_pose (3 x n): by
 * the pose with R held; by_turn (3 x 3): by rotations of R (axes of the body), the pose held. */
void limpet_tree_steady_diagonal_derivative(const limpet_model *model, limpet_data *data, int tree,
                                            const double R[9], double *by_pose, double by_turn[9]);
/* x' (n) times the derivative of the diagonal of M by the pose, blocks (n x 6) that of the blocks
 * of joints with several velocities (rows of symmetric matrices; NULL: none), and steady' times
 * that of the three rotations about axes that do not turn (zeros where the first joint is not
 * free): by_q (n), by_turn by rotations of R. */
void limpet_tree_mass_diagonal_product(const limpet_model *model, limpet_data *data, int tree,
                                       const double *x, const double *blocks, const double R[9],
                                       const double steady[3], double *by_q, double by_turn[3]);
/* by_q (nv) = x' (nv) times the derivative of passive forces by the pose; tendons within one tree.
 * After limpet_kinematics and limpet_tendon_kinematics. */
void limpet_passive_product(const limpet_model *model, limpet_data *data, const double *x,
                            double *by_q);
// body_velocity alone.
void limpet_tree_body_velocities(const limpet_model *model, limpet_data *data, int tree);

// What a tree carries, about its centre of mass, W.
typedef struct limpet_tree_momentum {
  double mass;        // [kg]
  double com[3];      // [m]
  double inertia[9];  // [kg m^2]  of the tree as one rigid body
  double linear[3];   // [N s]
  double angular[3];  // [N m s]
  double energy;      // [J]  kinetic, armature excepted
} limpet_tree_momentum;

// After limpet_velocity_kinematics. _sum: all but the inertia; _look: after limpet_kinematics, and
// finds body_velocity.
void limpet_tree_momentum_compute(const limpet_model *model, const limpet_data *data, int tree,
                                  limpet_tree_momentum *momentum);
void limpet_tree_momentum_sum(const limpet_model *model, const limpet_data *data, int tree,
                              limpet_tree_momentum *momentum);
void limpet_tree_momentum_look(const limpet_model *model, limpet_data *data, int tree,
                               limpet_tree_momentum *momentum);

/* [J]  limpet_kinetic_energy, without the mass matrix: sum of V_b . I_b V_b/2, and armature. After
 * limpet_velocity_kinematics and limpet_tendon_kinematics. */
double limpet_moving_energy(const limpet_model *model, const limpet_data *data);

/* Gives a tree that floats the linear and angular momentum of its argument: its first joint changes
 * by the twist of the whole tree that is missing, other joints keep their velocities. `now` of
 * the tree as it is, read and brought up to date; writes v. False, and nothing changes: the locked
 * inertia is singular. */
bool limpet_tree_momentum_give(const limpet_model *model, limpet_data *data, int tree,
                               const double linear[3], const double angular[3],
                               limpet_tree_momentum *now);

#endif
