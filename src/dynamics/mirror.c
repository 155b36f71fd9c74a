/* dynamics/mirror.c: a second pose of the same world: see tree.h. */
#include <string.h>

#include "dynamics/tree.h"
#include "math/quaternion.h"

// Poses of the bodies from `first` up to `end`.
static void copy_poses(limpet_data *to, const limpet_data *from, int first, int end) {
  const size_t count = (size_t)(end - first) * sizeof *to->body_position;
  memcpy(to->body_position + 3 * first, from->body_position + 3 * first, 3 * count);
  memcpy(to->body_quaternion + 4 * first, from->body_quaternion + 4 * first, 4 * count);
  memcpy(to->body_rotation + 9 * first, from->body_rotation + 9 * first, 9 * count);
}

static void copy_pose(limpet_data *to, const limpet_data *from, int body) {
  limpet_vec3_copy(to->body_position + 3 * body, from->body_position + 3 * body);
  limpet_quaternion_copy(to->body_quaternion + 4 * body, from->body_quaternion + 4 * body);
  limpet_mat3_copy(to->body_rotation + 9 * body, from->body_rotation + 9 * body);
}

static inline limpet_status take(const limpet_model *model, const limpet_data *data,
                                 limpet_arena *arena, limpet_data *mirror) {
  const int bodies = model->body_count, nv = model->nv, nq = model->nq, trees = model->tree_count;
  const int tendons = model->tendon_dof_count;
  double *next = LIMPET_TAKE(arena, double, 35 * bodies + 13 * nv + nq + 3 * trees + tendons);
  if (!next) return LIMPET_ERROR_MEMORY;
  *mirror = *data;
  mirror->body_position = next, next += 3 * bodies;
  mirror->body_quaternion = next, next += 4 * bodies;
  mirror->body_rotation = next, next += 9 * bodies;
  mirror->body_velocity = next, next += 6 * bodies;
  mirror->body_com = next, next += 3 * bodies;
  mirror->body_inertia = next, next += 10 * bodies;
  mirror->tree_origin = next, next += 3 * trees;
  mirror->dof_axis = next, next += 6 * nv;
  mirror->dof_axis_rate = next, next += 6 * nv;
  mirror->q = next, next += nq;
  mirror->v = next, next += nv;
  mirror->tendon_row = next;
  if (tendons > 0) memcpy(next, data->tendon_row, (size_t)tendons * sizeof *mirror->tendon_row);
  return LIMPET_OK;
}

limpet_status limpet_mirror_make(const limpet_model *model, const limpet_data *data,
                                 limpet_arena *arena, limpet_data *mirror) {
  if (take(model, data, arena, mirror) != LIMPET_OK) return LIMPET_ERROR_MEMORY;
  copy_poses(mirror, data, 0, model->body_count);
  memcpy(mirror->body_velocity, data->body_velocity,
         6 * (size_t)model->body_count * sizeof *data->body_velocity);
  return LIMPET_OK;
}

limpet_status limpet_mirror_make_unposed(const limpet_model *model, const limpet_data *data,
                                         limpet_arena *arena, limpet_data *mirror) {
  if (take(model, data, arena, mirror) != LIMPET_OK) return LIMPET_ERROR_MEMORY;
  for (int b = 0, tree; b < model->body_count;) {
    if ((tree = model->body_tree[b]) < 0) copy_pose(mirror, data, b++);
    else b += model->tree_body_count[tree];
  }
  return LIMPET_OK;
}

limpet_status limpet_mirror_make_bare(const limpet_model *model, const limpet_data *data,
                                      limpet_arena *arena, limpet_data *mirror) {
  if (take(model, data, arena, mirror) != LIMPET_OK) return LIMPET_ERROR_MEMORY;
  for (int t = 0; t < model->tree_count; ++t) {
    const int parent = model->body_parent[model->tree_body[t]];
    if (parent > 0 || !limpet_tree_floats(model, t)) copy_pose(mirror, data, parent);
  }
  return LIMPET_OK;
}
