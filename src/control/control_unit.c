/* control/control_unit.c: in which unit an actuator takes its control. A servo on a coordinate
 * takes what it holds, a motor of gain 1 a force; elsewhere the file alone knows what the number
 * means. */
#include <assert.h>

#include "limpet/control.h"

// Whether the length of the actuator's transmission is an angle; false: a length, or unknown.
static bool transmission_turns(const limpet_model *model, int actuator) {
  const int target = model->actuator_target[actuator];
  const limpet_transmission kind = model->actuator_transmission[actuator];
  const bool joint =
      kind == LIMPET_TRANSMISSION_JOINT || kind == LIMPET_TRANSMISSION_JOINT_IN_PARENT;
  return joint && model->joint_kind[target] != LIMPET_JOINT_PRISMATIC &&
         model->joint_kind[target] != LIMPET_JOINT_FREE;
}

// Of an input of a motor; the third word: where it is not known what the transmission measures.
static const char *motor_unit(const limpet_model *model, int actuator, bool coordinate,
                              bool turns) {
  static const char *const units[4][3] = {
      {"rad", "m", "1"}, {"rad/s", "m/s", "1"}, {"N m", "N", "1"}, {"V", "V", "V"}};
  const unsigned inputs = model->actuator_motor[actuator].inputs;
  int place = model->actuator_part[actuator];
  for (int input = 0; input < 4; ++input)
    if (inputs & 1u << input && place-- == 0) return units[input][coordinate ? !turns : 2];
  return "1";
}

const char *limpet_control_unit(const limpet_model *model, int actuator) {
  assert(model && actuator >= 0 && actuator < model->nu);
  const double *gain = model->actuator_gain + 3 * actuator,
               *bias = model->actuator_bias + 3 * actuator;
  const bool turns = transmission_turns(model, actuator);
  const bool joint = model->actuator_transmission[actuator] == LIMPET_TRANSMISSION_JOINT;
  const bool coordinate =
      joint && model->joint_kind[model->actuator_target[actuator]] >= LIMPET_JOINT_PRISMATIC;
  if (model->actuator_gain_law[actuator] == LIMPET_ACTUATOR_MOTOR)
    return motor_unit(model, actuator, coordinate, turns);
  if (!coordinate || gain[1] != 0.0 || gain[2] != 0.0 ||
      model->actuator_activation[actuator] == LIMPET_ACTIVATION_INTEGRATOR)
    return "1";
  if (gain[0] != 0.0 && bias[1] == -gain[0]) return turns ? "rad" : "m";
  if (gain[0] != 0.0 && bias[1] == 0.0 && bias[2] == -gain[0]) return turns ? "rad/s" : "m/s";
  if (gain[0] == 1.0 && bias[1] == 0.0 && bias[2] == 0.0) return turns ? "N m" : "N";
  return "1";
}
