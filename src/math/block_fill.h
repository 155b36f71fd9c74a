// math/block_fill.h: an order of elimination that keeps the fill of small matrices least.
#ifndef LIMPET_MATH_BLOCK_FILL_H
#define LIMPET_MATH_BLOCK_FILL_H

#include "math/block_order.h"

/* Minimum mean local fill: order[p] (n) is the node to eliminate as number p. offset [nodes], above
 * -2: means are over the degree and it, so that with more of it small degrees count more. Memory
 * and time are for graphs of some thousand nodes. Scratch from `arena` is given back. LIMPET_OK or
 * LIMPET_ERROR_MEMORY. */
limpet_status limpet_block_minimum_fill(const limpet_block_graph *graph, double offset,
                                        limpet_arena *arena, int *order);

#endif
