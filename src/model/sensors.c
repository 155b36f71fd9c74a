/* model/sensors.c: reads the sensors of a model, each through its kind, and applies cutoffs. */
#include "model/sensor_kind.h"

#include <math.h>

bool limpet_sensors_need_acceleration(const limpet_model *model) {
  for (int i = 0; i < model->sensor_count; ++i)
    if (model->sensor_kind[i]->needs_acceleration || model->sensor_kind[i]->needs_wrench)
      return true;
  return false;
}

bool limpet_sensors_need_wrench(const limpet_model *model) {
  for (int i = 0; i < model->sensor_count; ++i)
    if (model->sensor_kind[i]->needs_wrench) return true;
  return false;
}

static void cut_off(double *value, int count, limpet_sensor_range range, double cutoff) {
  if (!(cutoff > 0.0) || (range != LIMPET_SENSOR_REAL && range != LIMPET_SENSOR_POSITIVE)) return;
  for (int i = 0; i < count; ++i) {
    value[i] = fmin(value[i], cutoff);
    if (range == LIMPET_SENSOR_REAL) value[i] = fmax(value[i], -cutoff);
  }
}

void limpet_sensors_read(const limpet_sensor_reading *reading, limpet_data *data) {
  const limpet_model *model = reading->model;
  for (int i = 0; i < model->sensor_count; ++i) {
    const limpet_sensor_kind *kind = model->sensor_kind[i];
    double *value = data->sensor + model->sensor_address[i];
    kind->read(reading, i, value);
    cut_off(value, model->sensor_size[i], kind->range, model->sensor_cutoff[i]);
  }
}
