/* gradient/tree_centre.h: derivatives of what centres a tree of several bodies that floats:
 * step/flight_centre.c.
 *
 *   of a tree that was held   r = (1 - N_m' [1 0]) r_m + N_0' z - h f
 *   of one that flew          r = (1 - N_m' [1 0]) (r_m - h f) + N_0' (z - h f_u)
 * z = m N_0 (v - v0) - h m g, and
 * r_m = M_m (v - v0) + h b + implicit of tree_change.h at the velocity u of the first joint where
 * its first three rows, less those of h f where it flew, are zero. N: linear velocity of the centre
 * of mass by v; m, 0: middle and start of the step. With w_a the axis of a rotation, zero of a
 * translation, and a before b on a path, dN_a/dq_b = dN_b/dq_a = w_a x N_b, but dN_a/dq_b = w_b x
 * N_a where rotations of one joint turn each other. */
#ifndef LIMPET_GRADIENT_TREE_CENTRE_H
#define LIMPET_GRADIENT_TREE_CENTRE_H

#include "gradient/probe.h"

// A pose of such a tree.
typedef struct limpet_tree_centre {
  const limpet_model *model;
  const limpet_data *data;
  int first, n;
  double *N;  // (n x 3)
} limpet_tree_centre;

// Whether the problem of a tree of several bodies belongs to its centre of mass.
bool limpet_tree_is_centred(const limpet_probe *probe, int tree);
// Whether the closed forms know the tree. They do not know a centred one beside deformable bodies.
bool limpet_tree_centre_known(const limpet_probe *probe, int tree);
// After kinematics of data. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_tree_centre_make(const limpet_model *model, const limpet_data *data, int tree,
                                      limpet_arena *arena, limpet_tree_centre *centre);
// to (n): to_b += share sum_a y_a . dN_a/dq_b, in time linear in n; work (n x 6).
void limpet_tree_centre_product(const limpet_tree_centre *centre, double share, const double *y,
                                double *work, double *to);
// to (3 x n) += sum_a v_a dN_a/dq; v (n), work (n x 6).
void limpet_tree_centre_rate(const limpet_tree_centre *centre, const double *v, double *work,
                             double *to);
// to (n x n): row a += share d(N_a . N_a)/dq; behind (n): the velocities behind the joint of each;
// work (3 x n).
void limpet_tree_centre_diagonal(const limpet_tree_centre *centre, double share,
                                 const limpet_range *behind, double *work, double *to);
/* The rows of the lower triangle of a joint of `count` velocities from `own` on, row by row, of n
 * each: to += share mix d(N_a . N_c)/dq_b; mix (rows x rows), work (3 x n). */
void limpet_tree_centre_block(const limpet_tree_centre *centre, double share, int own, int count,
                              const double *mix, double *work, double *to);
/* The diagonal of R N_r'N_r R', N_r of the three rotations of the first joint, weighted: by_pose
 * (n)
 * += share times its derivative by the pose with R held, by_turn += by rotations of R. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
limpet_status limpet_tree_centre_steady(const limpet_tree_centre *centre, double share,
                                        const double R[9], const double weight[3],
                                        limpet_arena *arena, double *by_pose, double by_turn[3]);
// sum_a N_a v_a over the velocities from `from` on; v (n).
void limpet_tree_centre_velocity(const limpet_tree_centre *centre, int from, const double *v,
                                 double velocity[3]);
/* X (n x width), columns of r_m, become those of (1 - N_m' [1 0]) r_m. */
void limpet_tree_centre_part(const limpet_tree_centre *middle, int width, double *X);
/* What N_0' z has: by q0 and v0 in the columns from by_q and by_v on, rows of `width`. */
limpet_status limpet_tree_centre_whole(const limpet_tree_centre *start, const limpet_probe *probe,
                                       int tree, limpet_arena *arena, int width, double *by_q,
                                       double *by_v);
/* Both of a tree whose middle flows from q0 and v0: by_q, by_v (n x n), so far those of r_m, become
 * those of the balance. */
limpet_status limpet_tree_centre_both(const limpet_tree_centre *middle,
                                      const limpet_tree_centre *start, const limpet_probe *probe,
                                      int tree, limpet_arena *arena, double *by_q, double *by_v);
// F [N] of z = m N_0 (v - v0) - h F: weight, and forces on the first joint of a tree that flew.
void limpet_tree_centre_force(const limpet_probe *probe, int tree, double force[3]);
// z [N s]
void limpet_tree_centre_momentum(const limpet_tree_centre *start, const limpet_probe *probe,
                                 int tree, double z[3]);
/* u [m/s] of the first joint where the first three rows of r_m are zero: v (nv), the velocity of
 * its other joints. */
void limpet_tree_centre_base(const limpet_tree_centre *middle, const limpet_probe *probe, int tree,
                             const double *v, double u[3]);

#endif
