/* sense/limit.c: limits of joints and tendons: how far inside, how fast, how hard.
 *
 * A limit is reached when its distance g = value - lower or upper - value (ball: largest angle -
 * angle) is below the margin. The sensors then give g - margin, its rate, and the force along which
 * g grows; else 0. The lower limit goes first. */
#include "constraint/kind.h"
#include "math/quaternion.h"
#include "sense/kinds.h"

typedef struct limit_state {
  bool reached;
  double distance;  // [m, rad]  less the margin
  double rate;      // [m/s, rad/s]
} limit_state;

static limit_state scalar_limit(double value, double rate, const double range[2], double margin) {
  for (int side = 0; side < 2; ++side) {
    const double sign = side == 0 ? 1.0 : -1.0, distance = sign * (value - range[side]);
    if (distance < margin) return (limit_state){true, distance - margin, sign * rate};
  }
  return (limit_state){false, 0.0, 0.0};
}

static limit_state ball_limit(const limpet_model *model, const limpet_data *data, int joint) {
  double q[4], rotation[3];
  limpet_quaternion_copy(q, data->q + model->joint_q[joint]);
  limpet_quaternion_normalize(q);
  limpet_quaternion_log(rotation, q);
  const double angle = limpet_vec3_normalize(rotation), margin = model->joint_limit_margin[joint];
  const double distance = model->joint_range[2 * joint + 1] - angle;
  if (!(distance < margin)) return (limit_state){false, 0.0, 0.0};
  return (limit_state){true, distance - margin,
                       -limpet_vec3_dot(rotation, data->v + model->joint_v[joint])};
}

static limit_state limit_of(const limpet_sensor_reading *reading, int sensor) {
  const limpet_model *model = reading->model;
  const limpet_data *data = reading->data;
  const int i = model->sensor_object[sensor];
  if (model->options.disabled & LIMPET_DISABLE_LIMIT) return (limit_state){false, 0.0, 0.0};
  if (model->sensor_object_type[sensor] == LIMPET_OBJECT_TENDON)
    return scalar_limit(data->tendon_length[i], data->tendon_velocity[i],
                        model->tendon_range + 2 * i, model->tendon_limit_margin[i]);
  if (model->joint_kind[i] == LIMPET_JOINT_BALL) return ball_limit(model, data, i);
  return scalar_limit(data->q[model->joint_q[i]], data->v[model->joint_v[i]],
                      model->joint_range + 2 * i, model->joint_limit_margin[i]);
}

static void read_position(const limpet_sensor_reading *reading, int sensor, double *value) {
  value[0] = limit_of(reading, sensor).distance;
}

static void read_velocity(const limpet_sensor_reading *reading, int sensor, double *value) {
  value[0] = limit_of(reading, sensor).rate;
}

static void read_force(const limpet_sensor_reading *reading, int sensor, double *value) {
  const limpet_model *model = reading->model;
  const limpet_data *data = reading->data;
  const limpet_constraint_kind *wanted = model->sensor_object_type[sensor] == LIMPET_OBJECT_TENDON
                                             ? &limpet_constraint_tendon_limit
                                             : &limpet_constraint_joint_limit;
  value[0] = 0.0;
  for (int i = 0; reading->contact && i < data->constraint_count; ++i)
    if (limpet_constraint_kinds()[data->constraint_kind[i]] == wanted &&
        data->constraint_target[i] == model->sensor_object[sensor])
      value[0] += data->constraint_force[i];
}

const limpet_sensor_kind limpet_sensor_jointlimitpos = {
    .descriptor = {.name = "jointlimitpos",
                   .text = "Distance of a joint from its limit less the margin, negative beyond; 0 "
                           "where no limit is reached."},
    .unit = "m, rad",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 1,
    .objects = LIMPET_SENSES_JOINT,
    .joints = LIMPET_SENSOR_JOINTS_LIMITED,
    .read = read_position};

const limpet_sensor_kind limpet_sensor_jointlimitvel = {
    .descriptor = {.name = "jointlimitvel",
                   .text =
                       "Rate of the distance of a joint from its limit; 0 where none is reached."},
    .unit = "m/s, rad/s",
    .stage = LIMPET_SENSOR_VELOCITY,
    .size = 1,
    .objects = LIMPET_SENSES_JOINT,
    .joints = LIMPET_SENSOR_JOINTS_LIMITED,
    .read = read_velocity};

const limpet_sensor_kind limpet_sensor_jointlimitfrc = {
    .descriptor = {.name = "jointlimitfrc",
                   .text = "Force of a joint's limit, 0 or more: mean over the step."},
    .unit = "N, N m",
    .stage = LIMPET_SENSOR_ACCELERATION,
    .size = 1,
    .objects = LIMPET_SENSES_JOINT,
    .joints = LIMPET_SENSOR_JOINTS_LIMITED,
    .read = read_force};

const limpet_sensor_kind limpet_sensor_tendonlimitpos = {
    .descriptor = {.name = "tendonlimitpos",
                   .text = "Distance of a tendon from its limit less the margin, negative beyond; "
                           "0 where no limit is reached."},
    .unit = "m, rad",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 1,
    .objects = LIMPET_SENSES_TENDON,
    .joints = LIMPET_SENSOR_JOINTS_LIMITED,
    .read = read_position};

const limpet_sensor_kind limpet_sensor_tendonlimitvel = {
    .descriptor = {.name = "tendonlimitvel",
                   .text =
                       "Rate of the distance of a tendon from its limit; 0 where none is reached."},
    .unit = "m/s, rad/s",
    .stage = LIMPET_SENSOR_VELOCITY,
    .size = 1,
    .objects = LIMPET_SENSES_TENDON,
    .joints = LIMPET_SENSOR_JOINTS_LIMITED,
    .read = read_velocity};

const limpet_sensor_kind limpet_sensor_tendonlimitfrc = {
    .descriptor = {.name = "tendonlimitfrc",
                   .text = "Force of a tendon's limit, 0 or more: mean over the step."},
    .unit = "N, N m",
    .stage = LIMPET_SENSOR_ACCELERATION,
    .size = 1,
    .objects = LIMPET_SENSES_TENDON,
    .joints = LIMPET_SENSOR_JOINTS_LIMITED,
    .read = read_force};
