/* dynamics/tendon_bias.c: the bias force of tendon armature.
 *
 * A spatial tendon of length l with armature m [kg] has the kinetic energy m l'^2/2. With the row a
 * of the tendon, l' = a v and l'' = a vdot + a' v, so it adds m a a' to M and to the bias
 *   m a (a' v),   a' v = sum over straight pieces of share * (|w|^2/d + u . (c_1 - c_0)),
 * d [m] the length of a piece, u its direction, c_i [m/s^2] the acceleration of its end i with zero
 * vdot, w [m/s] the relative velocity of the ends across u. Fixed tendons have a constant row.
 * Of tendons over several trees that is no part of what a step starts from, which has a row for
 * them: constraint/tendon_armature.c.
 * Departure: where the string meets a surface, it is taken to stay at the same material point.
 * Cost: 30 flops for each velocity on the paths of a piece; nothing without armature. */
#include <assert.h>

#include "dynamics/tree.h"
#include "math/spatial.h"
#include "model/tendon_path.h"

typedef struct rate_sum {
  const limpet_model *model;
  const limpet_data *data;
  double rate;  // [m/s^2]  a' v
} rate_sum;

// Velocity and, with zero vdot, acceleration of a point of a body.
static void point_motion(double velocity[3], double acceleration[3], const rate_sum *sum, int body,
                         const double point[3]) {
  const limpet_model *model = sum->model;
  const limpet_data *data = sum->data;
  const int tree = model->body_tree[body];
  limpet_vec3_zero(velocity);
  limpet_vec3_zero(acceleration);
  if (tree < 0) return;
  double A[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, lever[3], turned[3];
  for (int d = model->body_last_dof[body]; d >= 0; d = model->dof_parent[d])
    limpet_spatial_addmul(A, data->v[d], data->dof_axis_rate + 6 * d);
  const double *V = data->body_velocity + 6 * body;
  limpet_vec3_sub(lever, point, data->tree_origin + 3 * tree);
  limpet_vec3_cross(turned, V, lever);
  limpet_vec3_add(velocity, V + 3, turned);
  limpet_vec3_cross(turned, A, lever);
  limpet_vec3_add(acceleration, A + 3, turned);
  limpet_vec3_cross(turned, V, velocity);
  limpet_vec3_add(acceleration, acceleration, turned);
}

static void add_piece(void *context, const limpet_tendon_piece *piece) {
  rate_sum *sum = context;
  double u[3], velocity[2][3], acceleration[2][3], w[3], c[3];
  limpet_vec3_sub(u, piece->end[1], piece->end[0]);
  const double length = limpet_vec3_norm(u);
  if (piece->body[0] == piece->body[1] || length == 0.0) return;
  limpet_vec3_scale(u, 1.0 / length, u);
  for (int i = 0; i < 2; ++i)
    point_motion(velocity[i], acceleration[i], sum, piece->body[i], piece->end[i]);
  limpet_vec3_sub(w, velocity[1], velocity[0]);
  limpet_vec3_addmul(w, w, -limpet_vec3_dot(w, u), u);
  limpet_vec3_sub(c, acceleration[1], acceleration[0]);
  sum->rate += piece->share * (limpet_vec3_dot(w, w) / length + limpet_vec3_dot(u, c));
}

double limpet_tendon_row_rate(const limpet_model *model, const limpet_data *data, int tendon) {
  assert(model && data && tendon >= 0 && tendon < model->tendon_count);
  if (!limpet_tendon_is_spatial(model, tendon)) return 0.0;
  const limpet_tendon_frames frames = {.body_position = data->body_position,
                                       .body_rotation = data->body_rotation};
  rate_sum sum = {.model = model, .data = data};
  limpet_tendon_walk(model, &frames, tendon, add_piece, &sum);
  return sum.rate;
}

bool limpet_tendons_swing(const limpet_model *model) {
  for (int t = 0; t < model->tendon_count; ++t)
    if (limpet_tendon_own_armature(model, t) > 0.0 && limpet_tendon_is_spatial(model, t))
      return true;
  return false;
}

static void add(const limpet_model *model, const limpet_data *data, int tendon, double armature,
                double *bias) {
  const double rate = limpet_tendon_row_rate(model, data, tendon);
  for (int i = model->tendon_dof_begin[tendon]; i < model->tendon_dof_begin[tendon + 1]; ++i)
    bias[model->tendon_dof[i]] += armature * data->tendon_row[i] * rate;
}

void limpet_tendon_shared_bias_add(const limpet_model *model, const limpet_data *data,
                                   double *bias) {
  assert(model && data && (model->nv == 0 || bias));
  for (int t = 0; t < model->tendon_count; ++t) {
    const double armature = limpet_tendon_shared_armature(model, t);
    if (armature > 0.0) add(model, data, t, armature, bias);
  }
}

void limpet_tendon_bias_add(const limpet_model *model, const limpet_data *data, limpet_trees trees,
                            double *bias) {
  assert(model && data && (model->nv == 0 || bias));
  for (int t = 0; t < model->tendon_count; ++t) {
    const double armature = limpet_tendon_own_armature(model, t);
    if (!(armature > 0.0) || !limpet_tendon_is_spatial(model, t) ||
        !limpet_trees_have(trees, limpet_tendon_tree(model, t)))
      continue;
    add(model, data, t, armature, bias);
  }
}
