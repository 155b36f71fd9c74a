/* dynamics/point_columns.c: see point_columns.h. dof_axis is about the origin of its tree. */
#include <assert.h>

#include "dynamics/point_columns.h"

#include "math/vec3.h"
#include "model/workspace.h"

int limpet_point_path_length(const limpet_model *model, int body) {
  assert(body >= 0 && body < model->body_count);
  int length = 0;
  for (int dof = model->body_last_dof[body]; dof >= 0; dof = model->dof_parent[dof]) ++length;
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

static void column_of(const limpet_data *data, int dof, const double lever[3], double sign,
                      double column[6]) {
  const double *S = data->dof_axis + 6 * dof;
  double turn[3];
  limpet_vec3_cross(turn, S, lever);
  for (int i = 0; i < 3; ++i) column[i] = sign * S[i], column[3 + i] = sign * (S[3 + i] + turn[i]);
}

int limpet_point_columns(const limpet_model *model, const limpet_data *data, int last, int stop,
                         const double point[3], double sign, int *dof, double *column) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  assert(last < model->nv && dof && column);
  int count = 0;
  for (int d = last; d != stop; d = model->dof_parent[d]) ++count;
  if (count == 0) return 0;
  double lever[3];
  limpet_vec3_sub(lever, point, data->tree_origin + 3 * model->dof_tree[last]);
  for (int d = last, k = count - 1; d != stop; d = model->dof_parent[d], --k) {
    dof[k] = d;
    column_of(data, d, lever, sign, column + 6 * k);
  }
  return count;
}
