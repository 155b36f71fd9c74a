/* dynamics/activation.h: inputs of actuators: controls within their ranges, activation states over
 * one step. */
#ifndef LIMPET_DYNAMICS_ACTIVATION_H
#define LIMPET_DYNAMICS_ACTIVATION_H

#include "limpet/data.h"
#include "model/trees.h"

// The control of an actuator that acts now (a delayed one: of the past), clamped to its range where
// it has one and the model clamps.
double limpet_actuator_control(const limpet_model *model, const limpet_data *data, int actuator);

// Rate of an activation under the control u, per second.
double limpet_activation_rate(const limpet_model *model, int actuator, double activation, double u);
// An activation after a step of dt [s] at this rate, within its range.
double limpet_activation_after(const limpet_model *model, int actuator, double activation,
                               double rate, double dt);
// What the gain multiplies: the control, the activation, or with `early` that at the end of dt [s].
double limpet_activation_input(const limpet_model *model, const limpet_data *data, int actuator,
                               double dt);

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
