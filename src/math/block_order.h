/* math/block_order.h: the graph of a block-sparse matrix, and an order of elimination that keeps
 * the fill small. */
#ifndef LIMPET_MATH_BLOCK_ORDER_H
#define LIMPET_MATH_BLOCK_ORDER_H

#include "base/arena.h"

typedef struct limpet_block_graph {
  int n;
  int *begin;      // (n + 1)  into neighbour
  int *neighbour;  // without repetitions and without the node itself, both directions
} limpet_block_graph;

/* Graph of `pair_count` pairs of nodes (any order, repetitions and loops allowed), from
 * `arena`. LIMPET_ERROR_MEMORY without memory. */
limpet_status limpet_block_graph_create(limpet_block_graph *graph, limpet_arena *arena, int n,
                                        int pair_count, const int *pairs);

/* The order `given` (n), or where that is NULL by approximate minimum degree, postordered along the
 * elimination tree: block[p] is the node eliminated as number p, position[] its inverse, parent[p]
 * the first later number that p is joined to in the factor, -1 for a root. All (n). Scratch from
 * `arena` is given back. LIMPET_ERROR_MEMORY without memory. */
limpet_status limpet_block_order(const limpet_block_graph *graph, const int *given,
                                 limpet_arena *arena, int *block, int *position, int *parent);

#endif
