/* geometry/pressure_check.c: whether a triangle mesh has an inside: it is closed, looks outwards,
 * does not cross itself, and counts no place twice.
 *
 * Crossing: an edge of one triangle goes through another, or through its boundary, only if they
 * share a vertex. Pairs of triangles come from the tree of their boxes.
 * Parts: triangles that vertices join. Where nothing crosses, the winding number is the same all
 * along the inner side of a part. It must be 1: it is 2 where a part lies in another and both look
 * outwards, and 0 where a part beside the others looks inwards. Cost: parts x triangles. */
#include "geometry/pressure_check.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "math/forest.h"
#include "math/vec3.h"

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

static bool has_no_crossing(const limpet_surface *s, limpet_error *error) {
  int first[2] = {0, 0};
  const int crossing = crossing_count(s, first);
  if (crossing == 0) return true;
  const double *x = s->vertices + 3 * s->faces[3 * first[0]];
  limpet_error_fill(error, LIMPET_ERROR_INPUT,
                    "%d pairs of the %d triangles cross each other, the first near (%g, %g, %g) m: "
                    "what is inside is not clear; mend the mesh",
                    crossing, s->face_count, x[0], x[1], x[2]);
  return false;
}

// --------------------------------------------------------------------------- parts

static double face_area(const limpet_surface *s, int f) {
  double u[3], w[3], n[3];
  const double *a = s->vertices + 3 * s->faces[3 * f];
  limpet_vec3_sub(u, s->vertices + 3 * s->faces[3 * f + 1], a);
  limpet_vec3_sub(w, s->vertices + 3 * s->faces[3 * f + 2], a);
  limpet_vec3_cross(n, u, w);
  return 0.5 * limpet_vec3_norm(n);
}

// Just inside of the middle of a face.
static void inner_place(double x[3], const limpet_surface *s, int f) {
  const double depth = 1e-6 * sqrt(face_area(s, f));  // [m]
  for (int i = 0; i < 3; ++i) {
    x[i] = -depth * s->face_normal[3 * f + i];
    for (int k = 0; k < 3; ++k) x[i] += s->vertices[3 * s->faces[3 * f + k] + i] / 3.0;
  }
}

// The largest face of each part, by the vertex that stands for it; returns the number of parts.
static int largest_faces(const limpet_surface *s, int *parent, int *largest) {
  int parts = 0;
  for (int v = 0; v < s->vertex_count; ++v) parent[v] = v, largest[v] = -1;
  for (int f = 0; f < s->face_count; ++f)
    for (int k = 1; k < 3; ++k)
      parent[limpet_forest_root(parent, s->faces[3 * f + k])] =
          limpet_forest_root(parent, s->faces[3 * f]);
  for (int f = 0; f < s->face_count; ++f) {
    int *best = &largest[limpet_forest_root(parent, s->faces[3 * f])];
    parts += *best < 0;
    if (*best < 0 || face_area(s, f) > face_area(s, *best)) *best = f;
  }
  return parts;
}

static bool parts_are_apart(const limpet_surface *s, limpet_error *error) {
  int *parent = malloc((size_t)s->vertex_count * sizeof *parent);
  int *largest = malloc((size_t)s->vertex_count * sizeof *largest);
  bool good = parent && largest;
  if (!good) limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory to check a surface");
  const int parts = good ? largest_faces(s, parent, largest) : 0;
  for (int v = 0; v < s->vertex_count && good && parts > 1; ++v) {
    double x[3];
    if (largest[v] < 0) continue;
    inner_place(x, s, largest[v]);
    const double winding = limpet_surface_winding(s, x);
    if (fabs(winding - 1.0) < 0.5) continue;
    limpet_error_fill(error, LIMPET_ERROR_INPUT,
                      "the surface has %d parts, and winds %ld times around the inner side of the "
                      "one with the vertex (%g, %g, %g) m: %s",
                      parts, lround(winding), s->vertices[3 * v], s->vertices[3 * v + 1],
                      s->vertices[3 * v + 2],
                      winding > 1.0 ? "it lies in another part, and would count twice; remove it, "
                                      "or turn its faces around to make a hollow"
                                    : "its faces look inwards; turn them around");
    good = false;
  }
  free(parent), free(largest);
  return good;
}

limpet_surface *limpet_pressure_surface_check(const double *vertices, int vertex_count,
                                              const int *faces, int face_count,
                                              limpet_error *error) {
  limpet_surface *s = limpet_surface_create(vertices, vertex_count, faces, face_count, error);
  if (!s || (has_no_crossing(s, error) && parts_are_apart(s, error))) return s;
  limpet_surface_destroy(s);
  return NULL;
}
