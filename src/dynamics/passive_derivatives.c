/* dynamics/passive_derivatives.c: derivatives of passive forces by pose and velocity.
 *
 *   joints        d(-k x) = -k;  of rotations -k T^-1, x the rotation vector from rest and T its
 *                 right Jacobian: T^-1 = 1 + [x]/2 + (1/p^2 - (1 + cos p)/(2 p sin p)) [x]^2, p =
 * |x| tendons       -k a a' outside their range of rest lengths, -d a a' compensation  of gravity:
 * see `compensate` Tendons over several trees have no place in a matrix of one block for each tree
 * and are left out. Cost: 40 flops for each velocity and each of its ancestors where gravity is
 * compensated. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "dynamics/joint_spring.h"
#include "dynamics/medium.h"
#include "dynamics/tree.h"
#include "math/spatial.h"
#include "model/workspace.h"

static const double small_angle = 1e-3;  // [rad]  where the series is exact to round-off

// T^-1 of a rotation vector.
static void inverse_right_jacobian(double T[9], const double x[3]) {
  const double p = limpet_vec3_norm(x), p2 = p * p;
  const double c =
      p < small_angle ? 1.0 / 12.0 + p2 / 720.0 : 1.0 / p2 - (1.0 + cos(p)) / (2.0 * p * sin(p));
  const double cross[9] = {0.0, -x[2], x[1], x[2], 0.0, -x[0], -x[1], x[0], 0.0};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      T[3 * i + j] = (i == j ? 1.0 - c * p2 : 0.0) + 0.5 * cross[3 * i + j] + c * x[i] * x[j];
}

static void joint_spring(const limpet_model *model, const limpet_data *data, int joint, int first,
                         int n, double *by_q) {
  const double k = model->joint_stiffness[joint];
  if (k == 0.0) return;
  double x[6];
  const int count = limpet_joint_displacement(x, model, data, joint);
  const int at = model->joint_v[joint] - first, turn = count == 6 ? 3 : 0;
  for (int i = 0; i < (count == 3 ? 0 : count == 6 ? 3 : 1); ++i) by_q[(at + i) * n + at + i] -= k;
  if (count == 1) return;
  double T[9];
  inverse_right_jacobian(T, x + turn);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) by_q[(at + turn + i) * n + at + turn + j] -= k * T[3 * i + j];
}

// -k a a' and -d a a' of the part of a tendon in each tree; a: its row.
static void tendon(const limpet_model *model, const limpet_data *data, int tendon, double stiffness,
                   double damping, double *by_q, double *by_v) {
  const int begin = model->tendon_dof_begin[tendon], end = model->tendon_dof_begin[tendon + 1];
  for (int i = begin; i < end; ++i) {
    const int di = model->tendon_dof[i], tree = model->dof_tree[di];
    const int n = model->tree_dof_count[tree], first = model->tree_dof[tree];
    for (int j = begin; j < end; ++j) {
      const int dj = model->tendon_dof[j];
      if (model->dof_tree[dj] != tree) continue;
      const double a = data->tendon_row[i] * data->tendon_row[j];
      const int at = model->tree_mass[tree] + (di - first) * n + dj - first;
      by_q[at] -= stiffness * a;
      if (by_v) by_v[at] -= damping * a;
    }
  }
}

static void tendons(const limpet_model *model, const limpet_data *data, double *by_q,
                    double *by_v) {
  const bool spring = !(model->options.disabled & LIMPET_DISABLE_SPRING),
             damper = !(model->options.disabled & LIMPET_DISABLE_DAMPER);
  for (int t = 0; t < model->tendon_count; ++t) {
    const bool stretched = spring && limpet_tendon_displacement(model, data, t) != 0.0;
    tendon(model, data, t, stretched ? model->tendon_stiffness[t] : 0.0,
           damper ? model->tendon_damping[t] : 0.0, by_q, by_v);
  }
}

/* tau_k = S_k . [h_k x f; mu_k f], f = -g, h and mu: sums of s m c and s m over what k moves, c
 * from the tree's origin. Along j the sum moves by S_j = [w; u]: d h = w x h + mu u, of the smaller
 * one of both sums; an axis behind j turns with it, d S_k = S_j x S_k. */
static void compensate(const limpet_model *model, const limpet_data *data, int tree, double *moment,
                       double *by_q) {
  const limpet_range bodies = limpet_tree_bodies(model, tree), dofs = limpet_tree_dofs(model, tree);
  const int n = dofs.end - dofs.first;
  double f[3];
  bool any = false;
  limpet_vec3_neg(f, model->options.gravity);
  for (int b = bodies.first; b < bodies.end; ++b) {
    const double share = model->body_gravity_compensation[b] * model->body_mass[b];
    any = any || share != 0.0;
    double arm[3];
    limpet_vec3_sub(arm, data->body_com + 3 * b, data->tree_origin + 3 * tree);
    limpet_vec3_scale(moment + 4 * b, share, arm);
    moment[4 * b + 3] = share;
  }
  if (!any) return;
  for (int b = bodies.end - 1; b > bodies.first; --b)
    for (int i = 0; i < 4; ++i) moment[4 * model->body_parent[b] + i] += moment[4 * b + i];

  for (int d = dofs.first; d < dofs.end; ++d) {
    const double *h = moment + 4 * model->dof_body[d];
    double F[6];
    limpet_vec3_cross(F, h, f);
    limpet_vec3_scale(F + 3, h[3], f);
    for (int a = d; a >= 0; a = model->dof_parent[a]) {
      const double *S_a = data->dof_axis + 6 * a, *S_d = data->dof_axis + 6 * d;
      const int joint = model->dof_joint[d];
      const bool free = model->joint_kind[joint] == LIMPET_JOINT_FREE;
      const bool together = model->dof_joint[a] == joint &&
                            (!free || a >= model->joint_v[joint] + 3);  // rotations of one joint
      double shift[3], turn[3], moved[6] = {0.0}, turned[6];

      // row a, column d, and the reverse
      limpet_vec3_cross(shift, S_d, h);
      limpet_vec3_addmul(shift, shift, h[3], S_d + 3);
      limpet_vec3_cross(moved, shift, f);
      limpet_spatial_cross_motion(turned, S_d, S_a);
      if (!model->joint_actuator_gravity_compensation[model->dof_joint[a]])
        by_q[(a - dofs.first) * n + d - dofs.first] +=
            limpet_spatial_dot(S_a, moved) + (together ? limpet_spatial_dot(turned, F) : 0.0);
      if (a == d || model->joint_actuator_gravity_compensation[joint]) continue;
      limpet_vec3_cross(turn, S_a, h);
      limpet_vec3_addmul(turn, turn, h[3], S_a + 3);
      limpet_vec3_cross(moved, turn, f);
      limpet_spatial_cross_motion(turned, S_a, S_d);
      by_q[(d - dofs.first) * n + a - dofs.first] +=
          limpet_spatial_dot(S_d, moved) + limpet_spatial_dot(turned, F);
    }
  }
}

static void tree_forces(const limpet_model *model, limpet_data *data, int tree, double *by_q,
                        double *by_v) {
  const limpet_range dofs = limpet_tree_dofs(model, tree), joints = limpet_tree_joints(model, tree);
  const int n = dofs.end - dofs.first;
  if (!(model->options.disabled & LIMPET_DISABLE_SPRING))
    for (int j = joints.first; j < joints.end; ++j)
      joint_spring(model, data, j, dofs.first, n, by_q);
  if (by_v && !(model->options.disabled & LIMPET_DISABLE_DAMPER))
    for (int d = dofs.first; d < dofs.end; ++d)
      by_v[(d - dofs.first) * (n + 1)] -= model->dof_damping[d];
  if (!limpet_compensation_acts(model)) return;
  double *moment = limpet_scratch_begin(data->workspace, 4 * (size_t)model->body_count);
  compensate(model, data, tree, moment, by_q);
  limpet_scratch_end(data->workspace);
}

void limpet_passive_derivatives(const limpet_model *model, limpet_data *data, double *by_q,
                                double *by_v) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES | LIMPET_MARK_TENDONS));
  assert(model->nv == 0 || by_q);
  memset(by_q, 0, (size_t)model->mass_size * sizeof *by_q);
  if (by_v) memset(by_v, 0, (size_t)model->mass_size * sizeof *by_v);
  for (int t = 0; t < model->tree_count; ++t)
    tree_forces(model, data, t, by_q + model->tree_mass[t],
                by_v ? by_v + model->tree_mass[t] : NULL);
  tendons(model, data, by_q, by_v);
}

// y -= k x of a joint; x, y: of its own velocities.
static void joint_product(const limpet_model *model, const limpet_data *data, int joint,
                          const double *x, double *y) {
  if (model->joint_stiffness[joint] == 0.0) return;
  const int at = model->joint_v[joint], n = limpet_joint_kind_nv(model->joint_kind[joint]);
  double block[36];
  memset(block, 0, (size_t)(n * n) * sizeof *block);
  joint_spring(model, data, joint, at, n, block);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) y[at + j] += x[at + i] * block[i * n + j];
}

static bool compensates(const limpet_model *model, int tree) {
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  if (!limpet_compensation_acts(model)) return false;
  for (int b = bodies.first; b < bodies.end; ++b)
    if (model->body_gravity_compensation[b] * model->body_mass[b] != 0.0) return true;
  return false;
}

// The same of the compensation of gravity, by its matrix.
static void compensation_product(const limpet_model *model, limpet_data *data, int tree,
                                 const double *x, double *y) {
  const limpet_range dofs = limpet_tree_dofs(model, tree);
  const size_t n = (size_t)(dofs.end - dofs.first), room = 4 * (size_t)model->body_count;
  double *moment = limpet_scratch_begin(data->workspace, room + n * n), *block = moment + room;
  memset(block, 0, n * n * sizeof *block);
  compensate(model, data, tree, moment, block);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      y[(size_t)dofs.first + j] += x[(size_t)dofs.first + i] * block[i * n + j];
  limpet_scratch_end(data->workspace);
}

static void tendon_product(const limpet_model *model, const limpet_data *data, int t,
                           const double *x, double *y) {
  const int begin = model->tendon_dof_begin[t], end = model->tendon_dof_begin[t + 1];
  double along = 0.0;
  if (model->tendon_stiffness[t] == 0.0 || limpet_tendon_displacement(model, data, t) == 0.0)
    return;
  for (int i = begin; i < end; ++i) along += data->tendon_row[i] * x[model->tendon_dof[i]];
  for (int i = begin; i < end; ++i)
    y[model->tendon_dof[i]] -= model->tendon_stiffness[t] * along * data->tendon_row[i];
}

void limpet_passive_product(const limpet_model *model, limpet_data *data, const double *x,
                            double *by_q) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES | LIMPET_MARK_TENDONS));
  assert(model->nv == 0 || (x && by_q));
  memset(by_q, 0, (size_t)model->nv * sizeof *by_q);
  for (int t = 0; t < model->tree_count; ++t)
    if (compensates(model, t)) compensation_product(model, data, t, x, by_q);
  if (model->options.disabled & LIMPET_DISABLE_SPRING) return;
  for (int j = 0; j < model->joint_count; ++j) joint_product(model, data, j, x, by_q);
  for (int t = 0; t < model->tendon_count; ++t) tendon_product(model, data, t, x, by_q);
}
