/* collide/soft_take.c: which points of a soft surface take part in contact with a rigid geom:
 *   phi < d + 2 dt (-n . v) + reach of the geom
 * with the faster of v now and v free, n the normal out of the geom. The force acts at the point of
 * the surface. */
#include <math.h>

#include "collide/soft_surface.h"
#include "math/extremes.h"
#include "math/vec3.h"

static const double ways_ahead = 2.0;  // [-]  as in step/detection.c

unsigned limpet_soft_sides(const double x[3], const double low[3], const double high[3],
                           double more) {
  unsigned sides = 0;
  for (int k = 0; k < 3; ++k)
    sides |= (unsigned)(x[k] < low[k] - more) << k | (unsigned)(x[k] > high[k] + more) << (3 + k);
  return sides;
}

// Velocity [m/s] of a point of a body by its twist and, unless NULL, what is added to that.
static void body_velocity_at(const limpet_soft_search *search, int body, const double *added,
                             const double point[3], double v[3]) {
  const int tree = search->model->body_tree[body];
  limpet_vec3_zero(v);
  if (tree < 0) return;
  double V[6], arm[3];
  for (int i = 0; i < 6; ++i)
    V[i] = search->data->body_velocity[6 * body + i] + (added ? added[6 * body + i] : 0.0);
  limpet_vec3_sub(arm, point, search->data->tree_origin + 3 * tree);
  limpet_vec3_cross(v, V, arm);
  limpet_vec3_add(v, v, V + 3);
}

double limpet_soft_speed_against(const limpet_soft_search *search, int d, int geom) {
  const limpet_soft_surface *surface = &search->surfaces->surface[d];
  const limpet_reach *reach = search->request->reach;
  const int body = search->model->geom_body[geom];
  double speed = 0.0;
  for (int i = 0; i < surface->vertex_count; ++i) {
    const int at = 3 * surface->vertex[i];
    const double *x = search->data->vertex_position + at;
    double v[3];
    body_velocity_at(search, body, NULL, x, v);
    speed = limpet_max(speed, limpet_vec3_distance(v, search->data->vertex_velocity + at));
    for (int m = 0; m < LIMPET_REACH_MOTIONS; ++m) {
      if (m > 0 && !reach->added[m]) continue;
      body_velocity_at(search, body, reach->added[m], x, v);
      speed = limpet_max(speed, limpet_vec3_distance(v, search->request->v_free + at));
    }
  }
  return speed;
}

double limpet_soft_closing(const limpet_soft_search *search, const double normal[3], int count,
                           const int *vertex, const double *weight) {
  double v[3] = {0.0, 0.0, 0.0}, v_free[3] = {0.0, 0.0, 0.0};
  for (int k = 0; k < count; ++k) {
    limpet_vec3_addmul(v, v, weight[k], search->data->vertex_velocity + 3 * vertex[k]);
    limpet_vec3_addmul(v_free, v_free, weight[k], search->request->v_free + 3 * vertex[k]);
  }
  const double rate = limpet_min(limpet_vec3_dot(normal, v), limpet_vec3_dot(normal, v_free));
  return ways_ahead * search->request->dt * limpet_max(0.0, -rate);
}

double limpet_soft_closing_pair(const limpet_soft_search *search, const double normal[3], int first,
                                int count, const int *vertex, const double *weight) {
  const double both = limpet_soft_closing(search, normal, count, vertex, weight);
  const double one = limpet_soft_closing(search, normal, first, vertex, weight),
               other = limpet_soft_closing(search, normal, count - first, vertex + first,
                                           weight + first);
  return limpet_max(both, limpet_max(one, other));
}

bool limpet_soft_may_touch(const limpet_soft_search *search, const limpet_soft_against *against,
                           const limpet_soft_point *point) {
  return point->phi < against->base + limpet_soft_closing(search, point->normal, point->count,
                                                          point->vertex, point->weight);
}

void limpet_soft_take(limpet_soft_search *search, const limpet_soft_against *against,
                      const limpet_soft_point *point) {
  if (!limpet_soft_may_touch(search, against, point)) return;
  limpet_soft_link *link;
  limpet_collision_contact *contact = limpet_soft_append(search, &link);
  if (!contact) return;
  const bool soft_is_a = search->model->deformable_geom[against->d] < against->geom;
  limpet_contact_point *to = &contact->point;
  double other[3];
  limpet_vec3_addmul(other, point->x, -point->phi, point->normal);
  limpet_vec3_copy(to->on_a, soft_is_a ? point->x : other);
  limpet_vec3_copy(to->on_b, soft_is_a ? other : point->x);
  limpet_vec3_scale(to->normal, soft_is_a ? -1.0 : 1.0, point->normal);
  to->distance = point->phi;
  to->feature = point->feature;
  contact->acts_on = soft_is_a ? LIMPET_ACTS_ON_A : LIMPET_ACTS_ON_B;
  link->count = point->count;
  for (int k = 0; k < point->count; ++k) {
    link->vertex[k] = point->vertex[k];
    link->weight[k] = soft_is_a ? -point->weight[k] : point->weight[k];
  }
}
