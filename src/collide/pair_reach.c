/* collide/pair_reach.c: see pair_reach.h. Cost: some 80 instructions for each motion. */
#include "collide/pair_reach.h"

#include <math.h>

#include "math/extremes.h"
#include "math/vec3.h"
#include "model/point_velocity.h"

// Velocity of B less that of A at a point, and their rates of turning.
static void relative_motion(const limpet_model *model, const limpet_data *data, const double *twist,
                            const int body[2], const double point[3], double motion[6]) {
  double of_a[3];
  limpet_point_velocity_by(model, data, twist, body[0], point, of_a);
  limpet_point_velocity_by(model, data, twist, body[1], point, motion + 3);
  limpet_vec3_sub(motion + 3, motion + 3, of_a);
  limpet_vec3_sub(motion, twist + 6 * body[1], twist + 6 * body[0]);
}

static int smaller_geom(const limpet_model *model, int a, int b) {
  if (model->geom_kind[a] == LIMPET_SHAPE_PLANE) return b;
  if (model->geom_kind[b] == LIMPET_SHAPE_PLANE) return a;
  return model->geom_radius[a] < model->geom_radius[b] ? a : b;
}

/* Largest speed [m/s] that a point of contact of two geoms at the distance `beyond` [m] may have,
 * B's against A's. No number where velocities overflow. */
static double pair_speed(const limpet_model *model, const limpet_data *data,
                         const limpet_reach *reach, int geom_a, int geom_b, double beyond) {
  const int body[2] = {model->geom_body[geom_a], model->geom_body[geom_b]};
  const int smaller = smaller_geom(model, geom_a, geom_b);
  const double *point = data->geom_position + 3 * smaller;
  const double radius = model->geom_radius[smaller] + beyond;
  double start[6], added[6];
  relative_motion(model, data, reach->twist, body, point, start);
  double speed = limpet_vec3_norm(start + 3) + radius * limpet_vec3_norm(start);
  for (int m = 0; m < LIMPET_REACH_MOTIONS; ++m) {
    if (!reach->added[m]) continue;
    relative_motion(model, data, reach->added[m], body, point, added);
    for (int i = 0; i < 6; ++i) added[i] += start[i];
    const double other = limpet_vec3_norm(added + 3) + radius * limpet_vec3_norm(added);
    if (!(other <= speed)) speed = other;
  }
  return speed;
}

/* Whether the origins of two geoms approach by more than half the smaller radius in the step. The
 * reach is at least as long as that way. */
static bool is_fast(const limpet_model *model, const limpet_data *data, const limpet_reach *reach,
                    const limpet_collision_pair *pair) {
  const int a = pair->geom_a, b = pair->geom_b;
  const double size = limpet_min(model->geom_radius[a], model->geom_radius[b]);
  if (pair->reach < 0.5 * size) return false;
  double of_a[3], of_b[3];
  limpet_point_velocity_by(model, data, reach->twist, model->geom_body[a],
                           data->geom_position + 3 * a, of_a);
  limpet_point_velocity_by(model, data, reach->twist, model->geom_body[b],
                           data->geom_position + 3 * b, of_b);
  return !(reach->ahead * limpet_vec3_distance(of_a, of_b) < 0.5 * size);
}

// What both approach; the shapes are followed as far as `beyond` [m] outside of each other.
static double own_reach(const limpet_model *model, const limpet_data *data,
                        const limpet_reach *reach, const limpet_collision_pair *pair,
                        double beyond) {
  const double outside = limpet_max(0.0, pair->margin + pair->gap + beyond);
  return reach->least +
         reach->ahead * pair_speed(model, data, reach, pair->geom_a, pair->geom_b, outside);
}

void limpet_pair_reach_lessen(const limpet_model *model, const limpet_data *data,
                              const limpet_reach *reach, limpet_collision_pair *pair) {
  if (!reach->twist || !(pair->reach > reach->least) || is_fast(model, data, reach, pair)) return;
  const double own = own_reach(model, data, reach, pair, pair->reach);
  if (!(own < pair->reach)) return;
  pair->reach = own;
  pair->lessened = true;
}

void limpet_pair_reach_of_surface(const limpet_model *model, const limpet_data *data,
                                  const limpet_reach *reach, limpet_collision_pair *pair) {
  if (!reach->twist) return;
  const double own = own_reach(model, data, reach, pair, 0.0);
  if (!isfinite(own)) return;
  pair->lessened = own < pair->reach;
  pair->reach = own;
}
