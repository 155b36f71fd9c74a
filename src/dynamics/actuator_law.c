/* dynamics/actuator_law.c: gain and bias of actuators: three numbers (constant, by length, by
 * velocity), or the curves of a muscle. */
#include "dynamics/actuator_law.h"

#include <assert.h>

static limpet_actuator_curve affine(const double number[3], double length, double velocity) {
  return (limpet_actuator_curve){.value = number[0] + number[1] * length + number[2] * velocity,
                                 .by_length = number[1],
                                 .by_velocity = number[2]};
}

limpet_actuator_curve limpet_actuator_gain_curve(const limpet_model *model, int actuator,
                                                 double length, double velocity) {
  assert(actuator >= 0 && actuator < model->actuator_count);
  if (model->actuator_gain_law[actuator] == LIMPET_ACTUATOR_MUSCLE)
    return limpet_muscle_gain(&model->actuator_muscle[actuator],
                              model->actuator_length_range + 2 * actuator, length, velocity);
  return affine(model->actuator_gain + 3 * actuator, length, velocity);
}

limpet_actuator_curve limpet_actuator_bias_curve(const limpet_model *model, int actuator,
                                                 double length, double velocity) {
  assert(actuator >= 0 && actuator < model->actuator_count);
  if (model->actuator_bias_law[actuator] == LIMPET_ACTUATOR_MUSCLE)
    return limpet_muscle_bias(&model->actuator_muscle[actuator],
                              model->actuator_length_range + 2 * actuator, length);
  return affine(model->actuator_bias + 3 * actuator, length, velocity);
}
