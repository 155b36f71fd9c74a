/* step/activation.c: integration of activation states: see activation.h. Source: MuJoCo
 * documentation, actuation model. */
#include "step/activation.h"

#include <math.h>

void limpet_activation_integrate(const limpet_model *model, limpet_data *data, double dt) {
  for (int i = 0; i < model->actuator_count; ++i) {
    const int act = model->actuator_act[i];
    if (act < 0 || model->actuator_disabled[i]) continue;
    const double rate = data->activation_rate[act], tau = model->actuator_activation_time[i];
    const bool exact = model->actuator_activation[i] == LIMPET_ACTIVATION_FILTER_EXACT && tau > 0.0;
    double value = data->activation[act] + rate * (exact ? tau * -expm1(-dt / tau) : dt);
    if (model->actuator_activation_limited[i]) {
      const double *range = model->actuator_activation_range + 2 * i;
      value = value < range[0] ? range[0] : value > range[1] ? range[1] : value;
    }
    data->activation[act] = value;
  }
}
