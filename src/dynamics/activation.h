/* dynamics/activation.h: inputs of actuators: controls within their ranges, activation states over
 * one step. */
#ifndef LIMPET_DYNAMICS_ACTIVATION_H
#define LIMPET_DYNAMICS_ACTIVATION_H

#include "limpet/data.h"
#include "model/history.h"
#include "model/trees.h"

// The control of an actuator that acts now (a delayed one: of the past).
static inline double limpet_actuator_asked(const limpet_model *model, const limpet_data *data,
                                           int actuator) {
  return model->actuator_history[actuator] >= 0 ? limpet_history_control(model, data, actuator)
                                                : data->control[actuator];
}

// The same clamped to its range where it has one and the model clamps.
static inline double limpet_actuator_control(const limpet_model *model, const limpet_data *data,
                                             int actuator) {
  const double u = limpet_actuator_asked(model, data, actuator);
  if (!model->actuator_control_limited[actuator] ||
      (model->options.disabled & LIMPET_DISABLE_CLAMP_CONTROL))
    return u;
  const double *range = model->actuator_control_range + 2 * actuator;
  return u < range[0] ? range[0] : u > range[1] ? range[1] : u;
}

// Rate of an activation under the control u, per second.
double limpet_activation_rate(const limpet_model *model, int actuator, double activation, double u);
// An activation after a step of dt [s] at this rate, within its range.
double limpet_activation_after(const limpet_model *model, int actuator, double activation,
                               double rate, double dt);
// What the gain multiplies: the control, the activation, or with `early` that at the end of dt [s].
static inline double limpet_activation_input(const limpet_model *model, const limpet_data *data,
                                             int actuator, double dt) {
  const int index = model->actuator_act[actuator];
  if (index >= 0 && !model->actuator_activation_early[actuator]) return data->activation[index];
  const double u = limpet_actuator_control(model, data, actuator);
  if (index < 0) return u;
  const double activation = data->activation[index];
  return limpet_activation_after(model, actuator, activation,
                                 limpet_activation_rate(model, actuator, activation, u), dt);
}

// activation <- activation after dt, from data->activation_rate. Disabled groups stay, and
// actuators on no tree of the list.
void limpet_activation_integrate(const limpet_model *model, limpet_data *data, limpet_trees trees,
                                 double dt);

// limpet_actuation for a step of dt [s], at whose end activations with `early` act.
void limpet_trees_actuation(const limpet_model *model, limpet_data *data, limpet_trees trees,
                            double dt);
/* [N, N m]  Force of one actuator alone, of the lengths and velocities that were evaluated last,
 * without limits that it shares with others. Stores the rate of its activation. */
double limpet_actuator_own_force(const limpet_model *model, limpet_data *data, int actuator,
                                 double dt);

#endif
