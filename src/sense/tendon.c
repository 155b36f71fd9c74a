/* sense/tendon.c: lengths of tendons, and what actuators pull on them with. */
#include "sense/kinds.h"

static void read_length(const limpet_sensor_reading *reading, int sensor, double *value) {
  value[0] = reading->data->tendon_length[reading->model->sensor_object[sensor]];
}

static void read_velocity(const limpet_sensor_reading *reading, int sensor, double *value) {
  value[0] = reading->data->tendon_velocity[reading->model->sensor_object[sensor]];
}

static void read_actuator_force(const limpet_sensor_reading *reading, int sensor, double *value) {
  const limpet_model *model = reading->model;
  value[0] = 0.0;
  for (int i = 0; i < model->actuator_count; ++i)
    if (model->actuator_transmission[i] == LIMPET_TRANSMISSION_TENDON &&
        model->actuator_target[i] == model->sensor_object[sensor])
      value[0] += reading->data->actuator_force[i];
}

const limpet_sensor_kind limpet_sensor_tendonpos = {
    .descriptor = {.name = "tendonpos", .text = "Length of a tendon."},
    .unit = "m, rad",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 1,
    .objects = LIMPET_SENSES_TENDON,
    .read = read_length};

const limpet_sensor_kind limpet_sensor_tendonvel = {
    .descriptor = {.name = "tendonvel", .text = "Rate of the length of a tendon."},
    .unit = "m/s, rad/s",
    .stage = LIMPET_SENSOR_VELOCITY,
    .size = 1,
    .objects = LIMPET_SENSES_TENDON,
    .read = read_velocity};

const limpet_sensor_kind limpet_sensor_tendonactuatorfrc = {
    .descriptor = {.name = "tendonactuatorfrc",
                   .text = "Sum of the forces of all actuators on a tendon, before their gears: "
                           "mean over the step."},
    .unit = "N, N m",
    .stage = LIMPET_SENSOR_ACCELERATION,
    .size = 1,
    .objects = LIMPET_SENSES_TENDON,
    .read = read_actuator_force};
