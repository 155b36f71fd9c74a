/* collide/soft.c: contacts of deformable bodies: which pairs are looked at, and their place among
 * the others. Cost: a box for each pair of body and geom, a merge of two sorted lists. */
#include "collide/soft.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "collide/pressure.h"
#include "collide/soft_boxes.h"
#include "collide/soft_gap.h"
#include "collide/soft_hull.h"
#include "collide/soft_surface.h"
#include "math/extremes.h"

static const double ways_ahead = 2.0;  // [-]  as in step/detection.c

// Opens a pair of geoms; its points follow.
static void begin_pair(limpet_soft_search *s, int a, int b) {
  const limpet_model *model = s->model;
  limpet_collision *c = s->collision;
  c->pair[c->pair_count++] =
      (limpet_collision_pair){.geom_a = a < b ? a : b,
                              .geom_b = a < b ? b : a,
                              .pair = -1,
                              .margin = model->geom_margin[a] + model->geom_margin[b],
                              .gap = model->geom_gap[a] + model->geom_gap[b],
                              .rest.face = -1};
}

// A pair without points is dropped.
static void end_pair(limpet_collision *c) {
  if (c->contact_count == 0 || c->contact[c->contact_count - 1].pair != c->pair_count - 1)
    --c->pair_count;
}

static void with_geoms(limpet_soft_search *s, int d) {
  const limpet_model *model = s->model;
  const limpet_soft_surface *surface = &s->surfaces->surface[d];
  for (int i = 0; i < surface->geom_count && !s->failed; ++i) {
    const int geom = surface->geom[i], own = model->deformable_geom[d];
    const double more = s->request->speculative + limpet_soft_reach(s, geom) +
                        ways_ahead * s->request->dt * surface->speed + model->geom_margin[geom] +
                        model->geom_margin[own];
    if (!limpet_soft_meets(model, s->data, surface, geom, more)) continue;
    begin_pair(s, own, geom);
    const bool field = s->request->surfaces && surface->skin && model->geom_field[geom] &&
                       isfinite(model->geom_material[geom].elastic_modulus);
    if (field) limpet_soft_polygons(s, d, geom);
    else limpet_soft_points(s, d, geom);
    end_pair(s->collision);
  }
}

static void begin_soft_pair(limpet_soft_search *s, int d, int e) {
  begin_pair(s, s->model->deformable_geom[d], s->model->deformable_geom[e]);
  s->collision->pair[s->collision->pair_count - 1].margin =
      limpet_soft_margin(s->model, s->surfaces, d, e);
}

enum { APART_ROUNDS = 8 };  // of soft_gap.c; what they do not tell is looked at

// Whether two surfaces are farther apart than `more` [m].
static bool are_apart(const limpet_soft_search *s, const limpet_soft_surface *a,
                      const limpet_soft_surface *b, double more) {
  double n[3];
  return limpet_soft_gap(a, b, s->data->vertex_position, NULL, more, APART_ROUNDS, n) > more;
}

// Bodies after d in the list, and d itself where its surface meets itself.
static void with_others(limpet_soft_search *s, int d) {
  const limpet_model *model = s->model;
  for (int e = d; e < s->surfaces->count && !s->failed; ++e) {
    const limpet_soft_surface *a = &s->surfaces->surface[d], *b = &s->surfaces->surface[e];
    const double more = s->request->speculative +
                        ways_ahead * s->request->dt * (a->speed + b->speed) +
                        limpet_soft_margin(s->model, s->surfaces, d, e);
    if (!limpet_soft_bodies_allowed(model, d, e) || !limpet_soft_boxes_meet(a, b, more) ||
        (d != e && are_apart(s, a, b, more)))
      continue;
    begin_soft_pair(s, d, e);
    limpet_soft_meet(s, d, e);
    limpet_soft_cross(s, d, e);
    end_pair(s->collision);
  }
}

static bool pair_before(const limpet_collision_pair *x, const limpet_collision_pair *y) {
  return x->geom_a != y->geom_a ? x->geom_a < y->geom_a : x->geom_b < y->geom_b;
}

static bool same_pair(const limpet_collision_pair *x, const limpet_collision_pair *y) {
  return x->geom_a == y->geom_a && x->geom_b == y->geom_b;
}

// Points of a list that belong to pair `from`, from *next on, to the end of `to`, as pair `as`.
static void move_points(const limpet_collision *list, int from, int *next, int as,
                        limpet_collision *to) {
  for (; *next < list->contact_count && list->contact[*next].pair == from; ++*next) {
    to->contact[to->contact_count] = list->contact[*next];
    to->contact[to->contact_count++].pair = as;
  }
}

// First point of each pair of the list.
static void first_points(const limpet_collision *list, int *first) {
  for (int i = list->contact_count - 1; i >= 0; --i) first[list->contact[i].pair] = i;
}

// Order of the pairs by geoms; few, so by insertion.
static void sort_pairs(const limpet_collision *list, int *order) {
  for (int i = 0; i < list->pair_count; ++i) {
    int k = i;
    for (; k > 0 && pair_before(&list->pair[i], &list->pair[order[k - 1]]); --k)
      order[k] = order[k - 1];
    order[k] = i;
  }
}

// Both lists into one, by geoms; of a pair that both have, the soft points come last. LIMPET_OK or
// LIMPET_ERROR_MEMORY.
static limpet_status merge(const limpet_collision *soft, limpet_arena *arena,
                           limpet_collision *collision) {
  if (soft->contact_count == 0) return LIMPET_OK;
  const limpet_collision rigid = *collision;
  const int pairs = rigid.pair_count + soft->pair_count;
  collision->pair = LIMPET_TAKE(arena, limpet_collision_pair, pairs);
  collision->contact =
      LIMPET_TAKE(arena, limpet_collision_contact, rigid.contact_count + soft->contact_count);
  int *order = LIMPET_TAKE(arena, int, soft->pair_count),
      *first = LIMPET_TAKE(arena, int, soft->pair_count);
  if (!collision->pair || !collision->contact || !order || !first) return LIMPET_ERROR_MEMORY;
  sort_pairs(soft, order);
  first_points(soft, first);
  collision->pair_count = collision->contact_count = 0;
  for (int r = 0, s = 0, next = 0; r < rigid.pair_count || s < soft->pair_count;) {
    const int to = collision->pair_count++;
    const bool take_soft =
        r == rigid.pair_count ||
        (s < soft->pair_count && pair_before(&soft->pair[order[s]], &rigid.pair[r]));
    if (take_soft) {
      int from = first[order[s]];
      collision->pair[to] = soft->pair[order[s]];
      move_points(soft, order[s++], &from, to, collision);
    } else {
      collision->pair[to] = rigid.pair[r];
      move_points(&rigid, r, &next, to, collision);
      if (s < soft->pair_count && same_pair(&soft->pair[order[s]], &rigid.pair[r])) {
        int from = first[order[s]];
        move_points(soft, order[s++], &from, to, collision);
      }
      ++r;
    }
  }
  return LIMPET_OK;
}

limpet_status limpet_soft_contacts(const limpet_model *model, limpet_data *data,
                                   const limpet_soft_request *request, limpet_arena *arena,
                                   limpet_collision *collision) {
  assert(model && data && request && arena && collision);
  limpet_soft_surfaces *surfaces = limpet_soft_surfaces_of(model, data);
  if (!surfaces) return LIMPET_ERROR_MEMORY;
  int pairs = 0;
  for (int d = 0; d < surfaces->count; ++d) {
    limpet_soft_surface *surface = &surfaces->surface[d];
    limpet_soft_surface_update(surface, data, request->v_free);
    if (surface->skin) limpet_pressure_skin_move(surface->skin, data->vertex_position);
    pairs += surface->geom_count + surfaces->count;
  }
  limpet_collision soft = {.pair = LIMPET_TAKE(arena, limpet_collision_pair, pairs)};
  limpet_soft_search search = {.model = model,
                               .data = data,
                               .request = request,
                               .surfaces = surfaces,
                               .arena = arena,
                               .collision = &soft};
  if (!soft.pair) return LIMPET_ERROR_MEMORY;
  for (int d = 0; d < surfaces->count; ++d) {
    with_geoms(&search, d);
    with_others(&search, d);
  }
  return search.failed ? LIMPET_ERROR_MEMORY : merge(&soft, arena, collision);
}

// Whether the ways of two bodies come near each other.
static bool ways_meet(const limpet_soft_box *a, const limpet_soft_box *b, double more) {
  for (int k = 0; k < 3; ++k)
    if (a->low[k] > b->high[k] + more || b->low[k] > a->high[k] + more) return false;
  return true;
}

// Whether contacts of a geom have a stiffness of their own: they sink in as they should.
static bool gives_way(const limpet_model *model, int geom) {
  const limpet_material *material = &model->geom_material[geom];
  return isfinite(material->stiffness) || material->has_impedance;
}

// Whether nothing of body d sinks into a rigid geom.
static bool keeps_out(const limpet_soft_search *s, int d, int geom) {
  const limpet_model *model = s->model;
  const bool field = s->surfaces->surface[d].skin && model->geom_field[geom] &&
                     isfinite(model->geom_material[geom].elastic_modulus);
  return !field && !gives_way(model, geom) && !gives_way(model, model->deformable_geom[d]);
}

// Whether the ways of body d come near a rigid geom that lets nothing in and is no plane.
static bool nears_geom(const limpet_soft_search *s, const limpet_soft_sweep_request *request,
                       const limpet_soft_box *ways, int d, int geom) {
  const limpet_model *model = s->model;
  if (!keeps_out(s, d, geom) ||
      !(limpet_soft_has_corners(model, geom) || limpet_soft_is_round(model, geom)))
    return false;
  limpet_soft_box box;
  limpet_soft_geom_box(model, s->data, geom, box.low, box.high);
  const int body = model->geom_body[geom], tree = model->body_tree[body];
  const double reach = request->reach->body[body] + (tree >= 0 ? request->reach->tree[tree] : 0.0);
  return ways_meet(ways, &box, reach);
}

// Boxes of the ways of all bodies. NULL: no memory.
static limpet_soft_box *boxes_of_ways(const limpet_soft_search *s, const double *end) {
  limpet_soft_box *ways = LIMPET_TAKE(s->arena, limpet_soft_box, s->surfaces->count);
  for (int d = 0; ways && d < s->surfaces->count; ++d) {
    const limpet_soft_surface *surface = &s->surfaces->surface[d];
    ways[d] =
        limpet_soft_box_of(surface->vertex_count, surface->vertex, s->data->vertex_position, end);
  }
  return ways;
}

static void sweep_geoms(limpet_soft_search *s, const limpet_soft_sweep_request *request, int d,
                        const limpet_soft_box *ways, limpet_soft_passes *passes) {
  const limpet_soft_surface *surface = &s->surfaces->surface[d];
  for (int i = 0; i < surface->geom_count && !s->failed; ++i) {
    const int geom = surface->geom[i];
    if (!nears_geom(s, request, &ways[d], d, geom)) continue;
    begin_pair(s, s->model->deformable_geom[d], geom);
    if (limpet_soft_has_corners(s->model, geom))
      limpet_soft_sweep_geom(s, request, d, geom, passes);
    else if (!limpet_soft_sweep_axis(s, request, d, geom, passes))
      limpet_soft_sweep_round(s, request, d, geom, passes);
    end_pair(s->collision);
  }
}

// Planes that stay where they are.
static void sweep_planes(limpet_soft_search *s, const limpet_soft_sweep_request *request, int d,
                         limpet_soft_passes *passes) {
  const limpet_model *model = s->model;
  const limpet_soft_surface *surface = &s->surfaces->surface[d];
  for (int i = 0; i < surface->geom_count && !s->failed; ++i) {
    const int geom = surface->geom[i];
    if (model->geom_kind[geom] != LIMPET_SHAPE_PLANE || !keeps_out(s, d, geom) ||
        model->body_tree[model->geom_body[geom]] >= 0)
      continue;
    begin_pair(s, model->deformable_geom[d], geom);
    limpet_soft_sweep_plane(s, request, d, geom, passes);
    end_pair(s->collision);
  }
}

static void sweep_others(limpet_soft_search *s, const limpet_soft_sweep_request *request, int d,
                         const limpet_soft_box *ways, limpet_soft_passes *passes) {
  for (int e = d; e < s->surfaces->count && !s->failed; ++e) {
    if (gives_way(s->model, s->model->deformable_geom[d]) ||
        gives_way(s->model, s->model->deformable_geom[e]) ||
        !limpet_soft_bodies_allowed(s->model, d, e) || !ways_meet(&ways[d], &ways[e], 0.0))
      continue;
    begin_soft_pair(s, d, e);
    limpet_soft_sweep_pair(s, request, d, e, passes);
    end_pair(s->collision);
  }
}

limpet_status limpet_soft_sweep(const limpet_model *model, limpet_data *data,
                                const limpet_soft_sweep_request *request, limpet_arena *arena,
                                limpet_collision *collision, limpet_soft_passes *passes) {
  assert(model && data && request && arena && collision && passes);
  *passes = (limpet_soft_passes){.vertex = LIMPET_NONE};
  limpet_soft_surfaces *surfaces = limpet_soft_surfaces_of(model, data);
  if (!surfaces) return LIMPET_ERROR_MEMORY;
  int pairs = 0;
  for (int d = 0; d < surfaces->count; ++d)
    pairs += 2 * surfaces->surface[d].geom_count + surfaces->count;
  limpet_collision soft = {.pair = LIMPET_TAKE(arena, limpet_collision_pair, pairs)};
  limpet_soft_search search = {
      .model = model, .data = data, .surfaces = surfaces, .arena = arena, .collision = &soft};
  const limpet_soft_box *ways = boxes_of_ways(&search, request->end);
  if (!soft.pair || !ways) return LIMPET_ERROR_MEMORY;
  for (int d = 0; d < surfaces->count; ++d) {
    sweep_others(&search, request, d, ways, passes);
    sweep_planes(&search, request, d, passes);
    if (request->geom_position) sweep_geoms(&search, request, d, ways, passes);
  }
  return search.failed ? LIMPET_ERROR_MEMORY : merge(&soft, arena, collision);
}

bool limpet_soft_nears_geoms(const limpet_model *model, limpet_data *data,
                             const limpet_soft_sweep_request *request) {
  assert(model && data && request);
  limpet_soft_surfaces *surfaces = limpet_soft_surfaces_of(model, data);
  const limpet_soft_search search = {.model = model, .data = data, .surfaces = surfaces};
  for (int d = 0; surfaces && d < surfaces->count; ++d) {
    const limpet_soft_surface *surface = &surfaces->surface[d];
    const limpet_soft_box ways = limpet_soft_box_of(surface->vertex_count, surface->vertex,
                                                    data->vertex_position, request->end);
    for (int i = 0; i < surface->geom_count; ++i)
      if (nears_geom(&search, request, &ways, d, surface->geom[i])) return true;
  }
  return false;
}
