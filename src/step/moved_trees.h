/* step/moved_trees.h: which trees of an attempt are posed anew, and which stay as they were solved.
 *
 * A tree moves if its island lacks points, was not solved, or is reached by one of which that is
 * so: two trees belong together where an island of the attempt joins them, and where a point
 * between them may close at the velocities of the attempt (constants.c). */
#ifndef LIMPET_STEP_MOVED_TREES_H
#define LIMPET_STEP_MOVED_TREES_H

#include "step/prepared.h"

// An attempt, and which of its trees move.
typedef struct limpet_parting {
  limpet_step_work *work;  // its collision is the new one, with more contacts
  const limpet_data *data;
  const limpet_step_solution *found;  // of the attempt
  const limpet_collision *posed;      // that its problem was made from
  const double *twist;                // (body_count x 6)  at its velocities
  int *root;                          // (tree_count)  union-find forest: limpet_moved_trees_find
  bool *moved;                        // (tree_count)  limpet_moved_trees_find
} limpet_parting;

// Fills root and moved, in the step memory. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_moved_trees_find(limpet_parting *parting);
// How many contacts of the attempt's problem are in islands that stay.
int limpet_moved_trees_staying_contacts(const limpet_parting *parting);
// The trees that move, in the step memory. NULL: no memory.
limpet_trees limpet_moved_trees_list(const limpet_parting *parting);
// Whether a geom's tree moves, and whether it stays; what belongs to no tree does neither.
bool limpet_moved_trees_has(const limpet_parting *parting, int geom);
bool limpet_moved_trees_lacks(const limpet_parting *parting, int geom);

#endif
