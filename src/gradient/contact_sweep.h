/* gradient/contact_sweep.h: products from the left with the changes of r by all patches of a step,
 * by one sweep of each tree: no path from a body to its root is walked.
 *
 * Cost: the law of each patch, five products of 6 x 6, and about 200 flops for each velocity of a
 * tree in contact. */
#ifndef LIMPET_GRADIENT_CONTACT_SWEEP_H
#define LIMPET_GRADIENT_CONTACT_SWEEP_H

#include "gradient/patch_view.h"

typedef struct limpet_contact_sweep limpet_contact_sweep;
// The patches that matter, at the solution; loops: the step has some. Memory from the writer's
// arena stays; NULL: there is none.
limpet_contact_sweep *limpet_contact_sweep_make(const limpet_column_writer *writer, bool loops);
const limpet_patch_view *limpet_contact_sweep_patches(const limpet_contact_sweep *sweep,
                                                      int *count);
/* dual (residual size; NULL: zero), x (nv): its entries of velocities. own (patches of the problem
 * x LIMPET_LAW_WIDTH; NULL: none): weights of what the laws depend on, besides. by_q, by_v (nv),
 * by_weight (nv x 6) += dual' dr by pose, velocity and the weights of Delassus estimates
 * (limpet_tree_factors.steady). All trees are known. */
void limpet_contact_sweep_add(limpet_contact_sweep *sweep, const double *dual, const double *x,
                              const double *own, double *by_q, double *by_v, double *by_weight);

/* by_q, by_v += what has `bend` of the acceleration that limpet_probe_bend tells of, of a tree in
 * an island. */
void limpet_contact_sweep_bend(const limpet_contact_sweep *sweep, int tree, const double bend[3],
                               double *by_q, double *by_v);

#endif
