/* control/actuator_command.c: from a force on a joint to the control of its actuator.
 *
 *   force = (gain . [1, l, l']) u + bias . [1, l, l'],  l = gear q,  tau = gear force
 * solved for u. The step takes a servo's gains at the end of the step, so q and v are those that
 * are expected there. Gains that a step cannot resolve are softened by it (constraint_ratio in
 * docs/defaults.md); the force is smaller then. */
#include <assert.h>
#include <math.h>

#include "base/error.h"
#include "control/joints.h"
#include "limpet/control.h"

static bool moves(const limpet_model *model, int actuator, int joint) {
  const limpet_transmission kind = model->actuator_transmission[actuator];
  const int target = model->actuator_target[actuator];
  const bool other_input = model->actuator_gain_law[actuator] == LIMPET_ACTUATOR_MOTOR &&
                           model->actuator_part[actuator] > 0;
  if (model->actuator_disabled[actuator] || other_input) return false;
  if (kind == LIMPET_TRANSMISSION_JOINT || kind == LIMPET_TRANSMISSION_JOINT_IN_PARENT)
    return target == joint;
  if (kind != LIMPET_TRANSMISSION_TENDON) return false;
  for (int i = model->tendon_dof_begin[target]; i < model->tendon_dof_begin[target + 1]; ++i)
    if (model->dof_joint[model->tendon_dof[i]] == joint) return true;
  return false;
}

int limpet_joint_actuator(const limpet_model *model, int joint, limpet_error *error) {
  assert(model && joint >= 0 && joint < model->joint_count);
  char label[160];
  int found = LIMPET_NONE, count = 0;
  limpet_joint_label(label, sizeof label, model, joint);
  for (int i = 0; i < model->actuator_count; ++i)
    if (moves(model, i, joint)) found = i, ++count;
  const char *problem = NULL;
  if (count == 0)
    problem =
        "has no actuator; \"apply\": \"joint-force\" lets the controller push on the joint itself";
  else if (count > 1) problem = "has more than one actuator; leave one, or switch a group off";
  else if (model->actuator_transmission[found] == LIMPET_TRANSMISSION_TENDON)
    problem = "is moved by a tendon, with others; drive the tendon by --controls";
  else if (model->actuator_gain_law[found] == LIMPET_ACTUATOR_MOTOR)
    problem =
        "has a PID controller or an electrical motor, whose force does not follow from one "
        "control; "
        "set its inputs by --controls, or \"apply\": \"joint-force\"";
  else if (model->actuator_activation[found] != LIMPET_ACTIVATION_NONE)
    problem =
        "has an actuator with an activation (a filter or integrator), whose force does not follow "
        "from its control";
  else if (model->actuator_gear[6 * found] == 0.0 || model->actuator_gain[3 * found] == 0.0)
    problem = "has an actuator without gear or gain";
  if (!problem) return found;
  limpet_error_fill(error, LIMPET_ERROR_INPUT, "joint %s %s", label, problem);
  return LIMPET_NONE;
}

// `value` within the range; clears `possible` when it was not, up to round-off.
static double limited(double value, const double range[2], bool *possible) {
  const double inside = fmin(fmax(value, range[0]), range[1]);
  if (fabs(inside - value) > 1e-12 * fmax(1.0, fabs(value))) *possible = false;
  return inside;
}

bool limpet_actuator_command(const limpet_model *model, int actuator, double q, double v,
                             double tau, double *control) {
  assert(model && actuator >= 0 && actuator < model->actuator_count && control);
  const double gear = model->actuator_gear[6 * actuator], l = gear * q, rate = gear * v;
  const double *gain = model->actuator_gain + 3 * actuator,
               *bias = model->actuator_bias + 3 * actuator;
  const int joint = model->actuator_target[actuator];
  bool possible = true;
  if (model->joint_effort_limited[joint])
    tau = limited(tau, model->joint_effort_range + 2 * joint, &possible);
  double force = tau / gear;
  if (model->actuator_force_limited[actuator])
    force = limited(force, model->actuator_force_range + 2 * actuator, &possible);
  const double slope = gain[0] + gain[1] * l + gain[2] * rate;
  double u = (force - bias[0] - bias[1] * l - bias[2] * rate) / slope;
  if (!isfinite(u)) u = 0.0, possible = false;
  if (model->actuator_control_limited[actuator] &&
      !(model->options.disabled & LIMPET_DISABLE_CLAMP_CONTROL))
    u = limited(u, model->actuator_control_range + 2 * actuator, &possible);
  *control = u;
  return possible;
}
