/* sense/camera.c: between the pixels of a camera and the world.
 *
 *   x = (c - c0)/f_x,  y = -(r - r0)/f_y        of the point (column c, row r) of the image
 *   perspective   looks along (x, y, -1) from the origin of the camera
 *   orthographic  looks along (0, 0, -1) from (x, y, 0)
 * c0, r0 [pixels] centre; f [pixels, or pixels/m] focal length. The middle of pixel (0, 0), the
 * upper left one, has c = r = 1/2. */
#include "math/vec3.h"
#include "sense/kinds.h"

void limpet_sense_pixel_ray(const limpet_model *model, int camera, const limpet_sense_frame *frame,
                            int column, int row, double from[3], double direction[3]) {
  const double *focal = model->camera_focal + 2 * camera,
               *centre = model->camera_centre + 2 * camera;
  const double x = (column + 0.5 - centre[0]) / focal[0], y = -(row + 0.5 - centre[1]) / focal[1];
  const bool flat = model->camera_orthographic[camera];
  const double start[3] = {flat ? x : 0.0, flat ? y : 0.0, 0.0},
               along[3] = {flat ? 0.0 : x, flat ? 0.0 : y, -1.0};
  limpet_mat3_mul_vec(from, frame->rotation, start);
  limpet_vec3_add(from, from, frame->position);
  limpet_mat3_mul_vec(direction, frame->rotation, along);
  limpet_vec3_scale(direction, 1.0 / limpet_vec3_norm(direction), direction);
}

static void read_projection(const limpet_sensor_reading *reading, int sensor, double *value) {
  const limpet_model *model = reading->model;
  const limpet_sense_frame site = limpet_sense_object(reading, sensor),
                           frame = limpet_sense_reference(reading, sensor);
  const int camera = model->sensor_reference[sensor];
  const double *focal = model->camera_focal + 2 * camera,
               *centre = model->camera_centre + 2 * camera;
  double offset[3], x[3];
  limpet_vec3_sub(offset, site.position, frame.position);
  limpet_mat3_tmul_vec(x, frame.rotation, offset);
  // points of the camera's own plane have no image
  const double least = 1e-15, depth = fabs(x[2]) < least ? least : -x[2];
  const double scale = model->camera_orthographic[camera] ? 1.0 : 1.0 / depth;
  value[0] = centre[0] + focal[0] * x[0] * scale;
  value[1] = centre[1] - focal[1] * x[1] * scale;
}

const limpet_sensor_kind limpet_sensor_camprojection = {
    .descriptor = {.name = "camprojection",
                   .text = "Where a site appears in the image of a camera (the reference): column "
                           "and row in pixels from the upper left corner, not clipped. Points "
                           "behind the camera have an image too."},
    .unit = "pixel",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 2,
    .range = LIMPET_SENSOR_REAL,
    .objects = LIMPET_SENSES_SITE,
    .references = LIMPET_SENSES_CAMERA,
    .reference_needed = true,
    .read = read_projection};
