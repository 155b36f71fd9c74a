/* geometry/pressure_triangles.c: fields of closed triangle meshes: the checks of the input, and the
 * boundary of rigid ones.
 *
 * A mesh must be closed, look outwards, and not cross itself: an edge of one triangle goes through
 * another, or through its boundary, only if they share a vertex. Pairs of triangles come from the
 * tree of their boxes. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "geometry/pressure_lattice.h"
#include "geometry/surface.h"
#include "math/vec3.h"

static limpet_status no_memory(limpet_error *error) {
  return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a pressure field");
}

// --------------------------------------------------------------------------- crossing faces

/* Whether the segment from a to b goes through the triangle t. Its boundary counts: a segment that
 * goes through a face along the diagonal of two triangles would pass between them. */
static bool segment_crosses(const double *a, const double *b, const double *const t[3]) {
  double u[3], v[3], n[3], from[3], to[3];
  limpet_vec3_sub(u, t[1], t[0]), limpet_vec3_sub(v, t[2], t[0]);
  limpet_vec3_cross(n, u, v);
  limpet_vec3_sub(from, a, t[0]), limpet_vec3_sub(to, b, t[0]);
  const double length = limpet_vec3_norm(n);
  const double slack = 1e-9 * length * sqrt(length);  // [m^3]  touching is no crossing
  const double high = limpet_vec3_dot(n, from), low = limpet_vec3_dot(n, to);
  if ((high > -slack && low > -slack) || (high < slack && low < slack)) return false;
  double x[3];
  const double s = high / (high - low);
  for (int i = 0; i < 3; ++i) x[i] = from[i] + s * (to[i] - from[i]);
  double xu[3], xv[3];
  limpet_vec3_cross(xv, x, v), limpet_vec3_cross(xu, u, x);
  const double square = limpet_vec3_dot(n, n), p = limpet_vec3_dot(xv, n) / square,
               q = limpet_vec3_dot(xu, n) / square, edge = 1e-9;  // [-]
  return p > -edge && q > -edge && p + q < 1.0 + edge;
}

static bool triangles_cross(const limpet_surface *s, int f, int g) {
  const double *x[3], *y[3];
  for (int k = 0; k < 3; ++k) {
    x[k] = s->vertices + 3 * s->faces[3 * f + k], y[k] = s->vertices + 3 * s->faces[3 * g + k];
    for (int j = 0; j < 3; ++j)
      if (s->faces[3 * f + k] == s->faces[3 * g + j]) return false;
  }
  for (int k = 0; k < 3; ++k)
    if (segment_crosses(x[k], x[(k + 1) % 3], y) || segment_crosses(y[k], y[(k + 1) % 3], x))
      return true;
  return false;
}

// Counts triangles that cross another; the first pair in `first`.
static int crossing_count(const limpet_surface *s, int first[2]) {
  int crossing = 0;
  for (int f = 0; f < s->face_count; ++f) {
    double low[3], high[3];
    for (int i = 0; i < 3; ++i) {
      const double *x = s->vertices + i;
      const int *v = s->faces + 3 * f;
      low[i] = fmin(x[3 * v[0]], fmin(x[3 * v[1]], x[3 * v[2]]));
      high[i] = fmax(x[3 * v[0]], fmax(x[3 * v[1]], x[3 * v[2]]));
    }
    int stack[LIMPET_SURFACE_DEPTH], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
      const int k = stack[--depth];
      const limpet_surface_node *node = &s->node[k];
      bool apart = false;
      for (int i = 0; i < 3; ++i) apart |= node->low[i] > high[i] || node->high[i] < low[i];
      if (apart) continue;
      if (node->count == 0) stack[depth++] = node->next, stack[depth++] = k + 1;
      for (int g = node->next; g < node->next + node->count; ++g)
        if (g > f && triangles_cross(s, f, g)) {
          if (crossing++ == 0) first[0] = f, first[1] = g;
        }
    }
  }
  return crossing;
}

static limpet_surface *surface_check(const double *vertices, int vertex_count, const int *faces,
                                     int face_count, limpet_error *error) {
  limpet_surface *s = limpet_surface_create(vertices, vertex_count, faces, face_count, error);
  if (!s) return NULL;
  int first[2] = {0, 0};
  const int crossing = crossing_count(s, first);
  if (crossing == 0) return s;
  const double *x = s->vertices + 3 * s->faces[3 * first[0]];
  limpet_error_fill(error, LIMPET_ERROR_INPUT,
                    "%d pairs of the %d triangles cross each other, the first near (%g, %g, %g) m: "
                    "what is inside is not clear; mend the mesh",
                    crossing, s->face_count, x[0], x[1], x[2]);
  limpet_surface_destroy(s);
  return NULL;
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
  limpet_surface *surface = surface_check(vertices, vertex_count, faces, face_count, error);
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
