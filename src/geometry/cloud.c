/* geometry/cloud.c: point clouds: their checks, box and mass properties, and the question for the
 * nearest points.
 *
 * Mass properties are those of equal balls around the points: radius r, unit mass together,
 *   centroid = mean x,   inertia = mean (|d|^2 1 - d d') + 2/5 r^2 1,   d = x - centroid. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "geometry/cloud_tree.h"
#include "limpet/distance.h"
#include "math/vec3.h"

static limpet_status check_points(const double *points, int count, const double scale[3],
                                  double point_radius, limpet_error *error) {
  if (count <= 0)
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "the cloud has no points; give one or more");
  if (!(point_radius >= 0.0) || isinf(point_radius))
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "the radius of its points is %g m; give 0 or more", point_radius);
  for (int k = 0; k < 3; ++k)
    if (!isfinite(scale[k]) || scale[k] == 0.0)
      return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                               "its scale is %g %g %g; give finite numbers that are not zero",
                               scale[0], scale[1], scale[2]);
  for (int i = 0; i < 3 * count; ++i)
    if (!isfinite(points[i] * scale[i % 3]))
      return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                               "point %d (counted from 0) has a coordinate that is %s; remove it",
                               i / 3,
                               isnan(points[i]) ? "not a number (NaN)" : "infinite or too large");
  return LIMPET_OK;
}

static void fill_bounds(limpet_cloud *cloud) {
  double low[3], high[3], square = 0.0;
  for (int k = 0; k < 3; ++k) low[k] = INFINITY, high[k] = -INFINITY;
  for (int i = 0; i < cloud->point_count; ++i) {
    const double *x = cloud->points + 3 * i;
    for (int k = 0; k < 3; ++k) low[k] = fmin(low[k], x[k]), high[k] = fmax(high[k], x[k]);
    square = fmax(square, limpet_vec3_dot(x, x));
  }
  for (int k = 0; k < 3; ++k) {
    cloud->aabb[k] = 0.5 * (low[k] + high[k]);
    cloud->aabb[3 + k] = 0.5 * (high[k] - low[k]) + cloud->point_radius;
  }
  cloud->radius = sqrt(square) + cloud->point_radius;
}

static void fill_mass(limpet_cloud *cloud) {
  const double share = 1.0 / cloud->point_count, r = cloud->point_radius;
  double *I = cloud->inertia;
  for (int i = 0; i < cloud->point_count; ++i)
    limpet_vec3_addmul(cloud->centroid, cloud->centroid, share, cloud->points + 3 * i);
  for (int i = 0; i < cloud->point_count; ++i) {
    double d[3];
    limpet_vec3_sub(d, cloud->points + 3 * i, cloud->centroid);
    const double square = limpet_vec3_dot(d, d);
    for (int k = 0; k < 9; ++k) I[k] += share * ((k % 4 == 0 ? square : 0.0) - d[k / 3] * d[k % 3]);
  }
  for (int k = 0; k < 9; k += 4) I[k] += 0.4 * r * r;
}

limpet_cloud *limpet_cloud_create(const double *points, int count, const double scale[3],
                                  double point_radius, limpet_error *error) {
  assert(count <= 0 || points);
  static const double unscaled[3] = {1.0, 1.0, 1.0};
  if (!scale) scale = unscaled;
  if (check_points(points, count, scale, point_radius, error) != LIMPET_OK) return NULL;
  limpet_cloud *cloud = calloc(1, sizeof *cloud);
  double *copy = malloc(3 * (size_t)count * sizeof *copy);
  limpet_cloud_tree *tree = NULL;
  if (cloud && copy) {
    for (size_t i = 0; i < 3 * (size_t)count; ++i) copy[i] = points[i] * scale[i % 3];
    tree = limpet_cloud_tree_create(copy, count);
  }
  if (!tree) {
    free(copy), free(cloud);
    limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a cloud of %d points", count);
    return NULL;
  }
  cloud->point_count = count, cloud->point_radius = point_radius,
  cloud->contact_points = LIMPET_CLOUD_POINTS;
  cloud->points = copy, cloud->tree = tree;
  fill_bounds(cloud);
  fill_mass(cloud);
  return cloud;
}

void limpet_cloud_destroy(limpet_cloud *cloud) {
  if (!cloud) return;
  free((void *)(uintptr_t)cloud->points);
  limpet_cloud_tree_destroy((limpet_cloud_tree *)(uintptr_t)cloud->tree);
  free(cloud);
}

int limpet_cloud_nearest(const limpet_cloud *cloud, const double position[3],
                         const double rotation[9], const limpet_shape *shape,
                         const limpet_cloud_request *request, int *point, double *distance) {
  assert(cloud && position && rotation && shape && request && point && distance);
  assert(shape->kind != LIMPET_SHAPE_CLOUD && request->count > 0 &&
         request->count <= LIMPET_CLOUD_NEAREST);
  limpet_cloud_hit hit[LIMPET_CLOUD_NEAREST];
  const limpet_distance_view view = limpet_distance_view_create(shape, position, rotation);
  const limpet_cloud_query query = {.capacity = request->count,
                                    .wanted = request->count,
                                    .reach = request->reach + cloud->point_radius};
  const int found = limpet_cloud_search(hit, cloud->tree, &view, &query, request->all);
  for (int i = 0; i < found; ++i) {
    point[i] = cloud->tree->point[hit[i].place];
    distance[i] = hit[i].distance - cloud->point_radius;
  }
  return found;
}
