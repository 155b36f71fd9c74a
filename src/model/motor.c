/* model/motor.c: inputs and activations of motors, in the order in which they stand. */
#include "model/motor.h"

#include <assert.h>

static const unsigned all_inputs[] = {LIMPET_MOTOR_POSITION, LIMPET_MOTOR_VELOCITY,
                                      LIMPET_MOTOR_FORCE, LIMPET_MOTOR_VOLTAGE};

int limpet_motor_input(const limpet_motor *motor, unsigned input) {
  assert(motor);
  int place = 0;
  if (!(motor->inputs & input)) return -1;
  for (int i = 0; all_inputs[i] != input; ++i) place += (motor->inputs & all_inputs[i]) != 0;
  return place;
}

int limpet_motor_input_count(const limpet_motor *motor) {
  assert(motor);
  int count = 0;
  for (int i = 0; i < 4; ++i) count += (motor->inputs & all_inputs[i]) != 0;
  return count;
}

limpet_motor_states limpet_motor_states_of(const limpet_motor *motor) {
  assert(motor);
  limpet_motor_states s = {-1, -1, -1, -1, -1, 0};
  if (motor->slew_limit > 0.0) s.slewed = s.count++;
  if (motor->integral_gain > 0.0) s.integral = s.count++;
  if (motor->thermal_resistance > 0.0) s.temperature = s.count++;
  if (motor->bristle_stiffness > 0.0) s.bristle = s.count++;
  if (motor->current_time > 0.0) s.current = s.count++;
  return s;
}

int limpet_actuator_activation_count(const limpet_actuator_description *actuator) {
  assert(actuator);
  if (actuator->activation != LIMPET_ACTIVATION_MOTOR)
    return actuator->activation != LIMPET_ACTIVATION_NONE;
  return actuator->part > 0 ? 0 : limpet_motor_states_of(&actuator->motor).count;
}
