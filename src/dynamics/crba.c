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
 * Reference: Featherstone (2008), section 6.2. Workspace: 10 doubles for each body. Cost: 47 flops
 * for each velocity and 11 for each of its ancestors. */
#include <assert.h>
#include <string.h>

#include "dynamics/tree.h"
#include "math/spatial.h"
#include "model/tendon_path.h"
#include "model/workspace.h"

static void composite_inertias(double *composite, const limpet_model *model,
                               const limpet_data *data, int tree) {
  const int first = model->tree_body[tree], last = first + model->tree_body_count[tree] - 1;
  memcpy(composite + 10 * first, data->body_inertia + 10 * first,
         10 * (size_t)(last - first + 1) * sizeof *composite);
  for (int b = last; b > first; --b) {
    double *parent = composite + 10 * model->body_parent[b];
    const double *own = composite + 10 * b;
    for (int i = 0; i < 10; ++i) parent[i] += own[i];
  }
}

// Two numbers at a time, which every 64-bit processor can do.
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

static void tree_mass_matrix(double *M, const double *composite, const limpet_model *model,
                             const limpet_data *data, int tree) {
  const int begin = model->tree_dof[tree], n = model->tree_dof_count[tree];
  const int *parent = model->dof_parent;
  memset(M, 0, (size_t)n * (size_t)n * sizeof *M);
  for (int i = n - 1; i >= 0; --i) {
    const int d = begin + i;
    double F[6];
    limpet_spatial_inertia_mul(F, composite + 10 * model->dof_body[d], data->dof_axis + 6 * d);
    const pair f0 = {F[0], F[1]}, f1 = {F[2], F[3]}, f2 = {F[4], F[5]};
    for (int a = d; a >= 0; a = parent[a]) {
      // an ancestor and those before it, as long as each hangs on the one before
      const pair *S = (const pair *)(const void *)(data->dof_axis + 6 * a);
      double *row = M + i * n + (a - begin), *column = M + (a - begin) * n + i;
      for (;; --a, S -= 3, --row, column -= n) {
        const pair sum = f0 * S[0] + f1 * S[1] + f2 * S[2];
        *row = *column = sum[0] + sum[1];
        if (parent[a] != a - 1 || a == 0) break;
      }
    }
    M[i * n + i] += model->dof_armature[d];
  }
}

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
  double *composite = limpet_scratch_begin(data->workspace, 10 * (size_t)model->body_count);
  for (int i = 0; i < trees.count; ++i) {
    const int t = limpet_trees_at(trees, i);
    composite_inertias(composite, model, data, t);
    tree_mass_matrix(data->mass_matrix + model->tree_mass[t], composite, model, data, t);
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
