/* fem/body_order.c: the order in which nodes of a deformable body are eliminated from its matrix.
 *
 * Of several that is taken for which a factorisation and a condensation onto the nodes of a contact
 * take the fewest multiply-adds together: nodes near each other, the mean over some places. Found
 * once for a body, whatever the number of worlds it is in. */
#include "fem/body.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "math/block_dissect.h"
#include "math/block_fill.h"
#include "math/block_inverse.h"
#include "math/block_sparse.h"
#include "math/vec3.h"

enum {
  MOST_NODES = 4096,  // of bodies ordered by fill, too: above, dissection takes less
  TOUCHED = 32,       // nodes of a contact
  PLACES = 8          // of contacts that are tried
};
static const double offsets[] = {-1.0, 2.0};  // of orders by fill; which one is better, none tells

typedef struct search {
  limpet_fem_body *body;
  limpet_arena arena;
  int *size, *pairs;  // of blocks; of all blocks of the matrix
  limpet_block_graph graph;
  double least;    // multiply-adds of a step in the best so far
  int *best;       // (node_count)  that order
  bool by_degree;  // minimum degree is better
} search;

// The `count` nodes that are nearest to a node at rest, itself the first.
static void nearest_nodes(const limpet_fem_body *body, int centre, int count, int *node) {
  double distance[TOUCHED];
  for (int i = 0, found = 0; i < body->info.node_count; ++i) {
    double way[3];
    limpet_vec3_sub(way, body->rest + 3L * i, body->rest + 3L * centre);
    const double own = limpet_vec3_dot(way, way);
    if (found == count && !(own < distance[count - 1])) continue;
    int at = found < count ? found++ : count - 1;
    for (; at > 0 && own < distance[at - 1]; --at)
      distance[at] = distance[at - 1], node[at] = node[at - 1];
    distance[at] = own, node[at] = i;
  }
}

// Multiply-adds of a step with contact. Negative: no memory.
static double work_of(search *s, const limpet_block_cholesky *factor) {
  const int n = s->body->info.node_count, count = n < TOUCHED ? n : TOUCHED;
  int *index = LIMPET_TAKE(&s->arena, int, limpet_block_inverse_ints(factor, count));
  if (!index) return -1.0;
  double condensing = 0.0;
  for (int place = 0; place < PLACES; ++place) {
    int node[TOUCHED];
    nearest_nodes(s->body, (int)((2L * place + 1) * n / (2 * PLACES)), count, node);
    condensing += limpet_block_inverse_flops(factor, count, node, index) / PLACES;
  }
  return limpet_block_cholesky_flops(factor) + condensing;
}

// Keeps an order (NULL: minimum degree) where it takes less than those before.
static limpet_status compare(search *s, const int *order) {
  const int n = s->body->info.node_count;
  const limpet_arena_mark mark = limpet_arena_mark_now(&s->arena);
  const limpet_block_cholesky *factor =
      limpet_block_cholesky_create_in(&s->arena, n, s->size, s->body->block_count, s->pairs, order);
  const double work = factor ? work_of(s, factor) : -1.0;
  if (work < 0.0) return LIMPET_ERROR_MEMORY;
  if (work < s->least) {
    s->least = work;
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
