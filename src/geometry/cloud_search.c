/* geometry/cloud_search.c: the points of a cloud that are nearest to a shape.
 *
 *   bound of a group: phi(centre) - radius, because phi is Lipschitz with constant 1, whatever the
 *     shape
 * (a sampled distance errs by at most e, so its bounds are lower by 2 e). Of a hull phi itself is
 * costly; the height over its face planes is a bound of it and goes several points at a time, so
 * that few points are measured exactly. Groups are visited nearest bound first and left out when
 * the bound is beyond the last hit; their balls and the points of a leaf are evaluated together.
 * Hits are ordered by (distance, number of the point), so neither the order of the tree nor that of
 * the visits shows in the result. With a quantum they are ordered by (bin of the distance, place *
 * 2^32/golden ratio): the lowest values of that product are spread evenly over the places, hence
 * over the cloud.
 * Cost (benchmarks/bench_cloud.c): five nearest of 992 points to a plane or box 0.5 us by the tree,
 * 1.2 us by all points; of 1e6 11 us and 1.1 ms. No workspace. */
#include <assert.h>

#include "geometry/cloud_tree.h"
#include "geometry/distance_grid.h"

#include "math/vec3.h"

// of the size of the coordinates: more than the round-off of phi
static const double slack = 1e-11;

typedef struct cloud_search {
  const limpet_cloud_tree *tree;
  const limpet_distance_view *view;
  limpet_cloud_query query;
  limpet_cloud_hit *hit;
  int count;
  double limit;                   // [m]  a point farther than this is no hit
  limpet_distance_kernel *bound;  // phi of hulls from below, cheaper than phi; NULL: phi itself
  double slack;                   // [m]
} cloud_search;

static inline bool comes_before(const limpet_cloud_hit *a, const limpet_cloud_hit *b) {
  return a->rank < b->rank || (a->rank == b->rank && a->tie < b->tie);
}

// Enters a point that is within the limit, if it comes before the last of a full list.
static void offer(cloud_search *s, double phi, int place) {
  const double quantum = s->query.quantum;
  limpet_cloud_hit hit = {
      .distance = phi, .place = place, .rank = phi, .tie = (uint32_t)s->tree->point[place]};
  if (quantum > 0.0) {
    hit.rank = floor((phi - s->query.origin) / quantum);
    hit.tie = (uint32_t)place * 2654435769u;
  }
  int at = s->count;
  if (at == s->query.capacity) {
    if (!comes_before(&hit, &s->hit[at - 1])) return;
    --at;
  } else {
    ++s->count;
  }
  for (; at > 0 && comes_before(&hit, &s->hit[at - 1]); --at) s->hit[at] = s->hit[at - 1];
  s->hit[at] = hit;
  if (s->count < s->query.wanted) return;
  const double last = s->hit[s->query.wanted - 1].rank;
  const double limit = quantum > 0.0 ? s->query.origin + (last + 1.0) * quantum : last;
  if (limit < s->limit) s->limit = limit;
}

static void offer_all(cloud_search *s, const double *phi, int first, int count) {
  for (int i = 0; i < count; ++i)
    if (phi[i] <= s->limit && s->tree->point[first + i] >= 0) offer(s, phi[i], first + i);
}

// Points whose bound is within the limit, exactly.
static void leaf_visit_bounded(cloud_search *s, int first) {
  double bound[LIMPET_CLOUD_LEAF];
  const limpet_cloud_tree *tree = s->tree;
  s->bound(bound, s->view, tree->x + first, tree->y + first, tree->z + first, LIMPET_CLOUD_LEAF);
  for (int i = 0; i < LIMPET_CLOUD_LEAF; ++i) {
    double phi;
    if (bound[i] - s->slack > s->limit || tree->point[first + i] < 0) continue;
    limpet_distance_block(&phi, s->view, tree->x + first + i, tree->y + first + i,
                          tree->z + first + i, 1);
    if (phi <= s->limit) offer(s, phi, first + i);
  }
}

static void leaf_visit(cloud_search *s, int leaf) {
  double phi[LIMPET_CLOUD_LEAF];
  const limpet_cloud_tree *tree = s->tree;
  const int first = leaf * LIMPET_CLOUD_LEAF;
  if (s->bound) {
    leaf_visit_bounded(s, first);
    return;
  }
  limpet_distance_block(phi, s->view, tree->x + first, tree->y + first, tree->z + first,
                        LIMPET_CLOUD_LEAF);
  offer_all(s, phi, first, LIMPET_CLOUD_LEAF);
}

// The groups of one level from `first` on, nearest bound first.
static void groups_visit(cloud_search *s, int depth, int first) {
  const limpet_cloud_level *level = &s->tree->level[depth];
  double bound[LIMPET_CLOUD_FAN];
  int order[LIMPET_CLOUD_FAN];
  const int count = limpet_cloud_group_count(level, first);
  (s->bound ? s->bound : limpet_distance_block)(bound, s->view, level->x + first, level->y + first,
                                                level->z + first, LIMPET_CLOUD_FAN);
  for (int i = 0; i < count; ++i) bound[i] -= level->radius[first + i] + s->slack;
  limpet_cloud_order(order, bound, count);
  for (int i = 0; i < count && bound[order[i]] <= s->limit; ++i) {
    if (depth == 0) leaf_visit(s, first + order[i]);
    else groups_visit(s, depth - 1, (first + order[i]) * LIMPET_CLOUD_FAN);
  }
}

static void all_visit(cloud_search *s) {
  enum { BLOCK = 4 * LIMPET_CLOUD_LEAF };
  double phi[BLOCK];
  const limpet_cloud_tree *tree = s->tree;
  for (int first = 0; first < tree->place_count; first += BLOCK) {
    const int count = tree->place_count - first < BLOCK ? tree->place_count - first : BLOCK;
    limpet_distance_block(phi, s->view, tree->x + first, tree->y + first, tree->z + first, count);
    offer_all(s, phi, first, count);
  }
}

int limpet_cloud_search(limpet_cloud_hit *hit, const limpet_cloud_tree *tree,
                        const limpet_distance_view *view, const limpet_cloud_query *query,
                        bool all) {
  assert(hit && tree);
  cloud_search s = {.tree = tree, .view = view, .query = *query, .hit = hit, .limit = query->reach};
  s.slack = slack * (tree->extent + limpet_vec3_norm(view->offset));
  if (view->shape->kind == LIMPET_SHAPE_MESH && !view->shape->surface && !view->shape->grid)
    s.bound = limpet_distance()->hull_bound;
  if (view->shape->grid) s.slack += 2.0 * view->shape->grid->error;
  if (all) all_visit(&s);
  else groups_visit(&s, tree->level_count - 1, 0);
  return s.count;
}
