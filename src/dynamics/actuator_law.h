/* dynamics/actuator_law.h: what the force of an actuator is made of:
 *   force = gain(length, velocity) input + bias(length, velocity). */
#ifndef LIMPET_DYNAMICS_ACTUATOR_LAW_H
#define LIMPET_DYNAMICS_ACTUATOR_LAW_H

#include "dynamics/muscle.h"

// Whether gain and bias are three numbers each: constant, by length, by velocity.
static inline bool limpet_actuator_is_affine(const limpet_model *model, int actuator) {
  return model->actuator_gain_law[actuator] == LIMPET_ACTUATOR_AFFINE &&
         model->actuator_bias_law[actuator] == LIMPET_ACTUATOR_AFFINE;
}

// Whether the gain is one number, whatever length and velocity are.
static inline bool limpet_actuator_gain_is_constant(const limpet_model *model, int actuator) {
  const double *gain = model->actuator_gain + 3 * actuator;
  return model->actuator_gain_law[actuator] == LIMPET_ACTUATOR_AFFINE && gain[1] == 0.0 &&
         gain[2] == 0.0;
}

// Whether an actuator is a torque, whatever its input is. Most servos are told by their bias.
static inline bool limpet_actuator_has_no_gains(const limpet_model *model, int actuator) {
  const double *bias = model->actuator_bias + 3 * actuator;
  return bias[1] == 0.0 && bias[2] == 0.0 && limpet_actuator_is_affine(model, actuator) &&
         limpet_actuator_gain_is_constant(model, actuator);
}

limpet_actuator_curve limpet_actuator_gain_curve(const limpet_model *model, int actuator,
                                                 double length, double velocity);
limpet_actuator_curve limpet_actuator_bias_curve(const limpet_model *model, int actuator,
                                                 double length, double velocity);

#endif
