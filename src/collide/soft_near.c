/* collide/soft_near.c: boxes of geoms, and whether a deformable body may touch something soon.
 *
 *   near: the convex hull of the surface is nearer to that of a geom than
 *         2 dt (speed + |g| dt) + d + 2 dt (|v| + |w| r) + the margins of both
 * speed [m/s] of the fastest vertex, v, w [m/s, rad/s] of the body about the geom's origin, all
 * against the mean velocity of the surface, r [m] radius of the geom, d [m] speculative distance.
 * It depends on the state alone, so a restart decides alike, and neither on the axes of the world
 * nor on how fast all of it moves: boxes only tell what is clearly farther.
 * Distances by soft_gap.c. */
#include <math.h>

#include "collide/colliders.h"
#include "collide/shape_of_geom.h"
#include "collide/soft_gap.h"
#include "collide/soft_surface.h"
#include "math/extremes.h"
#include "math/vec3.h"
#include "model/point_velocity.h"

static const double ways_ahead = 2.0;  // [-]  ways of a step: as in step/detection.c
static const double round_off = 1e-12;
enum { ROUNDS = 64 };  // of soft_gap.c; what they do not tell counts as near

void limpet_soft_geom_box(const limpet_model *model, limpet_data *data, int geom, double low[3],
                          double high[3]) {
  const limpet_colliders *colliders = limpet_colliders_of(model, data);
  const int c = model->geom_collider[geom];
  const double *R = data->geom_rotation + 9 * geom, *p = data->geom_position + 3 * geom;
  for (int k = 0; k < 3; ++k) low[k] = -INFINITY, high[k] = INFINITY;
  if (!colliders) return;
  double centre[3];
  limpet_mat3_mul_vec(centre, R, colliders->centre + 3 * c);
  for (int k = 0; k < 3; ++k) {
    double half = 0.0;
    for (int j = 0; j < 3; ++j) half += fabs(R[3 * k + j]) * colliders->half[3 * c + j];
    low[k] = p[k] + centre[k] - half, high[k] = p[k] + centre[k] + half;
  }
}

static void mean_velocity(const limpet_soft_surface *surface, const limpet_data *data,
                          double mean[3]) {
  limpet_vec3_zero(mean);
  for (int i = 0; i < surface->vertex_count; ++i)
    limpet_vec3_addmul(mean, mean, 1.0 / surface->vertex_count,
                       data->vertex_velocity + 3 * surface->vertex[i]);
}

// Of the fastest vertex against u [m/s].
static double surface_speed(const limpet_soft_surface *surface, const limpet_data *data,
                            const double u[3]) {
  double speed = 0.0;
  for (int i = 0; i < surface->vertex_count; ++i)
    speed =
        limpet_max(speed, limpet_vec3_distance(data->vertex_velocity + 3 * surface->vertex[i], u));
  return speed;
}

// Of the fastest point of a geom against u [m/s], at most.
static double geom_speed(const limpet_model *model, const limpet_data *data, int geom,
                         const double u[3]) {
  const int body = model->geom_body[geom];
  double v[3];
  if (model->body_tree[body] < 0) return limpet_vec3_norm(u);
  limpet_point_velocity_by(model, data, data->body_velocity, body, data->geom_position + 3 * geom,
                           v);
  return limpet_vec3_distance(v, u) +
         limpet_vec3_norm(data->body_velocity + 6 * body) * model->geom_radius[geom];
}

// Least height of the box above a plane, grown by `more`.
static bool meets_plane(const limpet_data *data, int geom, const limpet_soft_surface *surface,
                        double more) {
  const double *R = data->geom_rotation + 9 * geom, *p = data->geom_position + 3 * geom;
  double height = 0.0;
  for (int k = 0; k < 3; ++k) {
    const double n = R[3 * k + 2];
    height += n * ((n > 0.0 ? surface->low[k] : surface->high[k]) - p[k]);
  }
  return height < more;
}

bool limpet_soft_meets(const limpet_model *model, limpet_data *data,
                       const limpet_soft_surface *surface, int geom, double more) {
  if (model->geom_kind[geom] == LIMPET_SHAPE_PLANE) return meets_plane(data, geom, surface, more);
  double low[3], high[3];
  limpet_soft_geom_box(model, data, geom, low, high);
  for (int k = 0; k < 3; ++k)
    if (low[k] > surface->high[k] + more || high[k] < surface->low[k] - more) return false;
  return true;
}

bool limpet_soft_boxes_meet(const limpet_soft_surface *a, const limpet_soft_surface *b,
                            double more) {
  for (int k = 0; k < 3; ++k)
    if (a->low[k] > b->high[k] + more || b->low[k] > a->high[k] + more) return false;
  return true;
}

// Whether the lowest vertex of a surface is less than `most` [m] above a plane.
static bool is_near_plane(const limpet_data *data, int geom, const limpet_soft_surface *surface,
                          double most) {
  const double *R = data->geom_rotation + 9 * geom, *p = data->geom_position + 3 * geom;
  const double n[3] = {R[2], R[5], R[8]};
  const limpet_gap_hull hull = {.surface = surface, .x = data->vertex_position};
  double lowest[3];
  if (!limpet_gap_lowest(&hull, n, lowest)) return false;
  limpet_vec3_sub(lowest, lowest, p);
  return limpet_vec3_dot(lowest, n) < most;
}

static bool is_near_geom(const limpet_model *model, limpet_data *data,
                         const limpet_soft_surface *surface, int geom, double most) {
  if (!limpet_soft_meets(model, data, surface, geom, most)) return false;
  if (model->geom_kind[geom] == LIMPET_SHAPE_PLANE) return is_near_plane(data, geom, surface, most);
  const limpet_gap_hull a = {.surface = surface, .x = data->vertex_position},
                        b = {.shape = limpet_shape_of_geom(model, data, geom)};
  double way[3], on_a[3], v[3], n[3];
  limpet_vec3_sub(way, data->geom_position + 3 * geom,
                  data->vertex_position + 3 * surface->vertex[0]);
  if (!(limpet_vec3_norm(way) > 0.0)) return true;
  limpet_gap_lowest(&b, way, v);
  limpet_vec3_neg(way, way);
  limpet_gap_lowest(&a, way, on_a);
  limpet_vec3_sub(v, v, on_a);
  return !(limpet_hull_gap(&a, &b, v, most, ROUNDS, n) > most);
}

static bool is_near_surface(const limpet_data *data, const limpet_soft_surface *surface,
                            const limpet_soft_surface *other, double most) {
  if (!limpet_soft_boxes_meet(surface, other, most)) return false;
  double n[3];
  return !(limpet_soft_gap(surface, other, data->vertex_position, NULL, most, ROUNDS, n) > most);
}

void limpet_soft_near_begin(const limpet_model *model, limpet_data *data) {
  limpet_soft_surfaces *surfaces = limpet_soft_surfaces_of(model, data);
  for (int d = 0; surfaces && d < surfaces->count; ++d) {
    limpet_soft_surface *surface = &surfaces->surface[d];
    limpet_soft_surface_update(surface, data, NULL);
    mean_velocity(surface, data, surface->mean);
    surface->spread = surface_speed(surface, data, surface->mean);
  }
}

/* Whether a surface may come near another one that moves with u [m/s] and gets `own` [m] towards
 * it: told by its mean velocity, where boxes do, before its vertices are asked. */
static bool may_be_near(const limpet_data *data, const limpet_soft_surface *surface,
                        const limpet_soft_surface *other, const double u[3], double ahead,
                        double own) {
  const double most = limpet_vec3_distance(other->mean, u) + other->spread;
  if (!limpet_soft_boxes_meet(surface, other, (1.0 + round_off) * (own + ahead * most)))
    return false;
  return is_near_surface(data, surface, other, own + ahead * surface_speed(other, data, u));
}

bool limpet_soft_near(const limpet_model *model, limpet_data *data, int d, double dt,
                      double speculative) {
  limpet_soft_surfaces *surfaces = limpet_soft_surfaces_of(model, data);
  if (!surfaces) return false;
  const limpet_soft_surface *surface = &surfaces->surface[d];
  const double fall = dt * limpet_vec3_norm(model->options.gravity), ahead = ways_ahead * dt;
  const double *u = surface->mean;
  const double own = ahead * (surface->spread + fall) + speculative;
  for (int i = 0; i < surface->geom_count; ++i) {
    const int geom = surface->geom[i];
    const double most = own + ahead * geom_speed(model, data, geom, u) + model->geom_margin[geom] +
                        model->geom_margin[model->deformable_geom[d]];
    if (is_near_geom(model, data, surface, geom, most)) return true;
  }
  for (int e = 0; e < surfaces->count; ++e) {
    if (!limpet_soft_bodies_allowed(model, d, e)) continue;
    if (e == d) return true;
    const double both = own + ahead * fall + limpet_soft_margin(model, surfaces, d, e);
    if (may_be_near(data, surface, &surfaces->surface[e], u, ahead, both)) return true;
  }
  return false;
}
