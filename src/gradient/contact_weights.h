/* gradient/contact_weights.h: columns of patches through Delassus estimates.
 *
 * Weights of the patches of a tree, or between two, are kept until others follow, or there is no
 * room for more: they change the columns together, as one product. */
#ifndef LIMPET_GRADIENT_CONTACT_WEIGHTS_H
#define LIMPET_GRADIENT_CONTACT_WEIGHTS_H

#include "gradient/contact_composite.h"

// n: velocities of the trees, entries: their weights, of A_JJ^-1.
typedef struct limpet_contact_weights {
  const limpet_tree_change *tree[LIMPET_SIDES];  // second: NULL where there is but one
  int n, entries;
  int count;      // weights that are kept, 24 at most
  double *a;      // (n x room)  J' f: what they do to r
  double *turn;   // (n x room)  what they have of the axes that poses turn
  double *entry;  // (entries x room)  minus what they have of each
  double *dw;     // (2 count x n)  their change along velocities; a', which follows
  bool *has;      // (entries)  one of the weights has some
} limpet_contact_weights;

// Memory from the arena stays. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_contact_weights_take(const limpet_column_writer *writer,
                                          limpet_contact_weights *weights);
/* Keeps the weights of a patch. Columns get what was kept before where that is of other trees,
 * or takes the room. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_contact_weights_add(const limpet_composite_writer *writer,
                                         const limpet_patch_view *view,
                                         limpet_contact_weights *weights);
// Adds what is kept to the columns, and keeps nothing.
void limpet_contact_weights_write(const limpet_column_writer *writer,
                                  limpet_contact_weights *weights);

#endif
