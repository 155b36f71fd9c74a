/* math/block_order.c: order of elimination of a block-sparse matrix.
 *
 * Approximate minimum degree by SuiteSparse's amd_2, which works in memory that it is given
 * (Amestoy, Davis, Duff, SIAM J. Matrix Analysis 17 (1996) 886-905), on the graph of the blocks:
 * their sizes do not count. The elimination tree follows by Liu's algorithm with compressed paths
 * (Davis, Direct Methods for Sparse Linear Systems, section 4.1); its postorder gives the same fill
 * and makes each subtree, and so each supernode, contiguous. */
#include "math/block_order.h"

#include <assert.h>
#include <string.h>
#include <suitesparse/amd.h>

limpet_status limpet_block_graph_create(limpet_block_graph *graph, limpet_arena *arena, int n,
                                        int pair_count, const int *pairs) {
  int *begin = LIMPET_TAKE_ZERO(arena, int, n + 2);
  int *neighbour = LIMPET_TAKE(arena, int, 2 * (size_t)pair_count + 1),
      *mark = LIMPET_TAKE(arena, int, n + 1);
  if (!begin || !neighbour || !mark) return LIMPET_ERROR_MEMORY;

  // both directions of every pair, by counting; begin is kept one ahead while it fills
  for (int k = 0; k < pair_count; ++k) {
    const int i = pairs[2 * k], j = pairs[2 * k + 1];
    if (i != j) ++begin[i + 2], ++begin[j + 2];
  }
  for (int i = 0; i < n; ++i) begin[i + 2] += begin[i + 1];
  for (int k = 0; k < pair_count; ++k) {
    const int i = pairs[2 * k], j = pairs[2 * k + 1];
    if (i != j) neighbour[begin[i + 1]++] = j, neighbour[begin[j + 1]++] = i;
  }

  // without repetitions
  for (int i = 0; i < n; ++i) mark[i] = -1;
  int count = 0, start = 0;
  for (int i = 0; i < n; ++i) {
    const int end = begin[i + 1];
    begin[i] = count;
    for (int k = start; k < end; ++k)
      if (mark[neighbour[k]] != i) mark[neighbour[k]] = i, neighbour[count++] = neighbour[k];
    start = end;
  }
  begin[n] = count;
  *graph = (limpet_block_graph){n, begin, neighbour};
  return LIMPET_OK;
}

// order[p]: node eliminated as number p, by AMD, which destroys its input.
static limpet_status minimum_degree(const limpet_block_graph *graph, limpet_arena *arena,
                                    int *order) {
  const int n = graph->n, count = graph->begin[n], room = count + count / 5 + 2 * n + 1;
  int *list = LIMPET_TAKE(arena, int, room), *memory = LIMPET_TAKE(arena, int, 8 * (size_t)n + 8);
  if (!list || !memory) return LIMPET_ERROR_MEMORY;
  int *begin = memory, *length = memory + n, *weight = memory + 2 * n, *next = memory + 3 * n,
      *head = memory + 4 * n;
  int *elements = memory + 5 * n, *degree = memory + 6 * n, *work = memory + 7 * n;
  memcpy(list, graph->neighbour, (size_t)count * sizeof *list);
  for (int i = 0; i < n; ++i)
    begin[i] = graph->begin[i], length[i] = graph->begin[i + 1] - graph->begin[i];
  double control[AMD_CONTROL] =
      {[AMD_DENSE] = AMD_DEFAULT_DENSE, [AMD_AGGRESSIVE] = AMD_DEFAULT_AGGRESSIVE},
         info[AMD_INFO];
  amd_2(n, begin, list, length, room, count, weight, next, order, head, elements, degree, work,
        control, info);
  return LIMPET_OK;
}

// parent[p] by numbers of elimination: the smallest later number that p's subtree is joined to.
static void elimination_tree(const limpet_block_graph *graph, const int *order, const int *position,
                             int *parent, int *ancestor) {
  for (int p = 0; p < graph->n; ++p) {
    parent[p] = ancestor[p] = -1;
    const int i = order[p];
    for (int k = graph->begin[i]; k < graph->begin[i + 1]; ++k) {
      int q = position[graph->neighbour[k]];
      if (q > p) continue;
      // climb from q to the root of its tree so far, which becomes a child of p
      while (q != -1 && q != p) {
        const int up = ancestor[q];
        ancestor[q] = p;
        if (up == -1) parent[q] = p;
        q = up;
      }
    }
  }
}

// number[p]: place of p in a postorder of the forest; children in ascending order. `first`, `next`,
// `stack`: (n) each.
static void postorder(int n, const int *parent, int *number, int *first, int *next, int *stack) {
  for (int p = 0; p < n; ++p) first[p] = -1;
  for (int p = n - 1; p >= 0; --p)
    if (parent[p] >= 0) next[p] = first[parent[p]], first[parent[p]] = p;
  int count = 0;
  for (int root = 0; root < n; ++root) {
    if (parent[root] >= 0) continue;
    int depth = 0;
    stack[0] = root;
    while (depth >= 0) {
      const int p = stack[depth];
      if (first[p] >= 0) {
        stack[++depth] = first[p];
        first[p] = next[first[p]];
      } else {
        number[p] = count++;
        --depth;
      }
    }
  }
}

limpet_status limpet_block_order(const limpet_block_graph *graph, const int *given,
                                 limpet_arena *arena, int *block, int *position, int *parent) {
  assert(graph && arena && block);
  const int n = graph->n;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  int *order = LIMPET_TAKE(arena, int, n + 1), *tree = LIMPET_TAKE(arena, int, n + 1),
      *number = LIMPET_TAKE(arena, int, n + 1);
  int *scratch = LIMPET_TAKE(arena, int, 3 * (size_t)n + 1);
  limpet_status status = order && tree && number && scratch ? LIMPET_OK : LIMPET_ERROR_MEMORY;
  if (status == LIMPET_OK) {
    if (given) memcpy(order, given, (size_t)n * sizeof *order);
    else if (graph->begin[n] > 0) status = minimum_degree(graph, arena, order);
    else
      for (int p = 0; p < n; ++p) order[p] = p;
  }
  if (status == LIMPET_OK) {
    for (int p = 0; p < n; ++p) position[order[p]] = p;
    elimination_tree(graph, order, position, tree, scratch);
    postorder(n, tree, number, scratch, scratch + n, scratch + 2 * n);
    for (int p = 0; p < n; ++p) {
      block[number[p]] = order[p];
      parent[number[p]] = tree[p] < 0 ? -1 : number[tree[p]];
    }
    for (int p = 0; p < n; ++p) position[block[p]] = p;
  }
  limpet_arena_release(arena, mark);
  return status;
}
