/* math/block_dissect.c: nested dissection of a mesh by its nodes' places.
 *
 * Nodes are sorted along an axis and cut in halves A and B, where a gap is near the middle: layers
 * of a lattice stay whole. The nodes of B that have neighbours in A, or those of A that have some
 * in B, whichever are fewer, are the border, which is eliminated last; the others of either half
 * are cut again. Of the three axes that with the least border is taken. Solid bodies of a thousand
 * nodes take up to 40 % fewer multiply-adds than by minimum degree, long and thin ones mostly more.
 * Reference: George, Nested dissection of a regular finite element mesh (1973).
 * Cost: n log(n)^2. */
#include "math/block_dissect.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { SMALL = 8 };                // nodes that are not cut
static const double gap = 1e-9;    // [-]  of the side: nodes of one layer are nearer
static const double moved = 0.17;  // [-]  of the nodes: the cut from the middle, at most

typedef struct keyed {
  double key;
  int node;
} keyed;

typedef struct dissection {
  const limpet_block_graph *graph;
  const double *place;
  int *order;
  int *half;    // (n)  number of the cut and its half: 2 cut + half
  int cuts;     // so far
  keyed *sort;  // (n)
  int *kept;    // (n)
} dissection;

static int compare(const void *x, const void *y) {
  const keyed *a = x, *b = y;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return (a->node > b->node) - (a->node < b->node);
}

// The length of the box around nodes along an axis.
static double length_of(const dissection *d, int from, int to, int axis) {
  double low = INFINITY, high = -INFINITY;
  for (int i = from; i < to; ++i) {
    low = fmin(low, d->place[3L * d->order[i] + axis]);
    high = fmax(high, d->place[3L * d->order[i] + axis]);
  }
  return high - low;
}

// Sorts nodes from..to - 1 along the axis and returns where B begins.
static int cut_find(dissection *d, int from, int to, int axis) {
  const double length = length_of(d, from, to, axis);
  const int count = to - from;
  for (int i = 0; i < count; ++i)
    d->sort[i] = (keyed){d->place[3L * d->order[from + i] + axis], d->order[from + i]};
  qsort(d->sort, (size_t)count, sizeof *d->sort, compare);
  for (int i = 0; i < count; ++i) d->order[from + i] = d->sort[i].node;
  const int middle = count / 2, most = (int)(moved * count);
  for (int by = 0; by <= most; ++by)
    for (int side = -1; side <= 1; side += 2) {
      const int at = middle + side * by;
      if (at > 0 && at < count && d->sort[at].key - d->sort[at - 1].key > gap * length)
        return from + at;
    }
  return from + middle;
}

// Whether a node has a neighbour with that mark.
static bool touches(const dissection *d, int node, int mark) {
  for (int k = d->graph->begin[node]; k < d->graph->begin[node + 1]; ++k)
    if (d->half[d->graph->neighbour[k]] == mark) return true;
  return false;
}

// A cut of a range of nodes that are sorted along its axis, and how many of either half touch the
// other one. Halves have the marks 2 number and 2 number + 1.
typedef struct cut {
  int axis, at, of_a, of_b, number;
} cut;

static cut cut_make(dissection *d, int from, int to, int axis) {
  cut c = {.axis = axis, .at = cut_find(d, from, to, axis), .number = ++d->cuts};
  const int A = 2 * c.number, B = A + 1;
  for (int i = from; i < to; ++i) d->half[d->order[i]] = i < c.at ? A : B;
  for (int i = from; i < to; ++i) {
    if (i < c.at) c.of_a += touches(d, d->order[i], B);
    else c.of_b += touches(d, d->order[i], A);
  }
  return c;
}

static int border_of(const cut *c) { return c->of_b < c->of_a ? c->of_b : c->of_a; }

// Nodes from..to - 1 that touch `mark` go to the end of the range; returns where they begin.
static int part(dissection *d, int from, int to, int mark) {
  int at = from, kept = 0;
  for (int i = from; i < to; ++i) {
    const int node = d->order[i];
    if (touches(d, node, mark)) d->kept[kept++] = node;
    else d->order[at++] = node;
  }
  for (int i = 0; i < kept; ++i) d->order[at + i] = d->kept[i];
  return at;
}

// Turns the range round by `by` places to the left: what was first is last.
static void rotate(dissection *d, int from, int to, int by) {
  for (int i = 0; i < by; ++i) d->kept[i] = d->order[from + i];
  for (int i = from + by; i < to; ++i) d->order[i - by] = d->order[i];
  for (int i = 0; i < by; ++i) d->order[to - by + i] = d->kept[i];
}

static void dissect(dissection *d, int from, int to) {
  if (to - from <= SMALL) return;
  cut best = cut_make(d, from, to, 0);
  for (int axis = 1; axis < 3; ++axis) {
    const cut other = cut_make(d, from, to, axis);
    if (border_of(&other) < border_of(&best)) best = other;
  }
  if (best.axis < 2) best = cut_make(d, from, to, best.axis);
  const int A = 2 * best.number, B = A + 1;
  if (best.of_b <= best.of_a) {
    const int end = part(d, best.at, to, A);
    dissect(d, from, best.at);
    dissect(d, best.at, end);
    return;
  }
  // A without its border, B, the border
  const int end = part(d, from, best.at, B), border = best.at - end;
  rotate(d, end, to, border);
  dissect(d, from, end);
  dissect(d, end, to - border);
}

limpet_status limpet_block_dissect(const limpet_block_graph *graph, const double *place,
                                   limpet_arena *arena, int *order) {
  assert(graph && place && arena && (graph->n == 0 || order));
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  const size_t n = (size_t)graph->n;
  dissection d = {.graph = graph,
                  .place = place,
                  .order = order,
                  .half = LIMPET_TAKE_ZERO(arena, int, n + 1),
                  .sort = LIMPET_TAKE(arena, keyed, n + 1),
                  .kept = LIMPET_TAKE(arena, int, n + 1)};
  const bool memory = d.half && d.sort && d.kept;
  for (int i = 0; i < graph->n; ++i) order[i] = i;
  if (memory) dissect(&d, 0, graph->n);
  limpet_arena_release(arena, mark);
  return memory ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}
