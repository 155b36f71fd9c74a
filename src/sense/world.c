/* sense/world.c: sensors of the whole world, and what keeps the place of others. */
#include <string.h>

#include "limpet/dynamics.h"
#include "sense/kinds.h"

static void read_potential_energy(const limpet_sensor_reading *reading, int sensor, double *value) {
  (void)sensor;
  value[0] = limpet_potential_energy(reading->model, reading->data);
}

static void read_kinetic_energy(const limpet_sensor_reading *reading, int sensor, double *value) {
  (void)sensor;
  value[0] = limpet_kinetic_energy(reading->model, reading->data);
}

static void read_clock(const limpet_sensor_reading *reading, int sensor, double *value) {
  (void)sensor;
  value[0] = reading->data->time;
}

static void read_zeros(const limpet_sensor_reading *reading, int sensor, double *value) {
  memset(value, 0, (size_t)reading->model->sensor_size[sensor] * sizeof *value);
}

const limpet_sensor_kind limpet_sensor_e_potential = {
    .descriptor = {.name = "e_potential", .text = "Potential energy of gravity and springs."},
    .unit = "J",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 1,
    .read = read_potential_energy};

const limpet_sensor_kind limpet_sensor_e_kinetic = {
    .descriptor = {.name = "e_kinetic", .text = "Kinetic energy, rotors (armature) included."},
    .unit = "J",
    .stage = LIMPET_SENSOR_VELOCITY,
    .size = 1,
    .read = read_kinetic_energy};

const limpet_sensor_kind limpet_sensor_clock = {
    .descriptor = {.name = "clock",
                   .text = "Time of the state that is sensed: after a step that of its start."},
    .unit = "s",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 1,
    .read = read_clock};

const limpet_sensor_kind limpet_sensor_zeros = {
    .descriptor = {.name = "zeros",
                   .text = "Keeps the place of a sensor that is not simulated, so that the numbers "
                           "of the others stay where they "
                           "are."},
    .unit = "1",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 0,
    .read = read_zeros};
