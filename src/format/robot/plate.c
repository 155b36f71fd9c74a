/* format/robot/plate.c: meshes that lie in a plane, as markers and stickers of robots do, have no
 * volume and no hull. As shapes that touch they become thin plates. */
#include <math.h>

#include "format/robot/geom.h"
#include "math/vec3.h"

static const double FLAT = 1e-6;        // of the size: round-off of single precision, and less
static const double THICKNESS = 1e-3;   // of the size
static const double LINE_WIDTH = 1e-4;  // of the size: narrower is a line, which no plate is

// the vertex that is furthest from a point, or from the line through it along `line` (unit)
static const double *furthest(const double *vertices, int count, const double from[3],
                              const double *line, double *distance) {
  const double *best = vertices;
  *distance = 0.0;
  for (int i = 0; i < count; ++i) {
    double way[3];
    limpet_vec3_sub(way, vertices + 3 * i, from);
    if (line) limpet_vec3_addmul(way, way, -limpet_vec3_dot(way, line), line);
    const double length = limpet_vec3_norm(way);
    if (length > *distance) best = vertices + 3 * i, *distance = length;
  }
  return best;
}

// normal of the plane in which all vertices lie, and their size [m]; false: there is none
static bool find_plane(const double *vertices, int count, double normal[3], double *size) {
  double x[3], y[3], width;
  const double *a = furthest(vertices, count, vertices, NULL, size);
  limpet_vec3_sub(x, a, vertices);
  if (!(limpet_vec3_normalize(x) > 0.0) || !isfinite(*size)) return false;
  const double *b = furthest(vertices, count, vertices, x, &width);
  if (!(width > LINE_WIDTH * *size)) return false;
  limpet_vec3_sub(y, b, vertices);
  limpet_vec3_cross(normal, x, y);
  limpet_vec3_normalize(normal);
  for (int i = 0; i < count; ++i) {
    double way[3];
    limpet_vec3_sub(way, vertices + 3 * i, vertices);
    if (fabs(limpet_vec3_dot(way, normal)) > FLAT * *size) return false;
  }
  return true;
}

double limpet_robot_plate(limpet_robot *robot, limpet_mesh_description *mesh) {
  double normal[3], size;
  const int count = mesh->vertex_count;
  if (count < 3 || !find_plane(mesh->vertices, count, normal, &size)) return 0.0;
  double *vertices = LIMPET_READER_TAKE(robot->reader, double, 6 * (size_t)count);
  for (int i = 0; i < 2 * count; ++i)
    limpet_vec3_addmul(vertices + 3 * i, mesh->vertices + 3 * (i % count),
                       (i < count ? -0.5 : 0.5) * THICKNESS * size, normal);
  mesh->vertices = vertices, mesh->vertex_count = 2 * count;
  mesh->faces = NULL, mesh->face_count = 0;  // those of the hull
  mesh->texture_coordinates = NULL;
  return THICKNESS * size;
}
