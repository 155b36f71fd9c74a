/* sense/space.c: where things are with respect to each other: volumes and distances.
 *
 * Distances are exact for convex shapes; a mesh counts as its convex hull, as in contact. Of a
 * point cloud the nearest point counts; two clouds have no distance. Cost: one GJK for each pair of
 * geoms that may be the nearest. */
#include "geometry/pair.h"
#include "geometry/ray.h"
#include "math/vec3.h"
#include "sense/kinds.h"

// ---------------------------------------------------------------------------------- volumes

static void read_inside(const limpet_sensor_reading *reading, int sensor, double *value) {
  const limpet_sense_frame object = limpet_sense_object(reading, sensor),
                           site = limpet_sense_reference(reading, sensor);
  const limpet_shape volume =
      limpet_sense_site_volume(reading->model, reading->model->sensor_reference[sensor], &site);
  value[0] = limpet_shape_holds(&volume, object.position) ? 1.0 : 0.0;
}

// -------------------------------------------------------------------------------- distances

typedef struct nearest {
  double distance;        // [m]
  bool found;             // nearer than the reach
  double from[3], to[3];  // [m]  W
  double normal[3];
} nearest;

// Geoms of a geom (itself) or of a body.
static void geoms_of(const limpet_model *model, limpet_object type, int index, int *first,
                     int *end) {
  *first = type == LIMPET_OBJECT_GEOM ? index : model->body_geom[index];
  *end = *first + (type == LIMPET_OBJECT_GEOM ? 1 : model->body_geom_count[index]);
}

static void take_nearer(nearest *best, double distance, const double from[3], const double to[3],
                        const double normal[3]) {
  if (!(distance < best->distance)) return;
  best->distance = distance;
  best->found = true;
  limpet_vec3_copy(best->from, from);
  limpet_vec3_copy(best->to, to);
  limpet_vec3_copy(best->normal, normal);
}

// The nearest point of a cloud; two clouds have no distance.
static void measure_cloud(const limpet_shape *a, const limpet_shape *b, nearest *best) {
  const bool a_is_cloud = a->cloud != NULL;
  const limpet_shape *points = a_is_cloud ? a : b, *other = a_is_cloud ? b : a;
  if (other->cloud) return;
  const limpet_cloud_request request = {.count = 1, .reach = best->distance};
  int point;
  double distance, x[3], phi, gradient[3], on_points[3], on_other[3];
  if (!limpet_cloud_nearest(points->cloud, points->position, points->rotation, other, &request,
                            &point, &distance))
    return;
  limpet_mat3_mul_vec(x, points->rotation, points->cloud->points + 3 * point);
  limpet_vec3_add(x, x, points->position);
  limpet_signed_distance(other, x, 1, &phi, gradient);
  limpet_vec3_addmul(on_points, x, -points->cloud->point_radius, gradient);
  limpet_vec3_addmul(on_other, x, -phi, gradient);
  if (a_is_cloud) limpet_vec3_neg(gradient, gradient);
  take_nearer(best, distance, a_is_cloud ? on_points : on_other, a_is_cloud ? on_other : on_points,
              gradient);
}

static void measure(const limpet_sensor_reading *reading, int a, int b, nearest *best) {
  const limpet_model *model = reading->model;
  const limpet_sense_frame frame_a = limpet_sense_geom_frame(reading, a),
                           frame_b = limpet_sense_geom_frame(reading, b);
  const limpet_shape shape_a = limpet_sense_geom_shape(model, a, &frame_a),
                     shape_b = limpet_sense_geom_shape(model, b, &frame_b);
  if (shape_a.kind == LIMPET_SHAPE_SOFT || shape_b.kind == LIMPET_SHAPE_SOFT) return;
  if (shape_a.cloud || shape_b.cloud) {
    measure_cloud(&shape_a, &shape_b, best);
    return;
  }
  const bool plane_a = shape_a.kind == LIMPET_SHAPE_PLANE,
             plane_b = shape_b.kind == LIMPET_SHAPE_PLANE;
  if (!plane_a && !plane_b) {
    const double apart = limpet_vec3_distance(frame_a.position, frame_b.position) -
                         model->geom_radius[a] - model->geom_radius[b];
    double from[3], to[3], normal[3];
    if (apart > best->distance) return;
    const double distance = limpet_convex_distance(&shape_a, &shape_b, from, to, normal);
    take_nearer(best, distance, from, to, normal);
    return;
  }
  limpet_manifold manifold;
  limpet_shape_contact(&manifold, &shape_a, &shape_b, fmax(best->distance, 0.0), false);
  for (int i = 0; i < manifold.count; ++i) {
    const limpet_contact_point *p = &manifold.point[i];
    take_nearer(best, p->distance, p->on_a, p->on_b, p->normal);
  }
}

static nearest nearest_of(const limpet_sensor_reading *reading, int sensor) {
  const limpet_model *model = reading->model;
  nearest best = {.distance = model->sensor_cutoff[sensor]};
  int a_first, a_end, b_first, b_end;
  geoms_of(model, model->sensor_object_type[sensor], model->sensor_object[sensor], &a_first,
           &a_end);
  geoms_of(model, model->sensor_reference_type[sensor], model->sensor_reference[sensor], &b_first,
           &b_end);
  for (int a = a_first; a < a_end; ++a)
    for (int b = b_first; b < b_end; ++b)
      if (a != b) measure(reading, a, b, &best);
  return best;
}

static void read_distance(const limpet_sensor_reading *reading, int sensor, double *value) {
  value[0] = nearest_of(reading, sensor).distance;
}

// From the first thing's point to the second's: against the normal of a contact where they overlap.
static void read_normal(const limpet_sensor_reading *reading, int sensor, double *value) {
  const nearest best = nearest_of(reading, sensor);
  limpet_vec3_scale(value, best.distance < 0.0 ? -1.0 : 1.0, best.normal);
}

static void read_from_to(const limpet_sensor_reading *reading, int sensor, double *value) {
  const nearest best = nearest_of(reading, sensor);
  limpet_vec3_copy(value, best.from);
  limpet_vec3_copy(value + 3, best.to);
}

const limpet_sensor_kind limpet_sensor_insidesite = {
    .descriptor = {.name = "insidesite",
                   .text = "1 where the origin of a frame is inside the volume of a site (the "
                           "reference), else 0."},
    .unit = "1",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 1,
    .range = LIMPET_SENSOR_POSITIVE,
    .objects = LIMPET_SENSES_FRAME,
    .references = LIMPET_SENSES_SITE,
    .reference_needed = true,
    .read = read_inside};

const limpet_sensor_kind limpet_sensor_distance = {
    .descriptor = {.name = "distance",
                   .text =
                       "Signed distance of two geoms, or the least of the geoms of two bodies, "
                       "negative where they overlap; "
                       "the cutoff where it is larger. Without a cutoff only overlaps are seen."},
    .unit = "m",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 1,
    .range = LIMPET_SENSOR_REACH,
    .objects = LIMPET_SENSES_GEOM | LIMPET_SENSES_BODY,
    .references = LIMPET_SENSES_GEOM | LIMPET_SENSES_BODY,
    .reference_needed = true,
    .read = read_distance};

const limpet_sensor_kind limpet_sensor_normal = {
    .descriptor = {.name = "normal",
                   .text = "Unit vector from the first to the second of two geoms or bodies along "
                           "their distance, in world axes; "
                           "zero where they are farther apart than the cutoff."},
    .unit = "1",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 3,
    .range = LIMPET_SENSOR_REACH,
    .objects = LIMPET_SENSES_GEOM | LIMPET_SENSES_BODY,
    .references = LIMPET_SENSES_GEOM | LIMPET_SENSES_BODY,
    .reference_needed = true,
    .read = read_normal};

const limpet_sensor_kind limpet_sensor_fromto = {
    .descriptor = {.name = "fromto",
                   .text = "The two points between which the distance is measured, on the first "
                           "and on the second, in the world; "
                           "zero where they are farther apart than the cutoff."},
    .unit = "m",
    .stage = LIMPET_SENSOR_POSITION,
    .size = 6,
    .range = LIMPET_SENSOR_REACH,
    .objects = LIMPET_SENSES_GEOM | LIMPET_SENSES_BODY,
    .references = LIMPET_SENSES_GEOM | LIMPET_SENSES_BODY,
    .reference_needed = true,
    .read = read_from_to};
