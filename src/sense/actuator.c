/* sense/actuator.c: lengths, velocities and forces of actuators. */
#include "sense/kinds.h"

static void read_length(const limpet_sensor_reading *reading, int sensor, double *value) {
  value[0] = reading->data->actuator_length[reading->model->sensor_object[sensor]];
}

static void read_velocity(const limpet_sensor_reading *reading, int sensor, double *value) {
  value[0] = reading->data->actuator_velocity[reading->model->sensor_object[sensor]];
}

static void read_force(const limpet_sensor_reading *reading, int sensor, double *value) {
  value[0] = reading->data->actuator_force[reading->model->sensor_object[sensor]];
}

const limpet_sensor_kind limpet_sensor_actuatorpos = {
    .descriptor = {.name = "actuatorpos",
                   .text = "Length of an actuator: that of its transmission times the gear."},
    .unit = "m, rad",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 1,
    .objects = LIMPET_SENSES_ACTUATOR,
    .read = read_length};

const limpet_sensor_kind limpet_sensor_actuatorvel = {
    .descriptor = {.name = "actuatorvel", .text = "Rate of the length of an actuator."},
    .unit = "m/s, rad/s",
    .stage = LIMPET_SENSOR_VELOCITY,
    .size = 1,
    .objects = LIMPET_SENSES_ACTUATOR,
    .read = read_velocity};

const limpet_sensor_kind limpet_sensor_actuatorfrc = {
    .descriptor = {.name = "actuatorfrc",
                   .text = "Force of an actuator, before its gear: mean over the step."},
    .unit = "N, N m",
    .stage = LIMPET_SENSOR_ACCELERATION,
    .size = 1,
    .objects = LIMPET_SENSES_ACTUATOR,
    .read = read_force};
