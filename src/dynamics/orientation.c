/* dynamics/orientation.c: orientation servos.
 *
 *   e       log(q^-1 q_wanted), the turn that is left, in axes of the child (of the site)
 *   torque  kp e + b - kd w,  |torque| <= F
 * q: rotation of the ball joint, or of the site in the reference site; q_wanted: exp of three
 * controls [rad], or four controls as a quaternion (w, x, y, z) of any length, zero standing for no
 * turn; w: rate of the transmission, in the same axes as e; kp = gain[0], b = bias[0],
 * kd = -bias[2], F = force_range[1].
 * Source: MJCF reference, actuator/orientation; MuJoCo 4.0.1 by running it. */
#include "dynamics/orientation.h"

#include <assert.h>
#include <math.h>

#include "dynamics/activation.h"
#include "dynamics/transmission.h"
#include "math/quaternion.h"
#include "math/vec3.h"

// The axis of a part; -1: the first number of a quaternion has none.
static int axis_of(const limpet_model *model, int actuator) {
  const int part = model->actuator_part[actuator];
  return model->actuator_part_count[actuator] == 4 ? part - 1 : part;
}

static void wanted(const limpet_model *model, const limpet_data *data, int first, double q[4]) {
  double u[4];
  const int count = model->actuator_part_count[first];
  for (int i = 0; i < count; ++i) u[i] = limpet_actuator_control(model, data, first + i);
  if (count == 3) {
    limpet_quaternion_exp(q, u);
    return;
  }
  const double norm = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
  for (int i = 0; i < 4; ++i) q[i] = norm > 0.0 ? u[i] / norm : i == 0 ? 1.0 : 0.0;
}

static void turn_left(const limpet_model *model, const limpet_data *data, int actuator,
                      double error[3]) {
  double q[4], back[4], goal[4], difference[4];
  wanted(model, data, actuator - model->actuator_part[actuator], goal);
  limpet_transmission_rotation(model, data, actuator, q);
  limpet_quaternion_conjugate(back, q);
  limpet_quaternion_mul(difference, back, goal);
  limpet_quaternion_log(error, difference);
}

double limpet_orientation_error(const limpet_model *model, const limpet_data *data, int actuator) {
  assert(limpet_orientation_is_part(model, actuator));
  const int axis = axis_of(model, actuator);
  double error[3];
  if (axis < 0) return 0.0;
  turn_left(model, data, actuator, error);
  return error[axis];
}

double limpet_orientation_torque(const limpet_model *model, const limpet_data *data, int actuator,
                                 bool *bounded) {
  assert(limpet_orientation_is_part(model, actuator));
  const int axis = axis_of(model, actuator);
  if (bounded) *bounded = false;
  if (axis < 0) return 0.0;
  double torque[3];
  turn_left(model, data, actuator, torque);
  for (int k = 0; k < 3; ++k) {
    const int part = actuator - axis + k;  // that of axis k
    torque[k] = model->actuator_gain[3 * part] * torque[k] + model->actuator_bias[3 * part] +
                model->actuator_bias[3 * part + 2] * data->actuator_velocity[part];
  }
  const double norm = limpet_vec3_norm(torque),
               most = model->actuator_force_range[2 * actuator + 1];
  if (!model->actuator_force_limited[actuator] || norm <= most) return torque[axis];
  if (bounded) *bounded = true;
  return torque[axis] * (most / norm);
}
