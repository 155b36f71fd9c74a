/* model/compile_bodies.c: the tree: parents, poses, rigid units, ranges of joints, velocities and
 * bodies, and poses at the reference. Mass and inertia are compile_inertia.c's. */
#include <math.h>

#include "math/quaternion.h"
#include "model/compile.h"

// Rules of what a body may be.
static limpet_status check_body(const limpet_compiler *compiler, int handle) {
  const limpet_body_description *body = limpet_builder_bodies(compiler->builder) + handle;
  const int b = compiler->body.index[handle],
            joints = compiler->joint.begin[b + 1] - compiler->joint.begin[b];
  const int list = LIMPET_OBJECT_BODY;
  if (handle == 0 && joints > 0) {
    const int joint = compiler->joint.handle[compiler->joint.begin[b]];
    return limpet_compile_error(compiler, LIMPET_OBJECT_JOINT, joint,
                                " is on the world, which cannot move; put it on a body");
  }
  if (body->mocap && (handle == 0 || body->parent != 0))
    return limpet_compile_error(compiler, list, handle,
                                " is a mocap body but no child of the world; move it there");
  if (body->mocap && joints > 0)
    return limpet_compile_error(
        compiler, list, handle,
        " is a mocap body and has joints; remove the joints, or put them on a child body");
  return LIMPET_OK;
}

static limpet_status fill_pose(limpet_compiler *compiler, int b) {
  limpet_model *model = compiler->model;
  const int handle = compiler->body.handle[b], parent = model->body_parent[b];
  const limpet_body_description *body = limpet_builder_bodies(compiler->builder) + handle;
  double *position = compiler->body_world_position + 3 * b,
         *quaternion = compiler->body_world_quaternion + 4 * b;
  if (b == 0) {
    limpet_quaternion_identity(model->body_quaternion);
    limpet_vec3_zero(position);
    limpet_quaternion_identity(quaternion);
    return LIMPET_OK;
  }

  limpet_vec3_copy(model->body_position + 3 * b, body->position);
  const limpet_status status =
      limpet_compile_quaternion(compiler, LIMPET_OBJECT_BODY, handle, "quaternion",
                                body->quaternion, model->body_quaternion + 4 * b);
  if (status) return status;

  // world pose: that of the parent, then the own one
  limpet_quaternion_rotate(position, compiler->body_world_quaternion + 4 * parent, body->position);
  limpet_vec3_add(position, position, compiler->body_world_position + 3 * parent);
  limpet_quaternion_mul(quaternion, compiler->body_world_quaternion + 4 * parent,
                        model->body_quaternion + 4 * b);
  limpet_quaternion_normalize(quaternion);
  return LIMPET_OK;
}

// Ranges of joints, velocities and geoms; the rigid unit; the last velocity on the path. Parents
// come first.
static void fill_links(limpet_compiler *compiler, int b, int *dof, int *tree, int *mocap) {
  limpet_model *model = compiler->model;
  const limpet_joint_description *joints = limpet_builder_joints(compiler->builder);
  const int parent = model->body_parent[b];
  model->body_joint[b] = compiler->joint.begin[b];
  model->body_joint_count[b] = compiler->joint.begin[b + 1] - compiler->joint.begin[b];
  model->body_geom[b] = compiler->geom.begin[b];
  model->body_geom_count[b] = compiler->geom.begin[b + 1] - compiler->geom.begin[b];
  model->body_dof[b] = *dof;
  for (int j = compiler->joint.begin[b]; j < compiler->joint.begin[b + 1]; ++j)
    *dof += limpet_joint_kind_nv(joints[compiler->joint.handle[j]].kind);
  model->body_dof_count[b] = *dof - model->body_dof[b];

  const bool root = b > 0 && model->body_joint_count[b] > 0 && model->body_tree[parent] < 0;
  if (root) ++*tree;
  model->body_tree[b] = compiler->body_moves[b] ? *tree : -1;
  model->body_weld[b] = b == 0 || model->body_joint_count[b] > 0 ? b : model->body_weld[parent];
  const int above = b == 0 ? -1 : model->body_last_dof[parent];
  model->body_last_dof[b] = model->body_dof_count[b] > 0 ? *dof - 1 : above;
  model->body_mocap[b] = -1;
  if (limpet_builder_bodies(compiler->builder)[compiler->body.handle[b]].mocap) {
    model->mocap_body[*mocap] = b;
    model->body_mocap[b] = (*mocap)++;
  }
}

static void fill_trees(limpet_model *model) {
  // subtree ends from the leaves up
  for (int b = model->body_count - 1; b >= 0; --b) {
    if (model->body_subtree_end[b] == 0) model->body_subtree_end[b] = b + 1;
    const int parent = model->body_parent[b];
    if (b > 0 && model->body_subtree_end[b] > model->body_subtree_end[parent])
      model->body_subtree_end[parent] = model->body_subtree_end[b];
  }

  // the first body of a tree holds its ranges
  int mass = 0, tree = -1;
  for (int b = 1; b < model->body_count; ++b) {
    if (model->body_tree[b] == tree || model->body_tree[b] < 0) continue;
    tree = model->body_tree[b];
    const int last = model->body_subtree_end[b] - 1;
    model->tree_body[tree] = b;
    model->tree_body_count[tree] = last + 1 - b;
    model->tree_dof[tree] = model->body_dof[b];
    model->tree_dof_count[tree] =
        model->body_dof[last] + model->body_dof_count[last] - model->body_dof[b];
    model->tree_mass[tree] = mass;
    mass += model->tree_dof_count[tree] * model->tree_dof_count[tree];
  }
}

limpet_status limpet_compile_bodies(limpet_compiler *compiler) {
  limpet_model *model = compiler->model;
  const limpet_body_description *bodies = limpet_builder_bodies(compiler->builder);
  int dof = 0, tree = -1, mocap = 0;
  for (int b = 0; b < model->body_count; ++b) {
    const int handle = compiler->body.handle[b];
    limpet_status status = check_body(compiler, handle);
    if (status) return status;
    model->body_parent[b] = b == 0 ? 0 : compiler->body.index[bodies[handle].parent];
    model->body_gravity_compensation[b] = bodies[handle].gravity_compensation;
    fill_links(compiler, b, &dof, &tree, &mocap);
    status = fill_pose(compiler, b);
    if (status) return status;
  }
  fill_trees(model);
  return LIMPET_OK;
}
