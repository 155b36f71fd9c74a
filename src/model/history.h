/* model/history.h: what delays remember: samples of controls and of sensors in data->history.
 *
 * A list of n samples is [times (n), values (n x width)], oldest first; that of a sensor has the
 * time of its last reading on an interval before it. A look at a time between two samples holds the
 * earlier one, or interpolates; before the first and after the last it gives these. */
#ifndef LIMPET_MODEL_HISTORY_H
#define LIMPET_MODEL_HISTORY_H

#include "limpet/data.h"

enum { LIMPET_HISTORY_LIMIT = 1 << 20 };  // numbers that one control or sensor remembers

// Numbers in data->history of a control; of a sensor with `width` numbers. 0: too many samples.
int limpet_history_control_size(int samples);
int limpet_history_sensor_size(int samples, int width);

// As if nothing had been before time 0: zeros, one step (or interval) apart.
void limpet_history_reset(const limpet_model *model, limpet_data *data);

// The control of an actuator that acts now: data->control, or what it was its delay ago.
double limpet_history_control(const limpet_model *model, const limpet_data *data, int actuator);

// At the end of a step, with data->time at its start: remembers the controls.
void limpet_history_add_controls(const limpet_model *model, limpet_data *data);

/* data->sensor, read at data->time: remembers what sensors with a delay or an interval read, and
 * puts there what they show. */
void limpet_history_sensors(const limpet_model *model, limpet_data *data);

#endif
