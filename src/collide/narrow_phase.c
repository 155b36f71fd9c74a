/* collide/narrow_phase.c: contact points of the pairs that the broad phase let through, by the
 * table of shape pairs. */
#include <assert.h>
#include <float.h>
#include <string.h>

#include "collide/collide.h"
#include "collide/colliders.h"
#include "collide/pair_reach.h"
#include "collide/pressure.h"
#include "collide/separation.h"
#include "collide/shape_of_geom.h"
#include "geometry/pressure.h"
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

// The smallest positive reach lets distance 0 in and nothing beyond.
static double reach_of(const limpet_collision_pair *pair) {
  return limpet_max(DBL_MIN, pair->margin + pair->gap + pair->reach);
}

// The pair as far as what is certain of it needs.
static void view_begin(const limpet_model *model, const limpet_data *data,
                       const limpet_collision_pair *pair, limpet_pair_view *view) {
  view->a = model->geom_collider[pair->geom_a];
  view->b = model->geom_collider[pair->geom_b];
  view->shape_a.position = data->geom_position + 3 * pair->geom_a;
  view->shape_b.position = data->geom_position + 3 * pair->geom_b;
  view->reach = reach_of(pair);
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

// A run through the pairs.
typedef struct search {
  const limpet_model *model;
  limpet_data *data;
  limpet_colliders *colliders;
  const limpet_reach *reach;  // NULL: that of the pairs stays
  bool single;
  known_walk walk;
  limpet_manifold *manifold;
  limpet_arena *arena;
  int room;  // of contacts
  limpet_collision *collision;
} search;

static limpet_status room_for(search *s, int more) {
  return room_make(s->collision, more, &s->room, s->arena);
}

// Contacts of a pair that touches by a surface. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status surface_add(search *s, int k) {
  limpet_collision_pair *pair = &s->collision->pair[k];
  const limpet_pressure_surface *surface = limpet_pressure_of_pair(
      s->model, s->data, pair, pair->margin + pair->gap + pair->reach, s->collision->surfaces);
  if (!surface || room_for(s, surface->point_count) != LIMPET_OK) return LIMPET_ERROR_MEMORY;
  pair->swallowed = limpet_pressure_is_swallowed(surface);
  pair->surface_error = surface->error, pair->surface_force = surface->pressure_integral;
  s->collision->swallowed_count += pair->swallowed;
  limpet_pressure_append(surface, k, s->collision);
  return LIMPET_OK;
}

// The points of another collision's pair as those of pair k. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status take_over(search *s, int first, int end, int k) {
  if (room_for(s, end - first) != LIMPET_OK) return LIMPET_ERROR_MEMORY;
  for (int i = first; i < end; ++i) {
    limpet_collision_contact *contact = &s->collision->contact[s->collision->contact_count++];
    *contact = s->walk.known->contact[i];
    contact->pair = k;
  }
  limpet_collision_pair *pair = &s->collision->pair[k];
  const limpet_collision_pair *same = &s->walk.known->pair[s->walk.pair];
  pair->rest = same->rest;
  pair->swallowed = same->swallowed;
  pair->surface_error = same->surface_error, pair->surface_force = same->surface_force;
  s->collision->swallowed_count += pair->swallowed;
  return LIMPET_OK;
}

// Whether a point lies farther off than what does not move may be.
static bool is_far(const search *s, const limpet_collision_pair *pair) {
  const double near = pair->margin + pair->gap + s->reach->least;
  for (int i = 0; i < s->manifold->count; ++i)
    if (s->manifold->point[i].distance > near) return true;
  return false;
}

// A point of two shapes: field by field, as a whole is cleared first.
static void contact_put(limpet_collision_contact *contact, int pair,
                        const limpet_contact_point *point) {
  contact->pair = pair;
  contact->link = NULL;
  contact->point = *point;
  contact->acts_on = LIMPET_ACTS_BETWEEN;
  contact->pull_reach = LIMPET_PULL_BY_DISTANCE;
  contact->passes = contact->of_end = false;
  contact->course = 0;
  contact->area = contact->pressure = contact->gradient = contact->shear_gradient = 0.0;
}

/* Points of two shapes. `ask`: the reach has not been lessened, and is where points are far.
 * LIMPET_OK or LIMPET_ERROR_MEMORY. */
static limpet_status points_add(search *s, const limpet_pair_view *view, limpet_pair_memory *memory,
                                bool ask, int k) {
  limpet_collision_pair *pair = &s->collision->pair[k];
  limpet_manifold *manifold = s->manifold;
  manifold->rest = memory ? memory->rest : (limpet_rest){.face = -1};
  limpet_shape_contacts(manifold, &view->shape_a, &view->shape_b, view->reach, s->single);
  if (manifold->failed || room_for(s, manifold->count) != LIMPET_OK) return LIMPET_ERROR_MEMORY;
  if (memory) memory->quiet = manifold->count == 0, memory->rest = manifold->rest;
  pair->rest = manifold->rest;
  if (ask && is_far(s, pair)) limpet_pair_reach_lessen(s->model, s->data, s->reach, pair);
  const double reach = reach_of(pair);
  limpet_collision *collision = s->collision;
  for (int i = 0; i < manifold->count; ++i)
    if (manifold->point[i].distance < reach)
      contact_put(&collision->contact[collision->contact_count++], k, &manifold->point[i]);
  return LIMPET_OK;
}

/* Contacts of pair k. What is remembered is asked first, with the reach as it is: that costs the
 * least. Of shapes that iterate the reach is lessened before they are asked, of others after.
 * LIMPET_OK or LIMPET_ERROR_MEMORY. */
static limpet_status pair_ask(search *s, int k) {
  limpet_collision_pair *pair = &s->collision->pair[k];
  const limpet_model *model = s->model;
  limpet_pair_view view;
  view_begin(model, s->data, pair, &view);
  const bool costly =
      limpet_separation_pays(model->geom_kind[pair->geom_a], model->geom_kind[pair->geom_b]);
  limpet_pair_memory *memory =
      s->colliders->forget || !costly ? NULL : &s->colliders->memories.item[pair->memory];
  const bool quiet = memory && memory->quiet;
  if (quiet && limpet_separation_certain(memory, s->colliders, &view)) return LIMPET_OK;

  limpet_shape_set(&view.shape_a, model, s->data, pair->geom_a);
  limpet_shape_set(&view.shape_b, model, s->data, pair->geom_b);
  const bool by_surface = s->collision->surfaces != LIMPET_SURFACE_NONE &&
                          limpet_pressure_meets(model, pair->geom_a, pair->geom_b);
  const bool iterated =
      (s->colliders->flags[view.a] | s->colliders->flags[view.b]) & LIMPET_COLLIDER_COSTLY;
  if (s->reach && by_surface) {
    limpet_pair_reach_of_surface(model, s->data, s->reach, pair);
  } else if (s->reach && iterated) {
    limpet_pair_reach_lessen(model, s->data, s->reach, pair);
    view.reach = reach_of(pair);
  }
  int first, end;
  if (is_known(&s->walk, pair, &first, &end)) return take_over(s, first, end, k);
  if (quiet && limpet_separation_holds(memory, s->colliders, model, s->data, &view))
    return LIMPET_OK;
  return by_surface ? surface_add(s, k) : points_add(s, &view, memory, s->reach && !iterated, k);
}

limpet_status limpet_narrow_phase(const limpet_model *model, limpet_data *data, bool single,
                                  const limpet_reach *reach, const limpet_collision *known,
                                  limpet_arena *arena, limpet_collision *collision) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES | LIMPET_MARK_GEOMS));
  assert(arena && collision);
  limpet_colliders *colliders = limpet_colliders_of(model, data);
  if (!colliders) return LIMPET_ERROR_MEMORY;
  limpet_manifold manifold;
  limpet_manifold_create(&manifold, arena);
  search s = {.model = model,
              .data = data,
              .colliders = colliders,
              .reach = reach && reach->twist ? reach : NULL,
              .single = single,
              .walk = {.known = known && !known->swept ? known : NULL},
              .manifold = &manifold,
              .arena = arena,
              .room = colliders->contact_room,
              .collision = collision};
  collision->contact_count = 0;
  collision->contact = LIMPET_TAKE(arena, limpet_collision_contact, s.room);
  if (!collision->contact) return LIMPET_ERROR_MEMORY;
  for (int k = 0; k < collision->pair_count; ++k)
    if (pair_ask(&s, k) != LIMPET_OK) return LIMPET_ERROR_MEMORY;

  // a quarter more for the next step, and one manifold
  const int needed = collision->contact_count + collision->contact_count / 4 + LIMPET_MANIFOLD_ROOM;
  if (needed > colliders->contact_room) colliders->contact_room = needed;
  return LIMPET_OK;
}
