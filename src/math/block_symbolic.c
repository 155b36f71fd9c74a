/* math/block_symbolic.c: symbolic part of the block-sparse Cholesky factorisation.
 *
 *   1 graph, order of elimination and elimination tree (block_order.c)
 *   2 size of the structure below each position, by walking the row subtrees: position p of the
 *     tree is in row q of the factor when p lies on the path from a neighbour of q to q (Davis,
 *     Direct Methods for Sparse Linear Systems, section 4.4)
 *   3 supernodes: neighbours in the tree of nested structure, then children into parents while few
 *     zeros are stored for it
 *   4 the later blocks that each supernode reaches: the structure of its last position
 *   5 places of diagonal blocks and panels, and the outer products of each panel with their
 *     targets, runs of neighbouring blocks in one
 *
 * Cost: proportional to the number of blocks in the factor and of outer products; no sorting. All
 * memory from the arena of the caller. */
#include "math/block_symbolic.h"

#include <assert.h>
#include <limits.h>
#include <stdbool.h>

#include "math/block_order.h"

enum {
  BODY = 6,  // rows of a free body: solves have kernels for it
  NODE = 3   // of a node of a deformable body
};

/* Zeros stored for merging a child into its parent, as a share of the merged supernode, by its
 * width (rows). Free bodies are 6 wide and have kernels of their own, so merging them pays only
 * where next to no zeros come in (measured with benchmarks/bench_cholesky.c); narrower blocks are
 * bound by calls and latency, and nodes of solids, 3 wide, by the ends of rows and the runs that
 * supernodes of few of them break into (bench_fem). */
static double zeros_allowed(int size, int width) {
  if (width <= 6) return 0.4;
  if (size == NODE) return width <= 12 ? 0.25 : width <= 24 ? 0.08 : 0.01;
  return width <= 12 ? 0.1 : 0.01;
}

static double stored(double width, double below) { return width * (0.5 * (width + 1.0) + below); }

typedef struct symbolic {
  limpet_block_graph graph;
  int *parent;       // (n)
  int *mark;         // (n)
  int *below;        // (n)  rows of later blocks that a position reaches
  int *below_count;  // (n)  how many blocks that is
  double *zeros;     // (n)  by supernode
} symbolic;

// Rows and blocks below each position: every row q is counted at the positions of its row subtree.
static void structure_count(const limpet_block_cholesky *factor, symbolic *work) {
  for (int q = 0; q < factor->n; ++q) {
    work->mark[q] = q;
    work->below[q] = work->below_count[q] = 0;
    const int i = factor->block[q], size = factor->row[q + 1] - factor->row[q];
    for (int k = work->graph.begin[i]; k < work->graph.begin[i + 1]; ++k)
      for (int p = factor->position[work->graph.neighbour[k]]; p < q && work->mark[p] != q;
           p = work->parent[p]) {
        work->mark[p] = q;
        work->below[p] += size;
        ++work->below_count[p];
      }
  }
}

// Supernodes as [first, last] with width and below, numbered backwards from the end of the array
// while they merge.
static void supernodes_find(limpet_block_cholesky *factor, symbolic *work) {
  const int n = factor->n;
  limpet_supernode *end = factor->supernode + n, *s = end;
  for (int p = n - 1; p >= 0; --p) {
    const int size = factor->row[p + 1] - factor->row[p];
    const int width = s < end ? size + s->width : 0;
    const double zeros = s < end ? work->zeros[s - factor->supernode] : 0.0;

    // p goes into the supernode after it if its parent is there and the zeros stay few
    if (s < end && work->parent[p] >= 0 && work->parent[p] <= s->last) {
      const double size_merged = stored(width, s->below);
      const double zeros_merged =
          zeros + size_merged - stored(s->width, s->below) - stored(size, work->below[p]);
      if (zeros_merged <= zeros_allowed(size, width) * size_merged) {
        s->first = p;
        s->row = factor->row[p];
        s->width = width;
        work->zeros[s - factor->supernode] = zeros_merged;
        continue;
      }
    }
    --s;
    *s = (limpet_supernode){
        .first = p, .last = p, .row = factor->row[p], .width = size, .below = work->below[p]};
    s->list_count = work->below_count[p];
    work->zeros[s - factor->supernode] = 0.0;
  }

  // to the front of the array
  factor->supernode_count = (int)(end - s);
  for (int k = 0; k < factor->supernode_count; ++k) {
    factor->supernode[k] = s[k];
    for (int p = s[k].first; p <= s[k].last; ++p) factor->owner[p] = k;
  }
}

// The blocks that each supernode reaches, ascending because the rows come in order.
static limpet_status lists_fill(limpet_block_cholesky *factor, symbolic *work,
                                limpet_arena *arena) {
  int count = 0;
  for (int k = 0; k < factor->supernode_count; ++k) {
    limpet_supernode *s = &factor->supernode[k];
    s->list = count;
    count += s->list_count;
    s->list_count = 0;
    s->below = 0;
    s->only_bodies = s->width == BODY;
  }
  factor->list = LIMPET_TAKE(arena, int, count + 1);
  factor->column = LIMPET_TAKE(arena, int, count + 1);
  if (!factor->list || !factor->column) return LIMPET_ERROR_MEMORY;

  for (int q = 0; q < factor->n; ++q) work->mark[q] = -1;
  for (int q = 0; q < factor->n; ++q) {
    work->mark[q] = q;
    const int i = factor->block[q], size = factor->row[q + 1] - factor->row[q];
    for (int k = work->graph.begin[i]; k < work->graph.begin[i + 1]; ++k)
      for (int p = factor->position[work->graph.neighbour[k]]; p < q && work->mark[p] != q;
           p = work->parent[p]) {
        work->mark[p] = q;
        limpet_supernode *s = &factor->supernode[factor->owner[p]];
        if (p != s->last) continue;
        factor->list[s->list + s->list_count] = q;
        factor->column[s->list + s->list_count++] = s->below;
        s->below += size;
        s->only_bodies = s->only_bodies && size == BODY;
      }
  }
  return LIMPET_OK;
}

// Diagonal blocks and panels one after the other, each at a multiple of 8 numbers.
static limpet_status places_choose(limpet_block_cholesky *factor, limpet_arena *arena) {
  long count = 0;
  for (int k = 0; k < factor->supernode_count; ++k) {
    limpet_supernode *s = &factor->supernode[k];
    s->stride = (s->below + 3) & ~3;
    s->diagonal = (int)count;
    count += ((long)s->width * s->width + 7) & ~7L;
    s->panel = (int)count;
    count += ((long)s->width * s->stride + 7) & ~7L;
    assert(count < INT_MAX && "more than 2^31 numbers in one factor");
  }
  factor->value_count = count;
  factor->values = LIMPET_TAKE(arena, double, count + 1);
  factor->inverse = LIMPET_TAKE(arena, double, factor->row_count + 4);
  factor->x = LIMPET_TAKE(arena, double, factor->row_count + 4);
  factor->y = LIMPET_TAKE(arena, double, factor->row_count + 4);
  return factor->values && factor->inverse && factor->x && factor->y ? LIMPET_OK
                                                                     : LIMPET_ERROR_MEMORY;
}

/* Outer products of supernode s that go to the supernode t, which owns the entries from..to-1 of
 * the list of s. Rows of the target: runs of neighbouring positions in t; columns: the same runs
 * (diagonal block of t) and runs of neighbours in the list of t (its panel). `item` NULL: only
 * counts. Returns how many. */
static int updates_into(const limpet_block_cholesky *factor, const limpet_supernode *s,
                        const limpet_supernode *t, int from, int to, limpet_panel_update *item) {
  const int *list = factor->list + s->list, *column = factor->column + s->list;
  const int *target_list = factor->list + t->list, *target_column = factor->column + t->list;
  int count = 0;
  for (int i = from, i_end; i < to; i = i_end) {
    for (i_end = i + 1; i_end < to && list[i_end] == list[i_end - 1] + 1;) ++i_end;
    const int a = column[i], m = (i_end < s->list_count ? column[i_end] : s->below) - a,
              row = factor->row[list[i]] - t->row;

    for (int j = from, j_end; j <= i; j = j_end) {
      for (j_end = j + 1; j_end < to && list[j_end] == list[j_end - 1] + 1;) ++j_end;
      const int b = column[j], n = (j_end < s->list_count ? column[j_end] : s->below) - b;
      if (item)
        item[count] = (limpet_panel_update){
            m,        n,     a, b, t->diagonal + row * t->width + factor->row[list[j]] - t->row,
            t->width, i == j};
      ++count;
    }
    for (int j = to, j_end, k = 0; j < s->list_count; j = j_end) {
      while (target_list[k] != list[j]) ++k;
      const int first = target_column[k];
      for (j_end = j + 1, ++k;
           j_end < s->list_count && k < t->list_count && list[j_end] == target_list[k]; ++k)
        ++j_end;
      const int b = column[j], n = (j_end < s->list_count ? column[j_end] : s->below) - b;
      if (item)
        item[count] =
            (limpet_panel_update){m, n, a, b, t->panel + row * t->stride + first, t->stride, 0};
      ++count;
    }
  }
  return count;
}

static int updates_of(const limpet_block_cholesky *factor, const limpet_supernode *s,
                      limpet_panel_update *item) {
  const int *list = factor->list + s->list;
  int count = 0;
  for (int i = 0, i_end; i < s->list_count; i = i_end) {
    const limpet_supernode *t = &factor->supernode[factor->owner[list[i]]];
    for (i_end = i + 1; i_end < s->list_count && list[i_end] <= t->last;) ++i_end;
    count += updates_into(factor, s, t, i, i_end, item ? item + count : NULL);
  }
  return count;
}

static limpet_status updates_fill(limpet_block_cholesky *factor, limpet_arena *arena) {
  int count = 0;
  for (int k = 0; k < factor->supernode_count; ++k) {
    limpet_supernode *s = &factor->supernode[k];
    s->update = count;
    s->update_count = updates_of(factor, s, NULL);
    count += s->update_count;
  }
  factor->update = LIMPET_TAKE(arena, limpet_panel_update, count + 1);
  if (!factor->update) return LIMPET_ERROR_MEMORY;
  for (int k = 0; k < factor->supernode_count; ++k) {
    const limpet_supernode *s = &factor->supernode[k];
    updates_of(factor, s, factor->update + s->update);
  }
  return LIMPET_OK;
}

// First rows of positions in both orders of rows.
static limpet_status rows_number(limpet_block_cholesky *factor, limpet_arena *arena,
                                 const int *size) {
  const int n = factor->n;
  int *first = LIMPET_TAKE(arena, int, n + 1);
  if (!first) return LIMPET_ERROR_MEMORY;
  int row = 0;
  for (int i = 0; i < n; ++i) first[i] = row, row += size[i];
  factor->row_count = row;
  row = 0;
  for (int p = 0; p < n; ++p) {
    factor->origin[p] = first[factor->block[p]];
    factor->row[p] = row;
    row += size[factor->block[p]];
  }
  factor->row[n] = row;
  return LIMPET_OK;
}

// Runs within supernodes lengthened, rows and first columns numbered anew.
static limpet_status runs_lengthen(limpet_block_cholesky *factor, limpet_arena *arena,
                                   const int *size) {
  const limpet_status status = limpet_block_runs_lengthen(factor, arena);
  if (status != LIMPET_OK) return status;
  for (int k = 0; k < factor->supernode_count; ++k) {
    const limpet_supernode *s = &factor->supernode[k];
    for (int i = s->list, column = 0; i < s->list + s->list_count; ++i) {
      factor->column[i] = column;
      column += size[factor->block[factor->list[i]]];
    }
  }
  return rows_number(factor, arena, size);
}

static limpet_block_cholesky *create(limpet_arena *arena, int n, const int *size, int pair_count,
                                     const int *pairs, const int *order, bool lengthened) {
  assert(arena && n >= 0 && (n == 0 || size));
  limpet_block_cholesky *factor = LIMPET_TAKE_ZERO(arena, limpet_block_cholesky, 1);
  int *memory = LIMPET_TAKE(arena, int, 9 * (size_t)n + 9);
  limpet_supernode *supernode = LIMPET_TAKE(arena, limpet_supernode, n + 1);
  symbolic work = {.zeros = LIMPET_TAKE(arena, double, n + 1)};
  if (!factor || !memory || !supernode || !work.zeros) return NULL;
  factor->n = n;
  factor->supernode = supernode;
  factor->row = memory;  // (n + 1), the others (n)
  int **arrays[] = {&factor->block, &factor->position, &factor->origin, &factor->owner,
                    &work.parent,   &work.mark,        &work.below,     &work.below_count};
  for (int k = 0; k < 8; ++k) *arrays[k] = memory + n + 1 + k * n;

  if (limpet_block_graph_create(&work.graph, arena, n, pair_count, pairs)) return NULL;
  if (limpet_block_order(&work.graph, order, arena, factor->block, factor->position, work.parent))
    return NULL;
  if (rows_number(factor, arena, size)) return NULL;
  structure_count(factor, &work);
  supernodes_find(factor, &work);
  if (lists_fill(factor, &work, arena) || (lengthened && runs_lengthen(factor, arena, size)) ||
      places_choose(factor, arena) || updates_fill(factor, arena))
    return NULL;
  return factor;
}

limpet_block_cholesky *limpet_block_cholesky_create(limpet_arena *arena, int n, const int *size,
                                                    int pair_count, const int *pairs) {
  return create(arena, n, size, pair_count, pairs, NULL, false);
}

limpet_block_cholesky *limpet_block_cholesky_create_in(limpet_arena *arena, int n, const int *size,
                                                       int pair_count, const int *pairs,
                                                       const int *order) {
  return create(arena, n, size, pair_count, pairs, order, true);
}
