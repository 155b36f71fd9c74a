/* collide/broad_phase.c: pairs of geoms that may be within reach of each other.
 *
 *   few bodies   all pairs that pass the filters are kept, by bodies: carrier_pairs.c
 *   many         1 boxes of the colliders that may have moved (bounds.c); those that left their
 *                wide boxes renew the list of candidates (candidates.c)
 *                2 candidates whose boxes meet and whose bounding spheres are within reach
 *                (near.c), in the order of the list, which is that of the geoms
 * Which pairs remain depends on the poses alone, not on the wide boxes, nor on what a candidate
 * remembers: that its boxes cannot have met since. Cost of many: 15 instructions a collider, 10 a
 * candidate, 300 for one that may have come near; a microsecond for each collider that left its
 * wide box. */
#include <assert.h>
#include <string.h>

#include "collide/bounds.h"
#include "collide/carrier_pairs.h"
#include "collide/collide.h"
#include "collide/colliders.h"
#include "collide/near.h"
#include "model/workspace.h"

static void pairs_write(limpet_colliders *colliders, const limpet_model *model,
                        const limpet_data *data, const limpet_reach *reach,
                        limpet_collision *collision) {
  const limpet_candidates *candidates = &colliders->candidates;
  const double *spread = colliders->spread;
  const bool forget = colliders->forget;
  for (int k = 0, count = candidates->count; k < count; ++k) {
    limpet_candidate *pair = &candidates->item[k];
    const double sum = spread[pair->a] + spread[pair->b];
    double inside;
    if (sum < pair->until && !forget) continue;
    if (limpet_candidate_ask(colliders, model, data, reach, sum, pair, &inside))
      limpet_candidate_pair(model, reach, pair, &collision->pair[collision->pair_count++]);
  }
}

// After a failure: what left its wide box is no longer known, so all begins anew.
static limpet_status start_again(limpet_colliders *colliders) {
  limpet_candidates_free(&colliders->candidates);
  limpet_pair_memories_free(&colliders->memories);
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
  if (colliders->pairs.carriers > 0) {
    limpet_bounds_carriers(colliders, model, data, reach);
    return limpet_carrier_pairs_find(colliders, model, data, reach, arena, collision);
  }
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
