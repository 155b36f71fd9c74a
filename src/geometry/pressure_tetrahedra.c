/* geometry/pressure_tetrahedra.c: pressure fields of tetrahedra as given.
 *
 * Depth of a vertex: 0 on the boundary, inside its distance from the boundary over the largest of
 * these. A tetrahedron with all its vertices on the boundary would have no pressure anywhere. It is
 * split into four at its centroid, whose depth is its distance; its neighbours stay as they are.
 * Margin: a layer of prisms stands on the boundary, each three tetrahedra. The outer vertices lie
 * in the direction m of the mean normal, at least the margin away from each face around unless the
 * corner is sharper than `least_cosine`; their depth is -margin/(inner radius). */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "geometry/pressure_check.h"
#include "geometry/pressure_mesh.h"
#include "geometry/surface.h"
#include "math/vec3.h"

static const double least_volume = 1e-14;  // [-]  of a tetrahedron, of its longest edge cubed
static const double least_cosine = 0.25;   // of the angle between a face and the mean normal

typedef struct field_maker {
  limpet_pressure_mesh mesh;
  const limpet_pressure_material *material;
  const double *given;  // depths, or NULL
  bool *outside;        // (vertex_count as given)  on the boundary
  int dead;
  double depth;      // [m]  inner radius
  double most, rim;  // [-]  of those given: largest of all, and on the boundary
} field_maker;

static limpet_status no_memory(limpet_error *error) {
  return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for a pressure field");
}

// --------------------------------------------------------------------------- input

static limpet_status add_tetrahedron(field_maker *maker, const int *v, int number, int vertex_count,
                                     limpet_error *error) {
  const double *x[4];
  double longest = 0.0;
  for (int k = 0; k < 4; ++k) {
    if (v[k] < 0 || v[k] >= vertex_count)
      return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                               "tetrahedron %d has vertex %d, but there are %d vertices", number,
                               v[k], vertex_count);
    x[k] = maker->mesh.vertices + 3 * v[k];
    for (int j = 0; j < k; ++j) longest = fmax(longest, limpet_vec3_distance(x[j], x[k]));
  }
  const double volume6 = limpet_pressure_mesh_volume6(x[0], x[1], x[2], x[3]);
  if (!(fabs(volume6) > least_volume * longest * longest * longest))
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "tetrahedron %d (vertices %d, %d, %d, %d) has no volume: %g m^3 with "
                             "an edge of %g m; mend the mesh",
                             number, v[0], v[1], v[2], v[3], fabs(volume6) / 6.0, longest);
  const bool turned = volume6 < 0.0;
  return limpet_pressure_mesh_tetrahedron(&maker->mesh, v[0], v[turned ? 2 : 1], v[turned ? 1 : 2],
                                          v[3]) < 0
             ? no_memory(error)
             : LIMPET_OK;
}

static limpet_status copy_input(field_maker *maker, const double *vertices, int vertex_count,
                                const int *tetrahedra, int tetrahedron_count, limpet_error *error) {
  if (vertex_count < 4 || tetrahedron_count < 1)
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "%d tetrahedra over %d vertices are no body", tetrahedron_count,
                             vertex_count);
  for (int v = 0; v < vertex_count; ++v) {
    const double *x = vertices + 3 * v, depth = maker->given ? maker->given[v] : 0.0;
    if (!isfinite(x[0] + x[1] + x[2]) || !isfinite(depth))
      return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                               "vertex %d of the tetrahedra is not finite", v);
    if (limpet_pressure_mesh_vertex(&maker->mesh, x, depth) < 0) return no_memory(error);
  }
  limpet_status status = LIMPET_OK;
  for (int t = 0; t < tetrahedron_count && status == LIMPET_OK; ++t)
    status = add_tetrahedron(maker, tetrahedra + 4 * t, t, vertex_count, error);
  return status;
}

// --------------------------------------------------------------------------- depths

// Splits the tetrahedra that would have no pressure.
static bool split_dead(field_maker *maker) {
  limpet_pressure_mesh *mesh = &maker->mesh;
  const int count = mesh->tetrahedron_count;
  for (int t = 0; t < count; ++t) {
    const int v[4] = {mesh->tetrahedra[4 * t], mesh->tetrahedra[4 * t + 1],
                      mesh->tetrahedra[4 * t + 2], mesh->tetrahedra[4 * t + 3]};
    bool dead = true;
    for (int k = 0; k < 4; ++k) dead &= maker->outside[v[k]];
    if (!dead) continue;
    double c[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 4; ++k) limpet_vec3_addmul(c, c, 0.25, mesh->vertices + 3 * v[k]);
    const int n = limpet_pressure_mesh_vertex(mesh, c, 0.0);
    if (n < 0 || limpet_pressure_mesh_tetrahedron(mesh, v[0], v[1], n, v[3]) < 0 ||
        limpet_pressure_mesh_tetrahedron(mesh, v[0], n, v[2], v[3]) < 0 ||
        limpet_pressure_mesh_tetrahedron(mesh, n, v[1], v[2], v[3]) < 0)
      return false;
    mesh->tetrahedra[4 * t + 3] = n;
    ++maker->dead;
  }
  return true;
}

// Distances of the vertices inside from the boundary; `count` vertices were given.
static limpet_status measure(field_maker *maker, int count, limpet_error *error) {
  limpet_pressure_mesh *mesh = &maker->mesh;
  limpet_surface *surface = limpet_pressure_surface_check(mesh->vertices, mesh->vertex_count,
                                                          mesh->faces, mesh->face_count, error);
  if (!surface) return error ? error->status : LIMPET_ERROR_INPUT;
  for (int v = 0; v < mesh->vertex_count; ++v) {
    double gradient[3];
    const bool inside = v >= count || !maker->outside[v];
    const double d =
        inside ? -limpet_surface_distance(gradient, surface, mesh->vertices + 3 * v) : 0.0;
    maker->depth = fmax(maker->depth, d);
    if (!maker->given) mesh->depth[v] = d;
  }
  limpet_surface_destroy(surface);
  if (!(maker->depth > 0.0))
    return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                             "the %d tetrahedra have no inner vertex, so that their pressure "
                             "would be zero; refine the mesh",
                             mesh->tetrahedron_count);
  for (int v = 0; v < mesh->vertex_count && !maker->given; ++v) mesh->depth[v] /= maker->depth;
  return LIMPET_OK;
}

static limpet_status check_given(field_maker *maker, int vertex_count, limpet_error *error) {
  double most = -INFINITY;
  for (int v = 0; v < vertex_count; ++v) {
    most = fmax(most, maker->given[v]);
    if (maker->outside[v]) maker->rim = fmax(maker->rim, maker->given[v]);
  }
  maker->most = most;
  if (most > 0.0) return LIMPET_OK;
  return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                           "the pressure given at %d vertices is positive nowhere (largest share "
                           "%g); it is 1 in the core and 0 on the boundary",
                           vertex_count, most);
}

// --------------------------------------------------------------------------- margin

static void boundary_normals(const limpet_pressure_mesh *mesh, double *normal, double *cosine) {
  for (int pass = 0; pass < 2; ++pass)  // means, then the cosine with the face most away from it
    for (int f = 0; f < mesh->face_count; ++f) {
      const int *v = mesh->faces + 3 * f;
      double side[3][3], n[3];
      for (int k = 0; k < 3; ++k)
        limpet_vec3_sub(side[k], mesh->vertices + 3 * v[(k + 1) % 3], mesh->vertices + 3 * v[k]);
      limpet_vec3_cross(n, side[0], side[1]);
      limpet_vec3_normalize(n);
      for (int k = 0; k < 3; ++k) {
        double c[3], *m = normal + 3 * v[k];
        limpet_vec3_cross(c, side[(k + 2) % 3], side[k]);
        const double angle =
            atan2(limpet_vec3_norm(c), -limpet_vec3_dot(side[(k + 2) % 3], side[k]));
        if (pass == 0) limpet_vec3_addmul(m, m, angle, n);
        else cosine[v[k]] = fmin(cosine[v[k]], limpet_vec3_dot(n, m) / limpet_vec3_norm(m));
      }
    }
}

// Three tetrahedra on face v with outer vertices o, cut by the order of the vertex numbers.
static bool add_prism(limpet_pressure_mesh *mesh, const int *v, const int *outer) {
  int a = 0;
  for (int k = 1; k < 3; ++k)
    if (v[k] < v[a]) a = k;
  const int i = v[a], j = v[(a + 1) % 3], k = v[(a + 2) % 3];
  const int I = outer[i], J = outer[j], K = outer[k];
  const int cut[2][3][4] = {{{i, J, K, I}, {i, j, K, J}, {i, j, k, K}},
                            {{i, J, K, I}, {i, j, k, J}, {i, k, K, J}}};
  const int(*part)[4] = cut[j < k ? 0 : 1];
  for (int t = 0; t < 3; ++t) {
    const int *p = part[t];
    const double *x = mesh->vertices;
    const double volume =
        limpet_pressure_mesh_volume6(x + 3 * p[0], x + 3 * p[1], x + 3 * p[2], x + 3 * p[3]);
    // a dent that is narrower than the layer turns a part over: it is left out
    if (volume > 0.0 && limpet_pressure_mesh_tetrahedron(mesh, p[0], p[1], p[2], p[3]) < 0)
      return false;
  }
  return true;
}

static bool add_margin(field_maker *maker) {
  limpet_pressure_mesh *mesh = &maker->mesh;
  const int count = mesh->vertex_count;
  const double margin = maker->material->margin;
  double *normal = calloc((size_t)count, 3 * sizeof *normal);
  double *cosine = malloc((size_t)count * sizeof *cosine);
  int *outer = calloc((size_t)count, sizeof *outer);
  bool done = normal && cosine && outer;
  if (done) {
    for (int v = 0; v < count; ++v) cosine[v] = 1.0;
    boundary_normals(mesh, normal, cosine);
    for (int f = 0; f < 3 * mesh->face_count && done; ++f) {
      const int v = mesh->faces[f];
      if (outer[v]) continue;
      double x[3], *m = normal + 3 * v;
      limpet_vec3_normalize(m);
      limpet_vec3_addmul(x, mesh->vertices + 3 * v, margin / fmax(cosine[v], least_cosine), m);
      outer[v] = limpet_pressure_mesh_vertex(mesh, x, -margin / maker->depth);
      done = outer[v] > 0;
    }
    for (int f = 0; f < mesh->face_count && done; ++f)
      done = add_prism(mesh, mesh->faces + 3 * f, outer);
  }
  free(normal), free(cosine), free(outer);
  return done;
}

// --------------------------------------------------------------------------- all together

static limpet_status prepare(field_maker *maker, int vertex_count, limpet_error *error) {
  limpet_pressure_mesh *mesh = &maker->mesh;
  limpet_status status = limpet_pressure_mesh_boundary(mesh, error);
  if (status != LIMPET_OK) return status;
  maker->outside = calloc((size_t)vertex_count, sizeof *maker->outside);
  if (!maker->outside) return no_memory(error);
  for (int k = 0; k < 3 * mesh->face_count; ++k) maker->outside[mesh->faces[k]] = true;
  if (maker->given) status = check_given(maker, vertex_count, error);
  else if (!split_dead(maker)) status = no_memory(error);
  return status == LIMPET_OK ? measure(maker, vertex_count, error) : status;
}

limpet_pressure_field *limpet_pressure_field_of_tetrahedra(
    const double *vertices, int vertex_count, const int *tetrahedra, int tetrahedron_count,
    const double *depth, const limpet_pressure_material *material, limpet_error *error) {
  assert(vertices && tetrahedra && material);
  field_maker maker = {.material = material, .given = depth};
  limpet_pressure_field *field = NULL;
  limpet_status status = limpet_pressure_material_check(material, error);
  if (status == LIMPET_OK && !(material->modulus < INFINITY))
    status = limpet_error_fill(error, LIMPET_ERROR_INPUT,
                               "tetrahedra with an infinite modulus have no pressure field; give "
                               "their surface as triangles for a rigid body");
  if (status == LIMPET_OK)
    status = copy_input(&maker, vertices, vertex_count, tetrahedra, tetrahedron_count, error);
  if (status == LIMPET_OK) status = prepare(&maker, vertex_count, error);
  const int inner = maker.mesh.tetrahedron_count;
  if (status == LIMPET_OK && material->margin > 0.0 && !add_margin(&maker))
    status = no_memory(error);
  if (status == LIMPET_OK)
    field = limpet_pressure_mesh_finish(&maker.mesh, inner, maker.depth, material, error);
  if (field) {
    field->info.dead = maker.dead;
    field->info.given_most = maker.most, field->info.given_rim = maker.rim;
  }
  limpet_pressure_mesh_free(&maker.mesh);
  free(maker.outside);
  return field;
}
