/* geometry/pressure_triangles.c: fields of closed triangle meshes, and the boundary of rigid ones.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "geometry/pressure_check.h"
#include "geometry/pressure_lattice.h"
#include "geometry/surface.h"
#include "math/vec3.h"

static limpet_status no_memory(limpet_error *error) {
  return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a pressure field");
}

// --------------------------------------------------------------------------- rigid boundary

static limpet_pressure_field *rigid_field(const limpet_surface *s) {
  limpet_pressure_field *field = calloc(1, sizeof *field);
  if (!field) return NULL;
  field->kind = LIMPET_SHAPE_COUNT, field->rigid = true;
  field->modulus = field->depth = field->spread = 1.0;
  field->face_begin = calloc((size_t)s->face_count + 1, sizeof(int));
  field->corner = calloc((size_t)s->face_count, 9 * sizeof(double));
  field->face_normal = calloc((size_t)s->face_count, 3 * sizeof(double));
  if (!field->face_begin || !field->corner || !field->face_normal) return field;
  limpet_pressure_info *info = &field->info;
  info->rigid = true, info->modulus = INFINITY;
  for (int i = 0; i < 3; ++i) info->low[i] = INFINITY, info->high[i] = -INFINITY;
  for (int f = 0; f < s->face_count; ++f) {
    const double *x[3];
    double n[3];
    for (int k = 0; k < 3; ++k) {
      x[k] = s->vertices + 3 * s->faces[3 * f + k];
      for (int i = 0; i < 3; ++i)
        info->low[i] = fmin(info->low[i], x[k][i]), info->high[i] = fmax(info->high[i], x[k][i]);
    }
    limpet_vec3_cross(n, x[1], x[2]);
    info->volume += limpet_vec3_dot(n, x[0]) / 6.0;
    if (limpet_vec3_norm(s->face_normal + 3 * f) < 0.5) continue;  // no area
    for (int k = 0; k < 3; ++k) limpet_vec3_copy(field->corner + 3 * field->corner_count++, x[k]);
    limpet_vec3_copy(field->face_normal + 3 * field->face_count, s->face_normal + 3 * f);
    field->face_begin[++field->face_count] = field->corner_count;
  }
  info->elements = field->face_count, info->vertices = s->vertex_count;
  limpet_pressure_field_tree(field);
  return field;
}

// Triangles as given that have no area: two corners in one place, or all on a line.
static int flat_count(const limpet_surface *s, int given) {
  int flat = given - s->face_count;
  for (int f = 0; f < s->face_count; ++f) flat += limpet_vec3_norm(s->face_normal + 3 * f) < 0.5;
  return flat;
}

limpet_pressure_field *limpet_pressure_field_of_triangles(const double *vertices, int vertex_count,
                                                          const int *faces, int face_count,
                                                          const limpet_pressure_material *material,
                                                          limpet_error *error) {
  assert(vertices && faces && material);
  if (limpet_pressure_material_check(material, error) != LIMPET_OK) return NULL;
  limpet_surface *surface =
      limpet_pressure_surface_check(vertices, vertex_count, faces, face_count, error);
  if (!surface) return NULL;
  limpet_pressure_field *field;
  if (material->modulus < INFINITY) {
    field = limpet_pressure_lattice(surface, material, error);
  } else {
    field = rigid_field(surface);
    if (!field || !field->tree.node) {
      no_memory(error);
      limpet_pressure_field_destroy(field);
      field = NULL;
    }
  }
  if (field) field->info.flat = flat_count(surface, face_count);
  limpet_surface_destroy(surface);
  return field;
}
