/* dynamics/tendon.c: lengths and velocities of tendons.
 *
 *   fixed    length = sum of coefficient * joint coordinate
 *   spatial  length of the path (model/tendon_path.c), found with the poses
 *   both     velocity = row v */
#include <assert.h>

#include "limpet/dynamics.h"
#include "model/tendon_path.h"
#include "model/workspace.h"

static double fixed_length(const limpet_model *model, const double *q, int tendon) {
  double length = 0.0;
  for (int i = model->tendon_begin[tendon]; i < model->tendon_begin[tendon + 1]; ++i)
    length += model->tendon_coefficient[i] * q[model->joint_q[model->tendon_joint[i]]];
  return length;
}

void limpet_tendon_kinematics(const limpet_model *model, limpet_data *data) {
  assert(limpet_data_ready(model, data, model->tendon_count > 0 ? LIMPET_MARK_POSES : 0));
  for (int t = 0; t < model->tendon_count; ++t) {
    if (!limpet_tendon_is_spatial(model, t))
      data->tendon_length[t] = fixed_length(model, data->q, t);
    double velocity = 0.0;
    for (int i = model->tendon_dof_begin[t]; i < model->tendon_dof_begin[t + 1]; ++i)
      velocity += data->tendon_row[i] * data->v[model->tendon_dof[i]];
    data->tendon_velocity[t] = velocity;
  }
  data->workspace->marks |= LIMPET_MARK_TENDONS;
}
