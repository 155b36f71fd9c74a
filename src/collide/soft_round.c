/* collide/soft_round.c: where a deformable body ends in a rigid geom without corners: a sphere, a
 * capsule, a cylinder, an ellipsoid, a hull with many corners.
 *
 * Contacts of a step are half spaces of its start. Where a triangle turns, or the geom goes past
 * one, they let it in by the square of the way. So the deepest point of each triangle (of a rope:
 * of each segment) is looked for where the attempt ends, and is a contact of the next attempt where
 * it is deeper than `allowed` and than it was:
 *   phi(v) = phi_1 + n . [(x - x_1) - h (u - u_1)]     x point of the triangle, u velocity of the
 * geom there, 1: as the attempt found them, n out of the geom at the end: a step of Newton's method
 * for the gap, as in step/look_again.c.
 *
 * Deepest: phi is convex, and of a ball it is least where the triangle is nearest to the centre.
 *   x+ = the point of the triangle nearest to x - s (phi + r) g,  r: depth of the geom's centre
 * is that step, and goes down for s small enough. Cost: three axes for each triangle, one distance
 * of those that meet the geom's box, a few of those that are near it. */
#include <math.h>

#include "collide/colliders.h"
#include "collide/shape_of_geom.h"
#include "collide/soft_rest.h"
#include "collide/soft_surface.h"
#include "math/extremes.h"
#include "math/vec3.h"

static const double thin_share = 0.1;    // [-]  of the depth of its centre: a geom's skin, at most
static const double deeper_share = 0.1;  // [-]  of the skin: what starts deeper may not sink so far
static const double settled = 1e-6;      // [-]  of the depth of the centre
static const double told_share = 0.01;   // [-]  of the skin: then it is told
static const double thin_core = 0.1;     // [-]  of a triangle's reach: edges of it are searched
enum { PASS_FEATURE_BIT = 63, ROUND_BIT = 59, ROPE_BIT = 58, DESCENTS = 12, HALVINGS = 40 };

// A geom where the attempt ends, and the body that is looked at.
typedef struct round_geom {
  limpet_soft_search *search;
  const limpet_soft_sweep_request *request;
  int d, geom;
  limpet_shape start, end;
  const double *centre, *half;  // [m]  box of the geom in its frame
  double core;                  // [m]  depth of its centre
  double allowed;               // [m]
  double margin;                // [m]
} round_geom;

// The deepest point of a triangle; of a segment the last two corners are the same.
typedef struct deepest_point {
  double b[3], x[3], phi, n[3];
} deepest_point;

static void place(const double *const corner[3], const double b[3], double x[3]) {
  limpet_vec3_zero(x);
  for (int k = 0; k < 3; ++k) limpet_vec3_addmul(x, x, b[k], corner[k]);
}

static deepest_point nearest_to(const round_geom *g, const double *const corner[3],
                                const double target[3]) {
  deepest_point p;
  limpet_soft_nearest_point(corner, target, p.b);
  place(corner, p.b, p.x);
  limpet_signed_distance(&g->end, p.x, 1, &p.phi, p.n);
  return p;
}

// The deepest point of the edge from corner i to the next one: phi is convex along it.
static deepest_point deepest_on_edge(const round_geom *g, const double *const corner[3], int i) {
  const int j = (i + 1) % 3;
  double low = 0.0, high = 1.0, along[3];
  deepest_point p = {.phi = INFINITY};
  limpet_vec3_sub(along, corner[j], corner[i]);
  for (int k = 0; k < HALVINGS; ++k) {
    deepest_point q = {0};
    q.b[j] = 0.5 * (low + high), q.b[i] = 1.0 - q.b[j];
    place(corner, q.b, q.x);
    limpet_signed_distance(&g->end, q.x, 1, &q.phi, q.n);
    if (q.phi < p.phi) p = q;
    if (limpet_vec3_dot(q.n, along) > 0.0) high = q.b[j];
    else low = q.b[j];
  }
  return p;
}

/* In a thin geom the descent may stop beside the deepest point, as normals of both its sides are
 * near each other. Edges of the triangle are searched to the end. */
static void look_along_edges(const round_geom *g, const double *const corner[3], double reach,
                             deepest_point *p) {
  if (g->core > thin_core * reach) return;
  const int edges = corner[1] == corner[2] ? 1 : 3;
  for (int i = 0; i < edges; ++i) {
    const deepest_point q = deepest_on_edge(g, corner, i);
    if (q.phi < p->phi) *p = q;
  }
}

static deepest_point deepest_of(const round_geom *g, const double *const corner[3]) {
  deepest_point p = nearest_to(g, corner, g->end.position);
  double step = 1.0, reach = 0.0;
  for (int k = 0; k < 3; ++k) reach = limpet_max(reach, limpet_vec3_distance(p.x, corner[k]));
  if (p.phi - reach > g->margin) return p;  // phi falls no faster than that
  for (int i = 0; i < DESCENTS && g->end.kind != LIMPET_SHAPE_SPHERE; ++i) {
    double target[3];
    limpet_vec3_addmul(target, p.x, -step * (p.phi + g->core), p.n);
    const deepest_point next = nearest_to(g, corner, target);
    const double fall = p.phi - next.phi;
    if (fall > 0.0) p = next;
    else step *= 0.5;
    if (fall >= 0.0 && fall < settled * g->core) break;
  }
  look_along_edges(g, corner, reach, &p);
  return p;
}

// Whether a triangle is beyond the geom's box along an axis of the geom.
static bool is_beyond(const round_geom *g, const double *const corner[3]) {
  const double *R = g->end.rotation;
  double x[3][3];
  for (int k = 0; k < 3; ++k) limpet_vec3_sub(x[k], corner[k], g->end.position);
  for (int k = 0; k < 3; ++k) {
    const double axis[3] = {R[k], R[3 + k], R[6 + k]}, more = g->half[k] + g->margin;
    const double a = limpet_vec3_dot(axis, x[0]) - g->centre[k],
                 b = limpet_vec3_dot(axis, x[1]) - g->centre[k],
                 c = limpet_vec3_dot(axis, x[2]) - g->centre[k];
    if (limpet_min(a, limpet_min(b, c)) > more || limpet_max(a, limpet_max(b, c)) < -more)
      return true;
  }
  return false;
}

typedef enum deep_kind { NOT_DEEP, DEEP_TOLD, DEEP_STOPPED } deep_kind;

/* Whether the point counts: deeper than `allowed`, and where it started so deep, deeper than then.
 * What sinks less far than is stopped is told. */
static deep_kind counts(const round_geom *g, const deepest_point *p, const double x[3]) {
  const double depth = g->margin - p->phi;
  if (!(depth > g->allowed)) return NOT_DEEP;
  double before;
  limpet_signed_distance(&g->start, x, 1, &before, NULL);
  const double sunk = depth - (g->margin - before);
  if (g->margin - before <= g->allowed || sunk > deeper_share * g->allowed) return DEEP_STOPPED;
  return sunk > told_share * g->allowed ? DEEP_TOLD : NOT_DEEP;
}

// x: the point at the start.
static void add(const round_geom *g, const deepest_point *p, int count, const int *vertex,
                const double x[3], uint64_t feature) {
  const bool soft_is_a = g->search->model->deformable_geom[g->d] < g->geom;
  limpet_soft_link *link;
  limpet_collision_contact *contact = limpet_soft_append(g->search, &link);
  if (!contact) return;
  double way[3], u[3], other[3];
  limpet_vec3_sub(way, p->x, x);
  limpet_soft_velocity_of_geom(g->search, g->request->twist, g->geom, x, u);
  limpet_vec3_addmul(way, way, -g->request->dt, u);
  const double phi = p->phi - limpet_vec3_dot(p->n, way);
  limpet_contact_point *point = &contact->point;
  limpet_vec3_addmul(other, x, -phi, p->n);
  limpet_vec3_copy(point->on_a, soft_is_a ? x : other);
  limpet_vec3_copy(point->on_b, soft_is_a ? other : x);
  limpet_vec3_scale(point->normal, soft_is_a ? -1.0 : 1.0, p->n);
  point->distance = phi;
  point->feature =
      (uint64_t)1 << PASS_FEATURE_BIT | (uint64_t)g->request->round << ROUND_BIT | feature;
  contact->passes = contact->of_end = true;
  contact->acts_on = soft_is_a ? LIMPET_ACTS_ON_A : LIMPET_ACTS_ON_B;
  link->count = count;
  for (int k = 0; k < count; ++k) {
    const double b = count == 2 && k == 1 ? p->b[1] + p->b[2] : p->b[k];
    link->vertex[k] = vertex[k];
    link->weight[k] = soft_is_a ? -b : b;
  }
}

// A triangle (count 3) or a segment (2) of the surface.
static void look_at(const round_geom *g, int count, const int *vertex, uint64_t feature,
                    limpet_soft_passes *passes) {
  const double *end[3], *start[3];
  for (int k = 0; k < 3; ++k) {
    const int v = vertex[k < count ? k : count - 1];
    end[k] = g->request->end + 3 * v, start[k] = g->search->data->vertex_position + 3 * v;
  }
  if (is_beyond(g, end)) return;
  const deepest_point p = deepest_of(g, end);
  double x[3];
  place(start, p.b, x);
  const deep_kind kind = counts(g, &p, x);
  if (kind == NOT_DEEP) return;
  const double depth = g->margin - p.phi;
  ++passes->count, passes->left += kind == DEEP_TOLD;
  if (depth > passes->depth) passes->depth = depth, passes->vertex = vertex[0];
  if (g->request->adds && kind == DEEP_STOPPED) add(g, &p, count, vertex, x, feature);
}

bool limpet_soft_is_round(const limpet_model *model, int geom) {
  switch (model->geom_kind[geom]) {
    case LIMPET_SHAPE_SPHERE:
    case LIMPET_SHAPE_CAPSULE:
    case LIMPET_SHAPE_CYLINDER:
    case LIMPET_SHAPE_ELLIPSOID: return true;
    case LIMPET_SHAPE_MESH: return model->mesh[model->geom_mesh[geom]].hull;
    default: return false;
  }
}

void limpet_soft_sweep_round(limpet_soft_search *search, const limpet_soft_sweep_request *request,
                             int d, int geom, limpet_soft_passes *passes) {
  const limpet_collision *collision = search->collision;
  const limpet_soft_surface *surface = &search->surfaces->surface[d];
  const limpet_colliders *colliders = limpet_colliders_of(search->model, search->data);
  if (!colliders) {
    search->failed = true;
    return;
  }
  const int c = search->model->geom_collider[geom];
  round_geom g = {.search = search,
                  .request = request,
                  .d = d,
                  .geom = geom,
                  .start = limpet_shape_of_geom(search->model, search->data, geom),
                  .centre = colliders->centre + 3 * c,
                  .half = colliders->half + 3 * c,
                  .margin = collision->pair[collision->pair_count - 1].margin};
  g.end = g.start;
  g.end.position = request->geom_position + 3 * geom;
  g.end.rotation = request->geom_rotation + 9 * geom;
  limpet_signed_distance(&g.end, g.end.position, 1, &g.core, NULL);
  g.core = limpet_max(-g.core, 0.0);
  g.allowed = limpet_min(request->allowed, thin_share * g.core);
  for (int f = 0; f < surface->face_count && !search->failed; ++f)
    look_at(&g, 3, surface->face + 3 * f, (uint64_t)f, passes);
  for (int e = 0; e < surface->edge_count && !search->failed; ++e)
    if (surface->edge_face[2 * e] == LIMPET_NONE)
      look_at(&g, 2, surface->edge_end + 2 * e, (uint64_t)1 << ROPE_BIT | (uint64_t)e, passes);
}
