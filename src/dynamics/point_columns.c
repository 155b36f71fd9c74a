/* dynamics/point_columns.c: see point_columns.h. dof_axis is about the origin of its tree. */
#include <assert.h>

#include "dynamics/point_columns.h"

#include "math/vec3.h"
#include "model/workspace.h"

enum { FREE_DOFS = 6 };

static bool is_free(const limpet_model *model, int dof) {
  return dof >= 0 && model->joint_kind[model->dof_joint[dof]] == LIMPET_JOINT_FREE;
}

int limpet_point_path_length(const limpet_model *model, int body) {
  assert(body >= 0 && body < model->body_count);
  int length = 0;
  for (int dof = model->body_last_dof[body]; dof >= 0; dof = model->dof_parent[dof]) {
    if (is_free(model, dof)) return length + FREE_DOFS;
    ++length;
  }
  return length;
}

// Parents have lower numbers, so the higher one steps back.
int limpet_point_common_dof(const limpet_model *model, int a, int b) {
  while (a != b) {
    if (a > b) a = model->dof_parent[a];
    else b = model->dof_parent[b];
  }
  return a;
}

static inline void column_of(const double S[6], const double lever[3], double sign,
                             double column[6]) {
  double turn[3];
  limpet_vec3_cross(turn, S, lever);
  for (int i = 0; i < 3; ++i) column[i] = sign * S[i], column[3 + i] = sign * (S[3 + i] + turn[i]);
}

// The six columns of a free joint, of which translations are along the axes of the world.
static void free_columns(const limpet_data *data, int first, const double lever[3], double sign,
                         int *dof, double *column) {
  for (int i = 0; i < 18; ++i) column[i] = 0.0;
  for (int i = 0; i < FREE_DOFS; ++i) dof[i] = first + i;
  for (int i = 0; i < 3; ++i) column[7 * i + 3] = sign;
  const double *S = data->dof_axis + 6 * (first + 3);
  for (int i = 0; i < 3; ++i) column_of(S + 6 * i, lever, sign, column + 18 + 6 * i);
}

int limpet_point_columns(const limpet_model *model, const limpet_data *data, int last, int stop,
                         const double point[3], double sign, int *dof, double *column) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  assert(last < model->nv && dof && column);
  if (last == stop) return 0;
  double lever[3];
  limpet_vec3_sub(lever, point, data->tree_origin + 3 * model->dof_tree[last]);
  if (is_free(model, last)) {
    free_columns(data, last + 1 - FREE_DOFS, lever, sign, dof, column);
    return FREE_DOFS;
  }
  int count = 0;
  for (int d = last; d != stop; d = model->dof_parent[d]) ++count;
  for (int d = last, k = count - 1; d != stop; d = model->dof_parent[d], --k) {
    if (is_free(model, d)) {
      free_columns(data, d + 1 - FREE_DOFS, lever, sign, dof, column);
      break;
    }
    dof[k] = d;
    column_of(data->dof_axis + 6 * d, lever, sign, column + 6 * k);
  }
  return count;
}
