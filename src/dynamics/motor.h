/* dynamics/motor.h: PID controllers and electrical motors: their force, how it changes with the
 * motion, and what their activations do. */
#ifndef LIMPET_DYNAMICS_MOTOR_H
#define LIMPET_DYNAMICS_MOTOR_H

#include "limpet/data.h"
#include "model/motor.h"

/* A force that is linear in the motion: error + offset - kp (l - l0) - kd w, w the velocity at the
 * end of the step, l0 the length at its start. What `error` holds shrinks with the gains, where a
 * step cannot resolve them. */
typedef struct limpet_motor_force {
  double error, offset;  // [N, N m]
  double kp, kd;         // [N/m, N m/rad], [N s/m, N m s/rad]
} limpet_motor_force;

typedef struct limpet_motor_action {
  limpet_motor_force drive;          // of controller or winding: the force range bounds it
  limpet_motor_force friction;       // bristles and cogging, on top
  double rate[LIMPET_MOTOR_STATES];  // [unit of the activation, per second]
} limpet_motor_action;

static inline bool limpet_actuator_is_motor(const limpet_model *model, int actuator) {
  return model->actuator_gain_law[actuator] == LIMPET_ACTUATOR_MOTOR;
}

/* What the first actuator of a motor does in a step of dt [s] from the present state; length,
 * velocity of its transmission and activations are known. */
void limpet_motor_act(const limpet_model *model, const limpet_data *data, int actuator, double dt,
                      limpet_motor_action *action);

// Value at the velocity of the start of the step.
double limpet_motor_value(const limpet_motor_force *force, double velocity);

/* One activation, the k-th of its motor, after a step of dt at this rate. The velocity of the
 * transmission is that of the start of the step. */
double limpet_motor_activation_after(const limpet_model *model, const limpet_data *data,
                                     int actuator, int k, double rate, double dt);

#endif
