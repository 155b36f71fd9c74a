/* dynamics/orientation.h: servos that turn a ball joint, or a site against a reference site, to a
 * wanted orientation: three or four actuators, one for each control. */
#ifndef LIMPET_DYNAMICS_ORIENTATION_H
#define LIMPET_DYNAMICS_ORIENTATION_H

#include "limpet/data.h"

// Whether the actuator is a part of such a servo.
static inline bool limpet_orientation_is_part(const limpet_model *model, int actuator) {
  return model->actuator_gain_law[actuator] == LIMPET_ACTUATOR_ORIENTATION;
}

/* Turn [rad] about the axis of this part that is left to the wanted orientation; 0 of a part that
 * has no axis. Poses are known. */
double limpet_orientation_error(const limpet_model *model, const limpet_data *data, int actuator);

/* Torque [N m] about the axis of this part, explicit at the present state, within the range of the
 * norm. `bounded` (may be NULL): whether that range holds it back. After lengths and velocities of
 * the transmissions. */
double limpet_orientation_torque(const limpet_model *model, const limpet_data *data, int actuator,
                                 bool *bounded);

#endif
