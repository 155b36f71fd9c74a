/* geometry/manifold.c: the choice of at most eight contact points.
 *
 * More than eight candidates are thinned: the deepest first, then again and again the one that is
 * farthest from all chosen ones. Ties within a tolerance go to the candidate that comes first, so
 * noise below it does not change the choice; the deepest is exact to 2e-8 of the extent of the
 * manifold. The chosen points keep their order.
 * Cost: 8 distances per candidate (clouds: as many as they keep points). No workspace. */
#include <assert.h>
#include <string.h>

#include "geometry/face.h"
#include "math/vec3.h"

static const double depth_tolerance = 2e-8;   // of the extent: deeper by less is as deep
static const double spread_tolerance = 1e-6;  // of the extent: farther by less is as far

static double candidates_extent(const limpet_candidates *c, const int *index, int count) {
  double extent = 0.0;
  for (int i = 1; i < count; ++i)
    extent = fmax(extent, limpet_vec3_distance(c->on_a[index[i]], c->on_a[index[0]]));
  return extent;
}

// How far candidates are from all chosen ones.
typedef struct spread {
  const limpet_candidates *candidates;
  const int *index;
  int count;
  double extent;
  double gap[LIMPET_CANDIDATE_CAPACITY];
  bool chosen[LIMPET_CANDIDATE_CAPACITY];
} spread;

// Takes one candidate; returns the one that is then farthest from all taken, -1: there is none
// left.
static int spread_take(spread *s, int taken) {
  const double *last = s->candidates->on_a[s->index[taken]];
  int next = -1;
  s->chosen[taken] = true;
  for (int i = 0; i < s->count; ++i) {
    if (s->chosen[i]) continue;
    s->gap[i] = fmin(s->gap[i], limpet_vec3_distance(s->candidates->on_a[s->index[i]], last));
    if (next < 0 || s->gap[i] > s->gap[next] + spread_tolerance * s->extent) next = i;
  }
  return next;
}

void limpet_manifold_thin(int *index, int count, const limpet_candidates *c, int fixed, int keep) {
  assert(index && count >= 0 && fixed >= 0 && keep >= fixed);
  spread s = {.candidates = c,
              .index = index,
              .count = count,
              .extent = candidates_extent(c, index, count)};
  for (int i = 0; i < count; ++i) s.gap[i] = INFINITY;
  int next = 0;
  for (int i = 1; i < count && fixed == 0; ++i)
    if (c->distance[index[i]] < c->distance[index[next]] - depth_tolerance * s.extent) next = i;
  for (int k = 0; k < fixed; ++k) next = spread_take(&s, k);
  for (int k = fixed; k < keep; ++k) next = spread_take(&s, next);
  for (int i = 0, kept = 0; i < count; ++i)
    if (s.chosen[i]) index[kept++] = index[i];
}

void limpet_manifold_create(limpet_manifold *manifold, limpet_arena *arena) {
  manifold->count = 0;
  manifold->room = LIMPET_MANIFOLD_ROOM;
  manifold->point = manifold->first;
  manifold->arena = arena;
  manifold->failed = false;
  manifold->rest = (limpet_rest){.face = -1};
}

limpet_contact_point *limpet_manifold_grow(limpet_manifold *manifold) {
  const int room = 2 * manifold->room;
  limpet_contact_point *point =
      manifold->arena ? LIMPET_TAKE(manifold->arena, limpet_contact_point, room) : NULL;
  if (!point) {
    manifold->failed = true;
    return &manifold->point[manifold->room - 1];
  }
  memcpy(point, manifold->point, (size_t)manifold->count * sizeof *point);
  manifold->point = point, manifold->room = room;
  return &manifold->point[manifold->count++];
}

void limpet_manifold_fill(limpet_manifold *manifold, const limpet_candidates *candidates,
                          const limpet_shape *frame, const double normal[3], double margin) {
  int index[LIMPET_CANDIDATE_CAPACITY], count = 0;
  for (int i = 0; i < candidates->count; ++i)
    if (limpet_within_margin(candidates->distance[i], margin)) index[count++] = i;
  if (count > LIMPET_MANIFOLD_POINTS) {
    limpet_manifold_thin(index, count, candidates, 0, LIMPET_MANIFOLD_POINTS);
    count = LIMPET_MANIFOLD_POINTS;
  }

  double world_normal[3];
  limpet_mat3_mul_vec(world_normal, frame->rotation, normal);
  for (int k = 0; k < count; ++k) {
    limpet_contact_point *point = limpet_manifold_append(manifold);
    limpet_mat3_mul_vec(point->on_a, frame->rotation, candidates->on_a[index[k]]);
    limpet_mat3_mul_vec(point->on_b, frame->rotation, candidates->on_b[index[k]]);
    limpet_vec3_add(point->on_a, point->on_a, frame->position);
    limpet_vec3_add(point->on_b, point->on_b, frame->position);
    limpet_vec3_copy(point->normal, world_normal);
    point->distance = candidates->distance[index[k]];
    point->feature = candidates->feature[index[k]];
  }
}

void limpet_manifold_swap(limpet_manifold *manifold) {
  for (int i = 0; i < manifold->count; ++i) {
    limpet_contact_point *p = &manifold->point[i];
    double spare[3];
    limpet_vec3_copy(spare, p->on_a);
    limpet_vec3_copy(p->on_a, p->on_b);
    limpet_vec3_copy(p->on_b, spare);
    limpet_vec3_neg(p->normal, p->normal);
  }
}
