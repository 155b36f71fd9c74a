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
#include <math.h>

#include "collide/soft_boxes.h"
#include "collide/soft_common.h"
#include "collide/soft_hull.h"
#include "collide/soft_rest.h"
#include "collide/soft_surface.h"
#include "geometry/coplanar.h"
#include "math/extremes.h"
#include "math/vec3.h"

static const double beside = 1e-6;      // [-]  of a triangle or edge, beyond its rim: no slit there
static const double beyond_fold = 0.2;  // [-]  as in soft_cross.c
static const double thin_share = 0.02;  // [-]  of the shortest edge: the skin is no thicker
static const double folded_share = 0.1;  // [-]  of the skin: where a surface is folded
static const double least_angle = 1e-6;  // [-]  sine between edges; below it the ends decide
enum { PASS_FEATURE_BIT = 63, SWAP_BIT = 62, ROUND_BIT = 59, CROSS_BIT = 58, ONE_SHIFT = 29 };

// Two things, the second of which may be the first, a deformable body, or a rigid geom.
typedef struct sweep {
  limpet_soft_search *search;
  const limpet_soft_sweep_request *request;
  limpet_soft_passes *passes;
  const limpet_soft_surface *of[2];
  int geom[2];
  int first[2];                           // vertex from which features count
  const limpet_soft_corners_of *corners;  // of the second one, a rigid geom; NULL: it is none
  const double *x;    // (vertex_count x 3)  [m]  start; of a rigid geom its corners follow
  const double *end;  // (vertex_count x 3)  [m]  end, less the mean way of the first one
  // (vertex_count x 3)  [m]  from these points to the surfaces, at start and end; NULL: none
  const double *skin, *skin_end;
  const unsigned char *side;  // (vertex_count)  of what they have in common that a way is beyond
} sweep;

static bool with_itself(const sweep *s) { return s->of[0] == s->of[1]; }

// Whether side k is passed from both sides.
static bool has_two_sides(const sweep *s, int k) {
  return limpet_soft_has_two_sides(s->of[k], with_itself(s));
}

// Four points that pass through each other.
typedef struct pass {
  int vertex[4];
  double weight[4];
  double t;     // [-]  share of the step
  double n[3];  // g = n . sum weight x
  double end;   // [m]  g of the surfaces themselves
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

// n . sum weight x of the four points of an array (x 3).
static double gap_along(const pass *p, const double *x) {
  double sum = 0.0;
  for (int i = 0; i < 4; ++i) sum += p->weight[i] * limpet_vec3_dot(p->n, x + 3 * p->vertex[i]);
  return sum;
}

// The gap [m] of the end along n [unit], which is turned so that the gap falls.
static void measure(const sweep *s, pass *p) {
  const double start = gap_along(p, s->x);
  p->end = gap_along(p, s->end);
  if (start < p->end) {
    limpet_vec3_neg(p->n, p->n);
    p->end = -p->end;
  }
  if (s->skin) p->end += gap_along(p, s->skin_end);
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

void limpet_soft_velocity_of_geom(const limpet_soft_search *search, const double *twist, int geom,
                                  const double point[3], double v[3]) {
  const int body = search->model->geom_body[geom], tree = search->model->body_tree[body];
  const double *V = twist + 6 * body;
  double arm[3], turn[3];
  limpet_vec3_zero(v);
  if (tree < 0) return;
  limpet_vec3_sub(arm, point, search->data->tree_origin + 3 * tree);
  limpet_vec3_cross(turn, V, arm);
  limpet_vec3_add(v, V + 3, turn);
}

/* The gap [m] at the start from which velocities, those of a rigid geom at `point`, lead to the one
 * at the end: where nothing turns that of the start. */
static double start_that_leads(const sweep *s, const pass *p, const double point[3]) {
  double v[3] = {0.0, 0.0, 0.0}, way = 0.0;
  if (s->corners) limpet_soft_velocity_of_geom(s->search, s->request->twist, s->geom[1], point, v);
  for (int i = 0; i < 4; ++i) {
    const int at = 3 * p->vertex[i];
    if (p->vertex[i] < s->search->model->vertex_count)
      way += p->weight[i] * (limpet_vec3_dot(p->n, s->request->end + at) -
                             limpet_vec3_dot(p->n, s->search->data->vertex_position + at));
    else way += p->weight[i] * s->request->dt * limpet_vec3_dot(p->n, v);
  }
  return p->end - way;
}

// A contact against a pass: points with negative weights are of side `one`, others of the other
// one.
static void add(const sweep *s, int one, const pass *p, double keep, bool on_vertex,
                uint64_t feature) {
  const limpet_collision *collision = s->search->collision;
  const double margin = collision->pair[collision->pair_count - 1].margin;
  const bool first = s->geom[one] <= s->geom[1 - one];
  limpet_soft_link *link;
  limpet_collision_contact *contact = limpet_soft_append(s->search, &link);
  if (!contact) return;
  limpet_contact_point *point = &contact->point;
  double *on[2] = {first ? point->on_a : point->on_b, first ? point->on_b : point->on_a};
  limpet_vec3_zero(on[0]), limpet_vec3_zero(on[1]);
  for (int i = 0; i < 4; ++i) {
    // the first two of two edges, or the last three of vertex and triangle, are of `one`
    const int side = on_vertex ? i == 0 : i > 1;
    const double share = side ? p->weight[i] : -p->weight[i];
    limpet_vec3_addmul(on[side], on[side], share, s->x + 3 * p->vertex[i]);
    if (s->skin) limpet_vec3_addmul(on[side], on[side], share, s->skin + 3 * p->vertex[i]);
    if (p->vertex[i] >= s->search->model->vertex_count) continue;
    link->vertex[link->count] = p->vertex[i];
    link->weight[link->count++] = first ? p->weight[i] : -p->weight[i];
  }
  limpet_vec3_scale(point->normal, first ? 1.0 : -1.0, p->n);
  point->distance = start_that_leads(s, p, on[one]) + margin - keep;
  point->feature =
      (uint64_t)1 << PASS_FEATURE_BIT | (uint64_t)s->request->round << ROUND_BIT | feature;
  contact->passes = contact->of_end = true;
  // with a rigid geom at the deformable body, so that both feel one force in one line
  if (s->corners || on_vertex) {
    const bool on_one = s->corners && one == 0;
    contact->acts_on = on_one == first ? LIMPET_ACTS_ON_A : LIMPET_ACTS_ON_B;
  }
}

// Counts a pass, and says whether contacts against it are wanted.
static bool count(const sweep *s, const pass *p) {
  limpet_soft_passes *passes = s->passes;
  ++passes->count;
  if (passes->count > 1 && !(-p->end > passes->depth)) return s->request->adds;
  passes->depth = -p->end;
  for (int i = 3; i >= 0; --i)
    if (p->vertex[i] < s->search->model->vertex_count) passes->vertex = p->vertex[i];
  return s->request->adds;
}

static double margin_of(const sweep *s) {
  const limpet_collision *collision = s->search->collision;
  return collision->pair[collision->pair_count - 1].margin;
}

// [m]  that contacts may be within a closed deformable body.
static double skin_of(const sweep *s, const limpet_soft_surface *surface) {
  return limpet_min(s->request->allowed, thin_share * surface->shortest);
}

/* Whether a pass ends less deep than contacts of closed bodies may be. With itself a body has no
 * room for a skin in a sharp fold. Against others points a skin within pass for the surface; where
 * it is folded, as around inverted elements, they are not within, and it is asked itself. */
static bool is_shallow(const sweep *s, const pass *p) {
  if (with_itself(s)) return !has_two_sides(s, 0) && -p->end <= skin_of(s, s->of[0]);
  double skin = 0.0;
  for (int k = 0; k < (s->corners ? 1 : 2); ++k)
    if (!s->of[k]->two_sided) skin = limpet_max(skin, skin_of(s, s->of[k]));
  return -p->end < folded_share * skin;
}

// Whether a corner of a rigid geom passes behind all others of it: then it comes back.
static bool trails(const sweep *s, const pass *p) {
  const limpet_soft_surface *geom = &s->corners->surface;
  double corner[3], x[3];
  at_time(s, p->vertex[0], p->t, corner);
  for (int i = 0; i < geom->vertex_count; ++i) {
    at_time(s, geom->vertex[i], p->t, x);
    limpet_vec3_sub(x, x, corner);
    if (limpet_vec3_dot(p->n, x) > 0.0) return false;
  }
  return true;
}

/* Whether a vertex that passes a triangle of side `other` is to be stopped: a closed surface from
 * outside, a shell by corners of a geom that go in. out: normal of the triangle. */
static bool enters_face(const sweep *s, int other, const pass *p, const double out[3]) {
  if (is_shallow(s, p)) return false;
  if (!has_two_sides(s, other)) return limpet_vec3_dot(out, p->n) > 0.0;
  return !s->corners || !trails(s, p);
}

// Vertex v of one side, triangle `number` of side `other`.
static void try_vertex(const sweep *s, int other, int v, int number) {
  const int *face = s->of[other]->face + 3 * number;
  pass p = {.vertex = {v, face[0], face[1], face[2]}};
  double t[3], out[3];
  const int times = times_of(s, p.vertex, t);
  for (int i = 0; i < times; ++i) {
    if (!is_in_triangle(s, t[i], &p)) continue;
    limpet_vec3_copy(out, p.n);
    p.t = t[i];
    measure(s, &p);
    if (!enters_face(s, other, &p, out)) continue;
    if (!count(s, &p)) return;
    const double rest =
        with_itself(s) ? limpet_soft_rest_of_face(s->search->model, face, v) : INFINITY;
    const bool swapped = s->geom[1 - other] < s->geom[other];
    add(s, other, &p, gap_to_keep(margin_of(s), rest), true,
        (uint64_t)swapped << SWAP_BIT | (uint64_t)(v - s->first[1 - other]) << ONE_SHIFT |
            (uint64_t)number);
    return;
  }
}

// Whether edges a and b that pass each other at t are to be stopped: those of closed surfaces where
// they stick out.
static bool enters_edge(const sweep *s, int a, int b, const pass *p) {
  double back[3];
  limpet_vec3_neg(back, p->n);
  if (is_shallow(s, p)) return false;
  return (has_two_sides(s, 0) || sticks_out(s, s->of[0], a, p->t, p->n)) &&
         (has_two_sides(s, 1) || sticks_out(s, s->of[1], b, p->t, back));
}

static void try_edges(const sweep *s, int a, int b) {
  const int *p_end = s->of[0]->edge_end + 2 * a, *q_end = s->of[1]->edge_end + 2 * b;
  pass p = {.vertex = {p_end[0], p_end[1], q_end[0], q_end[1]}};
  double t[3];
  const int times = times_of(s, p.vertex, t);
  for (int i = 0; i < times; ++i) {
    if (!do_cross(s, t[i], &p)) continue;
    measure(s, &p);
    p.t = t[i];
    if (!enters_edge(s, a, b, &p)) continue;
    if (!count(s, &p)) return;
    const double rest =
        with_itself(s) ? limpet_soft_rest_of_edges(s->search->model, p_end, q_end) : INFINITY;
    add(s, 0, &p, gap_to_keep(margin_of(s), rest), false,
        (uint64_t)1 << CROSS_BIT | (uint64_t)a << ONE_SHIFT | (uint64_t)b);
    return;
  }
}

static bool has_corner(const int *face, int v) {
  return face[0] == v || face[1] == v || face[2] == v;
}

// Triangles or edges that may meet something, in their order, and boxes of their ways.
typedef struct sweep_list {
  limpet_soft_boxes boxes;
  int *number;  // (boxes.count)
} sweep_list;

// Whether all points of a thing are beyond one side of where anything can meet.
static bool is_beyond(const sweep *s, int count, const int *vertex) {
  unsigned sides = s->side[vertex[0]];
  for (int i = 1; i < count; ++i) sides &= s->side[vertex[i]];
  return sides != 0;
}

// Those of `total` things of `corners` vertices each that may meet something.
static limpet_status list_take(const sweep *s, int total, int corners, const int *vertex,
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
static limpet_status sweep_vertices(const sweep *s, int k) {
  const limpet_soft_surface *own = s->of[1 - k], *other = s->of[k];
  sweep_list list;
  if (list_take(s, other->face_count, 3, other->face, &list)) return LIMPET_ERROR_MEMORY;
  for (int i = 0; i < own->vertex_count && !s->search->failed; ++i) {
    const int v = own->vertex[i];
    if (s->side[v]) continue;
    const limpet_soft_box way = limpet_soft_box_of(1, &v, s->x, s->end);
    for (int f = 0; (f = limpet_soft_boxes_next(&list.boxes, f, &way)) < list.boxes.count; ++f)
      if (!has_corner(other->face + 3 * list.number[f], v)) try_vertex(s, k, v, list.number[f]);
  }
  return LIMPET_OK;
}

static bool share_an_end(const int *a, const int *b) {
  return a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
}

static limpet_status sweep_edges(const sweep *s) {
  const int *end_a = s->of[0]->edge_end, *end_b = s->of[1]->edge_end;
  sweep_list a, b;
  if (list_take(s, s->of[0]->edge_count, 2, end_a, &a) ||
      (!with_itself(s) && list_take(s, s->of[1]->edge_count, 2, end_b, &b)))
    return LIMPET_ERROR_MEMORY;
  if (with_itself(s)) b = a;
  for (int i = 0; i < a.boxes.count && !s->search->failed; ++i) {
    int k = with_itself(s) ? i + 1 : 0;
    for (; (k = limpet_soft_boxes_next(&b.boxes, k, &a.boxes.box[i])) < b.boxes.count; ++k)
      if (!share_an_end(end_a + 2 * a.number[i], end_b + 2 * b.number[k]))
        try_edges(s, a.number[i], b.number[k]);
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
static void take_body(const sweep *s, const limpet_soft_surface *surface, const double common[3],
                      const sweep_points *points) {
  take_vertices(surface, s->search->data->vertex_position, s->request->end, common, points);
  const double depth = skin_of(s, surface);
  if (surface->two_sided || with_itself(s)) return;
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

static void sides_fill(const sweep *s, const limpet_soft_surface *surface,
                       const limpet_soft_common *common, unsigned char *side) {
  for (int i = 0; i < surface->vertex_count; ++i) {
    const int v = surface->vertex[i];
    side[v] = common ? limpet_soft_common_sides(common, s->x + 3 * v, s->end + 3 * v) : 0;
  }
}

// Which vertices may meet something, by the ways of both sides. False: none.
static bool sides_find(const sweep *s, unsigned char *side) {
  limpet_soft_common common;
  if (with_itself(s)) {
    sides_fill(s, s->of[0], NULL, side);
    return true;
  }
  if (!limpet_soft_common_find(s->of[0], s->of[1], s->x, s->end, &common)) return false;
  for (int k = 0; k < 2; ++k) sides_fill(s, s->of[k], &common, side);
  return true;
}

// Both sides on their ways. LIMPET_OK or LIMPET_ERROR_MEMORY.
static limpet_status run_in(sweep *s) {
  limpet_arena *arena = s->search->arena;
  const int vertices = s->search->model->vertex_count, room = vertices + LIMPET_SOFT_MOST_CORNERS;
  sweep_points points;
  double common[3];
  unsigned char *side = LIMPET_TAKE(arena, unsigned char, room);
  if (!side || take_points(arena, room, &points)) return LIMPET_ERROR_MEMORY;
  mean_way(s->of[0], s->search->data->vertex_position, s->request->end, common);
  take_body(s, s->of[0], common, &points);
  if (s->corners) take_corners(s->corners, vertices, common, &points);
  else if (!with_itself(s)) take_body(s, s->of[1], common, &points);
  s->x = points.x, s->end = points.end, s->side = side;
  if (!with_itself(s) && !(s->of[0]->two_sided && s->of[1]->two_sided))
    s->skin = points.skin, s->skin_end = points.skin_end;
  if (!sides_find(s, side)) return LIMPET_OK;
  if (sweep_vertices(s, 1) || (!with_itself(s) && sweep_vertices(s, 0))) return LIMPET_ERROR_MEMORY;
  return sweep_edges(s);
}

static limpet_status run(sweep *s) {
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
  sweep s = {.search = search,
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
  sweep s = {.search = search,
             .request = request,
             .passes = passes,
             .of = {&search->surfaces->surface[d], &corners.surface},
             .geom = {model->deformable_geom[d], geom},
             .first = {model->deformable_vertex[d], model->vertex_count},
             .corners = &corners};
  if (run(&s)) search->failed = true;
}
