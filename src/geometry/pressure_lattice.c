/* geometry/pressure_lattice.c: a pressure field inside a closed surface, on tetrahedra of our own.
 *
 * The tetrahedra are those of the body-centred cubic lattice of edge h: between two cubes that
 * share a face four of them stand around the line of the two centres, each on an edge of that face.
 * Their vertices carry e(x) = -phi(x)/d, phi the signed distance from the surface [m], d the inner
 * radius; or a function of the user's. The lattice covers the surface and a layer around it, so the
 * field goes on outside; the body is where p > 0, which the contact surface cuts exactly. So no
 * tetrahedron has to fit the triangles, none is dead, and any closed surface can be filled.
 * Where the boundary is smooth, linear interpolation of e errs by O(h^2), and so do boundary,
 * pressure and force; sharp edges are rounded over O(h), which costs the force O(h^2) as well.
 * h is chosen as a quarter of the inner radius where it is not given; for shells that would take
 * very many tetrahedra, up to half of it. A tetrahedron has the volume h^3/12. Reference of the
 * lattice: F. Labelle, J. R. Shewchuk, Isosurface stuffing, ACM TOG 26(3), 2007. Cost: one distance
 * for each vertex. */
#include "geometry/pressure_lattice.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "geometry/pressure_mesh.h"
#include "math/vec3.h"

static const double chosen_share = 0.25;           // of the inner radius
static const double chosen_tetrahedra = 150000.0;  // that are chosen at most, while two edges
static const double largest_share = 0.5;           // still lie within the inner radius
enum { most_vertices = 1000000 };                  // of a lattice
static const int coarse_cells = 24;  // along the longest side, for the first look at the depth

typedef struct lattice {
  const limpet_surface *surface;
  const limpet_pressure_material *material;
  double low[3], high[3];  // [m]  of the surface
  double origin[3], h;     // [m]
  int cubes[3];
  double depth, deepest[3];  // [m]
  int *corner, *centre;      // numbers of vertices, 0: not made yet, else one more
  limpet_pressure_mesh mesh;
  bool failed, stopped;
  int endless, outside;  // places where the user's function is not finite, or positive far outside
  double farthest;       // [m]  of the latter
} lattice;

static double inside(const lattice *l, const double x[3]) {
  double gradient[3];
  return -limpet_surface_distance(gradient, l->surface, x);
}

static bool goes_on(lattice *l, double share) {
  const limpet_pressure_material *material = l->material;
  l->stopped =
      l->stopped || (material->progress && !material->progress(material->progress_context, share));
  return !l->stopped;
}

// --------------------------------------------------------------------------- inner radius

static void try_point(lattice *l, const double x[3]) {
  const double d = inside(l, x);
  if (d > l->depth) l->depth = d, limpet_vec3_copy(l->deepest, x);
}

/* The deepest point: the best of a grid, then a search of the 26 neighbours whose step is halved
 * where none is deeper. */
static void find_depth(lattice *l) {
  double longest = 0.0, step;
  for (int i = 0; i < 3; ++i) longest = fmax(longest, l->high[i] - l->low[i]);
  step = longest / coarse_cells;
  int n[3];
  for (int i = 0; i < 3; ++i) n[i] = (int)ceil((l->high[i] - l->low[i]) / step);
  for (int i = 0; i < n[0] && goes_on(l, 0.0); ++i)
    for (int j = 0; j < n[1]; ++j)
      for (int k = 0; k < n[2]; ++k) {
        const int c[3] = {i, j, k};
        double x[3];
        for (int a = 0; a < 3; ++a)
          x[a] = l->low[a] + (c[a] + 0.5) * (l->high[a] - l->low[a]) / n[a];
        try_point(l, x);
      }
  while (l->depth > 0.0 && step > 1e-9 * longest && goes_on(l, 0.0)) {
    double x[3], from[3];
    const double before = l->depth;
    limpet_vec3_copy(from, l->deepest);
    for (int c = 0; c < 27; ++c) {
      const int way[3] = {c / 9 - 1, c / 3 % 3 - 1, c % 3 - 1};
      for (int a = 0; a < 3; ++a) x[a] = from[a] + step * way[a];
      try_point(l, x);
    }
    if (!(l->depth > before)) step *= 0.5;
  }
}

// --------------------------------------------------------------------------- vertices

static double relative_depth(lattice *l, const double x[3]) {
  const limpet_pressure_material *material = l->material;
  if (!material->function) return inside(l, x) / l->depth;
  const double e = material->function(material->context, x);
  if (!isfinite(e)) ++l->endless;
  const double away = e > 0.0 ? -inside(l, x) : 0.0;
  if (away > l->h) ++l->outside, l->farthest = fmax(l->farthest, away);
  return isfinite(e) ? e : 0.0;
}

static int vertex_at(lattice *l, int *made, const int c[3], double shift) {
  const int *n = l->cubes;
  int *number =
      made + ((size_t)c[0] * (size_t)(n[1] + 1) + (size_t)c[1]) * (size_t)(n[2] + 1) + (size_t)c[2];
  if (*number == 0) {
    double x[3];
    for (int a = 0; a < 3; ++a) x[a] = l->origin[a] + l->h * (c[a] + shift);
    *number = limpet_pressure_mesh_vertex(&l->mesh, x, relative_depth(l, x)) + 1;
    l->failed |= *number == 0;
  }
  return *number - 1;
}

// The four tetrahedra around the line between the centres of cube c and the next along `axis`.
static void add_four(lattice *l, const int c[3], int axis) {
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  int next[3] = {c[0], c[1], c[2]}, ring[4];
  next[axis] += 1;
  const int a = vertex_at(l, l->centre, c, 0.5), b = vertex_at(l, l->centre, next, 0.5);
  for (int r = 0; r < 4; ++r) {
    int corner[3] = {next[0], next[1], next[2]};
    corner[j] += r == 1 || r == 2, corner[k] += r >= 2;
    ring[r] = vertex_at(l, l->corner, corner, 0.0);
  }
  const double *e = l->mesh.depth, least = -(l->material->margin + 0.5 * l->h) / l->depth;
  for (int r = 0; r < 4 && !l->failed; ++r) {
    const int v = ring[r], w = ring[(r + 1) % 4];
    // what lies outside of the margin is left out
    if (fmax(fmax(e[a], e[b]), fmax(e[v], e[w])) <= fmin(0.0, least + 0.5 * l->h / l->depth))
      continue;
    l->failed |= limpet_pressure_mesh_tetrahedron(&l->mesh, a, b, v, w) < 0;
  }
}

/* Share of a field that is made once its cubes are asked for their depths, which the first axis
 * does; the rest are faces and the tree. */
static const double filled_share = 0.7;

static void fill_slice(lattice *l, int i, int axis) {
  for (int j = 0; j < l->cubes[1] - (axis == 1) && !l->failed; ++j)
    for (int k = 0; k < l->cubes[2] - (axis == 2) && !l->failed; ++k)
      add_four(l, (const int[3]){i, j, k}, axis);
}

static bool lattice_fill(lattice *l) {
  const size_t room =
      (size_t)(l->cubes[0] + 1) * (size_t)(l->cubes[1] + 1) * (size_t)(l->cubes[2] + 1);
  l->corner = calloc(room, sizeof(int)), l->centre = calloc(room, sizeof(int));
  l->failed = !l->corner || !l->centre;
  for (int axis = 0; axis < 3; ++axis)
    for (int i = 0; i < l->cubes[0] - (axis == 0) && !l->failed; ++i)
      if (goes_on(l, filled_share * (axis == 0 ? (double)i / l->cubes[0] : 1.0)))
        fill_slice(l, i, axis);
  free(l->corner), free(l->centre);
  return !l->failed;
}

// --------------------------------------------------------------------------- all together

static double volume_of(const limpet_surface *surface) {
  double volume = 0.0;
  for (int f = 0; f < surface->face_count; ++f) {
    const int *v = surface->faces + 3 * f;
    double n[3];
    limpet_vec3_cross(n, surface->vertices + 3 * v[1], surface->vertices + 3 * v[2]);
    volume += limpet_vec3_dot(n, surface->vertices + 3 * v[0]) / 6.0;
  }
  return volume;
}

static limpet_status lattice_size(lattice *l, limpet_error *error) {
  double cubes = 1.0;
  const double fewer = cbrt(12.0 * volume_of(l->surface) / chosen_tetrahedra);
  l->h = fmin(fmax(chosen_share * l->depth, fewer), largest_share * l->depth);
  if (l->material->size > 0.0) l->h = l->material->size;
  for (int a = 0; a < 3; ++a) {
    const double wide = l->high[a] - l->low[a] + 2.0 * (l->material->margin + l->h);
    // an odd number of cubes keeps mirror images of a symmetric body alike
    const double n = 2.0 * ceil(0.5 * wide / l->h) + 1.0;
    cubes *= n + 1.0;
    l->cubes[a] = n < most_vertices ? (int)n : most_vertices;
    l->origin[a] = 0.5 * (l->low[a] + l->high[a]) - 0.5 * n * l->h;
  }
  if (2.0 * cubes > most_vertices)
    return limpet_error_fill(
        error, LIMPET_ERROR_INPUT,
        "a body of %g x %g x %g m with an inner radius of %g m takes %.2g vertices of tetrahedra "
        "of %g m, more than %d: %s; give tetrahedra of your own (VTK, MSH) or a larger length of "
        "them (MJCF: limpet:field_size, fill_size of deformable bodies)",
        l->high[0] - l->low[0], l->high[1] - l->low[1], l->high[2] - l->low[2], l->depth,
        2.0 * cubes, l->h, most_vertices,
        l->material->size > 0.0 ? "that is too fine" : "it is a thin shell");
  return LIMPET_OK;
}

// What a user's function may give: finite numbers, positive somewhere, and not far outside.
static limpet_status function_check(const lattice *l, limpet_error *error) {
  if (!l->material->function) return LIMPET_OK;
  if (l->endless > 0)
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "the function that gives its field is not a finite number at %d of %d "
                             "places; it is 1 in the core, 0 on the boundary and negative outside",
                             l->endless, l->mesh.vertex_count);
  if (l->outside > 0)
    return limpet_error_fill(
        error, LIMPET_ERROR_INPUT,
        "the function that gives its field is positive at %d of %d places that lie outside of the "
        "mesh by up to %g m; it is 1 in the core, 0 on the boundary and negative outside",
        l->outside, l->mesh.vertex_count, l->farthest);
  double most = -INFINITY;
  for (int v = 0; v < l->mesh.vertex_count; ++v) most = fmax(most, l->mesh.depth[v]);
  if (most > 0.0) return LIMPET_OK;
  return limpet_error_fill(
      error, LIMPET_ERROR_INPUT,
      "the function that gives its field is positive at none of %d places in the mesh (largest "
      "%g); it is 1 in the core, 0 on the boundary and negative outside",
      l->mesh.vertex_count, most);
}

limpet_pressure_field *limpet_pressure_lattice(const limpet_surface *surface,
                                               const limpet_pressure_material *material,
                                               limpet_error *error) {
  lattice l = {.surface = surface, .material = material};
  for (int a = 0; a < 3; ++a) {
    l.low[a] = INFINITY, l.high[a] = -INFINITY;
    for (int v = 0; v < surface->vertex_count; ++v) {
      l.low[a] = fmin(l.low[a], surface->vertices[3 * v + a]);
      l.high[a] = fmax(l.high[a], surface->vertices[3 * v + a]);
    }
  }
  find_depth(&l);
  if (!(l.depth > 0.0 || l.stopped)) {
    limpet_error_fill(error, LIMPET_ERROR_INPUT,
                      "no inside was found in a mesh of %g x %g x %g m: it is thinner than %g m; "
                      "give tetrahedra of your own (VTK, MSH)",
                      l.high[0] - l.low[0], l.high[1] - l.low[1], l.high[2] - l.low[2],
                      (l.high[0] - l.low[0]) / coarse_cells);
    return NULL;
  }
  if (!l.stopped && lattice_size(&l, error) != LIMPET_OK) return NULL;
  limpet_pressure_field *field = NULL;
  const bool filled = !l.stopped && lattice_fill(&l);
  if (l.stopped)
    limpet_error_fill(error, LIMPET_ERROR_STATE, "the field is not complete: it was stopped");
  else if (!filled)
    limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for the tetrahedra of a field");
  else if (function_check(&l, error) == LIMPET_OK)
    field =
        limpet_pressure_mesh_finish(&l.mesh, l.mesh.tetrahedron_count, l.depth, material, error);
  if (field) {
    // the body is where p > 0: of the surface, not of the lattice
    limpet_vec3_copy(field->info.low, l.low), limpet_vec3_copy(field->info.high, l.high);
    field->info.volume = volume_of(surface);
  }
  limpet_pressure_mesh_free(&l.mesh);
  return field;
}
