/* dynamics/crba.c: the mass matrix by the composite-rigid-body algorithm.
 *
 *   I^c_b = I_b + sum of I^c over children          (all about the tree's origin: ten additions)
 *   M_ij  = S_j . I^c_(body of i) S_i               for j = i and its ancestors; zero for
 *                                                   velocities on different branches
 * plus the armature of joints on the diagonal and a' armature a for each tendon of length a q. What
 * couples two trees has no place in blocks; a step couples them by a row, in which all of such a
 * tendon is (constraint/tendon_armature.c), so its matrices (limpet_trees_mass_matrix) are without.
 * Blocks are dense, one for each tree; both triangles are filled.
 *
 * Reference: Featherstone (2008), section 6.2. Workspace: 10 doubles for each body, one for each
 * velocity. Cost: 47 flops for each velocity and 11 for each of its ancestors. */
#include <assert.h>

#include "dynamics/tree.h"
#include "dynamics/tree_kernels.h"
#include "model/tendon_path.h"
#include "model/workspace.h"

// Adds a a' armature of a tendon within a tree.
static void tendon_armature(double *M, const limpet_model *model, const limpet_data *data,
                            int tendon, double armature, limpet_trees trees) {
  const int begin = model->tendon_dof_begin[tendon], end = model->tendon_dof_begin[tendon + 1];
  const int tree = limpet_tendon_tree(model, tendon);
  if (!limpet_trees_have(trees, tree)) return;
  const int first = model->tree_dof[tree], n = model->tree_dof_count[tree];
  for (int i = begin; i < end; ++i) {
    double *row = M + model->tree_mass[tree] + (model->tendon_dof[i] - first) * n;
    for (int j = begin; j < end; ++j)
      row[model->tendon_dof[j] - first] += armature * data->tendon_row[i] * data->tendon_row[j];
  }
}

static void mass_matrices(const limpet_model *model, limpet_data *data, limpet_trees trees) {
  const limpet_tree_kernels *kernels = limpet_tree_kernels_here();
  double *work =
      limpet_scratch_begin(data->workspace, 10 * (size_t)model->body_count + (size_t)model->nv);
  for (int i = 0; i < trees.count; ++i) {
    const int t = limpet_trees_at(trees, i);
    kernels->mass_matrix(data->mass_matrix + model->tree_mass[t], work, model, data, t);
  }
  for (int t = 0; t < model->tendon_count; ++t) {
    const double armature = limpet_tendon_own_armature(model, t);
    if (armature > 0.0) tendon_armature(data->mass_matrix, model, data, t, armature, trees);
  }
  limpet_scratch_end(data->workspace);
}

void limpet_tree_mass_matrix(const limpet_model *model, limpet_data *data, int tree) {
  assert(tree >= 0 && tree < model->tree_count);
  mass_matrices(model, data, (limpet_trees){1, &tree});
}

void limpet_trees_mass_matrix(const limpet_model *model, limpet_data *data, limpet_trees trees) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  mass_matrices(model, data, trees);
  data->workspace->marks |= LIMPET_MARK_MASS;
  data->workspace->marks &= ~(unsigned)LIMPET_MARK_SHARED_MASS;
}

// The blocks of a tendon over several trees.
static void shared_armature(double *M, const limpet_model *model, const limpet_data *data,
                            int tendon, double armature) {
  const int begin = model->tendon_dof_begin[tendon], end = model->tendon_dof_begin[tendon + 1];
  for (int i = begin; i < end; ++i) {
    const int d = model->tendon_dof[i], tree = model->dof_tree[d], first = model->tree_dof[tree];
    double *row = M + model->tree_mass[tree] + (d - first) * model->tree_dof_count[tree];
    for (int j = begin; j < end; ++j)
      if (model->dof_tree[model->tendon_dof[j]] == tree)
        row[model->tendon_dof[j] - first] += armature * data->tendon_row[i] * data->tendon_row[j];
  }
}

void limpet_mass_matrix(const limpet_model *model, limpet_data *data) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  limpet_trees_mass_matrix(model, data, limpet_trees_all(model));
  for (int t = 0; t < model->tendon_count; ++t) {
    const double armature = limpet_tendon_shared_armature(model, t);
    if (armature > 0.0) shared_armature(data->mass_matrix, model, data, t, armature);
  }
  data->workspace->marks |= LIMPET_MARK_SHARED_MASS;
}
