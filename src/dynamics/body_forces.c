/* dynamics/body_forces.c: accelerations of bodies, and the forces between a body and its parent.
 *
 *   A_b  = A_parent + sum of (S_d' v_d + S_d vdot_d),      A_world = [0; -gravity]
 *   a(p) = A_lin + A_ang x r + w x v(p)         r = p - origin, v(p) = V_lin + w x r of the moving
 *                                               point
 *   f_b  = m a(c) - external + sum over children f
 *   n_b  = I alpha + w x I w - external + sum over children (n + d x f)
 * with c the centre of mass, I about it, d from it to the child's. Moments are about centres of
 * mass, so that bodies of several trees, and those that cannot move, need no common origin.
 * Reference: Featherstone (2008), section 5.3. */
#include <assert.h>

#include "dynamics/body_forces.h"

#include "math/spatial.h"
#include "model/point_velocity.h"
#include "model/workspace.h"

void limpet_body_accelerations(const limpet_model *model, const limpet_data *data,
                               const double *vdot, double *acceleration) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES | LIMPET_MARK_VELOCITIES));
  double world[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  if (!(model->options.disabled & LIMPET_DISABLE_GRAVITY))
    limpet_vec3_neg(world + 3, model->options.gravity);
  for (int b = 0; b < model->body_count; ++b) {
    double *a = acceleration + 6 * b;
    const int parent = model->body_parent[b], end = model->body_dof[b] + model->body_dof_count[b];
    if (model->body_tree[b] < 0 || model->body_tree[parent] < 0) limpet_spatial_copy(a, world);
    else limpet_spatial_copy(a, acceleration + 6 * parent);
    if (model->body_tree[b] < 0) continue;
    for (int d = model->body_dof[b]; d < end; ++d) {
      limpet_spatial_addmul(a, data->v[d], data->dof_axis_rate + 6 * d);
      limpet_spatial_addmul(a, vdot[d], data->dof_axis + 6 * d);
    }
  }
}

// From the tree's origin to the point.
static void lever_of(const limpet_model *model, const limpet_data *data, int body,
                     const double point[3], double lever[3]) {
  limpet_vec3_sub(lever, point, data->tree_origin + 3 * model->body_tree[body]);
}

void limpet_point_velocity(const limpet_model *model, const limpet_data *data, int body,
                           const double point[3], double v[3]) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES | LIMPET_MARK_VELOCITIES));
  assert(body >= 0 && body < model->body_count);
  limpet_point_velocity_by(model, data, data->body_velocity, body, point, v);
}

void limpet_point_acceleration(const limpet_model *model, const limpet_data *data,
                               const double *acceleration, int body, const double point[3],
                               double a[3]) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES | LIMPET_MARK_VELOCITIES));
  assert(body >= 0 && body < model->body_count);
  const double *A = acceleration + 6 * body;
  double lever[3], turn[3], v[3], curve[3];
  limpet_vec3_copy(a, A + 3);
  if (model->body_tree[body] < 0) return;
  lever_of(model, data, body, point, lever);
  limpet_vec3_cross(turn, A, lever);
  limpet_point_velocity(model, data, body, point, v);
  limpet_vec3_cross(curve, data->body_velocity + 6 * body, v);
  for (int i = 0; i < 3; ++i) a[i] += turn[i] + curve[i];
}

// r = R I R' a: the body's inertia about its centre of mass, in world axes, times a.
static void inertia_mul(const limpet_model *model, const limpet_data *data, int b,
                        const double a[3], double r[3]) {
  double local[3], moment[3];
  limpet_mat3_tmul_vec(local, data->body_rotation + 9 * b, a);
  limpet_mat3_mul_vec(moment, model->body_inertia + 9 * b, local);
  limpet_mat3_mul_vec(r, data->body_rotation + 9 * b, moment);
}

void limpet_body_force_add(const limpet_data *data, int body, const double point[3], double sign,
                           const double force[3], double *wrench) {
  double lever[3], moment[3], *W = wrench + 6 * body;
  limpet_vec3_sub(lever, point, data->body_com + 3 * body);
  limpet_vec3_cross(moment, lever, force);
  limpet_vec3_addmul(W, W, sign, moment);
  limpet_vec3_addmul(W + 3, W + 3, sign, force);
}

void limpet_joint_wrenches(const limpet_model *model, const limpet_data *data,
                           const double *acceleration, double *wrench) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES | LIMPET_MARK_VELOCITIES));
  for (int b = 0; b < model->body_count; ++b) {
    double a[3], turning[3], spin[3], gyroscopic[3], *W = wrench + 6 * b;
    const bool moves = model->body_tree[b] >= 0;
    limpet_point_acceleration(model, data, acceleration, b, data->body_com + 3 * b, a);
    for (int i = 0; i < 6; ++i) W[i] = b > 0 ? -W[i] : 0.0;
    limpet_vec3_addmul(W + 3, W + 3, model->body_mass[b], a);
    if (!moves) continue;
    const double *w = data->body_velocity + 6 * b;
    inertia_mul(model, data, b, acceleration + 6 * b, turning);
    inertia_mul(model, data, b, w, spin);
    limpet_vec3_cross(gyroscopic, w, spin);
    for (int i = 0; i < 3; ++i) W[i] += turning[i] + gyroscopic[i];
  }

  // leaves first: what a body gets from its parent, the parent must get, too
  for (int b = model->body_count - 1; b > 0; --b) {
    const int parent = model->body_parent[b];
    double *to = wrench + 6 * parent, lever[3], moment[3];
    const double *from = wrench + 6 * b;
    limpet_vec3_sub(lever, data->body_com + 3 * b, data->body_com + 3 * parent);
    limpet_vec3_cross(moment, lever, from + 3);
    for (int i = 0; i < 3; ++i) to[i] += from[i] + moment[i];
    limpet_vec3_add(to + 3, to + 3, from + 3);
  }
}
