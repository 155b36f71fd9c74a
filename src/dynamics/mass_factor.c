/* dynamics/mass_factor.c: products and solves with the mass matrix along the branches of the trees.
 *
 * M = L' D L with unit lower triangular L: eliminating velocities from the leaves inwards touches
 * only pairs that lie on one path to the root, so nothing fills in. A tendon with armature couples
 * branches; in such a tree every velocity counts as the ancestor of all later ones.
 *
 * Reference: Featherstone (2008), section 6.5. Workspace of a solve: one copy of the blocks.
 * Cost: depth^2/2 multiply-adds for each velocity (factor), depth (solve, product). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "dynamics/tree.h"
#include "model/workspace.h"

// [kg, kg m^2]  a velocity without inertia is given this much, as in MuJoCo
static const double least_pivot = 1e-15;

static bool tree_is_coupled(const limpet_model *model, int tree) {
  for (int t = 0; t < model->tendon_count; ++t) {
    if (!(model->tendon_armature[t] > 0.0)) continue;
    for (int i = model->tendon_dof_begin[t]; i < model->tendon_dof_begin[t + 1]; ++i)
      if (model->dof_tree[model->tendon_dof[i]] == tree) return true;
  }
  return false;
}

/* parent[i]: the velocity of the tree before i on its path, -1 for the first; all of them
 * in one path where the tree is coupled. */
static void tree_parents(int *parent, const limpet_model *model, int tree) {
  const int begin = model->tree_dof[tree], n = model->tree_dof_count[tree];
  const bool coupled = model->tendon_count > 0 && tree_is_coupled(model, tree);
  for (int i = 0; i < n; ++i) {
    const int p = model->dof_parent[begin + i];
    parent[i] = coupled ? i - 1 : p < 0 ? -1 : p - begin;
  }
}

/* Row by row from the last: the row's entries on its path are gathered, subtracted from the rows
 * above, and scaled by the pivot. `path` and `entry` (n each) are scratch. */
static void factor_tree(double *H, const int *parent, int n, int *path, double *entry) {
  for (int k = n - 1; k >= 0; --k) {
    double *row = H + k * n;
    row[k] = fmax(row[k], least_pivot);
    const double inverse = 1.0 / row[k];
    int count = 0;
    for (int i = parent[k]; i >= 0; i = parent[i]) {
      path[count] = i;
      entry[count++] = row[i];
    }
    for (int a = 0; a < count; ++a) {
      double *above = H + path[a] * n;
      const double factor = entry[a] * inverse;
      for (int b = a; b < count; ++b) above[path[b]] -= factor * entry[b];
      row[path[a]] = factor;
    }
  }
}

static void solve_tree(double *x, const double *H, const int *parent, int n) {
  for (int i = n - 1; i >= 0; --i)
    for (int j = parent[i]; j >= 0; j = parent[j]) x[j] -= H[i * n + j] * x[i];
  for (int i = 0; i < n; ++i) {
    double sum = 0.0;
    for (int j = parent[i]; j >= 0; j = parent[j]) sum += H[i * n + j] * x[j];
    x[i] = x[i] / H[i * n + i] - sum;
  }
}

void limpet_mass_solve(const limpet_model *model, limpet_data *data, const double *y, double *x) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_MASS));
  assert(model->nv == 0 || (x && y));
  const size_t nv = (size_t)model->nv, size = (size_t)model->mass_size;
  double *H = limpet_scratch_begin(data->workspace, size + 2 * nv), *entry = H + size;
  int *parent = (int *)(void *)(entry + nv);  // (2 nv)
  if (x != y) memcpy(x, y, nv * sizeof *x);
  memcpy(H, data->mass_matrix, size * sizeof *H);
  for (int t = 0; t < model->tree_count; ++t) {
    const int n = model->tree_dof_count[t];
    tree_parents(parent, model, t);
    factor_tree(H + model->tree_mass[t], parent, n, parent + nv, entry);
    solve_tree(x + model->tree_dof[t], H + model->tree_mass[t], parent, n);
  }
  limpet_scratch_end(data->workspace);
}

void limpet_trees_mass_mul(const limpet_model *model, const limpet_data *data, limpet_trees trees,
                           const double *x, double *y) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_MASS));
  assert(model->nv == 0 || (x && y));
  const size_t nv = (size_t)model->nv;
  double *product = limpet_scratch_begin(data->workspace, 2 * nv);
  int *parent = (int *)(void *)(product + nv);
  for (int tree = 0; tree < trees.count; ++tree) {
    const int t = limpet_trees_at(trees, tree);
    const int begin = model->tree_dof[t], n = model->tree_dof_count[t];
    const double *M = data->mass_matrix + model->tree_mass[t];
    tree_parents(parent, model, t);

    // each pair on a path counts in both of its rows
    for (int i = 0; i < n; ++i) {
      double sum = M[i * n + i] * x[begin + i];
      for (int j = parent[i]; j >= 0; j = parent[j]) {
        sum += M[i * n + j] * x[begin + j];
        product[begin + j] += M[i * n + j] * x[begin + i];
      }
      product[begin + i] = sum;
    }
    memcpy(y + begin, product + begin, (size_t)n * sizeof *y);
  }
  limpet_scratch_end(data->workspace);
}

void limpet_mass_mul(const limpet_model *model, const limpet_data *data, const double *x,
                     double *y) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_MASS));
  limpet_trees_mass_mul(model, data, limpet_trees_all(model), x, y);
}
