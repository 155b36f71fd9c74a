/* fem/body_order.c: the order in which nodes of a deformable body are eliminated from its matrix:
 * of several that for which a factorisation takes the fewest multiply-adds. Found once for a body,
 * whatever the number of worlds it is in. */
#include "fem/body.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "math/block_dissect.h"
#include "math/block_fill.h"
#include "math/block_sparse.h"

enum { MOST_NODES = 4096 };  // of bodies ordered by fill, too: above, dissection takes less
static const double offsets[] = {-1.0, 2.0};  // of orders by fill; which one is better, none tells

typedef struct search {
  limpet_fem_body *body;
  limpet_arena arena;
  int *size, *pairs;  // of blocks; of all blocks of the matrix
  limpet_block_graph graph;
  double least;    // multiply-adds of the best so far
  int *best;       // (node_count)  that order
  bool by_degree;  // minimum degree is better
} search;

// Keeps an order (NULL: minimum degree) where it takes less than those before.
static limpet_status compare(search *s, const int *order) {
  const int n = s->body->info.node_count;
  const limpet_arena_mark mark = limpet_arena_mark_now(&s->arena);
  const limpet_block_cholesky *factor =
      limpet_block_cholesky_create_in(&s->arena, n, s->size, s->body->block_count, s->pairs, order);
  if (!factor) return LIMPET_ERROR_MEMORY;
  const double flops = limpet_block_cholesky_flops(factor);
  if (flops < s->least) {
    s->least = flops;
    s->by_degree = order == NULL;
    if (order) memcpy(s->best, order, (size_t)n * sizeof *order);
  }
  limpet_arena_release(&s->arena, mark);
  return LIMPET_OK;
}

static limpet_status orders_compare(search *s) {
  const limpet_fem_body *body = s->body;
  const int n = body->info.node_count;
  int *order = LIMPET_TAKE(&s->arena, int, n);
  if (!order) return LIMPET_ERROR_MEMORY;
  limpet_status status = compare(s, NULL);
  if (!status) status = limpet_block_dissect(&s->graph, body->rest, &s->arena, order);
  if (!status) status = compare(s, order);
  for (size_t k = 0; n <= MOST_NODES && k < sizeof offsets / sizeof *offsets && !status; ++k) {
    status = limpet_block_minimum_fill(&s->graph, offsets[k], &s->arena, order);
    if (!status) status = compare(s, order);
  }
  return status;
}

limpet_status limpet_fem_body_order(limpet_fem_body *body) {
  const int n = body->info.node_count;
  search s = {.body = body, .least = INFINITY, .best = LIMPET_TAKE(&body->arena, int, n)};
  const size_t first = 1 << 20;  // [bytes]
  if (!s.best || limpet_arena_create(&s.arena, first)) return LIMPET_ERROR_MEMORY;
  s.size = LIMPET_TAKE(&s.arena, int, n);
  s.pairs = LIMPET_TAKE(&s.arena, int, 2L * body->block_count);
  limpet_status status = s.size && s.pairs ? LIMPET_OK : LIMPET_ERROR_MEMORY;
  if (!status) {
    limpet_fem_body_blocks(body, s.size, s.pairs);
    status = limpet_block_graph_create(&s.graph, &s.arena, n, body->block_count, s.pairs);
  }
  if (!status) status = orders_compare(&s);
  body->order = s.by_degree ? NULL : s.best;
  limpet_arena_destroy(&s.arena);
  return status;
}
