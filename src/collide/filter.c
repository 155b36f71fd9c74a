/* collide/filter.c: which colliders may touch.
 *
 * As in MuJoCo (docs/mjcf.md): never within a rigid unit, never two units that cannot move, not
 * between a unit and the one it hangs on unless that is the world, only where contype and
 * conaffinity meet, not between excluded bodies. Explicit pairs pass all of them. */
#include <assert.h>
#include <stdlib.h>

#include "collide/colliders.h"

int limpet_pair_key_compare(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static bool key_found(const uint64_t *keys, int count, uint64_t key) {
  return bsearch(&key, keys, (size_t)count, sizeof key, limpet_pair_key_compare) != NULL;
}

bool limpet_colliders_allowed(const limpet_colliders *colliders, const limpet_model *model, int a,
                              int b) {
  assert(a >= 0 && a < model->geom_count && b >= 0 && b < model->geom_count);
  // rigid units: the same one, neighbours in the tree, or none that moves
  const int unit_a = colliders->unit[a], unit_b = colliders->unit[b];
  const unsigned flags_a = colliders->flags[a], flags_b = colliders->flags[b];
  if (unit_a == unit_b || colliders->parent_unit[a] == unit_b ||
      colliders->parent_unit[b] == unit_a)
    return false;
  if (!((flags_a | flags_b) & LIMPET_COLLIDER_MOVES)) return false;

  // masks, excluded bodies, pairs that go their own way
  const int geom_a = model->collider_geom[a], geom_b = model->collider_geom[b];
  if (!((model->geom_contype[geom_a] & model->geom_conaffinity[geom_b]) |
        (model->geom_contype[geom_b] & model->geom_conaffinity[geom_a])))
    return false;
  if ((flags_a & flags_b & LIMPET_COLLIDER_EXCLUDES) &&
      key_found(colliders->exclude, colliders->exclude_count,
                limpet_pair_key(model->geom_body[geom_a], model->geom_body[geom_b])))
    return false;
  return !((flags_a & flags_b & LIMPET_COLLIDER_PAIRED) &&
           key_found(colliders->pair, colliders->pair_count, limpet_pair_key(a, b)));
}
