/* dynamics/forward.c: acceleration without contacts, limits and couplers: M vdot = passive +
 * actuator + applied - bias. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "dynamics/applied.h"
#include "model/workspace.h"

// Whether one of six numbers is not zero, of either sign: most bodies have no wrench.
static bool is_any(const double wrench[6]) {
  uint64_t bits[6];
  memcpy(bits, wrench, sizeof bits);
  return (bits[0] | bits[1] | bits[2] | bits[3] | bits[4] | bits[5]) << 1 != 0;
}

void limpet_applied_forces_add(const limpet_model *model, const limpet_data *data,
                               limpet_trees trees, double *force) {
  assert(limpet_data_ready(model, data, LIMPET_MARK_POSES));
  assert(model->nv == 0 || force);
  for (int i = 0; i < trees.count; ++i) {
    const int tree = limpet_trees_at(trees, i);
    const limpet_range dofs = limpet_tree_dofs(model, tree);
    const limpet_range bodies = limpet_tree_bodies(model, tree);
    for (int d = dofs.first; d < dofs.end; ++d) force[d] += data->applied_force[d];
    for (int b = bodies.first; b < bodies.end; ++b) {
      const double *wrench = data->applied_wrench + 6 * b;
      if (is_any(wrench))
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
