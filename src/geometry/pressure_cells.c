/* geometry/pressure_cells.c: linear cells of boxes, hulls and half spaces, and the faces of rigid
 * ones.
 *
 * Box, half lengths h, d = min h: p = E min_i (h_i - |x_i|)/d. The cell of side s x_i is where that
 * side is the nearest: h_i - s x_i <= h_j - |x_j| for the two other axes, and s x_i >= 0.
 * Hull: with y = x - c about the centre of volume and faces n_f.y <= d_f, p = E min_f (1 - n_f.y/
 * d_f), linear on the pyramid of face f and c, which its edges bound. Half space: p = -E z/H.
 * Faces with many corners are cut into fans of at most `most_corners`. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "geometry/pressure.h"
#include "math/vec3.h"

enum { most_corners = 32 };

static bool cells_allocate(limpet_pressure_field *field, int cells, int planes) {
  field->cell = calloc((size_t)cells, sizeof *field->cell);
  field->plane = calloc((size_t)planes + 1, 4 * sizeof *field->plane);
  return field->cell && field->plane;
}

static bool faces_allocate(limpet_pressure_field *field, int faces, int corners) {
  field->face_begin = calloc((size_t)faces + 1, sizeof *field->face_begin);
  field->corner = calloc((size_t)corners, 3 * sizeof *field->corner);
  field->face_normal = calloc((size_t)faces, 3 * sizeof *field->face_normal);
  return field->face_begin && field->corner && field->face_normal;
}

// --------------------------------------------------------------------------- box

static double *plane_next(limpet_pressure_field *field, limpet_pressure_cell *cell) {
  cell->plane_count++;
  return field->plane + 4 * field->plane_count++;
}

static void box_cell(limpet_pressure_field *field, int axis, double side) {
  const double *h = field->size, d = field->depth;
  limpet_pressure_cell *cell = &field->cell[field->cell_count];
  cell->piece = field->cell_count++;
  cell->plane_begin = field->plane_count;
  cell->gradient[axis] = -side * field->modulus / d;
  cell->offset = field->modulus * h[axis] / d;
  for (int j = 0; j < 3; ++j) {
    cell->low[j] = -h[j], cell->high[j] = h[j];
    if (j == axis) continue;
    for (int sign = -1; sign <= 1; sign += 2) {  // s x_i - sign x_j + h_j - h_i >= 0
      double *plane = plane_next(field, cell);
      plane[axis] = side, plane[j] = -sign, plane[3] = h[j] - h[axis];
    }
  }
  plane_next(field, cell)[axis] = side;
  // the core of the box reaches from -(h_i - d) to h_i - d
  if (side > 0.0) cell->low[axis] = h[axis] - d;
  else cell->high[axis] = d - h[axis];
}

static void box_face(limpet_pressure_field *field, int axis, double side) {
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  static const double around[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  field->face_normal[3 * field->face_count + axis] = side;
  for (int c = 0; c < 4; ++c) {
    double *corner = field->corner + 3 * field->corner_count++;
    corner[axis] = side * field->size[axis];
    corner[j] = side * around[c][0] * field->size[j], corner[k] = around[c][1] * field->size[k];
  }
  field->face_begin[++field->face_count] = field->corner_count;
}

limpet_status limpet_pressure_cells_box(limpet_pressure_field *field) {
  if (!cells_allocate(field, 6, 30) || !faces_allocate(field, 6, 24)) return LIMPET_ERROR_MEMORY;
  for (int axis = 0; axis < 3; ++axis)
    for (int side = -1; side <= 1; side += 2) {
      box_cell(field, axis, side);
      box_face(field, axis, side);
    }
  return LIMPET_OK;
}

limpet_status limpet_pressure_cells_half_space(limpet_pressure_field *field) {
  if (!cells_allocate(field, 1, 0)) return LIMPET_ERROR_MEMORY;
  field->cell_count = 1;
  field->cell[0].gradient[2] = -field->modulus / field->depth;
  for (int i = 0; i < 3; ++i) field->cell[0].low[i] = -INFINITY, field->cell[0].high[i] = INFINITY;
  field->cell[0].high[2] = 0.0;
  return LIMPET_OK;
}

// --------------------------------------------------------------------------- hull

static double hull_centre(const limpet_hull *hull, double centre[3]) {
  double volume = 0.0;
  limpet_vec3_zero(centre);
  for (int f = 0; f < hull->face_count; ++f) {
    const int *v = hull->face_vertex + hull->face_begin[f];
    for (int k = 1; k + 1 < hull->face_begin[f + 1] - hull->face_begin[f]; ++k) {
      double a[3], b[3], c[3], n[3];
      limpet_vec3_sub(a, hull->vertices + 3 * v[0], hull->centre);
      limpet_vec3_sub(b, hull->vertices + 3 * v[k], hull->centre);
      limpet_vec3_sub(c, hull->vertices + 3 * v[k + 1], hull->centre);
      limpet_vec3_cross(n, b, c);
      const double part = limpet_vec3_dot(a, n) / 6.0;
      volume += part;
      for (int i = 0; i < 3; ++i) centre[i] += 0.25 * part * (a[i] + b[i] + c[i]);
    }
  }
  limpet_vec3_scale(centre, 1.0 / volume, centre);
  limpet_vec3_add(centre, centre, hull->centre);
  return volume;
}

// One pyramid over the corners of a face, or of a part of it.
static void hull_cell(limpet_pressure_field *field, const limpet_hull *hull, int face,
                      const int *corner, int count, const double centre[3]) {
  limpet_pressure_cell *cell = &field->cell[field->cell_count++];
  const double *plane = hull->face_plane + 4 * face;
  const double height = plane[3] - limpet_vec3_dot(plane, centre);
  cell->piece = face;
  cell->plane_begin = field->plane_count;
  limpet_vec3_scale(cell->gradient, -field->modulus / height, plane);
  cell->offset = field->modulus * plane[3] / height;
  limpet_vec3_copy(cell->low, centre), limpet_vec3_copy(cell->high, centre);
  for (int k = 0; k < count; ++k) {
    const double *v = hull->vertices + 3 * corner[k],
                 *w = hull->vertices + 3 * corner[(k + 1) % count];
    double a[3], b[3], *side = plane_next(field, cell);
    limpet_vec3_sub(a, v, centre), limpet_vec3_sub(b, w, centre);
    limpet_vec3_cross(side, a, b);
    limpet_vec3_normalize(side);
    side[3] = -limpet_vec3_dot(side, centre);
    for (int i = 0; i < 3; ++i)
      cell->low[i] = fmin(cell->low[i], v[i]), cell->high[i] = fmax(cell->high[i], v[i]);
    limpet_vec3_copy(field->corner + 3 * field->corner_count++, v);
  }
  limpet_vec3_copy(field->face_normal + 3 * field->face_count, plane);
  field->face_begin[++field->face_count] = field->corner_count;
}

static int fan_count(int corners) {
  return corners <= most_corners ? 1 : (corners - 2 + most_corners - 3) / (most_corners - 2);
}

static void hull_face(limpet_pressure_field *field, const limpet_hull *hull, int face,
                      const double centre[3]) {
  const int *v = hull->face_vertex + hull->face_begin[face];
  const int count = hull->face_begin[face + 1] - hull->face_begin[face];
  if (count <= most_corners) {
    hull_cell(field, hull, face, v, count, centre);
    return;
  }
  for (int k = 1; k + 1 < count; k += most_corners - 2) {
    int part[most_corners] = {v[0]}, used = 1;
    while (used < most_corners && k + used - 1 < count) part[used] = v[k + used - 1], ++used;
    hull_cell(field, hull, face, part, used, centre);
  }
}

limpet_status limpet_pressure_cells_hull(limpet_pressure_field *field, const limpet_hull *hull,
                                         limpet_error *error) {
  double centre[3];
  field->info.volume = hull_centre(hull, centre);
  field->depth = INFINITY;
  double most = 0.0;
  limpet_vec3_copy(field->centre, centre);
  int cells = 0, corners = 0;
  for (int f = 0; f < hull->face_count; ++f) {
    const int count = hull->face_begin[f + 1] - hull->face_begin[f];
    const double *plane = hull->face_plane + 4 * f;
    field->depth = fmin(field->depth, plane[3] - limpet_vec3_dot(plane, centre));
    cells += fan_count(count), corners += count + 2 * fan_count(count);
  }
  for (int v = 0; v < hull->vertex_count; ++v)
    most = fmax(most, limpet_vec3_distance(hull->vertices + 3 * v, centre));
  if (!(field->depth > 1e-9 * most))
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "a hull is %g m thick over %g m, too flat for a pressure field; give "
                             "it thickness",
                             2.0 * field->depth, 2.0 * most);
  if (!cells_allocate(field, cells, corners) || !faces_allocate(field, cells, corners))
    return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a pressure field");
  for (int f = 0; f < hull->face_count; ++f) hull_face(field, hull, f, centre);
  field->spread = most / field->depth;
  return LIMPET_OK;
}
