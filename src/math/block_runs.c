/* math/block_runs.c: an order of the positions within each supernode that makes runs long.
 *
 * Any order within a supernode gives the same numbers to store, but a supernode s below reaches a
 * set S of its positions, and what s adds there is an outer product for each pair of runs of
 * neighbours in S. Partition refinement: the positions are a sequence of classes, at first one.
 * Each set, the largest first, splits the classes that it meets in two: those of its first class go
 * to the end of it, those of others to their beginning, so that the set is one run wherever the
 * sets before, which stay runs, allow it.
 *
 * Source: Jacquelin, Ng, Peyton, Fast and effective reordering of columns within supernodes using
 * partition refinement, 2018. Cost: width times number of sets of each supernode. */
#include <stdbool.h>
#include <string.h>

#include "math/block_symbolic.h"

// The entries from..to-1 of a list, positions of one supernode.
typedef struct reached_set {
  int from, to;
} reached_set;

typedef struct refinement {
  int count;
  int *sequence;  // (count)  positions
  bool *begins;   // (count + 1)  a class begins here
  bool *is_in;    // (n)  position in the set at hand
  int *scratch;   // (count)
} refinement;

// The classes that a set meets are split, members of the first one last, of the others first.
static void refine(refinement *r) {
  bool met = false;
  for (int begin = 0, end; begin < r->count; begin = end) {
    int members = 0;
    for (end = begin; end == begin || !r->begins[end]; ++end) members += r->is_in[r->sequence[end]];
    if (members == 0) continue;
    const int split = met ? begin + members : end - members;
    int in = met ? begin : split, out = met ? split : begin;
    met = true;
    memcpy(r->scratch, r->sequence + begin, (size_t)(end - begin) * sizeof(int));
    for (int i = 0; i < end - begin; ++i) {
      const int p = r->scratch[i];
      r->sequence[r->is_in[p] ? in++ : out++] = p;
    }
    r->begins[split] = true;
  }
}

// The sets of each supernode t to set[next[t]++], or where `set` is NULL, how many to next[t].
// Returns how many there are.
static int sets_list(const limpet_block_cholesky *factor, int *next, reached_set *set) {
  int count = 0;
  for (int k = 0; k < factor->supernode_count; ++k) {
    const limpet_supernode *s = &factor->supernode[k];
    const int *list = factor->list + s->list;
    for (int i = 0, end; i < s->list_count; i = end) {
      const int t = factor->owner[list[i]], last = factor->supernode[t].last;
      for (end = i + 1; end < s->list_count && list[end] <= last;) ++end;
      if (set) set[next[t]++] = (reached_set){s->list + i, s->list + end};
      else ++next[t];
      ++count;
    }
  }
  return count;
}

// The largest first; few, so by insertion.
static void sets_sort(int count, reached_set *set) {
  for (int i = 1; i < count; ++i) {
    const reached_set x = set[i];
    int k = i;
    for (; k > 0 && set[k - 1].to - set[k - 1].from < x.to - x.from; --k) set[k] = set[k - 1];
    set[k] = x;
  }
}

// The new place of each position of a supernode.
static void sequence_find(const limpet_block_cholesky *factor, const limpet_supernode *s, int count,
                          const reached_set *set, refinement *r, int *place) {
  r->count = s->last - s->first + 1;
  memset(r->begins, 0, (size_t)(r->count + 1) * sizeof *r->begins);
  r->begins[r->count] = true;
  for (int i = 0; i < r->count; ++i) r->sequence[i] = s->first + i;
  for (int k = 0; k < count; ++k) {
    for (int i = set[k].from; i < set[k].to; ++i) r->is_in[factor->list[i]] = true;
    refine(r);
    for (int i = set[k].from; i < set[k].to; ++i) r->is_in[factor->list[i]] = false;
  }
  for (int i = 0; i < r->count; ++i) place[r->sequence[i]] = s->first + i;
}

static void list_sort(int count, int *list) {
  for (int i = 1; i < count; ++i) {
    const int p = list[i];
    int k = i;
    for (; k > 0 && list[k - 1] > p; --k) list[k] = list[k - 1];
    list[k] = p;
  }
}

// Blocks and lists with positions p moved to place[p]. block: scratch (n)
static void positions_move(limpet_block_cholesky *factor, int count, const reached_set *set,
                           const int *place, int *block) {
  memcpy(block, factor->block, (size_t)factor->n * sizeof *block);
  for (int p = 0; p < factor->n; ++p) {
    factor->block[place[p]] = block[p];
    factor->position[block[p]] = place[p];
  }
  for (int k = 0; k < count; ++k) {
    for (int i = set[k].from; i < set[k].to; ++i) factor->list[i] = place[factor->list[i]];
    list_sort(set[k].to - set[k].from, factor->list + set[k].from);
  }
}

limpet_status limpet_block_runs_lengthen(limpet_block_cholesky *factor, limpet_arena *arena) {
  const int n = factor->n, supernodes = factor->supernode_count;
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  int *next = LIMPET_TAKE_ZERO(arena, int, supernodes + 1), *place = LIMPET_TAKE(arena, int, n + 1),
      *scratch = LIMPET_TAKE(arena, int, n + 1);
  refinement r = {.sequence = LIMPET_TAKE(arena, int, n + 1),
                  .begins = LIMPET_TAKE(arena, bool, n + 1),
                  .is_in = LIMPET_TAKE_ZERO(arena, bool, n + 1),
                  .scratch = scratch};
  if (!next || !place || !scratch || !r.sequence || !r.begins || !r.is_in)
    return LIMPET_ERROR_MEMORY;
  const int count = sets_list(factor, next, NULL);
  reached_set *set = LIMPET_TAKE(arena, reached_set, count + 1);
  if (!set) return LIMPET_ERROR_MEMORY;
  for (int t = 0, begin = 0; t < supernodes; ++t) {
    const int own = next[t];
    next[t] = begin;
    begin += own;
  }
  sets_list(factor, next, set);
  for (int t = 0; t < supernodes; ++t) {
    const int begin = t == 0 ? 0 : next[t - 1];
    sets_sort(next[t] - begin, set + begin);
    sequence_find(factor, &factor->supernode[t], next[t] - begin, set + begin, &r, place);
  }
  positions_move(factor, count, set, place, scratch);
  limpet_arena_release(arena, mark);
  return LIMPET_OK;
}
