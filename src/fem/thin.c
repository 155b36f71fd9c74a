/* fem/thin.c: thin elements from triangles and segments: see thin.h.
 *
 * Mass: rho h A/3 at each corner of a triangle, rho pi h^2/4 L/2 at each end of a segment, h the
 * thickness (of a rope its diameter). Each edge of a shell that two triangles share is a hinge. */
#include "fem/thin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/vec3.h"

static const double pi = 3.14159265358979323846;
static const double flat = 1e-10;  // [-]  area of a triangle over its longest edge squared

// An edge of a triangle with the corner opposite to it.
typedef struct side {
  int a, b, wing;
} side;

static int compare_sides(const void *x, const void *y) {
  const side *s = x, *t = y;
  if (s->a != t->a) return s->a < t->a ? -1 : 1;
  return (s->b > t->b) - (s->b < t->b);
}

static double area_of(const double *x, const int *t, double *longest) {
  double u[3], v[3], n[3];
  limpet_vec3_sub(u, x + 3L * t[1], x + 3L * t[0]);
  limpet_vec3_sub(v, x + 3L * t[2], x + 3L * t[0]);
  limpet_vec3_cross(n, u, v);
  *longest = fmax(fmax(limpet_vec3_norm(u), limpet_vec3_norm(v)),
                  limpet_vec3_distance(x + 3L * t[1], x + 3L * t[2]));
  return 0.5 * limpet_vec3_norm(n);
}

// Puts nodes into ascending order and what belongs to them along.
static void sort_nodes(limpet_thin_element *e) {
  for (int i = 1; i < e->count; ++i)
    for (int j = i; j > 0 && e->node[j - 1] > e->node[j]; --j) {
      const int node = e->node[j];
      const double weight = e->weight[j];
      e->node[j] = e->node[j - 1], e->node[j - 1] = node;
      e->weight[j] = e->weight[j - 1], e->weight[j - 1] = weight;
      for (int k = 0; e->kind == LIMPET_THIN_TRIANGLE && k < 2; ++k) {
        const double g = e->gradient[j][k];
        e->gradient[j][k] = e->gradient[j - 1][k], e->gradient[j - 1][k] = g;
      }
      for (int k = 0; k < e->count; ++k)
        if (e->corner[k] == j) e->corner[k] = j - 1;
        else if (e->corner[k] == j - 1) e->corner[k] = j;
    }
}

// Shape gradients in the plane of the triangle: axes along its first edge and square to it.
static limpet_thin_element triangle_make(const double *x, const int *t) {
  limpet_thin_element e = {.kind = LIMPET_THIN_TRIANGLE, .count = 3, .node = {t[0], t[1], t[2]}};
  double u[3], v[3], along[3], longest;
  limpet_vec3_sub(u, x + 3L * t[1], x + 3L * t[0]);
  limpet_vec3_sub(v, x + 3L * t[2], x + 3L * t[0]);
  e.area = area_of(x, t, &longest);
  const double a = limpet_vec3_norm(u);
  limpet_vec3_scale(along, 1.0 / a, u);
  const double b = limpet_vec3_dot(v, along), h = 2.0 * e.area / a;
  // corners at (0, 0), (a, 0), (b, h)
  e.gradient[1][0] = 1.0 / a, e.gradient[1][1] = -b / (a * h);
  e.gradient[2][0] = 0.0, e.gradient[2][1] = 1.0 / h;
  for (int k = 0; k < 2; ++k) e.gradient[0][k] = -e.gradient[1][k] - e.gradient[2][k];
  sort_nodes(&e);
  return e;
}

// Cotangent of the angle at `at` between the ways to a and b.
static double cotangent(const double *at, const double *a, const double *b) {
  double u[3], v[3], n[3];
  limpet_vec3_sub(u, a, at), limpet_vec3_sub(v, b, at);
  limpet_vec3_cross(n, u, v);
  return limpet_vec3_dot(u, v) / limpet_vec3_norm(n);
}

static limpet_thin_element hinge_make(const double *x, const side *s, const side *t, double D) {
  const int node[4] = {s->a, s->b, s->wing, t->wing};
  const double *p[4];
  double longest, bend[3] = {0.0, 0.0, 0.0}, along[3], across[3], n[3];
  limpet_thin_element e = {.kind = LIMPET_THIN_HINGE, .count = 4, .corner = {0, 1, 2, 3}};
  for (int k = 0; k < 4; ++k) e.node[k] = node[k], p[k] = x + 3L * node[k];
  const double c2 = cotangent(p[0], p[1], p[2]), c3 = cotangent(p[0], p[1], p[3]),
               d2 = cotangent(p[1], p[0], p[2]), d3 = cotangent(p[1], p[0], p[3]);
  e.weight[0] = d2 + d3, e.weight[1] = c2 + c3, e.weight[2] = -c2 - d2, e.weight[3] = -c3 - d3;
  const int first[3] = {s->a, s->b, s->wing}, second[3] = {s->a, s->b, t->wing};
  e.stiffness = e.elastic = D / (area_of(x, first, &longest) + area_of(x, second, &longest));
  for (int k = 0; k < 4; ++k) limpet_vec3_addmul(bend, bend, e.weight[k], p[k]);
  limpet_vec3_sub(along, p[1], p[0]), limpet_vec3_sub(across, p[2], p[3]);
  limpet_vec3_cross(n, along, across);
  const double size = limpet_vec3_norm(n), edge = limpet_vec3_norm(along);
  e.rest = size > 0.0 ? limpet_vec3_dot(bend, n) / size : 0.0;
  if (fabs(e.rest) < 1e-9 * edge) e.rest = 0.0;  // flat
  sort_nodes(&e);
  return e;
}

// Of a spring, and of what grows with E.
static limpet_thin_element edge_make(const double *x, int a, int b, double spring, double elastic,
                                     double damping) {
  const double rest = limpet_vec3_distance(x + 3L * a, x + 3L * b);
  return (limpet_thin_element){.kind = LIMPET_THIN_EDGE,
                               .count = 2,
                               .node = {a < b ? a : b, a < b ? b : a},
                               .rest = rest,
                               .stiffness = spring + elastic,
                               .elastic = elastic,
                               .damping = damping};
}

// Sides of all triangles, sorted: those of one edge follow each other.
static void list_sides(const limpet_fem_description *d, side *sides) {
  for (long i = 0; i < 3L * d->triangle_count; ++i) {
    const int *t = d->triangles + i / 3 * 3;
    const int a = t[i % 3], b = t[(i + 1) % 3];
    sides[i] = (side){a < b ? a : b, a < b ? b : a, t[(i + 2) % 3]};
  }
  qsort(sides, 3 * (size_t)d->triangle_count, sizeof *sides, compare_sides);
}

static void add_shell(const limpet_fem_description *d, const side *sides, limpet_fem_thin *thin) {
  const double E = d->youngs_modulus, nu = d->poissons_ratio, h = d->thickness;
  const double D = E * h * h * h / (12.0 * (1.0 - nu * nu));
  const bool springs = d->edge_stiffness > 0.0 || d->edge_damping > 0.0;
  thin->lambda = d->membrane ? h * E * nu / (1.0 - nu * nu) : 0.0;
  thin->mu = d->membrane ? h * E / (2.0 * (1.0 + nu)) : 0.0;
  for (int t = 0; d->membrane && t < d->triangle_count; ++t)
    thin->element[thin->count++] = triangle_make(d->vertices, d->triangles + 3L * t);
  for (int i = 0, next; i < 3 * d->triangle_count; i = next) {
    for (next = i + 1; next < 3 * d->triangle_count && !compare_sides(&sides[i], &sides[next]);)
      ++next;
    if (springs)
      thin->element[thin->count++] =
          edge_make(d->vertices, sides[i].a, sides[i].b, d->edge_stiffness, 0.0, d->edge_damping);
    if (d->bending && next == i + 2)
      thin->element[thin->count++] = hinge_make(d->vertices, &sides[i], &sides[i + 1], D);
  }
}

static void add_rope(const limpet_fem_description *d, limpet_fem_thin *thin) {
  const double axial =
      d->membrane ? d->youngs_modulus * pi * d->thickness * d->thickness / 4.0 : 0.0;
  for (int s = 0; s < d->segment_count; ++s) {
    const int *end = d->segments + 2L * s;
    const double length =
        limpet_vec3_distance(d->vertices + 3L * end[0], d->vertices + 3L * end[1]);
    thin->element[thin->count++] =
        edge_make(d->vertices, end[0], end[1], d->edge_stiffness, axial / length, d->edge_damping);
  }
}

static void add_masses(const limpet_fem_description *d, double *node_mass) {
  for (int t = 0; t < d->triangle_count; ++t) {
    double longest;
    const int *v = d->triangles + 3L * t;
    const double mass = d->density * d->thickness * area_of(d->vertices, v, &longest);
    for (int k = 0; k < 3; ++k) node_mass[v[k]] += mass / 3.0;
  }
  for (int s = 0; s < d->segment_count; ++s) {
    const int *end = d->segments + 2L * s;
    const double mass = d->density * pi * d->thickness * d->thickness / 4.0 *
                        limpet_vec3_distance(d->vertices + 3L * end[0], d->vertices + 3L * end[1]);
    for (int k = 0; k < 2; ++k) node_mass[end[k]] += 0.5 * mass;
  }
}

limpet_status limpet_thin_make(const limpet_fem_description *d, limpet_arena *arena,
                               limpet_fem_thin *thin, double *node_mass) {
  const size_t sides = 3 * (size_t)d->triangle_count;
  thin->element = LIMPET_TAKE(arena, limpet_thin_element,
                              (size_t)d->triangle_count + 2 * sides + (size_t)d->segment_count + 1);
  side *list = malloc((sides + 1) * sizeof *list);
  if (thin->element && list) {
    list_sides(d, list);
    if (d->triangle_count > 0) add_shell(d, list, thin);
    add_rope(d, thin);
    add_masses(d, node_mass);
    thin->damped = d->edge_damping > 0.0;
    thin->membrane = d->membrane, thin->bending = d->bending;
    thin->edge_stiffness = d->edge_stiffness, thin->edge_damping = d->edge_damping;
  }
  free(list);
  return thin->element && list ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}

// ------------------------------------------------------------------------------- check

static limpet_status check_indices(const int *index, long count, int corners, int vertices,
                                   const char *what, bool *used, limpet_error *error) {
  for (long i = 0; i < count * corners; ++i) {
    if (index[i] < 0 || index[i] >= vertices)
      return limpet_error_fill(
          error, LIMPET_ERROR_INPUT,
          "deformable body: %s %ld names vertex %d, but vertices run from 0 to "
          "%d",
          what, i / corners, index[i], vertices - 1);
    used[index[i]] = true;
    for (long k = i / corners * corners; k < i; ++k)
      if (index[k] == index[i])
        return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                                 "deformable body: %s %ld names vertex %d twice", what, i / corners,
                                 index[i]);
  }
  return LIMPET_OK;
}

static limpet_status check_used(const limpet_fem_description *d, bool *used, limpet_error *error) {
  limpet_status status =
      check_indices(d->triangles, d->triangle_count, 3, d->vertex_count, "triangle", used, error);
  if (!status)
    status =
        check_indices(d->segments, d->segment_count, 2, d->vertex_count, "segment", used, error);
  for (int v = 0; !status && v < d->vertex_count; ++v) {
    if (!used[v])
      status =
          limpet_error_fill(error, LIMPET_ERROR_INPUT,
                            "deformable body: vertex %d belongs to no triangle and no segment; "
                            "leave it out",
                            v);
    for (int k = 0; !status && k < 3; ++k)
      if (!isfinite(d->vertices[3L * v + k]))
        status =
            limpet_error_fill(error, LIMPET_ERROR_INPUT,
                              "deformable body: vertex %d has a coordinate that is no number", v);
  }
  return status;
}

static limpet_status check_sizes(const limpet_fem_description *d, limpet_error *error) {
  for (int t = 0; t < d->triangle_count; ++t) {
    double longest;
    const double area = area_of(d->vertices, d->triangles + 3L * t, &longest);
    if (!(area > flat * longest * longest))
      return limpet_error_fill(
          error, LIMPET_ERROR_INPUT,
          "deformable body: triangle %d has an area of %g m^2 with edges up to "
          "%g m: it is a line; remesh the shell",
          t, area, longest);
  }
  for (int s = 0; s < d->segment_count; ++s) {
    const int *end = d->segments + 2L * s;
    if (!(limpet_vec3_distance(d->vertices + 3L * end[0], d->vertices + 3L * end[1]) > 0.0))
      return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                               "deformable body: segment %d has no length", s);
  }
  return LIMPET_OK;
}

limpet_status limpet_thin_check(const limpet_fem_description *d, limpet_error *error) {
  if (!(d->thickness > 0.0 && isfinite(d->thickness)))
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "deformable body: the thickness is %g m; a shell or rope needs a "
                             "positive one",
                             d->thickness);
  if (!(d->edge_stiffness >= 0.0 && isfinite(d->edge_stiffness)) ||
      !(d->edge_damping >= 0.0 && isfinite(d->edge_damping)))
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "deformable body: stiffness and damping of edges are %g N/m and %g N "
                             "s/m; give zero or more",
                             d->edge_stiffness, d->edge_damping);
  bool *used = calloc((size_t)d->vertex_count + 1, sizeof *used);
  if (!used)
    return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for %d vertices",
                             d->vertex_count);
  limpet_status status = check_used(d, used, error);
  if (!status) status = check_sizes(d, error);
  free(used);
  return status;
}
