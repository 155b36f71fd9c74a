/* gradient/tree_bend.h: how the force on a tree that floats changes while its joints keep their
 * velocities. By its mass that is the acceleration of the centre of mass, about which all points of
 * a centred tree go (limpet_flight.bend). With the sums of what velocity j moves, and q, p, rate of
 * contact_motion.h, W:
 *   by pose j  (I q_j)_f - 2 P x p_j + S_j x F,   by velocity j  (I rate_j)_f - 2 P x S_j
 * but for translations, which go along the axes of the world and change nothing.
 * rnea_derivatives.c has the derivation. Cost: 100 flops for each body, 60 for each velocity. */
#ifndef LIMPET_GRADIENT_TREE_BEND_H
#define LIMPET_GRADIENT_TREE_BEND_H

#include "gradient/contact_motion.h"

// What counts of a body, and of all that hangs on it: force, momentum, and the inertia's moment and
// mass.
typedef struct limpet_bend_sums {
  double F[3], P[3], h[3], mass;
} limpet_bend_sums;

// sum (body_count); the motion of the tree is filled.
void limpet_bend_sums_make(const limpet_contact_motion *motion, int tree, limpet_bend_sums *sum);
// by_q, by_v (3 x n) = share times the derivatives [N].
void limpet_bend_columns(const limpet_contact_motion *motion, int tree, const limpet_bend_sums *sum,
                         double share, double *by_q, double *by_v);
// by_q, by_v (nv) += y times the derivatives.
void limpet_bend_product(const limpet_contact_motion *motion, int tree, const limpet_bend_sums *sum,
                         const double y[3], double *by_q, double *by_v);

#endif
