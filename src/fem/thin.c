/* fem/thin.c: thin elements from triangles and segments: see thin.h.
 *
 * Mass: rho h A/3 at each corner of a triangle, rho pi h^2/4 L/2 at each end of a segment, h the
 * thickness (of a rope its diameter). Triangles that share an edge with one other bend along it. */
#include "fem/thin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/vec3.h"

static const double pi = 3.14159265358979323846;
static const double flat = 1e-10;  // [-]  area of a triangle over its longest edge squared

// An edge of a triangle. place: 3 times the triangle + its corner that the edge begins at.
typedef struct side {
  int a, b, place;
} side;

static int compare_sides(const void *x, const void *y) {
  const side *s = x, *t = y;
  if (s->a != t->a) return s->a < t->a ? -1 : 1;
  return (s->b > t->b) - (s->b < t->b);
}

// The end of the sides that lie on the same edge as the first of them.
static int edge_end(const side *sides, int count, int first) {
  int next = first + 1;
  while (next < count && !compare_sides(&sides[first], &sides[next])) ++next;
  return next;
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
  limpet_thin_sort_nodes(&e);
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
    sides[i] = (side){a < b ? a : b, a < b ? b : a, (int)i};
  }
  qsort(sides, 3 * (size_t)d->triangle_count, sizeof *sides, compare_sides);
}

static void add_springs(const limpet_fem_description *d, const side *sides, limpet_fem_thin *thin) {
  const int count = 3 * d->triangle_count;
  for (int i = 0; i < count; i = edge_end(sides, count, i))
    thin->element[thin->count++] =
        edge_make(d->vertices, sides[i].a, sides[i].b, d->edge_stiffness, 0.0, d->edge_damping);
}

// The vertex opposite the edge at a place; -1: none, or no such edge.
static int wing_of(const int *triangles, const int *across, int place) {
  const int other = across[place];
  return other < 0 ? -1 : triangles[other / 3 * 3 + (other % 3 + 2) % 3];
}

static limpet_thin_patch patch_of(const int *triangles, const int *across, int triangle) {
  limpet_thin_patch patch;
  for (int k = 0; k < 3; ++k) {
    const int place = 3 * triangle + k, other = across[place];
    patch.wing[k] = wing_of(triangles, across, place);
    patch.beyond[k][0] = patch.beyond[k][1] = -1;
    if (other < 0) continue;
    // its edges, after the one that both share; it may turn the other way
    const int base = other / 3 * 3, next = base + (other % 3 + 1) % 3,
              last = base + (other % 3 + 2) % 3;
    const bool same = triangles[other] == triangles[3 * triangle + (k + 1) % 3];
    patch.beyond[k][0] = wing_of(triangles, across, same ? next : last);
    patch.beyond[k][1] = wing_of(triangles, across, same ? last : next);
  }
  return patch;
}

// across: (3 triangle_count) scratch: the place of the same edge in the other triangle that has it
static void add_bending(const limpet_fem_description *d, const side *sides, int *across,
                        limpet_fem_thin *thin) {
  const double nu = d->poissons_ratio, h = d->thickness;
  const double D = d->youngs_modulus * h * h * h / (12.0 * (1.0 - nu * nu));
  const int count = 3 * d->triangle_count;
  for (int i = 0, next; i < count; i = next) {
    next = edge_end(sides, count, i);
    for (int k = i; k < next; ++k) across[sides[k].place] = -1;
    if (next != i + 2) continue;
    across[sides[i].place] = sides[i + 1].place, across[sides[i + 1].place] = sides[i].place;
  }
  for (int t = 0; t < d->triangle_count; ++t) {
    const limpet_thin_patch patch = patch_of(d->triangles, across, t);
    thin->count += limpet_thin_bend(d->vertices, d->triangles + 3L * t, &patch, D, nu,
                                    thin->element + thin->count);
  }
}

static void add_shell(const limpet_fem_description *d, const side *sides, int *across,
                      limpet_fem_thin *thin) {
  const double E = d->youngs_modulus, nu = d->poissons_ratio, h = d->thickness;
  thin->lambda = d->membrane ? h * E * nu / (1.0 - nu * nu) : 0.0;
  thin->mu = d->membrane ? h * E / (2.0 * (1.0 + nu)) : 0.0;
  for (int t = 0; d->membrane && t < d->triangle_count; ++t)
    thin->element[thin->count++] = triangle_make(d->vertices, d->triangles + 3L * t);
  if (d->edge_stiffness > 0.0 || d->edge_damping > 0.0) add_springs(d, sides, thin);
  if (d->bending) add_bending(d, sides, across, thin);
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
  int *across = malloc((sides + 1) * sizeof *across);
  const bool memory = thin->element && list && across;
  if (memory) {
    list_sides(d, list);
    if (d->triangle_count > 0) add_shell(d, list, across, thin);
    add_rope(d, thin);
    add_masses(d, node_mass);
    thin->damped = d->edge_damping > 0.0;
    thin->membrane = d->membrane, thin->bending = d->bending;
    thin->edge_stiffness = d->edge_stiffness, thin->edge_damping = d->edge_damping;
  }
  free(list), free(across);
  return memory ? LIMPET_OK : LIMPET_ERROR_MEMORY;
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

// A triangle or segment: its vertices ascending, and which it is.
typedef struct thin_key {
  int vertex[3];
  long number;
} thin_key;

static int compare_keys(const void *a, const void *b) {
  const thin_key *x = a, *y = b;
  for (int k = 0; k < 3; ++k)
    if (x->vertex[k] != y->vertex[k]) return x->vertex[k] < y->vertex[k] ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

// Two of the same vertices would be twice as heavy and stiff, which no mesh means.
static limpet_status check_once(const int *index, long count, int corners, const char *what,
                                limpet_error *error) {
  thin_key *key = malloc(((size_t)count + 1) * sizeof *key);
  if (!key)
    return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for %ld %ss", count, what);
  for (long i = 0; i < count; ++i) {
    key[i] = (thin_key){.number = i};
    for (int k = 0; k < corners; ++k) {
      int at = k;
      for (; at > 0 && key[i].vertex[at - 1] > index[i * corners + k]; --at)
        key[i].vertex[at] = key[i].vertex[at - 1];
      key[i].vertex[at] = index[i * corners + k];
    }
  }
  qsort(key, (size_t)count, sizeof *key, compare_keys);
  limpet_status status = LIMPET_OK;
  for (long i = 1; i < count && !status; ++i)
    if (memcmp(key[i].vertex, key[i - 1].vertex, sizeof key->vertex) == 0)
      status = limpet_error_fill(error, LIMPET_ERROR_INPUT,
                                 "deformable body: %ss %ld and %ld have the same vertices; leave "
                                 "one out",
                                 what, key[i - 1].number, key[i].number);
  free(key);
  return status;
}

static limpet_status check_used(const limpet_fem_description *d, bool *used, limpet_error *error) {
  limpet_status status =
      check_indices(d->triangles, d->triangle_count, 3, d->vertex_count, "triangle", used, error);
  if (!status)
    status =
        check_indices(d->segments, d->segment_count, 2, d->vertex_count, "segment", used, error);
  if (!status) status = check_once(d->triangles, d->triangle_count, 3, "triangle", error);
  if (!status) status = check_once(d->segments, d->segment_count, 2, "segment", error);
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
