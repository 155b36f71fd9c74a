/* geometry/manifold.c: the choice of at most eight contact points.
 *
 * More than eight candidates are thinned: the deepest first, then again and again the one that is farthest from all chosen
 * ones. Ties within a tolerance go to the candidate that comes first, so noise below it does not change the choice; the
 * deepest is exact to 2e-8 of the extent of the manifold. The chosen points keep their order.
 * Cost: 8 distances per candidate. No workspace. */
#include "geometry/face.h"
#include "math/vec3.h"

static const double depth_tolerance = 2e-8;   // of the extent: deeper by less is as deep
static const double spread_tolerance = 1e-6;  // of the extent: farther by less is as far

static double candidates_extent(const limpet_candidates *c, const int *index, int count) {
  double extent = 0.0;
  for (int i = 1; i < count; ++i) extent = fmax(extent, limpet_vec3_distance(c->on_a[index[i]], c->on_a[index[0]]));
  return extent;
}

// Chooses from `index` (count entries, ascending) LIMPET_MANIFOLD_CAPACITY and leaves them there, ascending.
static void thin(int *index, int count, const limpet_candidates *c) {
  const double extent = candidates_extent(c, index, count);
  double gap[LIMPET_CANDIDATE_CAPACITY];
  bool chosen[LIMPET_CANDIDATE_CAPACITY] = {false};
  int next = 0;
  for (int i = 1; i < count; ++i)
    if (c->distance[index[i]] < c->distance[index[next]] - depth_tolerance * extent) next = i;
  for (int i = 0; i < count; ++i) gap[i] = INFINITY;

  for (int k = 0; k < LIMPET_MANIFOLD_CAPACITY; ++k) {
    chosen[next] = true;
    const double *last = c->on_a[index[next]];
    next = -1;
    for (int i = 0; i < count; ++i) {
      if (chosen[i]) continue;
      gap[i] = fmin(gap[i], limpet_vec3_distance(c->on_a[index[i]], last));
      if (next < 0 || gap[i] > gap[next] + spread_tolerance * extent) next = i;
    }
  }
  for (int i = 0, kept = 0; i < count; ++i)
    if (chosen[i]) index[kept++] = index[i];
}

void limpet_manifold_fill(limpet_manifold *manifold, const limpet_candidates *candidates, const limpet_shape *frame,
                          const double normal[3], double margin) {
  int index[LIMPET_CANDIDATE_CAPACITY], count = 0;
  for (int i = 0; i < candidates->count; ++i)
    if (limpet_within_margin(candidates->distance[i], margin)) index[count++] = i;
  if (count > LIMPET_MANIFOLD_CAPACITY) {
    thin(index, count, candidates);
    count = LIMPET_MANIFOLD_CAPACITY;
  }

  double world_normal[3];
  limpet_mat3_mul_vec(world_normal, frame->rotation, normal);
  for (int k = 0; k < count; ++k) {
    limpet_contact_point *point = &manifold->point[manifold->count++];
    limpet_mat3_mul_vec(point->on_a, frame->rotation, candidates->on_a[index[k]]);
    limpet_mat3_mul_vec(point->on_b, frame->rotation, candidates->on_b[index[k]]);
    limpet_vec3_add(point->on_a, point->on_a, frame->position);
    limpet_vec3_add(point->on_b, point->on_b, frame->position);
    limpet_vec3_copy(point->normal, world_normal);
    point->distance = candidates->distance[index[k]];
    point->feature = candidates->feature[index[k]];
  }
}
