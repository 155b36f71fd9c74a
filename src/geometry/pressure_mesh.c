/* geometry/pressure_mesh.c: arrays, boundary and cells of tetrahedra.
 *
 * In a tetrahedron a, b, c, d the share of vertex k is l_k(x) = n_k.x + o_k: 1 there, 0 on the face
 * opposite. So l_k >= 0 are the planes of its cell, and p = sum p_k l_k. A face belongs to the
 * boundary if one tetrahedron has it. Cost: sorting 4 faces for each tetrahedron. */
#include "geometry/pressure_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "math/vec3.h"

// of the angle between faces of a thin tetrahedron: one degree
static const double thin_tangent = 0.017455064928217585;
// corners of the face opposite each vertex, counter-clockwise from outside
static const int opposite[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

void limpet_pressure_mesh_free(limpet_pressure_mesh *mesh) {
  free(mesh->vertices), free(mesh->depth), free(mesh->tetrahedra), free(mesh->faces);
  *mesh = (limpet_pressure_mesh){0};
}

int limpet_pressure_mesh_vertex(limpet_pressure_mesh *mesh, const double x[3], double depth) {
  const int v = mesh->vertex_count;
  if (!limpet_grow(&mesh->vertices, &mesh->vertex_room, v + 1, 3 * sizeof(double)) ||
      !limpet_grow(&mesh->depth, &mesh->depth_room, v + 1, sizeof(double)))
    return -1;
  limpet_vec3_copy(mesh->vertices + 3 * v, x);
  mesh->depth[v] = depth;
  return mesh->vertex_count++;
}

int limpet_pressure_mesh_tetrahedron(limpet_pressure_mesh *mesh, int a, int b, int c, int d) {
  const int t = mesh->tetrahedron_count;
  if (!limpet_grow(&mesh->tetrahedra, &mesh->tetrahedron_room, t + 1, 4 * sizeof(int))) return -1;
  memcpy(mesh->tetrahedra + 4 * t, (const int[4]){a, b, c, d}, 4 * sizeof(int));
  return mesh->tetrahedron_count++;
}

double limpet_pressure_mesh_volume6(const double *a, const double *b, const double *c,
                                    const double *d) {
  double u[3], v[3], w[3], n[3];
  limpet_vec3_sub(u, b, a), limpet_vec3_sub(v, c, a), limpet_vec3_sub(w, d, a);
  limpet_vec3_cross(n, u, v);
  return limpet_vec3_dot(n, w);
}

// --------------------------------------------------------------------------- boundary

typedef struct mesh_face {
  int sorted[3], corner[3];
  int tetrahedron;
  bool even;  // corner is an even permutation of sorted
} mesh_face;

static int face_compare(const void *a, const void *b) {
  const mesh_face *x = a, *y = b;
  for (int k = 0; k < 3; ++k)
    if (x->sorted[k] != y->sorted[k]) return x->sorted[k] < y->sorted[k] ? -1 : 1;
  return (x->tetrahedron > y->tetrahedron) - (x->tetrahedron < y->tetrahedron);
}

static mesh_face face_of(const int *tetrahedron, int number, int k) {
  mesh_face face = {.tetrahedron = number, .even = true};
  for (int i = 0; i < 3; ++i) face.corner[i] = face.sorted[i] = tetrahedron[opposite[k][i]];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2 - i; ++j)
      if (face.sorted[j] > face.sorted[j + 1]) {
        const int swap = face.sorted[j];
        face.sorted[j] = face.sorted[j + 1], face.sorted[j + 1] = swap;
        face.even = !face.even;
      }
  return face;
}

static limpet_status faces_match(limpet_pressure_mesh *mesh, const mesh_face *face, int count,
                                 limpet_error *error) {
  for (int begin = 0, end; begin < count; begin = end) {
    for (end = begin + 1; end < count; ++end)
      if (memcmp(face[end].sorted, face[begin].sorted, sizeof face->sorted) != 0) break;
    const mesh_face *f = &face[begin];
    if (end - begin > 2 || (end - begin == 2 && f->even == face[begin + 1].even))
      return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                               "tetrahedra %d and %d overlap at the face of vertices %d, %d, %d; "
                               "a face joins two tetrahedra at most, one on each side",
                               f->tetrahedron, face[begin + 1].tetrahedron, f->sorted[0],
                               f->sorted[1], f->sorted[2]);
    if (end - begin == 1) memcpy(mesh->faces + 3 * mesh->face_count++, f->corner, 3 * sizeof(int));
  }
  return LIMPET_OK;
}

limpet_status limpet_pressure_mesh_boundary(limpet_pressure_mesh *mesh, limpet_error *error) {
  const int count = 4 * mesh->tetrahedron_count;
  mesh_face *face = malloc((size_t)count * sizeof *face);
  free(mesh->faces);
  mesh->faces = malloc((size_t)count * 3 * sizeof(int)), mesh->face_count = 0;
  limpet_status status = LIMPET_ERROR_MEMORY;
  if (face && mesh->faces) {
    for (int k = 0; k < count; ++k) face[k] = face_of(mesh->tetrahedra + k / 4 * 4, k / 4, k % 4);
    qsort(face, (size_t)count, sizeof *face, face_compare);
    status = faces_match(mesh, face, count, error);
  } else {
    limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for the faces of tetrahedra");
  }
  free(face);
  return status;
}

// --------------------------------------------------------------------------- cells

static void cell_fill(limpet_pressure_field *field, int t) {
  limpet_pressure_cell *cell = &field->cell[t];
  const int *v = field->tetrahedra + 4 * t;
  const double *x[4];
  for (int k = 0; k < 4; ++k) x[k] = field->vertices + 3 * v[k];
  const double volume6 = limpet_pressure_mesh_volume6(x[0], x[1], x[2], x[3]);
  cell->plane_begin = 4 * t, cell->plane_count = 4, cell->piece = t;
  for (int i = 0; i < 3; ++i) cell->low[i] = INFINITY, cell->high[i] = -INFINITY;
  for (int k = 0; k < 4; ++k) {
    // l_k falls from 1 at vertex k to 0 on the face opposite
    const double *a = x[opposite[k][0]], *b = x[opposite[k][1]], *c = x[opposite[k][2]];
    double *plane = field->plane + 4 * cell->plane_begin + 4 * k, u[3], w[3];
    limpet_vec3_sub(u, c, a), limpet_vec3_sub(w, b, a);
    limpet_vec3_cross(plane, u, w);
    limpet_vec3_scale(plane, 1.0 / volume6, plane);
    plane[3] = -limpet_vec3_dot(plane, a);
    limpet_vec3_addmul(cell->gradient, cell->gradient, field->pressure[v[k]], plane);
    for (int i = 0; i < 3; ++i)
      cell->low[i] = fmin(cell->low[i], x[k][i]), cell->high[i] = fmax(cell->high[i], x[k][i]);
  }
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < 3; ++i) field->quad[16 * t + 4 * i + k] = x[k][i];
    field->quad[16 * t + 12 + k] = field->pressure[v[k]];
  }
  cell->offset = field->pressure[v[0]] - limpet_vec3_dot(cell->gradient, x[0]);
}

static bool cell_is_thin(const limpet_pressure_field *field, int t) {
  for (int i = 0; i < 4; ++i)
    for (int j = i + 1; j < 4; ++j) {
      const double *a = field->plane + 16 * t + 4 * i, *b = field->plane + 16 * t + 4 * j;
      double c[3];
      limpet_vec3_cross(c, a, b);
      // the angle between the faces is that of a and -b
      const double along = -limpet_vec3_dot(a, b);
      if (along > 0.0 && limpet_vec3_norm(c) < thin_tangent * along) return true;
    }
  return false;
}

static void info_fill(limpet_pressure_field *field, int inner) {
  limpet_pressure_info *info = &field->info;
  info->elements = inner, info->vertices = field->vertex_count;
  for (int t = 0; t < inner; ++t) {
    const limpet_pressure_cell *cell = &field->cell[t];
    const int *v = field->tetrahedra + 4 * t;
    const double g = limpet_vec3_norm(cell->gradient);
    info->gradient_most = t ? fmax(info->gradient_most, g) : g;
    info->gradient_least = t ? fmin(info->gradient_least, g) : g;
    info->thin += cell_is_thin(field, t);
    info->volume +=
        limpet_pressure_mesh_volume6(field->vertices + 3 * v[0], field->vertices + 3 * v[1],
                                     field->vertices + 3 * v[2], field->vertices + 3 * v[3]) /
        6.0;
    for (int i = 0; i < 3; ++i) {
      info->low[i] = t ? fmin(info->low[i], cell->low[i]) : cell->low[i];
      info->high[i] = t ? fmax(info->high[i], cell->high[i]) : cell->high[i];
    }
  }
}

static bool mesh_take(limpet_pressure_field *field, limpet_pressure_mesh *mesh, double modulus) {
  const size_t cells = (size_t)mesh->tetrahedron_count;
  field->vertices = mesh->vertices, field->vertex_count = mesh->vertex_count;
  field->pressure = mesh->depth, field->tetrahedra = mesh->tetrahedra;
  mesh->vertices = NULL, mesh->depth = NULL, mesh->tetrahedra = NULL;
  for (int v = 0; v < field->vertex_count; ++v) field->pressure[v] *= modulus;
  field->cell_count = mesh->tetrahedron_count, field->plane_count = 4 * field->cell_count;
  field->cell = calloc(cells, sizeof *field->cell);
  field->plane = calloc(cells, 16 * sizeof *field->plane);
  field->quad = calloc(cells, 16 * sizeof *field->quad);
  if (!field->cell || !field->plane || !field->quad) return false;
  for (int t = 0; t < field->cell_count; ++t) cell_fill(field, t);
  return limpet_pressure_field_tree(field) == LIMPET_OK;
}

limpet_pressure_field *limpet_pressure_mesh_finish(limpet_pressure_mesh *mesh, int inner,
                                                   double depth,
                                                   const limpet_pressure_material *material,
                                                   limpet_error *error) {
  limpet_pressure_field *field = calloc(1, sizeof *field);
  if (field) {
    field->kind = LIMPET_SHAPE_COUNT, field->modulus = material->modulus, field->depth = depth;
    field->info.modulus = material->modulus, field->info.depth = depth;
  }
  if (!field || !mesh_take(field, mesh, material->modulus)) {
    limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a pressure field");
    limpet_pressure_field_destroy(field);
    return NULL;
  }
  info_fill(field, inner);
  return field;
}
