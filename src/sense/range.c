/* sense/range.c: rays: how far it is to the first geom, and what is there.
 *
 * A ray meets the triangles of a mesh, and the balls around the points of a cloud. Normals point
 * out of what is met. Cost: for each ray and geom the test of a ball; of meshes and clouds that the
 * ray comes near a walk down their trees. */
#include "geometry/ray.h"

#include <math.h>
#include <string.h>

#include "limpet/distance.h"
#include "math/vec3.h"
#include "sense/kinds.h"

typedef struct hit {
  double range;  // [m]  -1: nothing
  int geom;
  int part;  // triangle of a mesh, point of a cloud
} hit;

/* Whether the ball around a geom is met before `range` (negative: anywhere). Frames cost more than
 * this. */
static bool may_meet(const limpet_sensor_reading *reading, int geom, const double from[3],
                     const double direction[3], double range) {
  const limpet_model *model = reading->model;
  const int body = model->geom_body[geom];
  const double radius = model->geom_radius[geom];
  if (isinf(radius)) return true;
  double offset[3];
  limpet_mat3_mul_vec(offset, reading->data->body_rotation + 9 * body,
                      model->geom_position + 3 * geom);
  for (int i = 0; i < 3; ++i) offset[i] += reading->data->body_position[3 * body + i] - from[i];
  const double bound = limpet_ray_ball_bound(offset, direction, radius);
  return range < 0.0 ? !isinf(bound) : bound < range;
}

static double ray_to_geom(const limpet_sensor_reading *reading, int geom, const double from[3],
                          const double direction[3], int *part) {
  const limpet_model *model = reading->model;
  const limpet_sense_frame frame = limpet_sense_geom_frame(reading, geom);
  if (model->geom_kind[geom] == LIMPET_SHAPE_MESH)
    return limpet_mesh_ray(&model->mesh[model->geom_mesh[geom]], frame.position, frame.rotation,
                           from, direction, part);
  const limpet_shape shape = limpet_sense_geom_shape(model, geom, &frame);
  if (shape.cloud)
    return limpet_cloud_ray(shape.cloud, frame.position, frame.rotation, from, direction, part);
  return limpet_shape_ray(&shape, from, direction);
}

// The first geom on the ray that is neither on `body` nor transparent.
static hit first_hit(const limpet_sensor_reading *reading, int body, const double from[3],
                     const double direction[3]) {
  const limpet_model *model = reading->model;
  hit first = {.range = -1.0};
  for (int g = 0; g < model->geom_count; ++g) {
    if (model->geom_kind[g] == LIMPET_SHAPE_SOFT || model->geom_body[g] == body ||
        model->geom_rgba[4 * g + 3] == 0.0f || !may_meet(reading, g, from, direction, first.range))
      continue;
    int part = 0;
    const double range = ray_to_geom(reading, g, from, direction, &part);
    if (range >= 0.0 && (first.range < 0.0 || range < first.range))
      first = (hit){.range = range, .geom = g, .part = part};
  }
  return first;
}

static void triangle_normal(const limpet_mesh *mesh, int triangle, double normal[3]) {
  const int *corner = mesh->faces + 3 * triangle;
  const double *a = mesh->vertices + 3 * corner[0];
  double e1[3], e2[3];
  limpet_vec3_sub(e1, mesh->vertices + 3 * corner[1], a);
  limpet_vec3_sub(e2, mesh->vertices + 3 * corner[2], a);
  limpet_vec3_cross(normal, e1, e2);
}

// Outward unit normal of the surface at the point x of a hit.
static void normal_at(const limpet_sensor_reading *reading, const hit *at, const double x[3],
                      double normal[3]) {
  const limpet_model *model = reading->model;
  const limpet_sense_frame frame = limpet_sense_geom_frame(reading, at->geom);
  const limpet_shape shape = limpet_sense_geom_shape(model, at->geom, &frame);
  double local[3], phi;
  if (shape.kind == LIMPET_SHAPE_MESH) {
    triangle_normal(&model->mesh[model->geom_mesh[at->geom]], at->part, local);
    limpet_mat3_mul_vec(normal, frame.rotation, local);
  } else if (shape.cloud) {
    limpet_mat3_mul_vec(local, frame.rotation, shape.cloud->points + 3 * at->part);
    limpet_vec3_add(local, local, frame.position);
    limpet_vec3_sub(normal, x, local);
  } else {
    limpet_signed_distance(&shape, x, 1, &phi, normal);
  }
  const double length = limpet_vec3_norm(normal);
  if (length > 0.0) limpet_vec3_scale(normal, 1.0 / length, normal);
}

/* The numbers of one ray, in the order of the fields; `axis`: along which depth counts. Returns
 * where the next ones go. */
static double *write_ray(const limpet_sensor_reading *reading, int sensor, int body,
                         const double axis[3], const double from[3], const double direction[3],
                         double *value) {
  const unsigned fields = reading->model->sensor_range_fields[sensor];
  const hit at = first_hit(reading, body, from, direction);
  const bool met = at.range >= 0.0;
  double point[3] = {0.0}, normal[3] = {0.0}, along[3] = {0.0};
  if (met) {
    limpet_vec3_copy(along, direction);
    limpet_vec3_addmul(point, from, at.range, direction);
    if (fields & LIMPET_RANGE_NORMAL) normal_at(reading, &at, point, normal);
  }
  const double depth = met ? at.range * limpet_vec3_dot(direction, axis) : -1.0;
  const struct {
    const double *from;
    int count;
  } parts[] = {{&at.range, 1}, {along, 3}, {from, 3}, {point, 3}, {normal, 3}, {&depth, 1}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    if (!(fields >> i & 1u)) continue;
    memcpy(value, parts[i].from, (size_t)parts[i].count * sizeof *value);
    value += parts[i].count;
  }
  return value;
}

static void read_range(const limpet_sensor_reading *reading, int sensor, double *value) {
  const limpet_model *model = reading->model;
  const limpet_sense_frame frame = limpet_sense_object(reading, sensor);
  const double *R = frame.rotation;
  if (model->sensor_object_type[sensor] == LIMPET_OBJECT_SITE) {
    const double direction[3] = {R[2], R[5], R[8]};
    write_ray(reading, sensor, frame.body, direction, frame.position, direction, value);
    return;
  }
  const int camera = model->sensor_object[sensor];
  const double axis[3] = {-R[2], -R[5], -R[8]};
  for (int row = 0; row < model->camera_resolution[2 * camera + 1]; ++row)
    for (int column = 0; column < model->camera_resolution[2 * camera]; ++column) {
      double from[3], direction[3];
      limpet_sense_pixel_ray(model, camera, &frame, column, row, from, direction);
      value = write_ray(reading, sensor, frame.body, axis, from, direction, value);
    }
}

static int size_of(const limpet_sensor_description *sensor,
                   const limpet_camera_description *camera) {
  static const int sizes[] = {1, 3, 3, 3, 3, 1};
  int size = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    if (sensor->range_fields >> i & 1u) size += sizes[i];
  return camera ? size * camera->resolution[0] * camera->resolution[1] : size;
}

const limpet_sensor_kind limpet_sensor_rangefinder = {
    .descriptor = {.name = "rangefinder",
                   .text =
                       "Distance along the site's z axis to the first geom that is not on its "
                       "body, drawn ones that do not "
                       "collide included, transparent ones (alpha 0) not; -1 where there is none. "
                       "Of a camera, along the ray of each pixel, row by row. On demand also "
                       "direction, origin, point, normal of the surface, and depth."},
    .unit = "m",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 1,
    .range = LIMPET_SENSOR_REAL,
    .objects = LIMPET_SENSES_SITE | LIMPET_SENSES_CAMERA,
    .casts_rays = true,
    .size_of = size_of,
    .read = read_range};
