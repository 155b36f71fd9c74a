/* collide/narrow_phase.c: contact points of the pairs that the broad phase let through, by the
 * table of shape pairs. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "collide/collide.h"
#include "collide/colliders.h"
#include "collide/separation.h"
#include "collide/shape_of_geom.h"
#include "model/workspace.h"

// Room for `more` contacts; doubles from the arena.
static limpet_status room_make(limpet_collision *collision, int more, int *room,
                               limpet_arena *arena) {
  if (collision->contact_count + more <= *room) return LIMPET_OK;
  const int grown = 2 * (collision->contact_count + more);
  limpet_collision_contact *contact = LIMPET_TAKE(arena, limpet_collision_contact, grown);
  if (!contact) return LIMPET_ERROR_MEMORY;
  if (collision->contact_count)
    memcpy(contact, collision->contact, (size_t)collision->contact_count * sizeof *contact);
  collision->contact = contact;
  *room = grown;
  return LIMPET_OK;
}

limpet_status limpet_narrow_phase(const limpet_model *model, limpet_data *data, bool single,
                                  limpet_arena *arena, limpet_collision *collision) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES | LIMPET_MARK_GEOMS));
  assert(arena && collision);
  limpet_colliders *colliders = limpet_colliders_of(model, data);
  if (!colliders) return LIMPET_ERROR_MEMORY;
  int room = colliders->contact_room;
  collision->contact_count = 0;
  collision->contact = LIMPET_TAKE(arena, limpet_collision_contact, room);
  if (!collision->contact) return LIMPET_ERROR_MEMORY;

  limpet_manifold manifold;
  limpet_manifold_create(&manifold, arena);
  for (int k = 0; k < collision->pair_count; ++k) {
    const limpet_collision_pair *pair = &collision->pair[k];
    const limpet_shape a = limpet_shape_of_geom(model, data, pair->geom_a),
                       b = limpet_shape_of_geom(model, data, pair->geom_b);
    // the smallest positive margin lets distance 0 in and nothing beyond
    const double reach = fmax(DBL_MIN, pair->margin + pair->gap + pair->reach);
    const uint64_t key = limpet_pair_key(pair->geom_a, pair->geom_b);
    limpet_separation *separation =
        limpet_separation_of(colliders, model, pair->geom_a, pair->geom_b);
    if (separation && separation->key == key && limpet_separation_holds(separation, &a, &b, reach))
      continue;
    limpet_shape_contacts(&manifold, &a, &b, reach, single);
    if (manifold.failed || room_make(collision, manifold.count, &room, arena) != LIMPET_OK)
      return LIMPET_ERROR_MEMORY;
    if (separation && manifold.count == 0) *separation = (limpet_separation){.key = key};
    for (int i = 0; i < manifold.count; ++i)
      if (manifold.point[i].distance < reach)
        collision->contact[collision->contact_count++] =
            (limpet_collision_contact){.pair = k, .point = manifold.point[i]};
  }
  // a quarter more for the next step, and one manifold
  const int needed = collision->contact_count + collision->contact_count / 4 + LIMPET_MANIFOLD_ROOM;
  if (needed > colliders->contact_room) colliders->contact_room = needed;
  return LIMPET_OK;
}
