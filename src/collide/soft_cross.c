/* collide/soft_cross.c: edges of deformable bodies that cross, of two bodies or of one.
 *
 * Edges a of body d and b of body e, ends a0 a1 and b0 b1:
 *   n      a x b/|a x b|, out of d                 s, t   where the lines are nearest
 *   phi    n . (b(t) - a(s)), also below zero: n is square to both lines
 * They are a contact where each edge sticks out on the side of the other one: n lies between the
 * normals of a's faces, and -n between those of b's (an edge of the sum of both bodies: the test of
 * separating axes of polyhedra). An edge whose faces hardly turn, or turn inwards, leaves it to its
 * ends. Lines may cross `beyond_end` of an edge beyond its end: an end that is flush with the other
 * edge stays one where it creeps. Shells and ropes have two sides: n points from one to the other,
 * and rims and ropes stick out all around. With itself a shell, also one that holds gas, has two
 * sides and meets by all edges: in a sharp fold those of both sides may bend away from each other.
 * The contact hangs on the four ends. With itself a surface meets where all ends were farther apart
 * at rest than an edge; edges that were nearer, but have no end in common, meet as soft_meet.c says
 * of vertices. Cost: for each edge in the common box of both, the boxes of groups of the other's.
 * Source: Gregorius, The separating axis test between convex polyhedra (GDC 2013). */
#include <math.h>

#include "collide/soft_boxes.h"
#include "collide/soft_rest.h"
#include "collide/soft_surface.h"
#include "math/extremes.h"
#include "math/vec3.h"

static const double ways_ahead = 2.0;    // [-]  as in step/detection.c
static const double least_fold = 0.016;  // [-]  4 times the depth that is left to the ends
static const double beyond_fold =
    0.2;  // [-]  beyond the normals of the faces, as they turn during a step
static const double least_angle = 0.03;  // [-]  sine between edges; below it the ends decide
static const double beyond_end = 1e-3;   // [-]  of an edge: flush ends still cross
static const double deepest = 0.5;       // [-]  of the shorter edge
enum { CROSS_FEATURE_BIT = 58, EDGE_SHIFT = 29 };

typedef struct edge {
  int number;
  const int *end;
  const double *x[2];   // [m]
  double along[3];      // [m]
  double length;        // [m]
  double normal[2][3];  // of its faces, the one that runs along it first
  bool two_sided;       // of a shell or rope
  bool open;            // a rim or rope: sticks out all around
  bool folded;          // outwards, and more than a little
} edge;

// own: to meet other edges of the same surface.
static void edge_take(const limpet_data *data, const limpet_soft_surface *surface, int number,
                      bool own, edge *e) {
  double fold[3];
  e->number = number, e->end = surface->edge_end + 2 * number;
  for (int k = 0; k < 2; ++k) e->x[k] = data->vertex_position + 3 * e->end[k];
  limpet_vec3_sub(e->along, e->x[1], e->x[0]);
  e->length = limpet_vec3_norm(e->along);
  e->folded = e->length > 0.0;
  const int *at = surface->edge_face + 2 * number;
  e->two_sided = limpet_soft_has_two_sides(surface, own);
  e->open = surface->two_sided && at[0] == at[1];
  if (e->open) return;
  for (int k = 0; k < 2; ++k)
    if (!limpet_soft_face_normal(data, surface->face + 3 * at[k], e->normal[k])) e->folded = false;
  // the first face lies to the left of the edge
  limpet_vec3_cross(fold, e->normal[1], e->normal[0]);
  if (e->two_sided && limpet_vec3_dot(fold, e->along) > 0.0) {  // it sticks out below
    limpet_vec3_neg(e->normal[0], e->normal[0]), limpet_vec3_neg(e->normal[1], e->normal[1]);
    double left[3];
    limpet_vec3_copy(left, e->normal[0]);
    limpet_vec3_copy(e->normal[0], e->normal[1]), limpet_vec3_copy(e->normal[1], left);
    limpet_vec3_neg(fold, fold);
  }
  if (!(limpet_vec3_dot(fold, e->along) < -least_fold * e->length)) e->folded = false;
}

// Whether n, square to the edge, lies between the normals of its faces.
static bool sticks_out(const edge *e, const double n[3]) {
  double left[3], right[3];
  if (e->open) return true;
  limpet_vec3_cross(left, e->normal[0], e->along);
  limpet_vec3_cross(right, e->normal[1], e->along);
  const double more = beyond_fold * e->length;
  return limpet_vec3_dot(n, left) <= more && limpet_vec3_dot(n, right) >= -more &&
         limpet_vec3_dot(n, e->normal[0]) + limpet_vec3_dot(n, e->normal[1]) > 0.0;
}

// Where the lines are nearest, as shares of the lengths, and the normal out of a; false: parallel.
static bool crossing(const edge *a, const edge *b, double *s, double *t, double n[3]) {
  double arm[3];
  limpet_vec3_cross(n, a->along, b->along);
  const double size = limpet_vec3_norm(n);
  if (!(size > least_angle * a->length * b->length)) return false;
  limpet_vec3_sub(arm, b->x[0], a->x[0]);
  const double aa = a->length * a->length, bb = b->length * b->length,
               ab = limpet_vec3_dot(a->along, b->along), ra = limpet_vec3_dot(arm, a->along),
               rb = limpet_vec3_dot(arm, b->along), d = size * size;
  *s = (ra * bb - rb * ab) / d;
  *t = (ra * ab - rb * aa) / d;
  if (limpet_min(*s, *t) < -beyond_end || limpet_max(*s, *t) > 1.0 + beyond_end) return false;
  double side = limpet_vec3_dot(n, arm);
  if (!a->two_sided) side = limpet_vec3_dot(n, a->normal[0]) + limpet_vec3_dot(n, a->normal[1]);
  else if (!b->two_sided)
    side = -limpet_vec3_dot(n, b->normal[0]) - limpet_vec3_dot(n, b->normal[1]);
  limpet_vec3_scale(n, (side < 0.0 ? -1.0 : 1.0) / size, n);
  return true;
}

static void add(limpet_soft_search *search, int d, int e, const edge *a, const edge *b, double s,
                double t, const double n[3], double phi) {
  const limpet_model *model = search->model;
  const bool first = model->deformable_geom[d] <= model->deformable_geom[e];
  limpet_soft_link *link;
  limpet_collision_contact *contact = limpet_soft_append(search, &link);
  if (!contact) return;
  limpet_contact_point *point = &contact->point;
  double *on_d = first ? point->on_a : point->on_b, *on_e = first ? point->on_b : point->on_a;
  for (int k = 0; k < 3; ++k)
    on_d[k] = a->x[0][k] + s * a->along[k], on_e[k] = b->x[0][k] + t * b->along[k];
  limpet_vec3_scale(point->normal, first ? 1.0 : -1.0, n);
  point->distance = phi;
  point->feature =
      (uint64_t)1 << CROSS_FEATURE_BIT | (uint64_t)a->number << EDGE_SHIFT | (uint64_t)b->number;
  const double sign = first ? 1.0 : -1.0;  // B is the body e
  const double weight[4] = {-sign * (1.0 - s), -sign * s, sign * (1.0 - t), sign * t};
  link->count = 4;
  for (int k = 0; k < 4; ++k) {
    link->vertex[k] = k < 2 ? a->end[k] : b->end[k - 2];
    link->weight[k] = weight[k];
  }
}

// Whether edges of one body were apart at rest.
static bool apart_at_rest(const limpet_model *model, const edge *a, const edge *b) {
  const double *x = model->vertex_reference;
  const double longest = limpet_max(limpet_vec3_distance(x + 3 * a->end[0], x + 3 * a->end[1]),
                                    limpet_vec3_distance(x + 3 * b->end[0], x + 3 * b->end[1]));
  for (int i = 0; i < 2; ++i)
    for (int k = 0; k < 2; ++k)
      if (limpet_vec3_distance(x + 3 * a->end[i], x + 3 * b->end[k]) <= 1.5 * longest) return false;
  return true;
}

/* How near two edges always meet [m]; of neighbours at rest as in soft_meet.c, below zero: never.
 * phi: their distance. */
static double always_meet(const limpet_soft_search *search, bool own, const edge *a, const edge *b,
                          double phi) {
  const double margin = search->collision->pair[search->collision->pair_count - 1].margin;
  if (!own) return margin + search->request->speculative;
  const double rest = limpet_soft_rest_of_edges(search->model, a->end, b->end);
  if (phi < -LIMPET_SOFT_SHALLOW * limpet_min(rest, limpet_min(a->length, b->length)))
    return -INFINITY;
  if (apart_at_rest(search->model, a, b)) return margin + search->request->speculative;
  if (margin >= rest) return -INFINITY;
  return margin + limpet_min(search->request->speculative, LIMPET_SOFT_SHALLOW * rest);
}

static void try_pair(limpet_soft_search *search, int d, int e, const edge *a, const edge *b) {
  double s, t, n[3], back[3], arm[3];
  if (!crossing(a, b, &s, &t, n)) return;
  limpet_vec3_neg(back, n);
  const bool any = d == e && a->two_sided;
  if (!any && (!sticks_out(a, n) || !sticks_out(b, back))) return;
  limpet_vec3_sub(arm, b->x[0], a->x[0]);
  const double phi = limpet_vec3_dot(n, arm);
  if (phi < -deepest * limpet_min(a->length, b->length)) return;
  const int ends[4] = {b->end[0], b->end[1], a->end[0], a->end[1]};
  const double weight[4] = {1.0 - t, t, s - 1.0, -s};
  if (phi < always_meet(search, d == e, a, b, phi) +
                limpet_soft_closing_pair(search, n, 2, 4, ends, weight))
    add(search, d, e, a, b, s, t, n, phi);
}

// Edges of a surface that stick out within the box of another one, and boxes of them.
typedef struct edge_list {
  edge *edge;  // NULL: no memory
  limpet_soft_boxes boxes;
} edge_list;

static edge_list edges_within(limpet_soft_search *search, const limpet_soft_surface *surface,
                              const limpet_soft_surface *box, double most) {
  const bool own = surface == box, any = own && limpet_soft_has_two_sides(surface, own);
  edge_list list = {.edge = LIMPET_TAKE(search->arena, edge, surface->edge_count + 1)};
  const double *position = search->data->vertex_position;
  if (!list.edge || limpet_soft_boxes_take(&list.boxes, surface->edge_count, search->arena)) {
    search->failed = true;
    return list;
  }
  for (int i = 0; i < surface->edge_count; ++i) {
    const int *end = surface->edge_end + 2 * i;
    const double *x = position + 3 * end[0], *y = position + 3 * end[1];
    bool out = false;
    for (int k = 0; k < 3 && !out; ++k)
      out = limpet_max(x[k], y[k]) < box->low[k] - most ||
            limpet_min(x[k], y[k]) > box->high[k] + most;
    if (out) continue;
    edge *next = &list.edge[list.boxes.count];
    edge_take(search->data, surface, i, own, next);
    if (next->folded || (any && next->length > 0.0))
      limpet_soft_boxes_add(&list.boxes, 2, end, position, NULL);
  }
  return list;
}

static bool share_an_end(const edge *a, const edge *b) {
  return a->end[0] == b->end[0] || a->end[0] == b->end[1] || a->end[1] == b->end[0] ||
         a->end[1] == b->end[1];
}

void limpet_soft_cross(limpet_soft_search *search, int d, int other) {
  const limpet_soft_surface *own = &search->surfaces->surface[d],
                            *its = &search->surfaces->surface[other];
  const double base = search->request->speculative +
                      search->collision->pair[search->collision->pair_count - 1].margin;
  const double reach = base + ways_ahead * search->request->dt * (own->speed + its->speed);
  const double most = limpet_max(reach, deepest * limpet_min(own->edge, its->edge));
  const edge_list a = edges_within(search, own, its, most);
  const edge_list b = edges_within(search, its, own, most);
  for (int i = 0; i < a.boxes.count && !search->failed; ++i) {
    limpet_soft_box around = a.boxes.box[i];
    for (int k = 0; k < 3; ++k) around.low[k] -= most, around.high[k] += most;
    int k = d == other ? i + 1 : 0;
    for (; (k = limpet_soft_boxes_next(&b.boxes, k, &around)) < b.boxes.count; ++k)
      if (d != other || !share_an_end(&a.edge[i], &b.edge[k]))
        try_pair(search, d, other, &a.edge[i], &b.edge[k]);
  }
}
