/* sense/object.c: the frames that sensors measure and in which they measure. */
#include "math/quaternion.h"
#include "sense/kinds.h"

static limpet_sense_frame fixed_to(const limpet_data *data, int body, const double position[3],
                                   const double quaternion[4]) {
  limpet_sense_frame frame = {.body = body};
  limpet_mat3_mul_vec(frame.position, data->body_rotation + 9 * body, position);
  limpet_vec3_add(frame.position, frame.position, data->body_position + 3 * body);
  limpet_quaternion_mul(frame.quaternion, data->body_quaternion + 4 * body, quaternion);
  limpet_quaternion_to_matrix(frame.rotation, frame.quaternion);
  return frame;
}

static limpet_sense_frame body_frame(const limpet_data *data, int body) {
  limpet_sense_frame frame = {.body = body};
  limpet_vec3_copy(frame.position, data->body_position + 3 * body);
  limpet_quaternion_copy(frame.quaternion, data->body_quaternion + 4 * body);
  limpet_mat3_copy(frame.rotation, data->body_rotation + 9 * body);
  return frame;
}

// Of a body (`inertial`: centre of mass, principal axes), geom, site or camera.
static limpet_sense_frame frame_of(const limpet_sensor_reading *reading, limpet_object type,
                                   int index, bool inertial) {
  const limpet_model *model = reading->model;
  const limpet_data *data = reading->data;
  if (type == LIMPET_OBJECT_SITE)
    return fixed_to(data, model->site_body[index], model->site_position + 3 * index,
                    model->site_quaternion + 4 * index);
  if (type == LIMPET_OBJECT_CAMERA)
    return fixed_to(data, model->camera_body[index], model->camera_position + 3 * index,
                    model->camera_quaternion + 4 * index);
  if (type == LIMPET_OBJECT_GEOM)
    return fixed_to(data, model->geom_body[index], model->geom_position + 3 * index,
                    model->geom_quaternion + 4 * index);
  if (inertial)
    return fixed_to(data, index, model->body_com + 3 * index,
                    model->body_inertia_quaternion + 4 * index);
  return body_frame(data, index);
}

limpet_sense_frame limpet_sense_object(const limpet_sensor_reading *reading, int sensor) {
  const limpet_model *model = reading->model;
  return frame_of(reading, model->sensor_object_type[sensor], model->sensor_object[sensor],
                  model->sensor_object_inertial[sensor]);
}

limpet_sense_frame limpet_sense_reference(const limpet_sensor_reading *reading, int sensor) {
  const limpet_model *model = reading->model;
  return frame_of(reading, model->sensor_reference_type[sensor], model->sensor_reference[sensor],
                  model->sensor_reference_inertial[sensor]);
}

limpet_sense_frame limpet_sense_geom_frame(const limpet_sensor_reading *reading, int geom) {
  return frame_of(reading, LIMPET_OBJECT_GEOM, geom, false);
}

limpet_shape limpet_sense_geom_shape(const limpet_model *model, int geom,
                                     const limpet_sense_frame *frame) {
  const bool mesh = model->geom_kind[geom] == LIMPET_SHAPE_MESH,
             cloud = model->geom_kind[geom] == LIMPET_SHAPE_CLOUD;
  return (limpet_shape){.kind = model->geom_kind[geom],
                        .size = model->geom_size + 3 * geom,
                        .position = frame->position,
                        .rotation = frame->rotation,
                        .hull = mesh ? model->mesh[model->geom_mesh[geom]].hull : NULL,
                        .cloud = cloud ? model->cloud[model->geom_cloud[geom]] : NULL};
}

limpet_shape limpet_sense_site_volume(const limpet_model *model, int site,
                                      const limpet_sense_frame *frame) {
  return (limpet_shape){.kind = model->site_kind[site],
                        .size = model->site_size + 3 * site,
                        .position = frame->position,
                        .rotation = frame->rotation};
}
