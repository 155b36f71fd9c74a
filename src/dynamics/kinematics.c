/* dynamics/kinematics.c: centres of mass, inertias and motion axes in world axes, and poses of
 * bodies and geoms, by the kernels of this machine (tree_kernels_code.h). Bodies come after their
 * parents, so one sweep suffices. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "dynamics/tree.h"
#include "dynamics/tree_kernels.h"
#include "math/quaternion.h"
#include "model/tendon_path.h"
#include "model/workspace.h"

// Chosen when the library is loaded.
static const limpet_tree_kernels *kernels = &limpet_tree_kernels_baseline;

#if defined(__x86_64__)
__attribute__((constructor)) static void kernels_choose(void) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) kernels = &limpet_tree_kernels_avx2;
}
#endif

const limpet_tree_kernels *limpet_tree_kernels_here(void) { return kernels; }

void limpet_tree_kinematics(const limpet_model *model, limpet_data *data, int tree) {
  assert(tree >= 0 && tree < model->tree_count);
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  kernels->kinematics(model, data, bodies.first, bodies.end);
}

void limpet_tree_kinematics_apart(const limpet_model *model, limpet_data *data, int tree) {
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  kernels->kinematics_apart(model, data, bodies.first, bodies.end);
}

void limpet_tree_shift(const limpet_model *model, limpet_data *data, int tree) {
  assert(limpet_tree_is_placed(model, tree));
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  kernels->shift(model, data, bodies.first, bodies.end);
}

static void lose(double *numbers, int count) {
  for (int i = 0; i < count; ++i) numbers[i] = NAN;
}

void limpet_tree_lose_pose(const limpet_model *model, limpet_data *data, int tree) {
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  const int b = bodies.first, count = bodies.end - bodies.first;
  lose(data->body_position + 3 * b, 3 * count);
  lose(data->body_quaternion + 4 * b, 4 * count);
  lose(data->body_rotation + 9 * b, 9 * count);
  lose(data->body_com + 3 * b, 3 * count);
  lose(data->body_inertia + 10 * b, 10 * count);
  lose(data->dof_axis + 6 * model->tree_dof[tree], 6 * model->tree_dof_count[tree]);
  lose(data->tree_origin + 3 * tree, 3);
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
         (parent == 0 ||
          (memcmp(data->body_position + 3 * parent, world->body_position + 3 * parent,
                  3 * sizeof *data->body_position) == 0 &&
           memcmp(data->body_quaternion + 4 * parent, world->body_quaternion + 4 * parent,
                  4 * sizeof *data->body_quaternion) == 0));
}

void limpet_tree_kinematics_known(const limpet_model *model, limpet_data *data, int tree,
                                  const limpet_known_poses *known) {
  if (!is_known(model, data, tree, known)) {
    limpet_tree_kinematics(model, data, tree);
    return;
  }
  kernels->poses_copy(model, data, known->world, tree);
}

// Bodies that hang on no joint: they go first, for trees grow from them.
static void fixed_kinematics(const limpet_model *model, limpet_data *data) {
  limpet_vec3_zero(data->body_position);
  limpet_quaternion_identity(data->body_quaternion);
  limpet_mat3_identity(data->body_rotation);
  limpet_vec3_copy(data->body_com, model->body_com);
  for (int b = 1, tree; b < model->body_count;) {
    if ((tree = model->body_tree[b]) < 0) {
      kernels->kinematics(model, data, b, b + 1);
      ++b;
    } else {
      b += model->tree_body_count[tree];
    }
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

void limpet_kinematics(const limpet_model *model, limpet_data *data) {
  assert(limpet_data_ready(model, data, 0));
  limpet_trees_kinematics_known(model, data, limpet_trees_all(model), NULL);
}

void limpet_geom_kinematics(const limpet_model *model, limpet_data *data, bool all) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  if (all) kernels->geoms(model, data, model->geom_count, NULL);
  else kernels->geoms(model, data, model->collider_count, model->collider_geom);
  data->workspace->marks |= LIMPET_MARK_GEOMS;
}

void limpet_one_geom_kinematics(const limpet_model *model, limpet_data *data, int geom) {
  kernels->geoms(model, data, 1, &geom);
}

void limpet_trees_collider_kinematics(const limpet_model *model, limpet_data *data,
                                      limpet_trees trees) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  if (!trees.tree) kernels->geoms(model, data, model->collider_count, model->collider_geom);
  for (int i = 0; trees.tree && i < model->collider_count; ++i) {
    const int g = model->collider_geom[i], tree = model->body_tree[model->geom_body[g]];
    if (tree < 0 || limpet_trees_have(trees, tree)) kernels->geoms(model, data, 1, &g);
  }
  data->workspace->marks |= LIMPET_MARK_GEOMS;
}
