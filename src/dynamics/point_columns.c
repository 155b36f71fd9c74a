/* dynamics/point_columns.c: see point_columns.h. dof_axis is about the origin of its tree. */
#include <assert.h>

#include "dynamics/point_columns.h"

#include "dynamics/column_kernels.h"
#include "math/vec3.h"
#include "model/workspace.h"

enum { FREE_DOFS = 6 };

// Chosen when the library is loaded.
static const limpet_column_kernels *kernels = &limpet_column_kernels_baseline;

#if defined(__x86_64__)
__attribute__((constructor)) static void kernels_choose(void) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) kernels = &limpet_column_kernels_avx2;
}
#endif

const limpet_column_kernels *limpet_column_kernels_here(void) { return kernels; }

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

// The six columns of a free joint, of which translations are along the axes of the world.
static void free_columns(const limpet_data *data, int first, const double lever[3], double sign,
                         int *dof, double *column) {
  for (int i = 0; i < 18; ++i) column[i] = 0.0;
  for (int i = 0; i < FREE_DOFS; ++i) dof[i] = first + i;
  for (int i = 0; i < 3; ++i) column[7 * i + 3] = sign;
  for (int i = 0; i < 3; ++i) {
    const double *S = data->dof_axis + 6 * (first + 3 + i);
    double turn[3], *to = column + 18 + 6 * i;
    limpet_vec3_cross(turn, S, lever);
    for (int k = 0; k < 3; ++k) to[k] = sign * S[k], to[3 + k] = sign * (S[3 + k] + turn[k]);
  }
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
  // a tree has its free joint first
  const int begin = model->tree_dof[model->dof_tree[last]];
  const int turned = is_free(model, begin) ? begin + FREE_DOFS : begin;
  int ones = 0, d = last;
  for (; d != stop && d >= turned; d = model->dof_parent[d]) ++ones;
  const int first = d != stop ? FREE_DOFS : 0;
  if (first > 0) free_columns(data, begin, lever, sign, dof, column);
  kernels->columns(model->dof_parent, data->dof_axis, last, ones, lever, sign, dof + first,
                   column + 6 * first);
  return first + ones;
}
