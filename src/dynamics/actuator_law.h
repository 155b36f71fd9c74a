/* dynamics/actuator_law.h: what the force of an actuator is made of:
 *   force = gain(length, velocity) input + bias(length, velocity). */
#ifndef LIMPET_DYNAMICS_ACTUATOR_LAW_H
#define LIMPET_DYNAMICS_ACTUATOR_LAW_H

#include "dynamics/muscle.h"

limpet_actuator_curve limpet_actuator_gain_curve(const limpet_model *model, int actuator,
                                                 double length, double velocity);
limpet_actuator_curve limpet_actuator_bias_curve(const limpet_model *model, int actuator,
                                                 double length, double velocity);

#endif
