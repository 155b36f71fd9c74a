/* dynamics/velocity.c: spatial velocities of bodies and rates of the motion axes.
 *
 *   V_b = V_parent + sum of S_d v_d        S_d' = U x S_d
 * U is the velocity of the frame to which the axis is fixed: for a hinge or a slide that of the
 * body before the joint, for the rotations of ball and free joints (axes of the moved body) that of
 * the body after it. The translations of a free joint are along world axes, and their rate is zero.
 * The origin counts as fixed in space. Cost: 30 flops for each velocity. */
#include <assert.h>

#include "dynamics/tree.h"
#include "dynamics/tree_kernels.h"
#include "math/spatial.h"
#include "model/workspace.h"

void limpet_tree_velocities(const limpet_model *model, limpet_data *data, int tree) {
  assert(tree >= 0 && tree < model->tree_count);
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  limpet_spatial_zero(data->body_velocity + 6 * model->body_parent[bodies.first]);
  limpet_tree_kernels_here()->velocities(model, data, bodies.first, bodies.end);
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
  limpet_tree_kernels_here()->body_velocities(model, data, bodies.first, bodies.end);
}
