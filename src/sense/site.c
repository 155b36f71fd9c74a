/* sense/site.c: instruments that are mounted on a site and measure in its axes. */
#include "dynamics/body_forces.h"
#include "math/vec3.h"
#include "sense/kinds.h"

static void read_accelerometer(const limpet_sensor_reading *reading, int sensor, double *value) {
  const limpet_sense_frame site = limpet_sense_object(reading, sensor);
  double a[3];
  limpet_point_acceleration(reading->model, reading->data, reading->acceleration, site.body,
                            site.position, a);
  limpet_mat3_tmul_vec(value, site.rotation, a);
}

static void read_velocimeter(const limpet_sensor_reading *reading, int sensor, double *value) {
  const limpet_sense_frame site = limpet_sense_object(reading, sensor);
  double v[3];
  limpet_point_velocity(reading->model, reading->data, site.body, site.position, v);
  limpet_mat3_tmul_vec(value, site.rotation, v);
}

static void read_gyro(const limpet_sensor_reading *reading, int sensor, double *value) {
  const limpet_sense_frame site = limpet_sense_object(reading, sensor);
  limpet_mat3_tmul_vec(value, site.rotation, reading->data->body_velocity + 6 * site.body);
}

static void read_force(const limpet_sensor_reading *reading, int sensor, double *value) {
  const limpet_sense_frame site = limpet_sense_object(reading, sensor);
  limpet_mat3_tmul_vec(value, site.rotation, reading->joint_wrench + 6 * site.body + 3);
}

static void read_torque(const limpet_sensor_reading *reading, int sensor, double *value) {
  const limpet_sense_frame site = limpet_sense_object(reading, sensor);
  const double *wrench = reading->joint_wrench + 6 * site.body;
  double lever[3], moment[3];
  limpet_vec3_sub(lever, reading->data->body_com + 3 * site.body, site.position);
  limpet_vec3_cross(moment, lever, wrench + 3);
  limpet_vec3_add(moment, moment, wrench);
  limpet_mat3_tmul_vec(value, site.rotation, moment);
}

static void read_magnetometer(const limpet_sensor_reading *reading, int sensor, double *value) {
  const limpet_sense_frame site = limpet_sense_object(reading, sensor);
  limpet_mat3_tmul_vec(value, site.rotation, reading->model->options.magnetic_field);
}

const limpet_sensor_kind limpet_sensor_accelerometer = {
    .descriptor = {.name = "accelerometer",
                   .text = "Acceleration of the site less gravity, in its axes: at rest it points "
                           "up with 9.81 m/s^2."},
    .unit = "m/s^2",
    .stage = LIMPET_SENSOR_ACCELERATION,
    .size = 3,
    .objects = LIMPET_SENSES_SITE,
    .needs_acceleration = true,
    .read = read_accelerometer};

const limpet_sensor_kind limpet_sensor_velocimeter = {
    .descriptor = {.name = "velocimeter", .text = "Velocity of the site, in its axes."},
    .unit = "m/s",
    .stage = LIMPET_SENSOR_VELOCITY,
    .size = 3,
    .objects = LIMPET_SENSES_SITE,
    .read = read_velocimeter};

const limpet_sensor_kind limpet_sensor_gyro = {
    .descriptor = {.name = "gyro",
                   .text = "Angular velocity of the site's body, in axes of the site."},
    .unit = "rad/s",
    .stage = LIMPET_SENSOR_VELOCITY,
    .size = 3,
    .objects = LIMPET_SENSES_SITE,
    .read = read_gyro};

const limpet_sensor_kind limpet_sensor_force = {
    .descriptor = {.name = "force",
                   .text = "Force that the parent exerts on the site's body, with all that hangs "
                           "on it, in axes of the site."},
    .unit = "N",
    .stage = LIMPET_SENSOR_ACCELERATION,
    .size = 3,
    .objects = LIMPET_SENSES_SITE,
    .needs_wrench = true,
    .read = read_force};

const limpet_sensor_kind limpet_sensor_torque = {
    .descriptor =
        {.name = "torque",
         .text =
             "Moment that the parent exerts on the site's body, about the site and in its axes."},
    .unit = "N m",
    .stage = LIMPET_SENSOR_ACCELERATION,
    .size = 3,
    .objects = LIMPET_SENSES_SITE,
    .needs_wrench = true,
    .read = read_torque};

const limpet_sensor_kind limpet_sensor_magnetometer = {
    .descriptor = {.name = "magnetometer",
                   .text =
                       "The magnetic field of the world (option magnetic), in axes of the site."},
    .unit = "T",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 3,
    .objects = LIMPET_SENSES_SITE,
    .read = read_magnetometer};
