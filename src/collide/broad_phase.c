/* collide/broad_phase.c: pairs of geoms that may be within reach of each other.
 *
 *   1 boxes in W of the colliders that may have moved, grown by margin, gap and reach of the body,
 *     so that boxes of a pair overlap when it is within the sum of both; single precision, rounded
 *     outwards
 *   2 sweep among the moving ones, and between moving and fixed ones (sweep.c); planes against all
 *     others; explicit pairs
 *   3 filters (colliders.c), bounding spheres and oriented boxes (cull.c)
 *   4 order by geoms: two passes of counting
 * Which pairs remain does not depend on the order of the sweep. Cost: about 20 ns a collider and
 * 10-50 ns an overlap of boxes. */
#include <assert.h>
#include <math.h>

#include "collide/collide.h"
#include "collide/colliders.h"
#include "collide/cull.h"
#include "collide/sweep.h"
#include "model/workspace.h"

static void box_update(limpet_colliders *colliders, const limpet_model *model,
                       const limpet_data *data, int c, const limpet_reach *reach) {
  const int geom = model->collider_geom[c];
  const double *p = data->geom_position + 3 * geom, *R = data->geom_rotation + 9 * geom;
  const double *m = colliders->centre + 3 * c, *h = colliders->half + 3 * c;
  const int body = model->geom_body[geom], tree = model->body_tree[body];
  const double grow = model->geom_margin[geom] + model->geom_gap[geom] + reach->body[body] +
                      (tree >= 0 ? reach->tree[tree] : 0.0);
  const bool round = model->geom_kind[geom] == LIMPET_SHAPE_SPHERE;
  float *box = colliders->box + 6 * c;
  for (int i = 0; i < 3; ++i) {
    const double *r = R + 3 * i;
    const double centre = p[i] + r[0] * m[0] + r[1] * m[1] + r[2] * m[2];
    const double half =
        grow + (round ? h[0] : fabs(r[0]) * h[0] + fabs(r[1]) * h[1] + fabs(r[2]) * h[2]);
    // more than rounding to single precision takes away
    const double slack = 2e-7 * (fabs(centre) + half);
    box[i] = (float)(centre - half - slack);
    box[3 + i] = (float)(centre + half + slack);
  }
}

/* The axis along which the moving boxes are spread most; it changes only for a clear gain, because
 * a new axis costs a new order. Returns whether it changed. */
static bool axis_choose(limpet_colliders *colliders) {
  const limpet_sweep_list *list = &colliders->moving;
  double sum[3] = {0}, square[3] = {0}, spread[3];
  for (int k = 0; k < list->count; ++k) {
    const float *box = colliders->box + 6 * list->order[k];
    for (int i = 0; i < 3; ++i) {
      const double x = (double)box[i] + (double)box[3 + i];
      sum[i] += x;
      square[i] += x * x;
    }
  }
  int best = colliders->axis;
  for (int i = 0; i < 3; ++i) spread[i] = square[i] - sum[i] * sum[i] / (list->count + 1);
  for (int i = 0; i < 3; ++i)
    if (spread[i] > spread[best]) best = i;
  if (best == colliders->axis || !(spread[best] > 2.0 * spread[colliders->axis])) return false;
  colliders->axis = best;
  return true;
}

static limpet_status lists_sort(limpet_colliders *colliders, const limpet_model *model,
                                const limpet_data *data, const limpet_reach *reach,
                                limpet_arena *arena) {
  for (int k = 0; k < colliders->moving.count; ++k)
    box_update(colliders, model, data, colliders->moving.order[k], reach);
  const bool all = reach->body[0] != colliders->fixed_reach;
  for (int k = 0; k < colliders->fixed.count && (all || colliders->carried); ++k) {
    const int c = colliders->fixed.order[k];
    if (all || (colliders->flags[c] & LIMPET_COLLIDER_CARRIED))
      box_update(colliders, model, data, c, reach);
  }
  const bool turned = axis_choose(colliders);
  if (limpet_sweep_sort(colliders, &colliders->moving, arena)) return LIMPET_ERROR_MEMORY;
  if ((all || turned || colliders->carried) &&
      limpet_sweep_sort(colliders, &colliders->fixed, arena))
    return LIMPET_ERROR_MEMORY;
  colliders->fixed_reach = reach->body[0];
  return LIMPET_OK;
}

// Planes have no boxes: each goes with every other collider that it may touch, and cull.c decides.
static void planes_add(const limpet_colliders *colliders, limpet_overlap_list *overlaps) {
  for (int k = 0; k < colliders->plane_count; ++k) {
    const int plane = colliders->plane[k];
    for (int i = 0; i < colliders->moving.count; ++i)
      limpet_overlap_add(overlaps, plane, colliders->moving.order[i], -1);
    if (!(colliders->flags[plane] & LIMPET_COLLIDER_MOVES)) continue;
    for (int i = 0; i < colliders->fixed.count; ++i)
      limpet_overlap_add(overlaps, plane, colliders->fixed.order[i], -1);
  }
}

static void explicit_pairs_add(const limpet_colliders *colliders, const limpet_model *model,
                               limpet_overlap_list *overlaps) {
  for (int k = 0; k < model->pair_count; ++k) {
    const int a = model->geom_collider[model->pair_geom[2 * k]],
              b = model->geom_collider[model->pair_geom[2 * k + 1]];
    if (a < 0 || b < 0 || !((colliders->flags[a] | colliders->flags[b]) & LIMPET_COLLIDER_MOVES))
      continue;
    limpet_overlap_add(overlaps, a, b, k);
  }
}

static double margin_of(const limpet_model *model, const limpet_overlap *pair) {
  if (pair->pair >= 0) return model->pair_margin[pair->pair];
  return model->geom_margin[model->collider_geom[pair->a]] +
         model->geom_margin[model->collider_geom[pair->b]];
}

static double gap_of(const limpet_model *model, const limpet_overlap *pair) {
  if (pair->pair >= 0) return model->pair_gap[pair->pair];
  return model->geom_gap[model->collider_geom[pair->a]] +
         model->geom_gap[model->collider_geom[pair->b]];
}

static double reach_of(const limpet_model *model, const limpet_reach *reach, int a, int b) {
  const int body_a = model->geom_body[model->collider_geom[a]],
            body_b = model->geom_body[model->collider_geom[b]];
  const int tree_a = model->body_tree[body_a], tree_b = model->body_tree[body_b];
  double sum = reach->body[body_a] + reach->body[body_b];
  if (tree_a != tree_b)
    sum += (tree_a >= 0 ? reach->tree[tree_a] : 0.0) + (tree_b >= 0 ? reach->tree[tree_b] : 0.0);
  return sum;
}

// Leaves in the list the pairs that pass filters and bounds, a < b.
static void overlaps_filter(const limpet_colliders *colliders, const limpet_model *model,
                            const limpet_data *data, const limpet_reach *reach,
                            limpet_overlap_list *overlaps) {
  int count = 0;
  for (int k = 0; k < overlaps->count; ++k) {
    limpet_overlap pair = overlaps->item[k];
    if (pair.a > pair.b) {
      const int t = pair.a;
      pair.a = pair.b, pair.b = t;
    }
    if (pair.pair < 0 && !limpet_colliders_allowed(colliders, model, pair.a, pair.b)) continue;
    const double margin = margin_of(model, &pair) + gap_of(model, &pair);
    if (limpet_colliders_near(colliders, model, data, pair.a, pair.b,
                              fmax(0.0, margin + reach_of(model, reach, pair.a, pair.b))))
      overlaps->item[count++] = pair;
  }
  overlaps->count = count;
}

// One pass of a stable sort by counting, by b or by a.
static void counting_pass(limpet_colliders *colliders, const limpet_overlap *from,
                          limpet_overlap *to, int count, bool by_a) {
  int *bucket = colliders->bucket;
  for (int c = 0; c <= colliders->count; ++c) bucket[c] = 0;
  for (int k = 0; k < count; ++k) ++bucket[(by_a ? from[k].a : from[k].b) + 1];
  for (int c = 0; c < colliders->count; ++c) bucket[c + 1] += bucket[c];
  for (int k = 0; k < count; ++k) to[bucket[by_a ? from[k].a : from[k].b]++] = from[k];
}

static limpet_status pairs_write(limpet_colliders *colliders, const limpet_model *model,
                                 const limpet_reach *reach, limpet_overlap_list *overlaps,
                                 limpet_collision *collision) {
  const int count = overlaps->count;
  limpet_overlap *sorted = LIMPET_TAKE(overlaps->arena, limpet_overlap, count);
  collision->pair = LIMPET_TAKE(overlaps->arena, limpet_collision_pair, count);
  if (!sorted || !collision->pair) return LIMPET_ERROR_MEMORY;
  counting_pass(colliders, overlaps->item, sorted, count, false);
  counting_pass(colliders, sorted, overlaps->item, count, true);
  for (int k = 0; k < count; ++k) {
    const limpet_overlap *pair = &overlaps->item[k];
    const int a = model->collider_geom[pair->a], b = model->collider_geom[pair->b];
    collision->pair[k] = (limpet_collision_pair){
        .geom_a = a,
        .geom_b = b,
        .pair = pair->pair,
        .margin = margin_of(model, pair),
        .gap = gap_of(model, pair),
        .reach = reach_of(model, reach, pair->a, pair->b),
    };
  }
  collision->pair_count = count;
  return LIMPET_OK;
}

limpet_status limpet_broad_phase(const limpet_model *model, limpet_data *data,
                                 const limpet_reach *reach, limpet_arena *arena,
                                 limpet_collision *collision) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES | LIMPET_MARK_GEOMS));
  assert(arena && collision);
  *collision = (limpet_collision){0};
  limpet_colliders *colliders = limpet_colliders_of(model, data);
  if (!colliders) return LIMPET_ERROR_MEMORY;
  if (lists_sort(colliders, model, data, reach, arena) != LIMPET_OK) return LIMPET_ERROR_MEMORY;

  // room for what the last step found and a quarter more
  limpet_overlap_list overlaps = {.arena = arena, .room = colliders->candidate_room};
  overlaps.item = LIMPET_TAKE(arena, limpet_overlap, overlaps.room);
  if (!overlaps.item) return LIMPET_ERROR_MEMORY;
  limpet_sweep_within(&colliders->moving, &overlaps);
  limpet_sweep_between(&colliders->moving, &colliders->fixed, &overlaps);
  planes_add(colliders, &overlaps);
  explicit_pairs_add(colliders, model, &overlaps);
  if (overlaps.failed) return LIMPET_ERROR_MEMORY;
  if (overlaps.count + overlaps.count / 4 > colliders->candidate_room)
    colliders->candidate_room = overlaps.count + overlaps.count / 4;

  overlaps_filter(colliders, model, data, reach, &overlaps);
  return pairs_write(colliders, model, reach, &overlaps, collision);
}
