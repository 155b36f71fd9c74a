/* collide/broad_phase.c: pairs of geoms that may be within reach of each other.
 *
 *   1 boxes of the colliders that may have moved (bounds.c); those that left their wide boxes
 *     renew the list of candidates (candidates.c)
 *   2 candidates whose boxes meet and whose bounding spheres are within reach (cull.c), in the
 *     order of the list, which is that of the geoms
 * Which pairs remain depends on the poses alone, not on the wide boxes, nor on what a candidate
 * remembers: that its boxes cannot have met since. Cost: 15 instructions a collider, 10 a
 * candidate, 300 for one that may have come near; a microsecond for each collider that left its
 * wide box. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "collide/bounds.h"
#include "collide/collide.h"
#include "collide/colliders.h"
#include "collide/cull.h"
#include "math/extremes.h"
#include "model/workspace.h"

static const double rounding = 1e-12;  // of distances, and of spreads, which are sums of many steps

static double margin_of(const limpet_model *model, const limpet_candidate *pair) {
  if (pair->pair >= 0) return model->pair_margin[pair->pair];
  return model->geom_margin[model->collider_geom[pair->a]] +
         model->geom_margin[model->collider_geom[pair->b]];
}

static double gap_of(const limpet_model *model, const limpet_candidate *pair) {
  if (pair->pair >= 0) return model->pair_gap[pair->pair];
  return model->geom_gap[model->collider_geom[pair->a]] +
         model->geom_gap[model->collider_geom[pair->b]];
}

// What a collider adds to its box: of body and tree.
static double full_reach(const limpet_model *model, const limpet_reach *reach, int c) {
  const int body = model->geom_body[model->collider_geom[c]], tree = model->body_tree[body];
  return reach->body[body] + (tree >= 0 ? reach->tree[tree] : 0.0);
}

static double reach_of(const limpet_model *model, const limpet_reach *reach, int a, int b) {
  const int body_a = model->geom_body[model->collider_geom[a]],
            body_b = model->geom_body[model->collider_geom[b]];
  return limpet_reach_of_bodies(model, reach, body_a, body_b);
}

static bool is_plane(const limpet_colliders *colliders, const limpet_candidate *pair) {
  return (colliders->flags[pair->a] | colliders->flags[pair->b]) & LIMPET_COLLIDER_PLANE;
}

// Whether both may be within reach by their boxes and spheres.
static bool is_near(limpet_colliders *colliders, const limpet_model *model, const limpet_data *data,
                    const limpet_reach *reach, const limpet_candidate *pair) {
  ++colliders->tests;
  if (pair->pair < 0 && !is_plane(colliders, pair)) {
    limpet_bounds_box(colliders, model, data, reach, pair->a);
    limpet_bounds_box(colliders, model, data, reach, pair->b);
    if (!limpet_boxes_meet(&colliders->box[pair->a], &colliders->box[pair->b])) return false;
  }
  const double margin = margin_of(model, pair) + gap_of(model, pair);
  return limpet_colliders_near(colliders, model, data, pair->a, pair->b,
                               limpet_max(0.0, margin + reach_of(model, reach, pair->a, pair->b)));
}

/* Up to which sum of their spreads a pair that is not near stays so. Boxes of both grow by their
 * spreads at most, and so does what spheres and planes are asked for. */
static double apart_until(const limpet_colliders *colliders, const limpet_model *model,
                          const limpet_data *data, const limpet_reach *reach,
                          const limpet_candidate *pair) {
  const int a = pair->a, b = pair->b;
  const double spread = colliders->spread[a] + colliders->spread[b];
  if (pair->pair < 0 && !is_plane(colliders, pair)) {
    const double gap = limpet_boxes_gap(&colliders->box[a], &colliders->box[b]);
    if (gap > 0.0) return spread + gap;
  }
  const double ways = spread - full_reach(model, reach, a) - full_reach(model, reach, b);
  const double margin = limpet_max(0.0, margin_of(model, pair) + gap_of(model, pair));
  const double clear = limpet_colliders_clearance(colliders, model, data, a, b) - margin;
  return ways + clear - rounding * (fabs(clear) + spread);
}

static void pairs_write(limpet_colliders *colliders, const limpet_model *model,
                        const limpet_data *data, const limpet_reach *reach,
                        limpet_collision *collision) {
  const limpet_candidates *candidates = &colliders->candidates;
  const double *spread = colliders->spread;
  const bool forget = colliders->forget;
  for (int k = 0, count = candidates->count; k < count; ++k) {
    limpet_candidate *pair = &candidates->item[k];
    if (spread[pair->a] + spread[pair->b] < pair->until && !forget) continue;
    if (!is_near(colliders, model, data, reach, pair)) {
      pair->until = apart_until(colliders, model, data, reach, pair);
      continue;
    }
    pair->until = -1.0;
    collision->pair[collision->pair_count++] = (limpet_collision_pair){
        .geom_a = model->collider_geom[pair->a],
        .geom_b = model->collider_geom[pair->b],
        .pair = pair->pair,
        .margin = margin_of(model, pair),
        .gap = gap_of(model, pair),
        .reach = reach_of(model, reach, pair->a, pair->b),
        .memory = pair->memory,
    };
  }
}

// After a failure: what left its wide box is no longer known, so all begins anew.
static limpet_status start_again(limpet_colliders *colliders) {
  limpet_candidates_free(&colliders->candidates);
  memset(colliders->wide, 0, (size_t)colliders->count * sizeof *colliders->wide);
  for (int c = 0; c < colliders->count; ++c) colliders->stays[c] = -1.0;
  colliders->fixed_reach = -1.0;
  return LIMPET_ERROR_MEMORY;
}

limpet_status limpet_broad_phase(const limpet_model *model, limpet_data *data,
                                 const limpet_reach *reach, limpet_arena *arena,
                                 limpet_collision *collision) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES | LIMPET_MARK_GEOMS));
  assert(arena && collision);
  *collision = (limpet_collision){0};
  limpet_colliders *colliders = limpet_colliders_of(model, data);
  if (!colliders) return LIMPET_ERROR_MEMORY;
  colliders->tests = 0;
  limpet_bounds_update(colliders, model, data, reach);
  const limpet_candidates *candidates = &colliders->candidates;
  if ((colliders->left_count > 0 || !candidates->started) &&
      limpet_candidates_renew(colliders, model, arena) != LIMPET_OK)
    return start_again(colliders);
  collision->pair = LIMPET_TAKE(arena, limpet_collision_pair, candidates->count);
  if (!collision->pair) return LIMPET_ERROR_MEMORY;
  pairs_write(colliders, model, data, reach, collision);
  return LIMPET_OK;
}
