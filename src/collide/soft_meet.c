/* collide/soft_meet.c: deformable bodies against each other and themselves.
 *
 * Each vertex of a surface against the nearest triangle of the other one, and the other way round:
 *   p      nearest point of the triangle, b its weights        s  sign: + outside of the triangle
 *   phi    s |x - p|                                           n  (x - p)/phi, or the face's normal
 * Where edges and corners of several triangles are equally near, the triangle that x stands most
 * upright on tells inside from outside. The contact hangs on the vertex and on the three of the
 * triangle. A vertex deeper inside than `deepest` of the triangle's longest edge belongs to the
 * other side of a thin body and is left to the vertices there.
 * Flush rims: where no face around the vertex looks against n, the vertex has not come from there.
 * If the plane of a face that one of them looks against is hardly farther, and the vertex is hardly
 * beside that face, p is its foot there (b beyond the face by as much), phi the height above it.
 * "Hardly": `flush_share` of the longest edge. It tells by the pose alone, as restarts need it.
 * With itself a surface meets where vertex and triangle were at rest farther apart than an edge.
 * Those that were nearer are looked for by themselves: they are neighbours in every pose, so they
 * count only from outside, or inside by less than LIMPET_SOFT_SHALLOW of their distance at rest,
 * and where that is more than the margin. What is deeper inside its own body is seen through the
 * body. Cost: for each vertex in the box of the other surface, the boxes of groups of its
 * triangles, and the triangles that are no farther than the nearest one so far. */
#include <math.h>

#include "collide/soft_boxes.h"
#include "collide/soft_rest.h"
#include "collide/soft_surface.h"
#include "math/extremes.h"
#include "math/vec3.h"

static const double ways_ahead = 2.0;    // [-]  as in step/detection.c
static const double deepest = 1.0;       // [-]  of the longest edge
static const double flush_share = 1e-3;  // [-]  of the longest edge: rims nearer than it are flush
static const double facing = 0.7;        // [-]  cosine between a normal and what faces it
enum { MEET_FEATURE_BIT = 61, SWAP_FEATURE_BIT = 62, VERTEX_SHIFT = 28 };

// The nearest triangle of a vertex so far.
typedef struct nearest_face {
  int face;
  double square, upright;  // [m^2], [-]  distance, and how upright x stands on the face
  double p[3], b[3], normal[3];
  double edge;  // [m]  longest
} nearest_face;

static void try_face(const limpet_data *data, const int *face, int number, const double at[3],
                     nearest_face *best) {
  const double *x[3];
  double b[3], p[3] = {0.0, 0.0, 0.0}, arm[3], e1[3], e2[3], n[3];
  for (int k = 0; k < 3; ++k) x[k] = data->vertex_position + 3 * face[k];
  limpet_soft_nearest_point(x, at, b);
  for (int k = 0; k < 3; ++k) limpet_vec3_addmul(p, p, b[k], x[k]);
  limpet_vec3_sub(arm, at, p);
  const double square = limpet_vec3_dot(arm, arm);
  const double slack = 1e-9 * (square + best->square);
  if (square > best->square + slack) return;
  limpet_vec3_sub(e1, x[1], x[0]), limpet_vec3_sub(e2, x[2], x[0]);
  limpet_vec3_cross(n, e1, e2);
  const double length = limpet_vec3_norm(n), away = sqrt(square);
  if (!(length > 0.0)) return;
  limpet_vec3_scale(n, 1.0 / length, n);
  const double upright = away > 0.0 ? limpet_vec3_dot(arm, n) / away : 1.0;
  if (square > best->square - slack && fabs(upright) <= fabs(best->upright)) return;
  best->face = number, best->square = square, best->upright = upright;
  limpet_vec3_copy(best->p, p), limpet_vec3_copy(best->b, b), limpet_vec3_copy(best->normal, n);
  best->edge = 0.0;
  for (int k = 0; k < 3; ++k)
    best->edge = limpet_max(best->edge, limpet_vec3_distance(x[k], x[(k + 1) % 3]));
}

// What a vertex looks for: another body, or what was apart or near of its own at rest.
typedef enum meet_part { MEET_OTHER, MEET_APART, MEET_NEAR } meet_part;

static bool apart_at_rest(const limpet_model *model, const int *face, int vertex) {
  double edge = 0.0, least = INFINITY;
  const double *x = model->vertex_reference;
  for (int k = 0; k < 3; ++k) {
    edge = limpet_max(edge, limpet_vec3_distance(x + 3 * face[k], x + 3 * face[(k + 1) % 3]));
    least = limpet_min(least, limpet_vec3_distance(x + 3 * face[k], x + 3 * vertex));
  }
  return least > 1.5 * edge;
}

// Whether a vertex may meet a triangle.
static bool may_meet(const limpet_model *model, const int *face, int vertex, meet_part part) {
  if (face[0] == vertex || face[1] == vertex || face[2] == vertex) return false;
  return part == MEET_OTHER || apart_at_rest(model, face, vertex) == (part == MEET_APART);
}

static bool in_box(const limpet_soft_surface *surface, const double x[3], double more) {
  for (int k = 0; k < 3; ++k)
    if (x[k] < surface->low[k] - more || x[k] > surface->high[k] + more) return false;
  return true;
}

// A contact of vertex `v` of body d with the face of body e that `best` names.
static void add(limpet_soft_search *s, int d, int e, int v, meet_part part,
                const nearest_face *best, double phi, const double n[3]) {
  const int geom_d = s->model->deformable_geom[d], geom_e = s->model->deformable_geom[e];
  const bool vertex_is_a = geom_d < geom_e;
  const int *face = s->surfaces->surface[e].face + 3 * best->face;
  const double *x = s->data->vertex_position + 3 * v;
  limpet_soft_link *link;
  limpet_collision_contact *contact = limpet_soft_append(s, &link);
  if (!contact) return;
  limpet_contact_point *point = &contact->point;
  limpet_vec3_copy(point->on_a, vertex_is_a ? x : best->p);
  limpet_vec3_copy(point->on_b, vertex_is_a ? best->p : x);
  limpet_vec3_scale(point->normal, vertex_is_a ? -1.0 : 1.0, n);
  point->distance = phi;
  point->feature = (uint64_t)1 << MEET_FEATURE_BIT | (uint64_t)vertex_is_a << SWAP_FEATURE_BIT |
                   (uint64_t)(v - s->model->deformable_vertex[d]) << VERTEX_SHIFT |
                   (uint64_t)(part == MEET_NEAR);
  contact->acts_on = vertex_is_a ? LIMPET_ACTS_ON_A : LIMPET_ACTS_ON_B;
  const double sign = vertex_is_a ? -1.0 : 1.0;
  link->count = 4;
  link->vertex[0] = v, link->weight[0] = sign;
  for (int k = 0; k < 3; ++k)
    link->vertex[k + 1] = face[k], link->weight[k + 1] = -sign * best->b[k];
}

// All within `away` of x, and a little more.
static limpet_soft_box box_around(const double x[3], double away) {
  const double more = away * (1.0 + 1e-8);
  return (limpet_soft_box){{x[0] - more, x[1] - more, x[2] - more},
                           {x[0] + more, x[1] + more, x[2] + more}};
}

/* Whether a vertex is outside of a triangle of its own body, or inside by so little that it came
 * from there: what is deeper is seen through the body. */
static bool is_outside(const limpet_soft_search *s, const limpet_soft_surface *surface, int v,
                       const nearest_face *at) {
  if (limpet_soft_has_two_sides(surface, true) || at->upright >= 0.0) return true;
  const double rest = limpet_soft_rest_of_face(s->model, surface->face + 3 * at->face, v);
  return sqrt(at->square) < LIMPET_SOFT_SHALLOW * limpet_min(rest, at->edge);
}

// The triangle of body e that is nearest to a vertex, no farther than `most` along an axis; boxes:
// of the triangles.
static nearest_face nearest_of(const limpet_soft_search *s, const limpet_soft_boxes *boxes, int e,
                               int v, double most, meet_part part) {
  const limpet_soft_surface *other = &s->surfaces->surface[e];
  const double *x = s->data->vertex_position + 3 * v;
  nearest_face best = {.face = LIMPET_NONE, .square = INFINITY};
  limpet_soft_box around = box_around(x, most);
  for (int f = 0; (f = limpet_soft_boxes_next(boxes, f, &around)) < boxes->count; ++f) {
    const int *face = other->face + 3 * f;
    if (!may_meet(s->model, face, v, part)) continue;
    const double before = best.square;
    nearest_face next = best;
    try_face(s->data, face, f, x, &next);
    if (next.face == f && (part == MEET_OTHER || is_outside(s, other, v, &next))) best = next;
    if (best.square < before) around = box_around(x, limpet_min(most, sqrt(best.square)));
  }
  return best;
}

// How a vertex meets the other surface: along n, at distance phi.
typedef struct meeting {
  nearest_face at;
  double phi, n[3];  // [m], [-]
} meeting;

// Whether a face around vertex number i of the surface looks against n.
static bool looks_against(const limpet_data *data, const limpet_soft_surface *own, int i,
                          const double n[3]) {
  for (int k = own->around[i]; k < own->around[i + 1]; ++k) {
    double m[3];
    if (limpet_soft_face_normal(data, own->face + 3 * own->around_face[k], m) &&
        limpet_vec3_dot(m, n) < -facing)
      return true;
  }
  return false;
}

// Weights of the foot of a point on the plane of a triangle, also beside it.
static void foot_on(const double *const x[3], const double at[3], double b[3]) {
  double u[3], v[3], arm[3];
  limpet_vec3_sub(u, x[1], x[0]), limpet_vec3_sub(v, x[2], x[0]), limpet_vec3_sub(arm, at, x[0]);
  const double uu = limpet_vec3_dot(u, u), vv = limpet_vec3_dot(v, v), uv = limpet_vec3_dot(u, v),
               au = limpet_vec3_dot(arm, u), av = limpet_vec3_dot(arm, v);
  const double det = uu * vv - uv * uv;
  b[1] = (au * vv - av * uv) / det, b[2] = (av * uu - au * uv) / det;
  b[0] = 1.0 - b[1] - b[2];
}

/* The meeting of a vertex with the plane of face f, if a face around the vertex looks against it
 * and the vertex is above or below the face, or beside it by less than `flush` [m]. `least` [m^2]:
 * of the nearest such face so far. */
static void try_facing(const limpet_soft_search *s, const limpet_soft_surface *own, int i,
                       const int *face, int f, double flush, double *least, meeting *best) {
  const double *at = s->data->vertex_position + 3 * own->vertex[i], *x[3];
  double n[3], arm[3];
  nearest_face near = {.face = LIMPET_NONE, .square = *least};
  try_face(s->data, face, f, at, &near);
  if (near.face == LIMPET_NONE || !looks_against(s->data, own, i, near.normal)) return;
  for (int k = 0; k < 3; ++k) x[k] = s->data->vertex_position + 3 * face[k];
  limpet_vec3_sub(arm, at, near.p);
  limpet_vec3_copy(n, near.normal);
  const double height = limpet_vec3_dot(n, arm);
  if (height > flush || near.square - height * height > flush * flush) return;
  *least = near.square;
  foot_on(x, at, near.b);
  limpet_vec3_addmul(near.p, at, -height, n);
  *best = (meeting){.at = near, .phi = height};
  limpet_vec3_copy(best->n, n);
}

/* A vertex whose faces do not look against where it is pushed has not come from there: of the faces
 * that are hardly farther it meets the one that they look against. So what rests on a flush rim
 * stays on it, be the side below nearer, or nothing below. */
static void prefer_facing(const limpet_soft_search *s, const limpet_soft_boxes *boxes, int d, int e,
                          int i, meeting *best) {
  const limpet_soft_surface *own = &s->surfaces->surface[d], *other = &s->surfaces->surface[e];
  const double flush = flush_share * best->at.edge;
  if (best->phi > flush || limpet_soft_has_two_sides(own, d == e) ||
      limpet_soft_has_two_sides(other, d == e) || looks_against(s->data, own, i, best->n))
    return;
  const int v = own->vertex[i];
  const double most = sqrt(best->at.square) + flush;
  double least = most * most;
  const limpet_soft_box around = box_around(s->data->vertex_position + 3 * v, most);
  for (int f = 0; (f = limpet_soft_boxes_next(boxes, f, &around)) < boxes->count; ++f) {
    const int *face = other->face + 3 * f;
    if (may_meet(s->model, face, v, d == e ? MEET_APART : MEET_OTHER))
      try_facing(s, own, i, face, f, flush, &least, best);
  }
}

/* How near a vertex always meets what it has found [m]: the margin and the speculative distance,
 * but of a neighbour no more than a share of the distance at rest; below zero: never. */
static double always_meets(const limpet_soft_search *s, int v, const int *face, meet_part part) {
  const double margin = s->collision->pair[s->collision->pair_count - 1].margin;
  if (part != MEET_NEAR) return margin + s->request->speculative;
  const double rest = limpet_soft_rest_of_face(s->model, face, v);
  return margin < rest ? margin + limpet_min(s->request->speculative, LIMPET_SOFT_SHALLOW * rest)
                       : -INFINITY;
}

static void meet_vertex(limpet_soft_search *s, const limpet_soft_boxes *boxes, int d, int e, int i,
                        meet_part part, double most) {
  const limpet_soft_surface *other = &s->surfaces->surface[e];
  const int v = s->surfaces->surface[d].vertex[i];
  const double *x = s->data->vertex_position + 3 * v;
  meeting best = {.at = nearest_of(s, boxes, e, v, most, part)};
  const nearest_face *at = &best.at;
  if (at->face == LIMPET_NONE) return;
  const double away = sqrt(at->square);
  best.phi = at->upright < 0.0 && !limpet_soft_has_two_sides(other, d == e) ? -away : away;
  if (best.phi < -deepest * at->edge) return;
  if (away > 1e-12 * at->edge) {
    limpet_vec3_sub(best.n, x, at->p);
    limpet_vec3_scale(best.n, 1.0 / best.phi, best.n);
  } else limpet_vec3_copy(best.n, at->normal);
  if (part != MEET_NEAR) prefer_facing(s, boxes, d, e, i, &best);
  const int *face = other->face + 3 * at->face;
  const int vertex[4] = {v, face[0], face[1], face[2]};
  const double weight[4] = {1.0, -at->b[0], -at->b[1], -at->b[2]};
  const double base = always_meets(s, v, face, part);
  if (best.phi < base + limpet_soft_closing_pair(s, best.n, 1, 4, vertex, weight))
    add(s, d, e, v, part, at, best.phi, best.n);
}

static void meet(limpet_soft_search *s, int d, int e) {
  const limpet_soft_surface *own = &s->surfaces->surface[d], *other = &s->surfaces->surface[e];
  const double base =
      s->request->speculative + s->collision->pair[s->collision->pair_count - 1].margin;
  const double reach = base + ways_ahead * s->request->dt * (own->speed + other->speed);
  const double most = limpet_max(reach, deepest * other->edge);
  limpet_soft_boxes boxes;
  if (limpet_soft_boxes_take(&boxes, other->face_count, s->arena)) {
    s->failed = true;
    return;
  }
  const double *x = s->data->vertex_position;
  for (int f = 0; f < other->face_count; ++f)
    limpet_soft_boxes_add(&boxes, 3, other->face + 3 * f, x, NULL);
  for (int i = 0; i < own->vertex_count && !s->failed; ++i) {
    const int v = own->vertex[i];
    if (!in_box(other, x + 3 * v, reach)) continue;
    meet_vertex(s, &boxes, d, e, i, d == e ? MEET_APART : MEET_OTHER, most);
    if (d == e && !s->failed) meet_vertex(s, &boxes, d, e, i, MEET_NEAR, most);
  }
}

void limpet_soft_meet(limpet_soft_search *search, int d, int other) {
  meet(search, d, other);
  if (d != other) meet(search, other, d);
}
