/* dynamics/delassus.h: how much an impulse changes the relative velocity of two bodies, estimated
 * from what of A couples the velocities of single joints.
 *
 *   D = sum S_J A_JJ^-1 S_J' (6 x 6)  [1/(kg m^2) ... 1/kg]
 *   w = ||W D W'||_F/m for m rows W (m x 6)
 * The sum runs over the joints J on the way between both bodies; S_J (6 x n_J) are their columns
 * of the motion of B relative to A at a point. Blocks of whole joints do not know where and how
 * the frame of a body lies. With A_JJ = L d L' and C = S L^-T it is D = sum C_k C_k'/d_k; of joints
 * with one velocity C is S.
 *
 * The papers' plants take the diagonal of A alone, D = sum S S'/A_ii, with rotations of a free
 * joint in world axes: that estimate does not turn with the body, and differs between two headings
 * of the same scene. Source: shared golden contact README, "A step"; blocks: own derivation. */
#ifndef LIMPET_DYNAMICS_DELASSUS_H
#define LIMPET_DYNAMICS_DELASSUS_H

#include "limpet/data.h"

typedef struct limpet_delassus_weights {
  double *inverse;  // (nv)  1/d_k, or 1/A_kk
  // (nv of the model x 6)  row k: column k of L^-T, by the velocities of its joint; not read where
  // the joint has one. NULL: of the diagonal alone, as the papers' plants take it
  double *mix;
} limpet_delassus_weights;

/* inverse (n), mix (n x 6; NULL: 1/A_kk, of the rotations of free joints in world axes) of the n
 * velocities of a tree. A: dense matrix of the tree. After limpet_kinematics. */
void limpet_delassus_weigh(const limpet_model *model, const limpet_data *data, int tree,
                           const double *A, double *inverse, double *mix);

// 1/d (count) and the columns of L^-T (rows of mix, 6 each) of the first block of A (rows n apart).
void limpet_delassus_factor(const double *A, int n, int count, double *inverse, double *mix);
// Z (rows of `count`) = A_JJ^-1 of a joint with so many velocities, `first` the first of them.
void limpet_delassus_joint(const limpet_delassus_weights *weights, int first, int count,
                           double Z[36]);

/* D (36) += what columns (count x 6) give. Velocities of one joint with several, where they are
 * among `dof` (count), follow each other. */
void limpet_delassus_add(const limpet_model *model, const limpet_data *data, int count,
                         const int *dof, const double *column,
                         const limpet_delassus_weights *weights, double D[36]);

// Likewise, of which only the last three rows and columns, of points, have to be right.
void limpet_delassus_add_points(const limpet_model *model, const limpet_data *data, int count,
                                const int *dof, const double *column,
                                const limpet_delassus_weights *weights, double D[36]);

#endif
