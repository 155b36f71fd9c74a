/* gradient/tree_weights.h: how the weights of rows, 1/A_kk, and those of Delassus estimates follow
 * the pose where A of a tree was taken. */
#ifndef LIMPET_GRADIENT_TREE_WEIGHTS_H
#define LIMPET_GRADIENT_TREE_WEIGHTS_H

#include "gradient/tree_place.h"

enum { LIMPET_TREE_MOST_PAIRS = 21 };  // of a joint: the lower triangle of 6 x 6

typedef struct limpet_tree_weights {
  const limpet_tree_place *place;
  double *work;                         // (nv x 21, mass_size at least)
  double *block_q, *mixed_q, *mixed_v;  // (nv x 21)  of the block of a joint, and of its inverse
  limpet_range *behind;  // (nv)  of one tree: where rows of its diagonal are not zero
} limpet_tree_weights;

// Places of weights in their joints. Memory from the arena stays. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_tree_weights_take(limpet_tree_weights *weights, limpet_arena *arena,
                                       limpet_tree_change *trees);
/* Fills own_q, own_v, steady_q and steady_v of a tree. at: the world where its A was taken.
 * LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_tree_weights_fill(limpet_tree_weights *weights, limpet_data *at,
                                       limpet_tree_change *change, int tree,
                                       const limpet_tree_centres *centres, limpet_arena *arena);

// Whether Delassus estimates take the tree's first rotations in world axes.
bool limpet_tree_has_world_axes(const limpet_probe *probe, const limpet_tree_change *change);
// R A_rr R' of the rotations of a free joint: its diagonal.
void limpet_tree_steady_diagonal(const double R[9], const double *A, int n, double diagonal[3]);
// The block of A (rows n apart) of one joint, inverted: Z (count x count).
void limpet_tree_invert_block(const double *A, int n, int count, double Z[36]);

#endif
