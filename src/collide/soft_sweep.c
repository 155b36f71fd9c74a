/* collide/soft_sweep.c: what of deformable bodies passes through what, on straight ways from where
 * a step starts to where it ends: continuous collision detection.
 *
 * A vertex passes through a triangle, or an edge through an edge, where the four points lie in one
 * plane at a time t of the step and the vertex is within the triangle, or the edges cross:
 *   n      normal of that plane at t            w   weights of the four points that meet there
 *   g(x) = n . sum w_i x_i                      g(start) > 0, g(t) = 0, g(end) < 0
 * g is linear in the velocities, so g(end) >= 0 is a contact: of distance g(start), with weights w.
 * Which side a thin thing is on so follows from where it is: what has not passed is on its side.
 * A closed surface is passed from outside alone, by edges that stick out of it, and where it ends
 * deeper than contacts may be; a shell or rope is never passed. Neighbours keep a share of their
 * distance at rest, as in soft_meet.c.
 * Ways are those beside the mean of one of the bodies, so what all has in common costs nothing.
 * Cost: for each vertex and edge the boxes of ways of groups of triangles and edges, and a cubic
 * for each pair whose boxes meet.
 * Source: Provot 1997 (coplanar.c); Bridson, Fedkiw, Anderson, Robust treatment of collisions,
 * contact and friction for cloth animation (2002). */
#include <math.h>

#include "collide/soft_boxes.h"
#include "collide/soft_rest.h"
#include "collide/soft_surface.h"
#include "geometry/coplanar.h"
#include "math/extremes.h"
#include "math/vec3.h"

static const double beside = 1e-6;      // [-]  of a triangle or edge, beyond its rim: no slit there
static const double beyond_fold = 0.2;  // [-]  as in soft_cross.c
static const double least_angle = 1e-6;  // [-]  sine between edges; below it the ends decide
enum { PASS_FEATURE_BIT = 63, SWAP_BIT = 62, ROUND_BIT = 59, CROSS_BIT = 58, ONE_SHIFT = 29 };

// A pair of bodies; e may be d.
typedef struct sweep {
  limpet_soft_search *search;
  const limpet_soft_sweep_request *request;
  limpet_soft_passes *passes;
  int d, e;
  const double *x;    // (vertex_count x 3)  [m]  start
  const double *end;  // (vertex_count x 3)  [m]  end, less the mean way of body d
  double allowed;     // [m]  that a closed surface may be passed by
} sweep;

// Four points that pass through each other.
typedef struct pass {
  int vertex[4];
  double weight[4];
  double t;           // [-]  share of the step
  double n[3];        // g = n . sum weight x
  double start, end;  // [m]  g
} pass;

static void at_time(const sweep *s, int vertex, double t, double x[3]) {
  const double *from = s->x + 3 * vertex, *to = s->end + 3 * vertex;
  for (int k = 0; k < 3; ++k) x[k] = from[k] + t * (to[k] - from[k]);
}

static int times_of(const sweep *s, const int vertex[4], double t[3]) {
  double x[12], way[12];
  for (int i = 0; i < 4; ++i) {
    limpet_vec3_copy(x + 3 * i, s->x + 3 * vertex[i]);
    limpet_vec3_sub(way + 3 * i, s->end + 3 * vertex[i], x + 3 * i);
  }
  return limpet_coplanar_times(x, way, t);
}

// Gaps of start and end along n [unit]; n is turned so that the gap falls.
static void measure(const sweep *s, pass *p) {
  p->start = p->end = 0.0;
  for (int i = 0; i < 4; ++i) {
    p->start += p->weight[i] * limpet_vec3_dot(p->n, s->x + 3 * p->vertex[i]);
    p->end += p->weight[i] * limpet_vec3_dot(p->n, s->end + 3 * p->vertex[i]);
  }
  if (p->start >= p->end) return;
  limpet_vec3_neg(p->n, p->n);
  p->start = -p->start, p->end = -p->end;
}

// Whether the first vertex is in the triangle of the others at time t; fills weights and normal.
static bool is_in_triangle(const sweep *s, double t, pass *p) {
  double x[4][3], u[3], v[3], arm[3];
  for (int i = 0; i < 4; ++i) at_time(s, p->vertex[i], t, x[i]);
  limpet_vec3_sub(u, x[2], x[1]), limpet_vec3_sub(v, x[3], x[1]), limpet_vec3_sub(arm, x[0], x[1]);
  limpet_vec3_cross(p->n, u, v);
  const double size = limpet_vec3_norm(p->n);
  if (!(size > 0.0)) return false;
  double w[3];
  limpet_vec3_cross(w, arm, v);
  const double b = limpet_vec3_dot(w, p->n) / (size * size);
  limpet_vec3_cross(w, u, arm);
  const double c = limpet_vec3_dot(w, p->n) / (size * size);
  if (!(limpet_min(limpet_min(b, c), 1.0 - b - c) > -beside)) return false;
  limpet_vec3_scale(p->n, 1.0 / size, p->n);
  p->weight[0] = 1.0, p->weight[1] = b + c - 1.0, p->weight[2] = -b, p->weight[3] = -c;
  return true;
}

// Whether the edge of the first two vertices crosses that of the others at time t; likewise.
static bool do_cross(const sweep *s, double t, pass *p) {
  double x[4][3], u[3], v[3], arm[3];
  for (int i = 0; i < 4; ++i) at_time(s, p->vertex[i], t, x[i]);
  limpet_vec3_sub(u, x[1], x[0]), limpet_vec3_sub(v, x[3], x[2]), limpet_vec3_sub(arm, x[2], x[0]);
  limpet_vec3_cross(p->n, u, v);
  const double uu = limpet_vec3_dot(u, u), vv = limpet_vec3_dot(v, v), uv = limpet_vec3_dot(u, v),
               ru = limpet_vec3_dot(arm, u), rv = limpet_vec3_dot(arm, v),
               size = limpet_vec3_norm(p->n);
  if (!(size > least_angle * sqrt(uu * vv))) return false;
  const double a = (ru * vv - rv * uv) / (size * size), b = (ru * uv - rv * uu) / (size * size);
  if (!(limpet_min(a, b) > -beside && limpet_max(a, b) < 1.0 + beside)) return false;
  limpet_vec3_scale(p->n, 1.0 / size, p->n);
  p->weight[0] = a - 1.0, p->weight[1] = -a, p->weight[2] = 1.0 - b, p->weight[3] = b;
  return true;
}

static void normal_at(const sweep *s, const int *face, double t, double n[3]) {
  double x[3][3], u[3], v[3];
  for (int k = 0; k < 3; ++k) at_time(s, face[k], t, x[k]);
  limpet_vec3_sub(u, x[1], x[0]), limpet_vec3_sub(v, x[2], x[0]);
  limpet_vec3_cross(n, u, v);
  const double size = limpet_vec3_norm(n);
  if (size > 0.0) limpet_vec3_scale(n, 1.0 / size, n);
}

// Whether n, square to an edge of a closed surface at time t, lies between its faces' normals.
static bool sticks_out(const sweep *s, const limpet_soft_surface *surface, int number, double t,
                       const double n[3]) {
  const int *end = surface->edge_end + 2 * number, *at = surface->edge_face + 2 * number;
  double from[3], along[3], normal[2][3], left[3], right[3];
  at_time(s, end[0], t, from), at_time(s, end[1], t, along);
  limpet_vec3_sub(along, along, from);
  for (int k = 0; k < 2; ++k) normal_at(s, surface->face + 3 * at[k], t, normal[k]);
  limpet_vec3_cross(left, normal[0], along);
  limpet_vec3_cross(right, normal[1], along);
  const double more = beyond_fold * limpet_vec3_norm(along);
  return limpet_vec3_dot(n, left) <= more && limpet_vec3_dot(n, right) >= -more &&
         limpet_vec3_dot(n, normal[0]) + limpet_vec3_dot(n, normal[1]) > 0.0;
}

// Gap [m] that is to be left at the end: the margin, of neighbours less; rest: their distance.
static double gap_to_keep(double margin, double rest) {
  return margin < rest ? margin : LIMPET_SOFT_SHALLOW * rest;
}

/* A contact against a pass, of the points with negative weights of body `one`, the others of
 * `other`. */
static void add(const sweep *s, int one, int other, const pass *p, double keep, bool on_vertex,
                uint64_t feature) {
  const limpet_model *model = s->search->model;
  const limpet_collision *collision = s->search->collision;
  const double margin = collision->pair[collision->pair_count - 1].margin;
  const bool first = model->deformable_geom[one] <= model->deformable_geom[other];
  limpet_soft_link *link;
  limpet_collision_contact *contact = limpet_soft_append(s->search, &link);
  if (!contact) return;
  limpet_contact_point *point = &contact->point;
  double *on[2] = {first ? point->on_a : point->on_b, first ? point->on_b : point->on_a};
  limpet_vec3_zero(on[0]), limpet_vec3_zero(on[1]);
  link->count = 4;
  for (int i = 0; i < 4; ++i) {
    // the first two of two edges, or the last three of vertex and triangle, are of `one`
    const int side = on_vertex ? i == 0 : i > 1;
    const double share = side ? p->weight[i] : -p->weight[i];
    limpet_vec3_addmul(on[side], on[side], share, s->x + 3 * p->vertex[i]);
    link->vertex[i] = p->vertex[i];
    link->weight[i] = first ? p->weight[i] : -p->weight[i];
  }
  limpet_vec3_scale(point->normal, first ? 1.0 : -1.0, p->n);
  point->distance = p->start + margin - keep;
  point->feature =
      (uint64_t)1 << PASS_FEATURE_BIT | (uint64_t)s->request->round << ROUND_BIT | feature;
  contact->passes = true;
  if (on_vertex) contact->acts_on = first ? LIMPET_ACTS_ON_B : LIMPET_ACTS_ON_A;
}

// Counts a pass, and says whether contacts against it are wanted.
static bool count(const sweep *s, const pass *p) {
  limpet_soft_passes *passes = s->passes;
  ++passes->count;
  if (!(-p->end > passes->depth) && passes->count > 1) return s->request->adds;
  passes->depth = -p->end;
  passes->vertex = p->vertex[0];
  return s->request->adds;
}

static void try_vertex(const sweep *s, int d, int e, int v, int number) {
  const limpet_soft_surface *surface = &s->search->surfaces->surface[e];
  const int *face = surface->face + 3 * number;
  pass p = {.vertex = {v, face[0], face[1], face[2]}};
  double t[3], out[3];
  const int times = times_of(s, p.vertex, t);
  for (int i = 0; i < times; ++i) {
    if (!is_in_triangle(s, t[i], &p)) continue;
    limpet_vec3_copy(out, p.n);
    measure(s, &p);
    if (!surface->two_sided && (limpet_vec3_dot(out, p.n) < 0.0 || -p.end <= s->allowed)) continue;
    if (!count(s, &p)) return;
    const limpet_model *model = s->search->model;
    const limpet_collision *collision = s->search->collision;
    const double margin = collision->pair[collision->pair_count - 1].margin;
    const double rest = d == e ? limpet_soft_rest_of_face(model, face, v) : INFINITY;
    const bool swapped = model->deformable_geom[d] < model->deformable_geom[e];
    add(s, e, d, &p, gap_to_keep(margin, rest), true,
        (uint64_t)swapped << SWAP_BIT | (uint64_t)(v - model->deformable_vertex[d]) << ONE_SHIFT |
            (uint64_t)number);
    return;
  }
}

static void try_edges(const sweep *s, int a, int b) {
  const limpet_soft_surface *own = &s->search->surfaces->surface[s->d],
                            *other = &s->search->surfaces->surface[s->e];
  const int *p_end = own->edge_end + 2 * a, *q_end = other->edge_end + 2 * b;
  pass p = {.vertex = {p_end[0], p_end[1], q_end[0], q_end[1]}};
  double t[3], back[3];
  const int times = times_of(s, p.vertex, t);
  for (int i = 0; i < times; ++i) {
    if (!do_cross(s, t[i], &p)) continue;
    measure(s, &p);
    limpet_vec3_neg(back, p.n);
    if (!own->two_sided && !sticks_out(s, own, a, t[i], p.n)) continue;
    if (!other->two_sided && !sticks_out(s, other, b, t[i], back)) continue;
    if (!own->two_sided && !other->two_sided && -p.end <= s->allowed) continue;
    if (!count(s, &p)) return;
    const limpet_collision *collision = s->search->collision;
    const double margin = collision->pair[collision->pair_count - 1].margin;
    const double rest =
        s->d == s->e ? limpet_soft_rest_of_edges(s->search->model, p_end, q_end) : INFINITY;
    add(s, s->d, s->e, &p, gap_to_keep(margin, rest), false,
        (uint64_t)1 << CROSS_BIT | (uint64_t)a << ONE_SHIFT | (uint64_t)b);
    return;
  }
}

static bool has_corner(const int *face, int v) {
  return face[0] == v || face[1] == v || face[2] == v;
}

// Vertices of body d through triangles of body e.
static limpet_status sweep_vertices(const sweep *s, int d, int e) {
  const limpet_soft_surface *own = &s->search->surfaces->surface[d],
                            *other = &s->search->surfaces->surface[e];
  limpet_soft_boxes boxes;
  if (limpet_soft_boxes_take(&boxes, other->face_count, s->search->arena))
    return LIMPET_ERROR_MEMORY;
  for (int f = 0; f < other->face_count; ++f)
    limpet_soft_boxes_add(&boxes, 3, other->face + 3 * f, s->x, s->end);
  for (int i = 0; i < own->vertex_count && !s->search->failed; ++i) {
    const int v = own->vertex[i];
    const limpet_soft_box way = limpet_soft_box_of(1, &v, s->x, s->end);
    for (int f = 0; (f = limpet_soft_boxes_next(&boxes, f, &way)) < boxes.count; ++f)
      if (!has_corner(other->face + 3 * f, v)) try_vertex(s, d, e, v, f);
  }
  return LIMPET_OK;
}

static bool share_an_end(const int *a, const int *b) {
  return a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
}

static limpet_status sweep_edges(const sweep *s) {
  const limpet_soft_surface *own = &s->search->surfaces->surface[s->d],
                            *other = &s->search->surfaces->surface[s->e];
  limpet_soft_boxes boxes;
  if (limpet_soft_boxes_take(&boxes, other->edge_count, s->search->arena))
    return LIMPET_ERROR_MEMORY;
  for (int k = 0; k < other->edge_count; ++k)
    limpet_soft_boxes_add(&boxes, 2, other->edge_end + 2 * k, s->x, s->end);
  for (int i = 0; i < own->edge_count && !s->search->failed; ++i) {
    const int *end = own->edge_end + 2 * i;
    const limpet_soft_box way = limpet_soft_box_of(2, end, s->x, s->end);
    int k = s->d == s->e ? i + 1 : 0;
    for (; (k = limpet_soft_boxes_next(&boxes, k, &way)) < boxes.count; ++k)
      if (!share_an_end(end, other->edge_end + 2 * k)) try_edges(s, i, k);
  }
  return LIMPET_OK;
}

// Ends of the vertices of a body, less `common`.
static void take_ends(const limpet_soft_surface *surface, const double *from,
                      const double common[3], double *end) {
  for (int i = 0; i < surface->vertex_count; ++i) {
    const int at = 3 * surface->vertex[i];
    limpet_vec3_sub(end + at, from + at, common);
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

void limpet_soft_sweep_pair(limpet_soft_search *search, const limpet_soft_sweep_request *request,
                            int d, int e, limpet_soft_passes *passes) {
  const limpet_soft_surface *own = &search->surfaces->surface[d],
                            *other = &search->surfaces->surface[e];
  const limpet_arena_mark mark = limpet_arena_mark_now(search->arena);
  double *end = LIMPET_TAKE(search->arena, double, 3 * (size_t)search->model->vertex_count);
  if (!end) {
    search->failed = true;
    return;
  }
  double common[3];
  mean_way(own, search->data->vertex_position, request->end, common);
  take_ends(own, request->end, common, end);
  if (d != e) take_ends(other, request->end, common, end);
  const sweep s = {
      .search = search,
      .request = request,
      .passes = passes,
      .d = d,
      .e = e,
      .x = search->data->vertex_position,
      .end = end,
      .allowed = limpet_min(request->allowed, 0.02 * limpet_min(own->shortest, other->shortest))};
  const int before = passes->count;
  if (sweep_vertices(&s, d, e) || (d != e && sweep_vertices(&s, e, d)) || sweep_edges(&s))
    search->failed = true;
  if (passes->count == before) limpet_arena_release(search->arena, mark);
}
