/* collide/soft_edges.c: edges of a deformable body where a rigid geom is lowest between their ends.
 *
 * phi along an edge, x(s) = (1 - s) a + s b, is convex for a convex geom. Where it falls at a and
 * rises towards b it has its least value between them. The bracket [s0, s1] has slopes d0 < 0 < d1:
 *   cut      s where the tangents at s0 and s1 meet: exact where two faces meet in an edge; their
 *            common value l is a lower bound
 *   secant   s where the slope, taken as linear, is zero: exact for quadratics
 * by turns, until phi - l or the slope is round-off. The normal is the one of all in between that
 * is square to the edge (the multipliers of min max phi_i),
 *   n = u/|u|,  u = w g0 + (1 - w) g1,  w = d1/(d1 - d0),  distance = phi/|u|
 * so it does not jump where the point is as near to one face of the geom as to another one.
 *
 * Where an end is lowest, the other one may sink beside it within the step: the edge then touches
 * where the slope begins to rise from that at the end. So phi - c s is looked at, c [m] beyond the
 * slope at the end by half a sharp turn, or by half the rise to the other end if that is less.
 * Without such points an edge that a corner holds would swing through it in every second step.
 * Speeds say whether such a point counts, not where it is: places of contacts are geometry.
 *
 * A point near an end, or hardly lower than the ends, says what the vertex there says, and many of
 * them make a stiff problem. So one counts where it is lower than both ends by `deep`, or where the
 * geom is sharp there, and always beyond `end_share` of the length from the vertices.
 * Source: Kelley, The cutting-plane method for solving convex programs, 1960. */
#include <math.h>

#include "collide/soft_surface.h"
#include "geometry/point_distance.h"
#include "limpet/distance.h"
#include "math/extremes.h"
#include "math/vec3.h"

static const double end_share = 0.03;  // [-]  of the length
static const double deep = 4e-3;       // [-]  of the length
static const double sharp_turn = 0.1;  // [-]  change of slope around a point where a geom is sharp
static const double flat = 1e-9;       // [-]  slope, of the length
static const double narrow = 1e-8;     // [-]  bracket
static const double least_normal = 0.5;  // [-]  |u| below it: the geom is a thin blade
enum { ROUNDS = 40, GUESSES = 3, EDGE_FEATURE_BIT = 59 };

// A point of an edge: gradient g of phi, in W at the ends, in the geom's axes once they are known
// to matter; and phi [m] and its slope d [m] less those of c s.
typedef struct sample {
  double s, phi, g[3], d;
} sample;

typedef struct edge {
  const limpet_shape *shape;
  const double *a, *b;            // [m]  ends
  double along[3];                // [m]  b - a
  double length;                  // [m]
  double tilt;                    // [m]  c
  double own_a[3], own_along[3];  // [m]  a and b - a in the geom's axes; set by turn
} edge;

static void tilt(const edge *e, sample *at) {
  at->phi -= e->tilt * at->s;
  at->d -= e->tilt;
}

// An end of an edge, from the scratch where it is known.
static sample sample_end(const limpet_soft_search *search, const edge *e, int vertex, double s) {
  const limpet_soft_surfaces *scratch = search->surfaces;
  const int slot = scratch->slot[vertex];
  sample at = {.s = s};
  if (slot == LIMPET_NONE) {
    limpet_signed_distance(e->shape, search->data->vertex_position + 3 * vertex, 1, &at.phi, at.g);
  } else {
    at.phi = scratch->distance[slot];
    limpet_vec3_copy(at.g, scratch->gradient + 3 * slot);
  }
  at.d = limpet_vec3_dot(at.g, e->along);
  return at;
}

// Tilts the ends and turns the edge and their gradients to the geom's axes.
static void turn(edge *e, sample *low, sample *high) {
  const double *R = e->shape->rotation;
  double offset[3], g[3];
  limpet_vec3_sub(offset, e->a, e->shape->position);
  limpet_mat3_tmul_vec(e->own_a, R, offset);
  limpet_mat3_tmul_vec(e->own_along, R, e->along);
  for (int k = 0; k < 2; ++k) {
    sample *end = k == 0 ? low : high;
    limpet_mat3_tmul_vec(g, R, end->g);
    limpet_vec3_copy(end->g, g);
    tilt(e, end);
  }
}

// Of an edge that is turned.
static sample sample_at(const edge *e, double s) {
  sample at = {.s = s};
  double x[3];
  limpet_vec3_addmul(x, e->own_a, s, e->own_along);
  at.phi = limpet_point_distance[e->shape->kind](at.g, e->shape, x);
  at.d = limpet_vec3_dot(at.g, e->own_along);
  tilt(e, &at);
  return at;
}

// Where the tangents at both ends of a bracket meet; *least: their value there.
static double cut(const sample *low, const sample *high, double *least) {
  const double s =
      (low->phi - high->phi + high->d * high->s - low->d * low->s) / (high->d - low->d);
  *least = low->phi + low->d * (s - low->s);
  return s;
}

/* The tilt with which the least phi is between the ends. sink: how far [m] each end may come to the
 * geom within the step. False: there is none. */
static bool tilt_of(const sample *low, const sample *high, double length, const double sink[2],
                    double *c) {
  const double rise = high->d - low->d, beyond = 0.5 * limpet_min(rise, sharp_turn * length);
  *c = 0.0;
  if (!(rise > flat * length)) return false;
  if (low->d >= 0.0) {
    *c = low->d + beyond;
    return sink[1] > low->d;
  }
  if (high->d <= 0.0) {
    *c = high->d - beyond;
    return -sink[0] < high->d;
  }
  return true;
}

/* Narrows the bracket to where the slope is zero; false: phi is above `near` there, that is at an
 * end, or too little below `ends` [m] to count where the geom is not sharp. */
static bool lowest(const edge *e, double near, double ends, sample *low, sample *high, sample *at) {
  // the slope around a point changes by no more than between the ends
  const bool blunt = !(high->d - low->d > sharp_turn * e->length);
  for (int round = 0; round < ROUNDS; ++round) {
    if (high->s < end_share || low->s > 1.0 - end_share) return false;
    double least, s = cut(low, high, &least);
    const double bound = least + limpet_min(0.0, e->tilt);
    if (bound > near || (blunt && ends - bound < deep * e->length)) return false;
    if (round % 2 == 1) s = low->s - low->d * (high->s - low->s) / (high->d - low->d);
    *at = sample_at(e, limpet_min(limpet_max(s, low->s), high->s));
    if (at->phi - least <= 1e-12 * e->length || high->s - low->s < narrow) break;
    if (at->d <= 0.0) *low = *at;
    if (at->d >= 0.0) *high = *at;
    if (fabs(at->d) > flat * e->length) continue;
    *low = *high = *at;
    break;
  }
  return true;
}

// The contact at a lowest point, with a normal between those of its bracket.
static void fill(const edge *e, const sample *low, const sample *high, const sample *at,
                 limpet_soft_point *point) {
  const double d0 = low->d + e->tilt, d1 = high->d + e->tilt;
  const double w = d1 > d0 ? limpet_min(limpet_max(d1 / (d1 - d0), 0.0), 1.0) : 1.0;
  double u[3];
  for (int k = 0; k < 3; ++k) u[k] = w * low->g[k] + (1.0 - w) * high->g[k];
  const double size = limpet_vec3_norm(u);
  if (size > 0.0) limpet_vec3_scale(u, 1.0 / size, u);
  else limpet_vec3_copy(u, at->g);
  limpet_mat3_mul_vec(point->normal, e->shape->rotation, u);
  limpet_vec3_addmul(point->x, e->a, at->s, e->along);
  point->phi = (at->phi + e->tilt * at->s) / limpet_max(size, least_normal);
  point->weight[0] = 1.0 - at->s, point->weight[1] = at->s;
}

// Whether the geom is bent at s within a small part of the edge.
static bool is_sharp(const edge *e, double s) {
  const sample before = sample_at(e, s - end_share), after = sample_at(e, s + end_share);
  return after.d - before.d > sharp_turn * e->length;
}

/* Whether the geom is not sharp where a tilted edge is lowest. There the edge counts for nothing
 * else, since an end is lower. Slopes rise along the edge, so around the point they change by no
 * more than in a longer piece. */
static bool is_smooth(const edge *e, sample low, sample high) {
  const double most = sharp_turn * e->length;
  if (high.d - low.d <= most) return true;
  for (int k = 0; k < GUESSES; ++k) {
    const double s = low.s - low.d * (high.s - low.s) / (high.d - low.d);
    const sample before = sample_at(e, s - end_share);
    if (before.d > 0.0) {
      high = before;
      continue;
    }
    const sample after = sample_at(e, s + end_share);
    if (after.d >= 0.0)
      return sample_at(e, after.s + end_share).d - sample_at(e, before.s - end_share).d <= most;
    low = after;
  }
  return false;
}

// How far [m] an end may come to the geom within the step.
static double sink_of(const limpet_soft_search *search, const limpet_soft_against *against,
                      int vertex, const double g[3]) {
  const double one[1] = {1.0};
  return against->base + limpet_soft_closing(search, g, 1, &vertex, one);
}

// Whether phi stays above `near` all along the edge, by the tangents at its ends.
static bool stays_above(const sample *low, const sample *high, double near) {
  double least = limpet_min(low->phi, high->phi);
  if (low->d < 0.0 && high->d > 0.0) cut(low, high, &least);
  return least > near;
}

static void try_edge(limpet_soft_search *search, const limpet_soft_against *against, edge *e,
                     limpet_soft_point *point) {
  const int *end = point->vertex;
  sample low = sample_end(search, e, end[0], 0.0), high = sample_end(search, e, end[1], 1.0), at;
  if (stays_above(&low, &high, against->most)) return;
  const double sink[2] = {sink_of(search, against, end[0], low.g),
                          sink_of(search, against, end[1], high.g)};
  if (!tilt_of(&low, &high, e->length, sink, &e->tilt)) return;
  turn(e, &low, &high);
  if (e->tilt != 0.0 && is_smooth(e, low, high)) return;
  const double ends = limpet_min(low.phi, high.phi + e->tilt);
  if (!lowest(e, against->most, ends, &low, &high, &at)) return;
  if (at.s < end_share || at.s > 1.0 - end_share) return;
  const double sag = ends - (at.phi + e->tilt * at.s);
  fill(e, &low, &high, &at, point);
  if (!limpet_soft_may_touch(search, against, point)) return;
  if (!(sag > deep * e->length) && !is_sharp(e, at.s)) return;
  limpet_soft_take(search, against, point);
}

void limpet_soft_edges(limpet_soft_search *search, const limpet_soft_against *against) {
  const limpet_soft_surface *surface = &search->surfaces->surface[against->d];
  const unsigned char *side = search->surfaces->side;
  for (int i = 0; i < surface->edge_count && !search->failed; ++i) {
    const int *end = surface->edge_end + 2 * i;
    if (side[end[0]] & side[end[1]]) continue;  // both ends beyond the same side of the geom's box
    edge e = {.shape = &against->shape,
              .a = search->data->vertex_position + 3 * end[0],
              .b = search->data->vertex_position + 3 * end[1]};
    limpet_vec3_sub(e.along, e.b, e.a);
    e.length = limpet_vec3_norm(e.along);
    limpet_soft_point point = {
        .feature = (uint64_t)1 << EDGE_FEATURE_BIT | (uint64_t)i, .count = 2, .vertex = end};
    try_edge(search, against, &e, &point);
  }
}
