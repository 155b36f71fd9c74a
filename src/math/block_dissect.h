// math/block_dissect.h: an order of elimination from where the nodes of a mesh are.
#ifndef LIMPET_MATH_BLOCK_DISSECT_H
#define LIMPET_MATH_BLOCK_DISSECT_H

#include "math/block_order.h"

/* Nested dissection: order[p] (n) is the node to eliminate as number p. place (n x 3): where nodes
 * are [any unit]. Scratch from `arena` is given back. LIMPET_OK or LIMPET_ERROR_MEMORY. */
limpet_status limpet_block_dissect(const limpet_block_graph *graph, const double *place,
                                   limpet_arena *arena, int *order);

#endif
