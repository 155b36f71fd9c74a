/* collide/narrow_phase.c: contact points of the pairs that the broad phase let through, by the
 * table of shape pairs. */
#include <assert.h>
#include <float.h>
#include <string.h>

#include "collide/collide.h"
#include "collide/colliders.h"
#include "collide/pressure.h"
#include "collide/separation.h"
#include "collide/shape_of_geom.h"
#include "math/extremes.h"
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

static void view_make(const limpet_model *model, const limpet_data *data,
                      const limpet_collision_pair *pair, limpet_pair_view *view) {
  view->a = model->geom_collider[pair->geom_a];
  view->b = model->geom_collider[pair->geom_b];
  limpet_shape_set(&view->shape_a, model, data, pair->geom_a);
  limpet_shape_set(&view->shape_b, model, data, pair->geom_b);
  // the smallest positive reach lets distance 0 in and nothing beyond
  view->reach = limpet_max(DBL_MIN, pair->margin + pair->gap + pair->reach);
}

// Contacts of a pair that touches by a surface. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status surface_add(const limpet_model *model, limpet_data *data, int pair,
                                 double reach, int *room, limpet_arena *arena,
                                 limpet_collision *collision) {
  const limpet_pressure_surface *surface =
      limpet_pressure_of_pair(model, data, &collision->pair[pair], reach, collision->surfaces);
  if (!surface || room_make(collision, surface->point_count, room, arena))
    return LIMPET_ERROR_MEMORY;
  limpet_pressure_append(surface, pair, collision);
  return LIMPET_OK;
}

// Where a walk through what is known has come to: pairs of both are in the same order.
typedef struct known_walk {
  const limpet_collision *known;  // NULL: nothing
  int pair, contact;
} known_walk;

static bool comes_before(const limpet_collision_pair *a, const limpet_collision_pair *b) {
  if (a->geom_a != b->geom_a) return a->geom_a < b->geom_a;
  if (a->geom_b != b->geom_b) return a->geom_b < b->geom_b;
  return a->pair < b->pair;
}

/* Whether the points of a pair are known. *first, *end: which they are. */
static bool is_known(known_walk *walk, const limpet_collision_pair *pair, int *first, int *end) {
  const limpet_collision *known = walk->known;
  if (!known) return false;
  while (walk->pair < known->pair_count && comes_before(&known->pair[walk->pair], pair))
    ++walk->pair;
  if (walk->pair == known->pair_count) return false;
  const limpet_collision_pair *same = &known->pair[walk->pair];
  if (comes_before(pair, same) || same->reach != pair->reach) return false;
  while (walk->contact < known->contact_count && known->contact[walk->contact].pair < walk->pair)
    ++walk->contact;
  *first = *end = walk->contact;
  while (*end < known->contact_count && known->contact[*end].pair == walk->pair) ++*end;
  return true;
}

// The points of another collision's pair as those of pair k. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status take_over(const limpet_collision *known, int first, int end, int k, int *room,
                               limpet_arena *arena, limpet_collision *collision) {
  if (room_make(collision, end - first, room, arena) != LIMPET_OK) return LIMPET_ERROR_MEMORY;
  for (int i = first; i < end; ++i) {
    limpet_collision_contact *contact = &collision->contact[collision->contact_count++];
    *contact = known->contact[i];
    contact->pair = k;
  }
  return LIMPET_OK;
}

limpet_status limpet_narrow_phase(const limpet_model *model, limpet_data *data, bool single,
                                  const limpet_collision *known, limpet_arena *arena,
                                  limpet_collision *collision) {
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
  known_walk walk = {.known = known && !known->swept ? known : NULL};
  for (int k = 0; k < collision->pair_count; ++k) {
    const limpet_collision_pair *pair = &collision->pair[k];
    int first, end;
    if (is_known(&walk, pair, &first, &end)) {
      if (take_over(known, first, end, k, &room, arena, collision)) return LIMPET_ERROR_MEMORY;
      continue;
    }
    limpet_pair_view view;
    view_make(model, data, pair, &view);
    const double reach = view.reach;
    limpet_pair_memory *memory =
        colliders->forget || !limpet_separation_pays(view.shape_a.kind, view.shape_b.kind)
            ? NULL
            : &colliders->candidates.memory[pair->memory];
    if (memory && memory->quiet && limpet_separation_holds(memory, colliders, model, data, &view))
      continue;
    if (collision->surfaces && limpet_pressure_meets(model, pair->geom_a, pair->geom_b)) {
      const double beyond = pair->margin + pair->gap + pair->reach;
      if (surface_add(model, data, k, beyond, &room, arena, collision)) return LIMPET_ERROR_MEMORY;
      continue;
    }
    manifold.rest = memory ? memory->rest : (limpet_rest){.face = -1};
    limpet_shape_contacts(&manifold, &view.shape_a, &view.shape_b, reach, single);
    if (manifold.failed || room_make(collision, manifold.count, &room, arena) != LIMPET_OK)
      return LIMPET_ERROR_MEMORY;
    if (memory) memory->quiet = manifold.count == 0, memory->rest = manifold.rest;
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
