/* dynamics/velocity.c: spatial velocities of bodies and rates of the motion axes.
 *
 *   V_b = V_parent + sum of S_d v_d        S_d' = U x S_d
 * U is the velocity of the frame to which the axis is fixed: for a hinge or a slide that of the
 * body before the joint, for the rotations of ball and free joints (axes of the moved body) that of
 * the body after it. The translations of a free joint are along world axes, and their rate is zero.
 * The origin counts as fixed in space. Cost: 30 flops for each velocity. */
#include <assert.h>

#include "dynamics/tree.h"
#include "math/spatial.h"
#include "model/workspace.h"

static void joint_velocity(double V[6], const limpet_data *data, limpet_joint_kind kind, int d) {
  const double *S = data->dof_axis + 6 * d, *v = data->v + d;
  double *rate = data->dof_axis_rate + 6 * d;
  switch (kind) {
    case LIMPET_JOINT_PRISMATIC:
    case LIMPET_JOINT_REVOLUTE:
    case LIMPET_JOINT_SCREW:
      limpet_spatial_cross_motion(rate, V, S);
      limpet_spatial_addmul(V, v[0], S);
      return;
    case LIMPET_JOINT_FREE:
      for (int k = 0; k < 3; ++k) {
        limpet_spatial_zero(rate + 6 * k);
        limpet_spatial_addmul(V, v[k], S + 6 * k);
      }
      S += 18, v += 3, rate += 18;
      break;
    case LIMPET_JOINT_BALL: break;
  }
  for (int k = 0; k < 3; ++k) limpet_spatial_addmul(V, v[k], S + 6 * k);
  for (int k = 0; k < 3; ++k) limpet_spatial_cross_motion(rate + 6 * k, V, S + 6 * k);
}

// One body of a tree, after its parent.
static void body_velocity(const limpet_model *model, limpet_data *data, int b) {
  double *V = data->body_velocity + 6 * b;
  limpet_spatial_copy(V, data->body_velocity + 6 * model->body_parent[b]);
  const int end = model->body_joint[b] + model->body_joint_count[b];
  for (int j = model->body_joint[b]; j < end; ++j)
    joint_velocity(V, data, model->joint_kind[j], model->joint_v[j]);
}

void limpet_tree_velocities(const limpet_model *model, limpet_data *data, int tree) {
  assert(tree >= 0 && tree < model->tree_count);
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  limpet_spatial_zero(data->body_velocity + 6 * model->body_parent[bodies.first]);
  for (int b = bodies.first; b < bodies.end; ++b) body_velocity(model, data, b);
}

void limpet_trees_velocities(const limpet_model *model, limpet_data *data, limpet_trees trees) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  limpet_spatial_zero(data->body_velocity);
  for (int b = 1, tree; b < model->body_count;) {
    if ((tree = model->body_tree[b]) < 0) limpet_spatial_zero(data->body_velocity + 6 * b++);
    else b += model->tree_body_count[tree];
  }
  for (int i = 0; i < trees.count; ++i)
    limpet_tree_velocities(model, data, limpet_trees_at(trees, i));
  data->workspace->marks |= LIMPET_MARK_VELOCITIES;
}

void limpet_velocity_kinematics(const limpet_model *model, limpet_data *data) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  limpet_trees_velocities(model, data, limpet_trees_all(model));
}

void limpet_tree_body_velocities(const limpet_model *model, limpet_data *data, int tree) {
  assert(tree >= 0 && tree < model->tree_count);
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  limpet_spatial_zero(data->body_velocity + 6 * model->body_parent[bodies.first]);
  for (int b = bodies.first; b < bodies.end; ++b) {
    double *V = data->body_velocity + 6 * b;
    limpet_spatial_copy(V, data->body_velocity + 6 * model->body_parent[b]);
    const int last = model->body_dof[b] + model->body_dof_count[b];
    for (int d = model->body_dof[b]; d < last; ++d)
      limpet_spatial_addmul(V, data->v[d], data->dof_axis + 6 * d);
  }
}
