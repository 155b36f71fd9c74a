/* collide/soft_points.c: points of a deformable body with a rigid geom.
 *
 *   vertices   phi(x) and its gradient g (limpet/distance.h): distance phi, normal from the geom g
 *   triangles  where phi at the middle is below the mean of the corners by more than `bend` of the
 *              longest edge, the surface of the geom bends within the triangle: its lowest point
 *              counts too, found by line searches towards the corners. phi of a convex shape is
 *              convex on a triangle, so each search is for the minimum of a convex function
 * A point comes if it can close within the step: phi < d + 2 dt (-g . v) + reach of the geom, with
 * the faster of v now and v free. The force acts at the vertex, or at the point of the triangle.
 * Cost: one distance for each vertex in the geom's box, 4 for each triangle there, 200 for each
 * that bends. */
#include <math.h>

#include "collide/shape_of_geom.h"
#include "collide/soft_surface.h"
#include "limpet/distance.h"
#include "math/vec3.h"

static const double ways_ahead = 2.0;  // [-]  as in step/detection.c
static const double bend = 0.02;       // [-]  of the longest edge
static const double at_corner = 0.9;   // [-]  weight of a corner from which a point counts as it
enum { SEARCH_ROUNDS = 2, SEARCH_HALVINGS = 16, FACE_FEATURE_BIT = 60 };

// Approach [m] within the step of a point with velocities v, v_free along g, beyond `reach`.
static double closing(const limpet_soft_search *s, const double g[3], const double *v,
                      const double *v_free) {
  const double rate = fmin(limpet_vec3_dot(g, v), limpet_vec3_dot(g, v_free));
  return ways_ahead * s->request->dt * fmax(0.0, -rate);
}

// A contact at x, a point of the body: g, phi of the geom there.
static void add(limpet_soft_search *s, int d, int geom, const double x[3], double phi,
                const double g[3], uint64_t feature, int count, const int *vertex,
                const double *weight) {
  limpet_soft_link *link;
  limpet_collision_contact *contact = limpet_soft_append(s, &link);
  if (!contact) return;
  const bool soft_is_a = s->model->deformable_geom[d] < geom;
  limpet_contact_point *point = &contact->point;
  double other[3];
  limpet_vec3_addmul(other, x, -phi, g);
  limpet_vec3_copy(point->on_a, soft_is_a ? x : other);
  limpet_vec3_copy(point->on_b, soft_is_a ? other : x);
  limpet_vec3_scale(point->normal, soft_is_a ? -1.0 : 1.0, g);
  point->distance = phi;
  point->feature = feature;
  contact->acts_on = soft_is_a ? LIMPET_ACTS_ON_A : LIMPET_ACTS_ON_B;
  link->count = count;
  for (int i = 0; i < count; ++i) {
    link->vertex[i] = vertex[i];
    link->weight[i] = soft_is_a ? -weight[i] : weight[i];
  }
}

static bool in_box(const double x[3], const double low[3], const double high[3], double more) {
  for (int k = 0; k < 3; ++k)
    if (x[k] < low[k] - more || x[k] > high[k] + more) return false;
  return true;
}

static void vertices(limpet_soft_search *s, int d, int geom, const limpet_shape *shape,
                     const double low[3], const double high[3], double most) {
  const limpet_soft_surface *surface = &s->surfaces->surface[d];
  limpet_soft_surfaces *scratch = s->surfaces;
  const limpet_data *data = s->data;
  const bool plane = shape->kind == LIMPET_SHAPE_PLANE;
  int count = 0;
  for (int i = 0; i < surface->vertex_count; ++i) {
    const int v = surface->vertex[i];
    const double *x = data->vertex_position + 3 * v;
    if (!plane && !in_box(x, low, high, most)) continue;
    limpet_vec3_copy(scratch->point + 3 * count, x);
    scratch->found[count++] = v;
  }
  limpet_signed_distance(shape, scratch->point, count, scratch->distance, scratch->gradient);
  const double margin = s->collision->pair[s->collision->pair_count - 1].margin;
  const double base = s->request->speculative + limpet_soft_reach(s, geom) + margin;
  for (int i = 0; i < count; ++i) {
    const int v = scratch->found[i];
    const double *g = scratch->gradient + 3 * i, one = 1.0;
    const double near =
        base + closing(s, g, data->vertex_velocity + 3 * v, s->request->v_free + 3 * v);
    if (scratch->distance[i] < near)
      add(s, d, geom, scratch->point + 3 * i, scratch->distance[i], g,
          (uint64_t)(v - s->model->deformable_vertex[d]), 1, &v, &one);
  }
}

// A triangle, and the point of it that is looked at: weights b of its corners.
typedef struct corner_search {
  const limpet_shape *shape;
  const double *x[3];  // [m]  corners
  double b[3], phi;    // the lowest point so far
} corner_search;

static double distance_at(const corner_search *c, const double b[3], double x[3], double g[3]) {
  double phi;
  for (int k = 0; k < 3; ++k) x[k] = b[0] * c->x[0][k] + b[1] * c->x[1][k] + b[2] * c->x[2][k];
  limpet_signed_distance(c->shape, x, 1, &phi, g);
  return phi;
}

// Golden section from b towards a corner.
static void search_towards(corner_search *c, int corner) {
  const double ratio = 0.6180339887498949;
  double low = 0.0, high = 1.0, g[3], x[3], best[3] = {c->b[0], c->b[1], c->b[2]};
  for (int i = 0; i < SEARCH_HALVINGS; ++i) {
    double phi[2], b[2][3];
    const double at[2] = {high - ratio * (high - low), low + ratio * (high - low)};
    for (int e = 0; e < 2; ++e) {
      for (int k = 0; k < 3; ++k) b[e][k] = (1.0 - at[e]) * c->b[k] + (k == corner ? at[e] : 0.0);
      phi[e] = distance_at(c, b[e], x, g);
    }
    const int lower = phi[0] <= phi[1] ? 0 : 1;
    if (phi[lower] < c->phi) {
      c->phi = phi[lower];
      limpet_vec3_copy(best, b[lower]);
    }
    if (lower == 0) high = at[1];
    else low = at[0];
  }
  limpet_vec3_copy(c->b, best);
}

static double longest_edge(const double *const x[3]) {
  double longest = 0.0;
  for (int k = 0; k < 3; ++k) longest = fmax(longest, limpet_vec3_distance(x[k], x[(k + 1) % 3]));
  return longest;
}

/* The lowest point of a triangle, unless it lies at a corner or the geom is flat there. */
static bool bends(corner_search *c, double edge, double near) {
  double mean = 0.0, g[3], x[3];
  for (int k = 0; k < 3; ++k) {
    double b[3] = {0.0, 0.0, 0.0};
    b[k] = 1.0;
    mean += distance_at(c, b, x, g) / 3.0;
  }
  for (int k = 0; k < 3; ++k) c->b[k] = 1.0 / 3.0;
  c->phi = distance_at(c, c->b, x, g);
  if (c->phi - edge > near || mean - c->phi < bend * edge) return false;
  for (int round = 0; round < SEARCH_ROUNDS; ++round)
    for (int k = 0; k < 3; ++k) search_towards(c, k);
  // at a corner the vertex is a contact already; elsewhere the point stays one when it is as high
  // as the corners, or it would come and go
  return c->phi < near && fmax(c->b[0], fmax(c->b[1], c->b[2])) < at_corner;
}

static void triangles(limpet_soft_search *s, int d, int geom, const limpet_shape *shape,
                      const double low[3], const double high[3], double most) {
  const limpet_soft_surface *surface = &s->surfaces->surface[d];
  const double margin = s->collision->pair[s->collision->pair_count - 1].margin;
  const double base = s->request->speculative + limpet_soft_reach(s, geom) + margin;
  for (int f = 0; f < surface->face_count; ++f) {
    const int *face = surface->face + 3 * f;
    corner_search c = {.shape = shape};
    double middle[3] = {0.0, 0.0, 0.0}, v[3] = {0.0, 0.0, 0.0}, v_free[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
      c.x[k] = s->data->vertex_position + 3 * face[k];
      limpet_vec3_addmul(middle, middle, 1.0 / 3.0, c.x[k]);
    }
    const double edge = longest_edge(c.x);
    if (!in_box(middle, low, high, most + edge) || !bends(&c, edge, base + most)) continue;
    double x[3], g[3];
    const double phi = distance_at(&c, c.b, x, g);
    for (int k = 0; k < 3; ++k) {
      limpet_vec3_addmul(v, v, c.b[k], s->data->vertex_velocity + 3 * face[k]);
      limpet_vec3_addmul(v_free, v_free, c.b[k], s->request->v_free + 3 * face[k]);
    }
    if (phi < base + closing(s, g, v, v_free))
      add(s, d, geom, x, phi, g, (uint64_t)1 << FACE_FEATURE_BIT | (uint64_t)f, 3, face, c.b);
  }
}

void limpet_soft_points(limpet_soft_search *search, int d, int geom) {
  const limpet_shape shape = limpet_shape_of_geom(search->model, search->data, geom);
  const limpet_soft_surface *surface = &search->surfaces->surface[d];
  const double most = search->request->speculative + limpet_soft_reach(search, geom) +
                      ways_ahead * search->request->dt * surface->speed +
                      search->collision->pair[search->collision->pair_count - 1].margin;
  double low[3], high[3];
  limpet_soft_geom_box(search->model, search->data, geom, low, high);
  vertices(search, d, geom, &shape, low, high, most);
  if (shape.kind != LIMPET_SHAPE_PLANE) triangles(search, d, geom, &shape, low, high, most);
}
