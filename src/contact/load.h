/* contact/load.h: what a near-rigid contact may have to carry: the mass that hangs on it through
 * other contacts.
 *
 *   graph   vertices: blocks and the world; edges: patches, and one to the world from each tree
 *           that is fixed to it
 *   root    the world; of blocks that have no way to it the heaviest, which is their ground
 *   load    of the edges of a biconnected part: all that is on its side away from the root, over
 *           the patches with the vertex by which the part hangs on the root [kg]
 * A part ends where one vertex leads on, so what lies on a heavy slab carries itself and not the
 * slab, and what lies below a heavy box or table top carries it. In a heap, a part of more than
 * sixteen edges, there is no load: who carries whom changes with each step, and all would have to
 * be hard enough for the heaviest (random heaps: two to three times as many steps unsolved).
 * Reference: Hopcroft and Tarjan, Efficient algorithms for graph manipulation, Comm. ACM 16 (1973).
 * Cost: bodies, and once blocks and patches where a contact is light beside all of them. */
#ifndef LIMPET_CONTACT_LOAD_H
#define LIMPET_CONTACT_LOAD_H

#include "contact/patch.h"

// [-]  of the load, for which a contact is near-rigid at least: it gives way by a thousand times as
// much as one that carries itself, 10 um at 2 ms
#define LIMPET_LOAD_SHARE 1e-3

// [-]  by which a contact is harder than its own weight asks for, at most: beyond, round-off of
// positions would be a part of the weight
#define LIMPET_LOAD_HARDEST 1e4

typedef struct limpet_contact_load {
  const limpet_contact_problem *problem;
  const limpet_contact_records *records;
  const limpet_patch_grouping *grouping;
  double all;  // [kg]  mass of all blocks that move: no load is more
  double *of;  // (patches)  [kg]  the loads; NULL: not asked for yet
} limpet_contact_load;

// Records and grouping must outlive it.
void limpet_contact_load_begin(const limpet_model *model, const limpet_contact_problem *problem,
                               const limpet_contact_records *records,
                               const limpet_patch_grouping *grouping, limpet_contact_load *load);
// Fills load->of. LIMPET_OK or LIMPET_ERROR_MEMORY.
limpet_status limpet_contact_load_find(const limpet_model *model, limpet_arena *arena,
                                       limpet_contact_load *load);

#endif
