/* dynamics/activation_integrate.c: activations over one step: activation.c, motor.c. */
#include <assert.h>
#include <math.h>

#include "dynamics/activation.h"
#include "dynamics/motor.h"
#include "dynamics/tree.h"
#include "model/workspace.h"

static double in_range(const limpet_model *model, int actuator, double activation) {
  const double *range = model->actuator_activation_range + 2 * actuator;
  return model->actuator_activation_limited[actuator] ? fmin(fmax(activation, range[0]), range[1])
                                                      : activation;
}

static void integrate_motor(const limpet_model *model, limpet_data *data, int actuator, double dt) {
  const int first = model->actuator_act[actuator];
  for (int k = 0; k < model->actuator_act_count[actuator]; ++k) {
    const double after = limpet_motor_activation_after(model, data, actuator, k,
                                                       data->activation_rate[first + k], dt);
    data->activation[first + k] = in_range(model, actuator, after);
  }
}

void limpet_activation_integrate(const limpet_model *model, limpet_data *data, limpet_trees trees,
                                 double dt) {
  assert(limpet_data_ready(model, data, 0) && dt > 0.0);
  for (int i = 0; i < model->actuator_count; ++i) {
    const int act = model->actuator_act[i];
    if (act < 0 || model->actuator_disabled[i]) continue;
    if (!limpet_actuator_acts(model, i, trees)) continue;
    if (limpet_actuator_is_motor(model, i)) {
      integrate_motor(model, data, i, dt);
      continue;
    }
    data->activation[act] =
        limpet_activation_after(model, i, data->activation[act], data->activation_rate[act], dt);
  }
}
