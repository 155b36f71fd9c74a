/* sense/subtree.c: centre of mass and momentum of a body with all that hangs on it. */
#include "limpet/dynamics.h"
#include "math/vec3.h"
#include "sense/kinds.h"

static void read_centre(const limpet_sensor_reading *reading, int sensor, double *value) {
  limpet_centre_of_mass(reading->model, reading->data, reading->model->sensor_object[sensor],
                        value);
}

static void read_velocity(const limpet_sensor_reading *reading, int sensor, double *value) {
  const limpet_model *model = reading->model;
  const int body = model->sensor_object[sensor];
  double mass = 0.0, momentum[6];
  for (int b = body; b < model->body_subtree_end[body]; ++b) mass += model->body_mass[b];
  limpet_momentum(model, reading->data, body, reading->data->body_com + 3 * body, momentum);
  limpet_vec3_scale(value, mass > 0.0 ? 1.0 / mass : 0.0, momentum + 3);
}

static void read_angular_momentum(const limpet_sensor_reading *reading, int sensor, double *value) {
  const int body = reading->model->sensor_object[sensor];
  double centre[3], momentum[6];
  limpet_centre_of_mass(reading->model, reading->data, body, centre);
  limpet_momentum(reading->model, reading->data, body, centre, momentum);
  limpet_vec3_copy(value, momentum);
}

const limpet_sensor_kind limpet_sensor_subtreecom = {
    .descriptor = {.name = "subtreecom",
                   .text = "Centre of mass of a body with all that hangs on it, in the world."},
    .unit = "m",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 3,
    .objects = LIMPET_SENSES_BODY,
    .read = read_centre};

const limpet_sensor_kind limpet_sensor_subtreelinvel = {
    .descriptor = {.name = "subtreelinvel",
                   .text = "Velocity of that centre of mass, in world axes."},
    .unit = "m/s",
    .stage = LIMPET_SENSOR_VELOCITY,
    .size = 3,
    .objects = LIMPET_SENSES_BODY,
    .read = read_velocity};

const limpet_sensor_kind limpet_sensor_subtreeangmom = {
    .descriptor = {.name = "subtreeangmom",
                   .text = "Angular momentum of a body with all that hangs on it, about their "
                           "centre of mass, in world axes."},
    .unit = "N m s",
    .stage = LIMPET_SENSOR_VELOCITY,
    .size = 3,
    .objects = LIMPET_SENSES_BODY,
    .read = read_angular_momentum};
