/* dynamics/kinematics.c: centres of mass, inertias and motion axes in world axes, from the poses of
 * bodies (model/body_pose.c).
 *
 * Bodies come after their parents, so one sweep suffices. A motion axis is [angular; linear
 * velocity of the point at the tree's origin o] per unit of velocity; for a turn w about a point a
 * the linear part is (a - o) x w, of a screw (a - o) x w + w pitch/(2 pi). The poses leave [axis;
 * anchor] of turning joints in dof_axis; when the origin is known (the centre of mass of the tree's
 * first body) the anchor becomes the linear part.
 *
 * Reference: Featherstone, Rigid Body Dynamics Algorithms (2008), chapters 4 and 5. Cost: about 250
 * flops and one sincos for each hinge. */
#include <assert.h>
#include <string.h>

#include "dynamics/tree.h"
#include "math/quaternion.h"
#include "math/spatial.h"
#include "model/body_pose.h"
#include "model/tendon_path.h"
#include "model/workspace.h"

// Anchors become linear parts, now that the origin is known.
static void body_axes(const limpet_model *model, limpet_data *data, int b, const double origin[3]) {
  const int end = model->body_dof[b] + model->body_dof_count[b];
  for (int d = model->body_dof[b]; d < end; ++d) {
    double *S = data->dof_axis + 6 * d, lever[3];
    const limpet_joint_kind kind = model->joint_kind[model->dof_joint[d]];
    if (kind == LIMPET_JOINT_PRISMATIC ||
        (kind == LIMPET_JOINT_FREE && d < model->joint_v[model->dof_joint[d]] + 3))
      continue;
    limpet_vec3_sub(lever, S + 3, origin);
    limpet_vec3_cross(S + 3, lever, S);
    if (kind == LIMPET_JOINT_SCREW)
      limpet_vec3_addmul(S + 3, S + 3, model->joint_advance[model->dof_joint[d]], S);
  }
}

// Ten numbers of a body's inertia about the tree's origin: R I R' about the centre of mass c, moved
// by c.
static void body_inertia(double inertia[10], const double R[9], const double *I, double mass,
                         const double c[3]) {
  double T[9], W[9];
  limpet_mat3_mul(T, R, I);
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j)
      W[3 * i + j] =
          T[3 * i] * R[3 * j] + T[3 * i + 1] * R[3 * j + 1] + T[3 * i + 2] * R[3 * j + 2];
  limpet_spatial_inertia(inertia, mass, c, W);
}

// One body, after its parent.
static void body_kinematics(const limpet_model *model, limpet_data *data, int b) {
  limpet_body_pose(model, data, b);
  double *com = data->body_com + 3 * b;
  const double *R = data->body_rotation + 9 * b;
  limpet_mat3_mul_vec(com, R, model->body_com + 3 * b);
  limpet_vec3_add(com, com, data->body_position + 3 * b);

  // bodies that cannot move have no part in the spatial algebra
  const int tree = model->body_tree[b];
  if (tree < 0) return;
  double *origin = data->tree_origin + 3 * tree, lever[3];
  if (b == model->tree_body[tree]) limpet_vec3_copy(origin, com);
  body_axes(model, data, b, origin);
  limpet_vec3_sub(lever, com, origin);
  body_inertia(data->body_inertia + 10 * b, R, model->body_inertia + 9 * b, model->body_mass[b],
               lever);
}

void limpet_tree_kinematics(const limpet_model *model, limpet_data *data, int tree) {
  assert(tree >= 0 && tree < model->tree_count);
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  for (int b = bodies.first; b < bodies.end; ++b) body_kinematics(model, data, b);
}

// Whether a tree stands in `known` as it would by its own kinematics.
static bool is_known(const limpet_model *model, const limpet_data *data, int tree,
                     const limpet_known_poses *known) {
  if (!known || !known->tree[tree]) return false;
  const limpet_data *world = known->world;
  const limpet_range positions = limpet_tree_positions(model, tree);
  const int parent = model->body_parent[model->tree_body[tree]];
  return memcmp(data->q + positions.first, known->q + positions.first,
                (size_t)(positions.end - positions.first) * sizeof *known->q) == 0 &&
         memcmp(data->body_position + 3 * parent, world->body_position + 3 * parent,
                3 * sizeof *data->body_position) == 0 &&
         memcmp(data->body_quaternion + 4 * parent, world->body_quaternion + 4 * parent,
                4 * sizeof *data->body_quaternion) == 0;
}

static void copy_rows(double *to, const double *from, limpet_range rows, int columns) {
  memcpy(to + columns * rows.first, from + columns * rows.first,
         (size_t)(columns * (rows.end - rows.first)) * sizeof *to);
}

void limpet_tree_kinematics_known(const limpet_model *model, limpet_data *data, int tree,
                                  const limpet_known_poses *known) {
  if (!is_known(model, data, tree, known)) {
    limpet_tree_kinematics(model, data, tree);
    return;
  }
  const limpet_data *world = known->world;
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  copy_rows(data->body_position, world->body_position, bodies, 3);
  copy_rows(data->body_quaternion, world->body_quaternion, bodies, 4);
  copy_rows(data->body_rotation, world->body_rotation, bodies, 9);
  copy_rows(data->body_com, world->body_com, bodies, 3);
  copy_rows(data->body_inertia, world->body_inertia, bodies, 10);
  copy_rows(data->dof_axis, world->dof_axis, limpet_tree_dofs(model, tree), 6);
  limpet_vec3_copy(data->tree_origin + 3 * tree, world->tree_origin + 3 * tree);
}

// Bodies that hang on no joint: they go first, for trees grow from them.
static void fixed_kinematics(const limpet_model *model, limpet_data *data) {
  limpet_vec3_zero(data->body_position);
  limpet_quaternion_identity(data->body_quaternion);
  limpet_mat3_identity(data->body_rotation);
  limpet_vec3_copy(data->body_com, model->body_com);
  for (int b = 1, tree; b < model->body_count;) {
    if ((tree = model->body_tree[b]) < 0) body_kinematics(model, data, b++);
    else b += model->tree_body_count[tree];
  }
}

static limpet_tendon_frames frames_of(const limpet_data *data) {
  return (limpet_tendon_frames){.body_position = data->body_position,
                                .body_rotation = data->body_rotation,
                                .tree_origin = data->tree_origin,
                                .dof_axis = data->dof_axis};
}

void limpet_tree_tendon_rows(const limpet_model *model, limpet_data *data, int tree) {
  const limpet_tendon_frames frames = frames_of(data);
  for (int t = 0; t < model->tendon_count; ++t)
    if (limpet_tendon_own_armature(model, t) > 0.0 && limpet_tendon_is_spatial(model, t) &&
        limpet_tendon_tree(model, t) == tree)
      limpet_tendon_path(model, &frames, t, data->tendon_row + model->tendon_dof_begin[t]);
}

// Rows of all tendons, and lengths of spatial ones.
static void tendon_rows(const limpet_model *model, limpet_data *data) {
  const limpet_tendon_frames frames = frames_of(data);
  for (int t = 0; t < model->tendon_count; ++t) {
    double *row = data->tendon_row + model->tendon_dof_begin[t];
    if (limpet_tendon_is_spatial(model, t)) {
      data->tendon_length[t] = limpet_tendon_path(model, &frames, t, row);
      continue;
    }
    const int begin = model->tendon_begin[t], count = model->tendon_begin[t + 1] - begin;
    for (int i = 0; i < count; ++i) row[i] = model->tendon_coefficient[begin + i];
  }
}

void limpet_trees_kinematics_known(const limpet_model *model, limpet_data *data, limpet_trees trees,
                                   const limpet_known_poses *known) {
  assert(limpet_data_ready(model, data, 0));
  fixed_kinematics(model, data);
  for (int i = 0; i < trees.count; ++i)
    limpet_tree_kinematics_known(model, data, limpet_trees_at(trees, i), known);

  tendon_rows(model, data);
  data->workspace->marks = LIMPET_MARK_POSES;  // what follows from the poses is stale
}

void limpet_trees_kinematics(const limpet_model *model, limpet_data *data, limpet_trees trees) {
  limpet_trees_kinematics_known(model, data, trees, NULL);
}

void limpet_kinematics(const limpet_model *model, limpet_data *data) {
  assert(limpet_data_ready(model, data, 0));
  limpet_trees_kinematics(model, data, limpet_trees_all(model));
}

static void geom_pose(const limpet_model *model, limpet_data *data, int g) {
  const int b = model->geom_body[g];
  const double *R = data->body_rotation + 9 * b;
  double *position = data->geom_position + 3 * g;
  limpet_mat3_mul_vec(position, R, model->geom_position + 3 * g);
  limpet_vec3_add(position, position, data->body_position + 3 * b);
  limpet_mat3_mul(data->geom_rotation + 9 * g, R, model->geom_rotation + 9 * g);
}

void limpet_geom_kinematics(const limpet_model *model, limpet_data *data, bool all) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  if (all) {
    for (int g = 0; g < model->geom_count; ++g) geom_pose(model, data, g);
  } else {
    for (int i = 0; i < model->collider_count; ++i) geom_pose(model, data, model->collider_geom[i]);
  }
  data->workspace->marks |= LIMPET_MARK_GEOMS;
}

void limpet_trees_collider_kinematics(const limpet_model *model, limpet_data *data,
                                      limpet_trees trees) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  for (int i = 0; i < model->collider_count; ++i) {
    const int g = model->collider_geom[i], tree = model->body_tree[model->geom_body[g]];
    if (tree < 0 || limpet_trees_have(trees, tree)) geom_pose(model, data, g);
  }
  data->workspace->marks |= LIMPET_MARK_GEOMS;
}
