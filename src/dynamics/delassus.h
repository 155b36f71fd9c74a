/* dynamics/delassus.h: how much an impulse changes the relative velocity of two bodies, estimated
 * from the diagonal of A alone.
 *
 *   D = sum S S'/A_ii (6 x 6) over the columns S (6) of the motion of B relative to A at a point
 *     [1/(kg m^2) ... 1/kg]
 *   w = ||W D W'||_F/m for m rows W (m x 6)
 * Rotations of a free joint count in body axes, or in world axes: then the estimate does not turn
 * with the body, and differs between two headings of the same scene.
 * Source: shared golden contact README, "A step". */
#ifndef LIMPET_DYNAMICS_DELASSUS_H
#define LIMPET_DYNAMICS_DELASSUS_H

#include "limpet/data.h"

// inverse (velocities of the tree): 1/A_ii, of the rotations of free joints in world axes unless
// `body_axes`. A: dense matrix of the tree. After limpet_kinematics.
void limpet_delassus_diagonal(const limpet_model *model, const limpet_data *data, int tree,
                              const double *A, bool body_axes, double *inverse);

/* D (36) += sum over columns (count x 6) of S S'/A_ii. The three rotations of a free joint, where
 * they are among `dof` (count), follow each other. body_axes: as for `inverse`. */
void limpet_delassus_add(const limpet_model *model, const limpet_data *data, int count,
                         const int *dof, const double *column, const double *inverse,
                         bool body_axes, double D[36]);

// Likewise, of which only the last three rows and columns, of points, have to be right.
void limpet_delassus_add_points(const limpet_model *model, const limpet_data *data, int count,
                                const int *dof, const double *column, const double *inverse,
                                bool body_axes, double D[36]);

#endif
