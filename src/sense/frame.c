/* sense/frame.c: pose and motion of the frame of a body, geom or site, in the world or in another
 * such frame.
 *
 *   position   R_r'(p - p_r)                 orientation  q_r* q,  R_r' e_k
 *   velocity   R_r'(v - v_r - w_r x (p - p_r)),  R_r'(w - w_r): what an observer on the reference
 *              sees
 *   acceleration   of the point, less gravity, world axes; no reference */
#include "dynamics/body_forces.h"
#include "math/quaternion.h"
#include "sense/kinds.h"

static bool has_reference(const limpet_sensor_reading *reading, int sensor) {
  return reading->model->sensor_reference[sensor] != LIMPET_NONE;
}

static void read_position(const limpet_sensor_reading *reading, int sensor, double *value) {
  const limpet_sense_frame object = limpet_sense_object(reading, sensor);
  limpet_vec3_copy(value, object.position);
  if (!has_reference(reading, sensor)) return;
  const limpet_sense_frame reference = limpet_sense_reference(reading, sensor);
  double offset[3];
  limpet_vec3_sub(offset, object.position, reference.position);
  limpet_mat3_tmul_vec(value, reference.rotation, offset);
}

static void read_quaternion(const limpet_sensor_reading *reading, int sensor, double *value) {
  const limpet_sense_frame object = limpet_sense_object(reading, sensor);
  limpet_quaternion_copy(value, object.quaternion);
  if (!has_reference(reading, sensor)) return;
  const limpet_sense_frame reference = limpet_sense_reference(reading, sensor);
  double back[4];
  limpet_quaternion_conjugate(back, reference.quaternion);
  limpet_quaternion_mul(value, back, object.quaternion);
}

static void read_axis(const limpet_sensor_reading *reading, int sensor, int k, double *value) {
  const limpet_sense_frame object = limpet_sense_object(reading, sensor);
  limpet_vec3_set(value, object.rotation[k], object.rotation[3 + k], object.rotation[6 + k]);
  if (!has_reference(reading, sensor)) return;
  const limpet_sense_frame reference = limpet_sense_reference(reading, sensor);
  const double axis[3] = {value[0], value[1], value[2]};
  limpet_mat3_tmul_vec(value, reference.rotation, axis);
}

static void read_x_axis(const limpet_sensor_reading *reading, int sensor, double *value) {
  read_axis(reading, sensor, 0, value);
}
static void read_y_axis(const limpet_sensor_reading *reading, int sensor, double *value) {
  read_axis(reading, sensor, 1, value);
}
static void read_z_axis(const limpet_sensor_reading *reading, int sensor, double *value) {
  read_axis(reading, sensor, 2, value);
}

static void read_linear_velocity(const limpet_sensor_reading *reading, int sensor, double *value) {
  const limpet_data *data = reading->data;
  const limpet_sense_frame object = limpet_sense_object(reading, sensor);
  limpet_point_velocity(reading->model, data, object.body, object.position, value);
  if (!has_reference(reading, sensor)) return;
  const limpet_sense_frame reference = limpet_sense_reference(reading, sensor);
  double carried[3], offset[3], turn[3], relative[3];
  limpet_point_velocity(reading->model, data, reference.body, reference.position, carried);
  limpet_vec3_sub(offset, object.position, reference.position);
  limpet_vec3_cross(turn, data->body_velocity + 6 * reference.body, offset);
  for (int i = 0; i < 3; ++i) relative[i] = value[i] - carried[i] - turn[i];
  limpet_mat3_tmul_vec(value, reference.rotation, relative);
}

static void read_angular_velocity(const limpet_sensor_reading *reading, int sensor, double *value) {
  const limpet_data *data = reading->data;
  const limpet_sense_frame object = limpet_sense_object(reading, sensor);
  limpet_vec3_copy(value, data->body_velocity + 6 * object.body);
  if (!has_reference(reading, sensor)) return;
  const limpet_sense_frame reference = limpet_sense_reference(reading, sensor);
  double relative[3];
  limpet_vec3_sub(relative, value, data->body_velocity + 6 * reference.body);
  limpet_mat3_tmul_vec(value, reference.rotation, relative);
}

static void read_linear_acceleration(const limpet_sensor_reading *reading, int sensor,
                                     double *value) {
  const limpet_sense_frame object = limpet_sense_object(reading, sensor);
  limpet_point_acceleration(reading->model, reading->data, reading->acceleration, object.body,
                            object.position, value);
}

static void read_angular_acceleration(const limpet_sensor_reading *reading, int sensor,
                                      double *value) {
  limpet_vec3_copy(value, reading->acceleration + 6 * limpet_sense_object(reading, sensor).body);
}

const limpet_sensor_kind limpet_sensor_framepos = {
    .descriptor = {.name = "framepos",
                   .text = "Position of a frame, in the world or in a reference frame."},
    .unit = "m",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 3,
    .objects = LIMPET_SENSES_FRAME,
    .references = LIMPET_SENSES_FRAME,
    .read = read_position};

const limpet_sensor_kind limpet_sensor_framequat = {
    .descriptor = {.name = "framequat",
                   .text = "Quaternion (w, x, y, z) that takes axes of a frame to those of the "
                           "world or of a reference frame."},
    .unit = "1",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 4,
    .range = LIMPET_SENSOR_UNIT,
    .objects = LIMPET_SENSES_FRAME,
    .references = LIMPET_SENSES_FRAME,
    .read = read_quaternion};

const limpet_sensor_kind limpet_sensor_framexaxis = {
    .descriptor = {.name = "framexaxis",
                   .text = "The x axis of a frame, in the world or in a reference frame."},
    .unit = "1",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 3,
    .range = LIMPET_SENSOR_UNIT,
    .objects = LIMPET_SENSES_FRAME,
    .references = LIMPET_SENSES_FRAME,
    .read = read_x_axis};

const limpet_sensor_kind limpet_sensor_frameyaxis = {
    .descriptor = {.name = "frameyaxis",
                   .text = "The y axis of a frame, in the world or in a reference frame."},
    .unit = "1",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 3,
    .range = LIMPET_SENSOR_UNIT,
    .objects = LIMPET_SENSES_FRAME,
    .references = LIMPET_SENSES_FRAME,
    .read = read_y_axis};

const limpet_sensor_kind limpet_sensor_framezaxis = {
    .descriptor = {.name = "framezaxis",
                   .text = "The z axis of a frame, in the world or in a reference frame."},
    .unit = "1",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 3,
    .range = LIMPET_SENSOR_UNIT,
    .objects = LIMPET_SENSES_FRAME,
    .references = LIMPET_SENSES_FRAME,
    .read = read_z_axis};

const limpet_sensor_kind limpet_sensor_framelinvel = {
    .descriptor = {.name = "framelinvel",
                   .text = "Velocity of a frame's origin, in the world or as seen from a moving "
                           "reference frame."},
    .unit = "m/s",
    .stage = LIMPET_SENSOR_VELOCITY,
    .size = 3,
    .objects = LIMPET_SENSES_FRAME,
    .references = LIMPET_SENSES_FRAME,
    .read = read_linear_velocity};

const limpet_sensor_kind limpet_sensor_frameangvel = {
    .descriptor = {.name = "frameangvel",
                   .text = "Angular velocity of a frame, in world axes or as seen from a moving "
                           "reference frame."},
    .unit = "rad/s",
    .stage = LIMPET_SENSOR_VELOCITY,
    .size = 3,
    .objects = LIMPET_SENSES_FRAME,
    .references = LIMPET_SENSES_FRAME,
    .read = read_angular_velocity};

const limpet_sensor_kind limpet_sensor_framelinacc = {
    .descriptor = {.name = "framelinacc",
                   .text = "Acceleration of a frame's origin less gravity, in world axes: at rest "
                           "(0, 0, 9.81) m/s^2."},
    .unit = "m/s^2",
    .stage = LIMPET_SENSOR_ACCELERATION,
    .size = 3,
    .objects = LIMPET_SENSES_FRAME,
    .needs_acceleration = true,
    .read = read_linear_acceleration};

const limpet_sensor_kind limpet_sensor_frameangacc = {
    .descriptor = {.name = "frameangacc",
                   .text = "Angular acceleration of a frame, in world axes."},
    .unit = "rad/s^2",
    .stage = LIMPET_SENSOR_ACCELERATION,
    .size = 3,
    .objects = LIMPET_SENSES_FRAME,
    .needs_acceleration = true,
    .read = read_angular_acceleration};
