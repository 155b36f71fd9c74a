/* dynamics/forward.c: acceleration without contacts, limits and couplers: M vdot = passive +
 * actuator + applied - bias. */
#include <assert.h>

#include "dynamics/applied.h"
#include "math/nonzero.h"
#include "model/workspace.h"

void limpet_applied_forces_add(const limpet_model *model, const limpet_data *data,
                               limpet_trees trees, double *force) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  assert(model->nv == 0 || force);
  for (int i = 0; i < limpet_trees_run_count(trees); ++i) {
    const limpet_tree_run run = limpet_trees_run(model, trees, i);
    const limpet_range bodies = run.bodies;
    for (int d = run.dofs.first; d < run.dofs.end; ++d) force[d] += data->applied_force[d];
    // mostly nothing pulls at a body
    if (!limpet_any_nonzero(data->applied_wrench + 6 * bodies.first,
                            6 * (bodies.end - bodies.first)))
      continue;
    for (int b = bodies.first; b < bodies.end; ++b) {
      const double *wrench = data->applied_wrench + 6 * b;
      if (model->body_tree[b] >= 0 && limpet_any_nonzero(wrench, 6))
        limpet_wrench_to_joints(model, data, b, data->body_com + 3 * b, wrench, force);
    }
  }
}

void limpet_forward_dynamics(const limpet_model *model, limpet_data *data) {
  assert(limpet_data_ready(model, data, 0));
  limpet_kinematics(model, data);
  limpet_velocity_kinematics(model, data);
  limpet_tendon_kinematics(model, data);
  limpet_mass_matrix(model, data);
  limpet_bias(model, data);
  limpet_passive_forces(model, data);
  limpet_actuation(model, data);

  double *force = data->acceleration;
  for (int d = 0; d < model->nv; ++d)
    force[d] = data->passive_force[d] + data->actuator_joint_force[d] - data->bias[d];
  limpet_applied_forces_add(model, data, limpet_trees_all(model), force);
  limpet_mass_solve(model, data, force, data->acceleration);
}
