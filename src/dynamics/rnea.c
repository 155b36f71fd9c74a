/* dynamics/rnea.c: inverse dynamics by the recursive Newton-Euler algorithm, and the bias force as
 * its case of zero acceleration.
 *
 *   A_b = A_parent + sum of (S_d' v_d + S_d vdot_d),      A_world = [0; -gravity]
 *   F_b = I_b A_b + V_b x* (I_b V_b) + sum of F over children
 *   tau_d = S_d . F_b  (+ armature terms of joints and tendons times vdot)
 * Gravity enters as an upward acceleration of the world. Reference: Featherstone (2008), section
 * 5.3.
 * Workspace: 12 doubles for each body. Cost: about 150 flops for each body. */
#include <assert.h>

#include "dynamics/tree.h"
#include "dynamics/tree_kernels.h"
#include "model/tendon_path.h"
#include "model/workspace.h"

// tau += armature terms: diagonal of the joints, armature (a . vdot) a of each tendon.
static void add_armature(double *tau, const limpet_model *model, const limpet_data *data,
                         const double *vdot) {
  for (int d = 0; d < model->nv; ++d) tau[d] += model->dof_armature[d] * vdot[d];
  for (int t = 0; t < model->tendon_count; ++t) {
    if (!(model->tendon_armature[t] > 0.0)) continue;
    // what is no part of the bias, too
    const bool shared = limpet_tendon_shared_armature(model, t) > 0.0;
    double acceleration = shared ? limpet_tendon_row_rate(model, data, t) : 0.0;
    const int begin = model->tendon_dof_begin[t], end = model->tendon_dof_begin[t + 1];
    for (int i = begin; i < end; ++i)
      acceleration += data->tendon_row[i] * vdot[model->tendon_dof[i]];
    for (int i = begin; i < end; ++i)
      tau[model->tendon_dof[i]] += model->tendon_armature[t] * data->tendon_row[i] * acceleration;
  }
}

static void newton_euler(double *tau, const limpet_model *model, limpet_data *data,
                         const double *vdot, int first, int last) {
  double *work = limpet_scratch_begin(data->workspace, 12 * (size_t)model->body_count);
  limpet_tree_kernels_here()->newton_euler(tau, work, model, data, vdot, first, last + 1);
  limpet_scratch_end(data->workspace);
}

// Without the armature of tendons.
static void tree_bias(const limpet_model *model, limpet_data *data, int tree) {
  const limpet_range bodies = limpet_tree_bodies(model, tree);
  newton_euler(data->bias, model, data, NULL, bodies.first, bodies.end - 1);
}

void limpet_tree_bias(const limpet_model *model, limpet_data *data, int tree) {
  assert(tree >= 0 && tree < model->tree_count);
  tree_bias(model, data, tree);
  limpet_tendon_bias_add(model, data, (limpet_trees){1, &tree}, data->bias);
}

void limpet_tree_moving_bias(const limpet_model *model, limpet_data *data, int tree) {
  assert(tree >= 0 && tree < model->tree_count && !limpet_tendons_swing(model));
  double *work = limpet_scratch_begin(data->workspace, 12 * (size_t)model->tree_body_count[tree]);
  limpet_tree_kernels_here()->moving_bias(data->bias, work, model, data, tree);
  limpet_scratch_end(data->workspace);
}

void limpet_trees_bias(const limpet_model *model, limpet_data *data, limpet_trees trees) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES | LIMPET_MARK_VELOCITIES));
  for (int i = 0; i < trees.count; ++i) tree_bias(model, data, limpet_trees_at(trees, i));
  limpet_tendon_bias_add(model, data, trees, data->bias);
}

void limpet_bias(const limpet_model *model, limpet_data *data) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES | LIMPET_MARK_VELOCITIES));
  limpet_trees_bias(model, data, limpet_trees_all(model));
  limpet_tendon_shared_bias_add(model, data, data->bias);
}

void limpet_rnea(const limpet_model *model, limpet_data *data, const double *vdot, double *tau) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES | LIMPET_MARK_VELOCITIES));
  assert(model->nv == 0 || (vdot && tau));
  newton_euler(tau, model, data, vdot, 1, model->body_count - 1);
  add_armature(tau, model, data, vdot);
  limpet_tendon_bias_add(model, data, limpet_trees_all(model), tau);
}
