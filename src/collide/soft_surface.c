/* collide/soft_surface.c: surfaces of deformable bodies: see soft_surface.h. */
#include "collide/soft_surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collide/pressure.h"
#include "math/extremes.h"
#include "math/vec3.h"
#include "model/workspace.h"

static void surfaces_destroy(void *object) {
  limpet_soft_surfaces *s = object;
  for (int d = 0; s->surface && d < s->count; ++d) {
    limpet_soft_surface *surface = &s->surface[d];
    free(surface->vertex), free(surface->face), free(surface->geom);
    free(surface->around), free(surface->around_face);
    free(surface->edge_end), free(surface->edge_face);
    limpet_pressure_skin_destroy(surface->skin);
  }
  free(s->surface), free(s->distance), free(s->gradient), free(s->point);
  free(s->found), free(s->slot), free(s->side);
  free(s);
}

// Whether a vertex of the deformable body moves with the rigid unit of a body.
static bool is_tied(const limpet_model *model, int d, int unit) {
  for (int t = model->deformable_tie[d]; t < model->deformable_tie[d + 1]; ++t)
    if (model->body_weld[model->tie_body[t]] == unit && model->tie_body[t] != 0) return true;
  return false;
}

static bool may_touch(const limpet_model *model, int d, int geom) {
  const int own = model->deformable_geom[d];
  const limpet_shape_kind kind = model->geom_kind[geom];
  if (model->geom_collider[geom] < 0 || kind == LIMPET_SHAPE_CLOUD) return false;
  if (!(model->geom_contype[own] & model->geom_conaffinity[geom]) &&
      !(model->geom_contype[geom] & model->geom_conaffinity[own]))
    return false;
  return !is_tied(model, d, model->body_weld[model->geom_body[geom]]);
}

bool limpet_soft_bodies_allowed(const limpet_model *model, int d, int e) {
  const int a = model->deformable_geom[d], b = model->deformable_geom[e];
  if (d == e) return model->deformable_self_contact[d];
  return (model->geom_contype[a] & model->geom_conaffinity[b]) ||
         (model->geom_contype[b] & model->geom_conaffinity[a]);
}

static bool list_geoms(const limpet_model *model, int d, limpet_soft_surface *surface) {
  surface->geom = calloc((size_t)model->geom_count + 1, sizeof *surface->geom);
  if (!surface->geom) return false;
  for (int g = 0; g < model->geom_count; ++g)
    if (may_touch(model, d, g)) surface->geom[surface->geom_count++] = g;
  return true;
}

static bool list_vertices(const limpet_model *model, int d, limpet_soft_surface *surface) {
  const limpet_fem_body *body = model->deformable_body[d];
  const limpet_fem_body_info info = limpet_fem_body_information(body);
  const int *faces = limpet_fem_body_faces(body), first = model->deformable_vertex[d];
  surface->face_count = info.face_count;
  surface->face = calloc(3 * (size_t)info.face_count + 1, sizeof *surface->face);
  surface->vertex = calloc((size_t)info.node_count + 1, sizeof *surface->vertex);
  char *used = calloc((size_t)info.node_count + 1, 1);
  const bool done = surface->face && surface->vertex && used;
  for (int i = 0; done && i < 3 * info.face_count; ++i) {
    surface->face[i] = first + faces[i];
    used[faces[i]] = 1;
  }
  const int *segment = limpet_fem_body_segments(body);
  for (int i = 0; done && i < 2 * info.segment_count; ++i) used[segment[i]] = 1;
  surface->two_sided = info.tetrahedron_count == 0 && !info.has_gas;
  surface->hollow = info.has_gas;
  for (int i = 0; done && i < info.node_count; ++i)
    if (used[i]) surface->vertex[surface->vertex_count++] = first + i;
  free(used);
  return done;
}

// Faces around each vertex of the surface.
static bool list_around(const limpet_model *model, int d, limpet_soft_surface *surface) {
  const int first = model->deformable_vertex[d], corners = 3 * surface->face_count;
  const int nodes = model->deformable_vertex[d + 1] - first;
  surface->around = calloc((size_t)surface->vertex_count + 2, sizeof *surface->around);
  surface->around_face = calloc((size_t)corners + 1, sizeof *surface->around_face);
  int *place = calloc((size_t)nodes + 1, sizeof *place);
  const bool done = surface->around && surface->around_face && place;
  for (int i = 0; done && i < surface->vertex_count; ++i) place[surface->vertex[i] - first] = i;
  // counts two places on, then starts one place on, then moved to where the next one begins
  for (int c = 0; done && c < corners; ++c) ++surface->around[place[surface->face[c] - first] + 2];
  for (int i = 2; done && i <= surface->vertex_count; ++i)
    surface->around[i] += surface->around[i - 1];
  for (int c = 0; done && c < corners; ++c)
    surface->around_face[surface->around[place[surface->face[c] - first] + 1]++] = c / 3;
  free(place);
  return done;
}

// A side of a face: its ends, ascending, and whether the face runs along it.
typedef struct side {
  int a, b, face, along;
} side;

static int compare_sides(const void *x, const void *y) {
  const side *s = x, *t = y;
  if (s->a != t->a) return s->a < t->a ? -1 : 1;
  if (s->b != t->b) return s->b < t->b ? -1 : 1;
  return t->along - s->along;
}

static void take_edge(const limpet_model *model, int a, int b, const int faces[2],
                      limpet_soft_surface *surface) {
  const int e = surface->edge_count++;
  surface->edge_end[2 * e] = a, surface->edge_end[2 * e + 1] = b;
  surface->edge_face[2 * e] = faces[0], surface->edge_face[2 * e + 1] = faces[1];
  const double *x = model->vertex_reference;
  const double length = limpet_vec3_distance(x + 3 * a, x + 3 * b);
  surface->edge = limpet_max(surface->edge, length);
  surface->shortest = e == 0 ? length : limpet_min(surface->shortest, length);
}

static void take_edges(const limpet_model *model, const side *sides, int count,
                       limpet_soft_surface *surface) {
  for (int i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count && sides[next].a == sides[i].a && sides[next].b == sides[i].b;)
      ++next;
    take_edge(model, sides[i].a, sides[i].b, (const int[]){sides[i].face, sides[next - 1].face},
              surface);
  }
}

// Segments of a rope.
static void take_segments(const limpet_model *model, int d, limpet_soft_surface *surface) {
  const limpet_fem_body *body = model->deformable_body[d];
  const int *segment = limpet_fem_body_segments(body), first = model->deformable_vertex[d];
  for (int i = 0; i < limpet_fem_body_information(body).segment_count; ++i)
    take_edge(model, first + segment[2 * i], first + segment[2 * i + 1],
              (const int[]){LIMPET_NONE, LIMPET_NONE}, surface);
}

// Each edge once: a closed surface runs along it in both directions.
static bool list_edges(const limpet_model *model, int d, limpet_soft_surface *surface) {
  const size_t count = 3 * (size_t)surface->face_count;
  const int segments = limpet_fem_body_information(model->deformable_body[d]).segment_count;
  const size_t room = 2 * (count + (size_t)segments + 1);
  surface->edge_end = calloc(room, sizeof *surface->edge_end);
  surface->edge_face = calloc(room, sizeof *surface->edge_face);
  side *sides = calloc(count + 1, sizeof *sides);
  const bool done = surface->edge_end && surface->edge_face && sides;
  for (size_t i = 0; done && i < count; ++i) {
    const int a = surface->face[i], b = surface->face[i % 3 == 2 ? i - 2 : i + 1];
    sides[i] = (side){a < b ? a : b, a < b ? b : a, (int)(i / 3), a < b};
  }
  if (done) {
    qsort(sides, count, sizeof *sides, compare_sides);
    take_edges(model, sides, (int)count, surface);
    take_segments(model, d, surface);
  }
  free(sides);
  return done;
}

static bool has_fields(const limpet_model *model, const limpet_soft_surface *surface) {
  for (int i = 0; i < surface->geom_count; ++i)
    if (model->geom_field[surface->geom[i]] &&
        isfinite(model->geom_material[surface->geom[i]].elastic_modulus))
      return true;
  return false;
}

static bool surface_make(const limpet_model *model, int d, limpet_soft_surface *surface) {
  if (!list_vertices(model, d, surface) || !list_around(model, d, surface) ||
      !list_edges(model, d, surface) || !list_geoms(model, d, surface))
    return false;
  if (!has_fields(model, surface)) return true;
  surface->skin =
      limpet_pressure_skin_create(surface->face, surface->face_count, model->vertex_reference);
  return surface->skin != NULL;
}

limpet_soft_surfaces *limpet_soft_surfaces_of(const limpet_model *model, limpet_data *data) {
  limpet_workspace *workspace = data->workspace;
  void **slot = &workspace->object[LIMPET_SLOT_SOFT_SURFACE];
  if (*slot) return *slot;
  limpet_soft_surfaces *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  const size_t most = (size_t)model->vertex_count + 1;
  s->count = model->deformable_count;
  s->surface = calloc((size_t)s->count + 1, sizeof *s->surface);
  s->distance = calloc(most, sizeof *s->distance);
  s->gradient = calloc(3 * most, sizeof *s->gradient);
  s->point = calloc(3 * most, sizeof *s->point);
  s->found = calloc(most, sizeof *s->found);
  s->slot = calloc(most, sizeof *s->slot);
  s->side = calloc(most, sizeof *s->side);
  bool done =
      s->surface && s->distance && s->gradient && s->point && s->found && s->slot && s->side;
  for (int d = 0; done && d < s->count; ++d) done = surface_make(model, d, &s->surface[d]);
  if (!done) {
    surfaces_destroy(s);
    return NULL;
  }
  *slot = s;
  workspace->destroy[LIMPET_SLOT_SOFT_SURFACE] = surfaces_destroy;
  return s;
}

void limpet_soft_surface_update(limpet_soft_surface *surface, const limpet_data *data,
                                const double *v_free) {
  double speed = 0.0;
  for (int k = 0; k < 3; ++k) surface->low[k] = INFINITY, surface->high[k] = -INFINITY;
  for (int i = 0; i < surface->vertex_count; ++i) {
    const int v = surface->vertex[i];
    const double *x = data->vertex_position + 3 * v, *u = data->vertex_velocity + 3 * v;
    for (int k = 0; k < 3; ++k) {
      surface->low[k] = limpet_min(surface->low[k], x[k]);
      surface->high[k] = limpet_max(surface->high[k], x[k]);
    }
    speed = limpet_max(speed, limpet_vec3_dot(u, u));
    if (v_free) speed = limpet_max(speed, limpet_vec3_dot(v_free + 3 * v, v_free + 3 * v));
  }
  surface->speed = sqrt(speed);
}

/* Of a shell or rope the surface is half a thickness away from its middle, where it meets
 * deformable bodies: at no distance at all nothing would tell its sides. No farther than its mesh
 * can tell from itself at rest. */
static double half_thickness(const limpet_model *model, const limpet_soft_surfaces *surfaces, int d,
                             bool own) {
  const limpet_soft_surface *surface = &surfaces->surface[d];
  if (!limpet_soft_has_two_sides(surface, own)) return 0.0;
  const double thickness = limpet_fem_body_information(model->deformable_body[d]).thickness;
  return 0.5 * limpet_min(thickness, 0.5 * surface->shortest);
}

double limpet_soft_margin(const limpet_model *model, const limpet_soft_surfaces *surfaces, int d,
                          int e) {
  const double margin =
      model->geom_margin[model->deformable_geom[d]] + model->geom_margin[model->deformable_geom[e]];
  return limpet_max(margin, half_thickness(model, surfaces, d, d == e) +
                                half_thickness(model, surfaces, e, d == e));
}

bool limpet_soft_face_normal(const limpet_data *data, const int *face, double n[3]) {
  double u[3], v[3];
  const double *x = data->vertex_position;
  limpet_vec3_sub(u, x + 3 * face[1], x + 3 * face[0]);
  limpet_vec3_sub(v, x + 3 * face[2], x + 3 * face[0]);
  limpet_vec3_cross(n, u, v);
  const double size = limpet_vec3_norm(n);
  if (size > 0.0) limpet_vec3_scale(n, 1.0 / size, n);
  return size > 0.0;
}

limpet_collision_contact *limpet_soft_append(limpet_soft_search *search, limpet_soft_link **link) {
  limpet_collision *collision = search->collision;
  *link = LIMPET_TAKE_ZERO(search->arena, limpet_soft_link, 1);
  if (collision->contact_count == search->room) {
    const int room = 2 * search->room + 64;
    limpet_collision_contact *contact = LIMPET_TAKE(search->arena, limpet_collision_contact, room);
    if (contact && collision->contact_count > 0)
      memcpy(contact, collision->contact, (size_t)collision->contact_count * sizeof *contact);
    if (contact) collision->contact = contact, search->room = room;
    else search->failed = true;
  }
  if (!*link || search->failed) {
    search->failed = true;
    return NULL;
  }
  limpet_collision_contact *contact = &collision->contact[collision->contact_count++];
  *contact = (limpet_collision_contact){.pair = collision->pair_count - 1, .link = *link};
  return contact;
}

double limpet_soft_reach(const limpet_soft_search *search, int geom) {
  const limpet_reach *reach = search->request->reach;
  const int body = search->model->geom_body[geom], tree = search->model->body_tree[body];
  return (reach->body ? reach->body[body] : 0.0) +
         (reach->tree && tree >= 0 ? reach->tree[tree] : 0.0);
}
