/* collide/soft_pass.c: see soft_pass.h, and soft_sweep.c for the equations. Cost: a cubic. */
#include "collide/soft_pass.h"

#include <math.h>

#include "collide/soft_rest.h"
#include "geometry/coplanar.h"
#include "math/extremes.h"
#include "math/vec3.h"
#include "model/point_velocity.h"

static const double beside = 1e-6;      // [-]  of a triangle or edge, beyond its rim: no slit there
static const double beyond_fold = 0.2;  // [-]  as in soft_cross.c
static const double thin_share = 0.02;  // [-]  of the shortest edge: the skin is no thicker
static const double folded_share = 0.1;  // [-]  of the skin: where a surface is folded
static const double least_angle = 1e-6;  // [-]  sine between edges; below it the ends decide
enum { PASS_FEATURE_BIT = 63, SWAP_BIT = 62, ROUND_BIT = 59, CROSS_BIT = 58, ONE_SHIFT = 29 };

// Whether side k is passed from both sides.
static bool has_two_sides(const limpet_soft_ways *s, int k) {
  return limpet_soft_has_two_sides(s->of[k], limpet_soft_with_itself(s));
}

double limpet_soft_skin(const limpet_soft_ways *s, const limpet_soft_surface *surface) {
  return limpet_min(s->request->allowed, thin_share * surface->shortest);
}

// Four points that pass through each other.
typedef struct pass {
  int vertex[4];
  double weight[4];
  double t;     // [-]  share of the step
  double n[3];  // g = n . sum weight x
  double end;   // [m]  g of the surfaces themselves
} pass;

static void at_time(const limpet_soft_ways *s, int vertex, double t, double x[3]) {
  const double *from = s->x + 3 * vertex, *to = s->end + 3 * vertex;
  for (int k = 0; k < 3; ++k) x[k] = from[k] + t * (to[k] - from[k]);
}

static int times_of(const limpet_soft_ways *s, const int vertex[4], double t[3]) {
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
static void measure(const limpet_soft_ways *s, pass *p) {
  const double start = gap_along(p, s->x);
  p->end = gap_along(p, s->end);
  if (start < p->end) {
    limpet_vec3_neg(p->n, p->n);
    p->end = -p->end;
  }
  if (s->skin) p->end += gap_along(p, s->skin_end);
}

// Whether the first vertex is in the triangle of the others at time t; fills weights and normal.
static bool is_in_triangle(const limpet_soft_ways *s, double t, pass *p) {
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
static bool do_cross(const limpet_soft_ways *s, double t, pass *p) {
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

static void normal_at(const limpet_soft_ways *s, const int *face, double t, double n[3]) {
  double x[3][3], u[3], v[3];
  for (int k = 0; k < 3; ++k) at_time(s, face[k], t, x[k]);
  limpet_vec3_sub(u, x[1], x[0]), limpet_vec3_sub(v, x[2], x[0]);
  limpet_vec3_cross(n, u, v);
  const double size = limpet_vec3_norm(n);
  if (size > 0.0) limpet_vec3_scale(n, 1.0 / size, n);
}

// Whether n, square to an edge of a closed surface at time t, lies between its faces' normals.
static bool sticks_out(const limpet_soft_ways *s, const limpet_soft_surface *surface, int number,
                       double t, const double n[3]) {
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

/* Gap [m] that is to be left at the end: the margin, of neighbours less, and around the axis of a
 * capsule its radius; rest: distance of neighbours. */
static double gap_to_keep(const limpet_soft_ways *s, double margin, double rest) {
  if (s->corners) return margin + s->corners->radius;
  return margin < rest ? margin : LIMPET_SOFT_SHALLOW * rest;
}

void limpet_soft_velocity_of_geom(const limpet_soft_search *search, const double *twist, int geom,
                                  const double point[3], double v[3]) {
  limpet_point_velocity_by(search->model, search->data, twist, search->model->geom_body[geom],
                           point, v);
}

/* The gap [m] at the start from which velocities, those of a rigid geom at `point`, lead to the one
 * at the end: where nothing turns that of the start. */
static double start_that_leads(const limpet_soft_ways *s, const pass *p, const double point[3]) {
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
static void add(const limpet_soft_ways *s, int one, const pass *p, double keep, bool on_vertex,
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
static bool count(const limpet_soft_ways *s, const pass *p) {
  limpet_soft_passes *passes = s->passes;
  ++passes->count;
  if (passes->count > 1 && !(-p->end > passes->depth)) return s->request->adds;
  passes->depth = -p->end;
  for (int i = 3; i >= 0; --i)
    if (p->vertex[i] < s->search->model->vertex_count) passes->vertex = p->vertex[i];
  return s->request->adds;
}

static double margin_of(const limpet_soft_ways *s) {
  const limpet_collision *collision = s->search->collision;
  return collision->pair[collision->pair_count - 1].margin;
}

/* Whether a pass ends less deep than contacts of closed bodies may be. With itself a body has no
 * room for a skin in a sharp fold. Against others points a skin within pass for the surface; where
 * it is folded, as around inverted elements, they are not within, and it is asked itself. */
static bool is_shallow(const limpet_soft_ways *s, const pass *p) {
  if (limpet_soft_with_itself(s))
    return !has_two_sides(s, 0) && -p->end <= limpet_soft_skin(s, s->of[0]);
  double skin = 0.0;
  for (int k = 0; k < (s->corners ? 1 : 2); ++k)
    if (!s->of[k]->two_sided) skin = limpet_max(skin, limpet_soft_skin(s, s->of[k]));
  return -p->end < folded_share * skin;
}

// Whether a corner of a rigid geom passes behind all others of it: then it comes back.
static bool trails(const limpet_soft_ways *s, const pass *p) {
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
static bool enters_face(const limpet_soft_ways *s, int other, const pass *p, const double out[3]) {
  if (is_shallow(s, p)) return false;
  if (!has_two_sides(s, other)) return limpet_vec3_dot(out, p->n) > 0.0;
  return !s->corners || !trails(s, p);
}

void limpet_soft_pass_vertex(const limpet_soft_ways *s, int other, int v, int number) {
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
        limpet_soft_with_itself(s) ? limpet_soft_rest_of_face(s->search->model, face, v) : INFINITY;
    const bool swapped = s->geom[1 - other] < s->geom[other];
    add(s, other, &p, gap_to_keep(s, margin_of(s), rest), true,
        (uint64_t)swapped << SWAP_BIT | (uint64_t)(v - s->first[1 - other]) << ONE_SHIFT |
            (uint64_t)number);
    return;
  }
}

// Whether the way from vertex p to vertex q goes through a triangle where the step ends.
static bool ends_through(const limpet_soft_ways *s, int p, int q, const int *face) {
  const double *from = s->end + 3 * p, *a = s->end + 3 * face[0];
  double way[3], u[3], v[3], arm[3], n[3], w[3];
  limpet_vec3_sub(way, s->end + 3 * q, from), limpet_vec3_sub(arm, from, a);
  limpet_vec3_sub(u, s->end + 3 * face[1], a), limpet_vec3_sub(v, s->end + 3 * face[2], a);
  limpet_vec3_cross(n, u, v);
  limpet_vec3_cross(w, way, arm);
  const double fall = -limpet_vec3_dot(way, n), t = limpet_vec3_dot(arm, n) / fall,
               b = -limpet_vec3_dot(v, w) / fall, c = limpet_vec3_dot(u, w) / fall;
  return t > 0.0 && t < 1.0 && limpet_min(limpet_min(b, c), 1.0 - b - c) > 0.0;
}

// Whether edge `number` of side k ends within the triangles at edge `other` of the other side.
static bool edge_ends_through(const limpet_soft_ways *s, int k, int number, int other) {
  const int *end = s->of[k]->edge_end + 2 * number, *at = s->of[1 - k]->edge_face + 2 * other;
  for (int i = 0; i < 2; ++i)
    if (at[i] != LIMPET_NONE && ends_through(s, end[0], end[1], s->of[1 - k]->face + 3 * at[i]))
      return true;
  return false;
}

/* Counts a pass that no edge which sticks out makes, as where a closed surface is folded, if the
 * surfaces cross where the step ends. Contacts of such edges would not part them. */
static void tell_fold(const limpet_soft_ways *s, int a, int b, const pass *p) {
  if (limpet_soft_with_itself(s)) return;
  if (!edge_ends_through(s, 0, a, b) && !edge_ends_through(s, 1, b, a)) return;
  count(s, p);
  ++s->passes->left;
}

// Whether edges a and b that pass each other at t are to be stopped: those of closed surfaces where
// they stick out.
static bool enters_edge(const limpet_soft_ways *s, int a, int b, const pass *p) {
  double back[3];
  limpet_vec3_neg(back, p->n);
  return (has_two_sides(s, 0) || sticks_out(s, s->of[0], a, p->t, p->n)) &&
         (has_two_sides(s, 1) || sticks_out(s, s->of[1], b, p->t, back));
}

void limpet_soft_pass_edges(const limpet_soft_ways *s, int a, int b) {
  const int *p_end = s->of[0]->edge_end + 2 * a, *q_end = s->of[1]->edge_end + 2 * b;
  pass p = {.vertex = {p_end[0], p_end[1], q_end[0], q_end[1]}};
  double t[3];
  const int times = times_of(s, p.vertex, t);
  for (int i = 0; i < times; ++i) {
    if (!do_cross(s, t[i], &p)) continue;
    measure(s, &p);
    p.t = t[i];
    if (is_shallow(s, &p)) continue;
    if (!enters_edge(s, a, b, &p)) {
      tell_fold(s, a, b, &p);
      continue;
    }
    if (!count(s, &p)) return;
    const double rest = limpet_soft_with_itself(s)
                            ? limpet_soft_rest_of_edges(s->search->model, p_end, q_end)
                            : INFINITY;
    add(s, 0, &p, gap_to_keep(s, margin_of(s), rest), false,
        (uint64_t)1 << CROSS_BIT | (uint64_t)a << ONE_SHIFT | (uint64_t)b);
    return;
  }
}
