/* collide/soft_sweep.c: what of deformable bodies passes through what, or a rigid geom with corners
 * through them, on straight ways from where a step starts to where it ends: continuous collision
 * detection.
 *
 * A vertex passes through a triangle, or an edge through an edge, where the four points lie in one
 * plane at a time t of the step and the vertex is within the triangle, or the edges cross:
 *   n      normal of that plane at t            w   weights of the four points that meet there
 *   g(x) = n . sum w_i x_i                      g(start) > 0, g(t) = 0, g(end) < 0
 * g is linear in the velocities, so g(end) >= 0 is a contact: of distance g(start), with weights w.
 * A rigid geom may turn on its way: its distance is the one that leads to g(end), as in
 * step/look_again.c.
 * Which side a thin thing is on so follows from where it is: what has not passed is on its side.
 * A closed surface is entered from outside alone, by edges that stick out of it; a shell or rope is
 * passed from both sides, and so is a shell that holds gas, by itself: walls of a balloon meet
 * within it. Contacts may be a little inside of closed things: their ways are those of
 * points a skin within, and g is that of the surface. Neighbours keep a share of their distance at
 * rest, as in soft_meet.c. Ways are those beside the mean of one of the bodies, so what all has in
 * common costs nothing.
 * Cost: for each vertex and edge where both have something in common (soft_common.c) the boxes of
 * ways of groups of triangles and edges, and a cubic for each pair whose boxes meet.
 * Source: Provot 1997 (coplanar.c); Bridson, Fedkiw, Anderson, Robust treatment of collisions,
 * contact and friction for cloth animation (2002). */
#include "collide/soft_boxes.h"
#include "collide/soft_common.h"
#include "collide/soft_pass.h"
#include "math/vec3.h"

static bool has_corner(const int *face, int v) {
  return face[0] == v || face[1] == v || face[2] == v;
}

// Triangles or edges that may meet something, in their order, and boxes of their ways.
typedef struct sweep_list {
  limpet_soft_boxes boxes;
  int *number;  // (boxes.count)
} sweep_list;

// Whether all points of a thing are beyond one side of where anything can meet.
static bool is_beyond(const limpet_soft_ways *s, int count, const int *vertex) {
  unsigned sides = s->side[vertex[0]];
  for (int i = 1; i < count; ++i) sides &= s->side[vertex[i]];
  return sides != 0;
}

// Those of `total` things of `corners` vertices each that may meet something.
static limpet_status list_take(const limpet_soft_ways *s, int total, int corners, const int *vertex,
                               sweep_list *list) {
  limpet_arena *arena = s->search->arena;
  list->number = LIMPET_TAKE(arena, int, total + 1);
  if (!list->number || limpet_soft_boxes_take(&list->boxes, total, arena))
    return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < total; ++i) {
    if (is_beyond(s, corners, vertex + (long)corners * i)) continue;
    list->number[list->boxes.count] = i;
    limpet_soft_boxes_add(&list->boxes, corners, vertex + (long)corners * i, s->x, s->end);
  }
  return LIMPET_OK;
}

// Vertices of the other side through triangles of side k.
static limpet_status sweep_vertices(const limpet_soft_ways *s, int k) {
  const limpet_soft_surface *own = s->of[1 - k], *other = s->of[k];
  sweep_list list;
  if (list_take(s, other->face_count, 3, other->face, &list)) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < own->vertex_count && !s->search->failed; ++i) {
    const int v = own->vertex[i];
    if (s->side[v]) continue;
    const limpet_soft_box way = limpet_soft_box_of(1, &v, s->x, s->end);
    for (int f = 0; (f = limpet_soft_boxes_next(&list.boxes, f, &way)) < list.boxes.count; ++f)
      if (!has_corner(other->face + 3 * list.number[f], v))
        limpet_soft_pass_vertex(s, k, v, list.number[f]);
  }
  return LIMPET_OK;
}

static bool share_an_end(const int *a, const int *b) {
  return a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
}

static limpet_status sweep_edges(const limpet_soft_ways *s) {
  const int *end_a = s->of[0]->edge_end, *end_b = s->of[1]->edge_end;
  sweep_list a, b;
  if (list_take(s, s->of[0]->edge_count, 2, end_a, &a) ||
      (!limpet_soft_with_itself(s) && list_take(s, s->of[1]->edge_count, 2, end_b, &b)))
    return LIMPET_ERROR_MEMORY;
  if (limpet_soft_with_itself(s)) b = a;
  for (int i = 0; i < a.boxes.count && !s->search->failed; ++i) {
    int k = limpet_soft_with_itself(s) ? i + 1 : 0;
    for (; (k = limpet_soft_boxes_next(&b.boxes, k, &a.boxes.box[i])) < b.boxes.count; ++k)
      if (!share_an_end(end_a + 2 * a.number[i], end_b + 2 * b.number[k]))
        limpet_soft_pass_edges(s, a.number[i], b.number[k]);
  }
  return LIMPET_OK;
}

// Points that ways are looked at of, and from them to the surface.
typedef struct sweep_points {
  double *x, *end, *skin, *skin_end;  // (x 3)  [m]
} sweep_points;

// Vertices of a surface as they are, ends less `common`.
static void take_vertices(const limpet_soft_surface *surface, const double *from, const double *to,
                          const double common[3], const sweep_points *points) {
  for (int i = 0; i < surface->vertex_count; ++i) {
    const int at = 3 * surface->vertex[i];
    limpet_vec3_copy(points->x + at, from + at);
    limpet_vec3_sub(points->end + at, to + at, common);
    limpet_vec3_zero(points->skin + at), limpet_vec3_zero(points->skin_end + at);
  }
}

// Moves the vertices of a closed surface inwards by `depth`, along the mean normal around them.
static void leave_skin(const limpet_soft_surface *surface, double depth, double *x, double *skin) {
  for (int i = 0; i < surface->vertex_count; ++i) {
    double *out = skin + 3 * surface->vertex[i];
    for (int k = surface->around[i]; k < surface->around[i + 1]; ++k) {
      const int *face = surface->face + 3 * surface->around_face[k];
      double u[3], v[3], n[3];
      limpet_vec3_sub(u, x + 3 * face[1], x + 3 * face[0]);
      limpet_vec3_sub(v, x + 3 * face[2], x + 3 * face[0]);
      limpet_vec3_cross(n, u, v);
      limpet_vec3_add(out, out, n);
    }
    const double size = limpet_vec3_norm(out);
    if (size > 0.0) limpet_vec3_scale(out, depth / size, out);
  }
  for (int i = 0; i < surface->vertex_count; ++i) {
    const int at = 3 * surface->vertex[i];
    limpet_vec3_sub(x + at, x + at, skin + at);
  }
}

// A deformable body on its way.
static void take_body(const limpet_soft_ways *s, const limpet_soft_surface *surface,
                      const double common[3], const sweep_points *points) {
  take_vertices(surface, s->search->data->vertex_position, s->request->end, common, points);
  const double depth = limpet_soft_skin(s, surface);
  if (surface->two_sided || limpet_soft_with_itself(s)) return;
  leave_skin(surface, depth, points->x, points->skin);
  leave_skin(surface, depth, points->end, points->skin_end);
}

static void take_corners(const limpet_soft_corners_of *corners, int vertices,
                         const double common[3], const sweep_points *points) {
  for (int i = 0; i < corners->surface.vertex_count; ++i) {
    const int at = 3 * (vertices + i);
    limpet_vec3_copy(points->x + at, corners->x + 3 * i);
    limpet_vec3_sub(points->end + at, corners->end + 3 * i, common);
    limpet_vec3_copy(points->skin + at, corners->skin + 3 * i);
    limpet_vec3_copy(points->skin_end + at, corners->skin_end + 3 * i);
  }
}

static void mean_way(const limpet_soft_surface *surface, const double *x, const double *end,
                     double way[3]) {
  limpet_vec3_zero(way);
  for (int i = 0; i < surface->vertex_count; ++i) {
    const int at = 3 * surface->vertex[i];
    limpet_vec3_addmul(way, way, 1.0 / surface->vertex_count, end + at);
    limpet_vec3_addmul(way, way, -1.0 / surface->vertex_count, x + at);
  }
}

static limpet_status take_points(limpet_arena *arena, int room, sweep_points *points) {
  const size_t size = 3 * (size_t)room;
  *points = (sweep_points){.x = LIMPET_TAKE(arena, double, size),
                           .end = LIMPET_TAKE(arena, double, size),
                           .skin = LIMPET_TAKE(arena, double, size),
                           .skin_end = LIMPET_TAKE(arena, double, size)};
  return points->x && points->end && points->skin && points->skin_end ? LIMPET_OK
                                                                      : LIMPET_ERROR_MEMORY;
}

static void sides_fill(const limpet_soft_ways *s, const limpet_soft_surface *surface,
                       const limpet_soft_common *common, unsigned char *side) {
  for (int i = 0; i < surface->vertex_count; ++i) {
    const int v = surface->vertex[i];
    side[v] = common ? limpet_soft_common_sides(common, s->x + 3 * v, s->end + 3 * v) : 0;
  }
}

// Which vertices may meet something, by the ways of both sides. False: none.
static bool sides_find(const limpet_soft_ways *s, unsigned char *side) {
  limpet_soft_common common;
  if (limpet_soft_with_itself(s)) {
    sides_fill(s, s->of[0], NULL, side);
    return true;
  }
  if (!limpet_soft_common_find(s->of[0], s->of[1], s->x, s->end, &common)) return false;
  for (int k = 0; k < 2; ++k) sides_fill(s, s->of[k], &common, side);
  return true;
}

// Both sides on their ways. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status run_in(limpet_soft_ways *s) {
  limpet_arena *arena = s->search->arena;
  const int vertices = s->search->model->vertex_count, room = vertices + LIMPET_SOFT_MOST_CORNERS;
  sweep_points points;
  double common[3];
  unsigned char *side = LIMPET_TAKE(arena, unsigned char, room);
  if (!side || take_points(arena, room, &points)) return LIMPET_ERROR_MEMORY;
  mean_way(s->of[0], s->search->data->vertex_position, s->request->end, common);
  take_body(s, s->of[0], common, &points);
  if (s->corners) take_corners(s->corners, vertices, common, &points);
  else if (!limpet_soft_with_itself(s)) take_body(s, s->of[1], common, &points);
  s->x = points.x, s->end = points.end, s->side = side;
  if (!limpet_soft_with_itself(s) && !(s->of[0]->two_sided && s->of[1]->two_sided))
    s->skin = points.skin, s->skin_end = points.skin_end;
  if (!sides_find(s, side)) return LIMPET_OK;
  if (sweep_vertices(s, 1) || (!limpet_soft_with_itself(s) && sweep_vertices(s, 0)))
    return LIMPET_ERROR_MEMORY;
  return sweep_edges(s);
}

static limpet_status run(limpet_soft_ways *s) {
  const int before = s->passes->count;
  const limpet_arena_mark mark = limpet_arena_mark_now(s->search->arena);
  const limpet_status status = run_in(s);
  if (status == LIMPET_OK && s->passes->count == before)
    limpet_arena_release(s->search->arena, mark);
  return status;
}

void limpet_soft_sweep_pair(limpet_soft_search *search, const limpet_soft_sweep_request *request,
                            int d, int e, limpet_soft_passes *passes) {
  const limpet_model *model = search->model;
  limpet_soft_ways s = {.search = search,
                        .request = request,
                        .passes = passes,
                        .of = {&search->surfaces->surface[d], &search->surfaces->surface[e]},
                        .geom = {model->deformable_geom[d], model->deformable_geom[e]},
                        .first = {model->deformable_vertex[d], model->deformable_vertex[e]}};
  if (run(&s)) search->failed = true;
}

void limpet_soft_sweep_geom(limpet_soft_search *search, const limpet_soft_sweep_request *request,
                            int d, int geom, limpet_soft_passes *passes) {
  const limpet_model *model = search->model;
  limpet_soft_corners_of corners;
  if (limpet_soft_corners_take(search, request, geom, &corners)) {
    search->failed = true;
    return;
  }
  limpet_soft_ways s = {.search = search,
                        .request = request,
                        .passes = passes,
                        .of = {&search->surfaces->surface[d], &corners.surface},
                        .geom = {model->deformable_geom[d], geom},
                        .first = {model->deformable_vertex[d], model->vertex_count},
                        .corners = &corners};
  if (run(&s)) search->failed = true;
}

bool limpet_soft_sweep_axis(limpet_soft_search *search, const limpet_soft_sweep_request *request,
                            int d, int geom, limpet_soft_passes *passes) {
  const int before = passes->count;
  if (search->model->geom_kind[geom] != LIMPET_SHAPE_CAPSULE ||
      search->model->geom_size[3 * geom] >= search->surfaces->surface[d].edge)
    return false;
  limpet_soft_sweep_geom(search, request, d, geom, passes);
  return search->failed || passes->count > before;
}
