/* sense/joint.c: encoders and motors of joints. */
#include "math/quaternion.h"
#include "sense/kinds.h"

static int joint_of(const limpet_sensor_reading *reading, int sensor) {
  return reading->model->sensor_object[sensor];
}

static void read_position(const limpet_sensor_reading *reading, int sensor, double *value) {
  value[0] = reading->data->q[reading->model->joint_q[joint_of(reading, sensor)]];
}

static void read_velocity(const limpet_sensor_reading *reading, int sensor, double *value) {
  value[0] = reading->data->v[reading->model->joint_v[joint_of(reading, sensor)]];
}

static void read_actuator_force(const limpet_sensor_reading *reading, int sensor, double *value) {
  value[0] =
      reading->data->actuator_joint_force[reading->model->joint_v[joint_of(reading, sensor)]];
}

static void read_ball_quaternion(const limpet_sensor_reading *reading, int sensor, double *value) {
  limpet_quaternion_copy(value,
                         reading->data->q + reading->model->joint_q[joint_of(reading, sensor)]);
  limpet_quaternion_normalize(value);
}

static void read_ball_velocity(const limpet_sensor_reading *reading, int sensor, double *value) {
  limpet_vec3_copy(value, reading->data->v + reading->model->joint_v[joint_of(reading, sensor)]);
}

const limpet_sensor_kind limpet_sensor_jointpos = {
    .descriptor = {.name = "jointpos", .text = "Coordinate of a slide or hinge."},
    .unit = "m, rad",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 1,
    .objects = LIMPET_SENSES_JOINT,
    .read = read_position};

const limpet_sensor_kind limpet_sensor_jointvel = {
    .descriptor = {.name = "jointvel", .text = "Velocity of a slide or hinge."},
    .unit = "m/s, rad/s",
    .stage = LIMPET_SENSOR_VELOCITY,
    .size = 1,
    .objects = LIMPET_SENSES_JOINT,
    .read = read_velocity};

const limpet_sensor_kind limpet_sensor_jointactuatorfrc = {
    .descriptor = {.name = "jointactuatorfrc",
                   .text = "Generalised force of all actuators on a slide or hinge, after gears "
                           "and limits: mean over the step."},
    .unit = "N, N m",
    .stage = LIMPET_SENSOR_ACCELERATION,
    .size = 1,
    .objects = LIMPET_SENSES_JOINT,
    .read = read_actuator_force};

const limpet_sensor_kind limpet_sensor_ballquat = {
    .descriptor = {.name = "ballquat", .text = "Quaternion (w, x, y, z) of a ball joint."},
    .unit = "1",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 4,
    .range = LIMPET_SENSOR_UNIT,
    .objects = LIMPET_SENSES_JOINT,
    .joints = LIMPET_SENSOR_JOINTS_BALL,
    .read = read_ball_quaternion};

const limpet_sensor_kind limpet_sensor_ballangvel = {
    .descriptor = {.name = "ballangvel",
                   .text = "Angular velocity of a ball joint, in axes of the child."},
    .unit = "rad/s",
    .stage = LIMPET_SENSOR_VELOCITY,
    .size = 3,
    .objects = LIMPET_SENSES_JOINT,
    .joints = LIMPET_SENSOR_JOINTS_BALL,
    .read = read_ball_velocity};
