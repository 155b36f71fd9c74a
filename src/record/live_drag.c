/* record/live_drag.c: a spring between a point of a body and where someone holds it.
 *
 *   F = m (w^2 (target - p) - 2 w dp/dt),   1/m = mean of J M^-1 J' of the body (its inverse
 * weight)
 *
 * p [m] is the point in W, w = 15 rad/s the frequency of the critically damped motion. By the
 * effective mass m [kg], a body follows alike whatever it weighs and hangs on, and under its weight
 * it stays g/w^2 = 44 mm behind. The force is constant over a step: stable for steps below 1/(2 w)
 * = 33 ms where the point is as heavy as the body. Cost: kinematics and velocities of all bodies.
 */
#include "record/live_drag.h"

#include <assert.h>
#include <string.h>

#include "dynamics/body_forces.h"
#include "limpet/dynamics.h"
#include "math/quaternion.h"
#include "math/vec3.h"

static const double frequency = 15.0;  // rad/s

static void take_back(limpet_live_drag *drag, limpet_data *data) {
  if (drag->body == LIMPET_NONE) return;
  for (int k = 0; k < 6; ++k) data->applied_wrench[6 * drag->body + k] -= drag->wrench[k];
  memset(drag->wrench, 0, sizeof drag->wrench);
}

void limpet_live_drag_release(limpet_live_drag *drag, limpet_data *data) {
  assert(drag && data);
  take_back(drag, data);
  drag->body = LIMPET_NONE;
}

void limpet_live_drag_apply(limpet_live_drag *drag, const limpet_model *model, limpet_data *data) {
  assert(drag && data->model == model);
  if (drag->body == LIMPET_NONE) return;
  take_back(drag, data);
  const int b = drag->body;
  limpet_kinematics(model, data);
  limpet_velocity_kinematics(model, data);
  limpet_quaternion_rotate(drag->place, &data->body_quaternion[4 * b], drag->point);
  limpet_vec3_add(drag->place, drag->place, &data->body_position[3 * b]);

  double velocity[3], arm[3];
  limpet_point_velocity(model, data, b, drag->place, velocity);
  const double weight = model->body_inverse_weight[2 * b], mass = weight > 0.0 ? 1.0 / weight : 0.0;
  for (int k = 0; k < 3; ++k)
    drag->force[k] =
        mass * frequency * (frequency * (drag->target[k] - drag->place[k]) - 2.0 * velocity[k]);
  limpet_vec3_sub(arm, drag->place, &data->body_com[3 * b]);
  limpet_vec3_cross(drag->wrench, arm, drag->force);
  limpet_vec3_copy(drag->wrench + 3, drag->force);
  for (int k = 0; k < 6; ++k) data->applied_wrench[6 * b + k] += drag->wrench[k];
}
