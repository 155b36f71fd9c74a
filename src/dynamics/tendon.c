/* dynamics/tendon.c: lengths and velocities of fixed tendons: linear combinations of joint
 * coordinates. */
#include <assert.h>

#include "limpet/dynamics.h"
#include "model/workspace.h"

void limpet_tendon_kinematics(const limpet_model *model, limpet_data *data) {
  assert(limpet_data_ready(model, data, 0));
  for (int t = 0; t < model->tendon_count; ++t) {
    double length = 0.0, velocity = 0.0;
    for (int i = model->tendon_begin[t]; i < model->tendon_begin[t + 1]; ++i) {
      const int j = model->tendon_joint[i];
      length += model->tendon_coefficient[i] * data->q[model->joint_q[j]];
      velocity += model->tendon_coefficient[i] * data->v[model->joint_v[j]];
    }
    data->tendon_length[t] = length;
    data->tendon_velocity[t] = velocity;
  }
  data->workspace->marks |= LIMPET_MARK_TENDONS;
}
