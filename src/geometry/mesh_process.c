/* geometry/mesh_process.c: a mesh as it stands in a file becomes a limpet_mesh.
 *
 *   x <- scale * R(reference)' (x - reference_position)       a mirroring scale turns the faces
 *                                                             around
 *   mass properties of unit density, see mesh_mass.c
 *   x <- R' (x - com)                                         R: principal axes, moments
 *                                                             descending, right-handed
 *
 * The half lengths b of the equivalent box have the principal moments I and the volume V of the
 * mesh:
 *   I1 = V/3 (b2^2 + b3^2), ...   so   b1^2 = 3/2 (I2 + I3 - I1)/V, ... */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "geometry/hull.h"
#include "geometry/hull_polygons.h"
#include "geometry/mesh_geometry.h"
#include "geometry/mesh_mass.h"
#include "geometry/principal_axes.h"
#include "math/quaternion.h"

static limpet_status fail(limpet_error *error, const limpet_mesh_input *input, limpet_status status,
                          const char *text) {
  const char *name = input->name ? input->name : input->file ? input->file : "(unnamed)";
  return limpet_error_fill(error, status, "mesh '%s': %s", name, text);
}

// The same with the number of the vertex, face or tetrahedron at fault, and a count.
static limpet_status fail_at(limpet_error *error, const limpet_mesh_input *input,
                             const char *format, int number, int count) {
  char text[200];
  snprintf(text, sizeof text, format, number, count);
  return fail(error, input, LIMPET_ERROR_INPUT, text);
}

static limpet_status input_check(const limpet_mesh_input *input, limpet_error *error) {
  if (input->vertex_count < 4)
    return fail(error, input, LIMPET_ERROR_INPUT,
                "fewer than 4 vertices; a body needs at least a tetrahedron");
  for (int i = 0; i < 3; ++i)
    if (!(fabs(input->scale[i]) > 0.0) || !isfinite(input->scale[i]))
      return fail(error, input, LIMPET_ERROR_INPUT, "scale must be finite and not zero");
  for (int i = 0; i < 3 * input->vertex_count; ++i)
    if (!isfinite(input->vertices[i]))
      return fail_at(error, input, "vertex %d of %d is NaN or infinite; export the mesh again",
                     i / 3, input->vertex_count);
  for (int i = 0; i < 3 * input->face_count; ++i)
    if (input->faces[i] < 0 || input->faces[i] >= input->vertex_count)
      return fail_at(error, input, "face %d names a vertex that does not exist: there are %d",
                     i / 3, input->vertex_count);
  for (int i = 0; i < 4 * input->tetrahedron_count; ++i)
    if (input->tetrahedra[i] < 0 || input->tetrahedra[i] >= input->vertex_count)
      return fail_at(error, input,
                     "tetrahedron %d names a vertex that does not exist: there are %d", i / 4,
                     input->vertex_count);
  for (int i = 0; input->field && i < input->vertex_count; ++i)
    if (!(input->field[i] >= 0.0) || isinf(input->field[i]))
      return fail_at(error, input,
                     "its field is negative or not finite at vertex %d of %d; give pressure over "
                     "modulus, 0 on the surface",
                     i, input->vertex_count);
  return LIMPET_OK;
}

static void round_to_float(double *values, int count) {
  for (int i = 0; i < count; ++i) values[i] = (double)(float)values[i];
}

static void place_vertices(double *vertices, const limpet_mesh_input *input) {
  double turn[4], R[9];
  limpet_quaternion_copy(turn, input->reference_quaternion);
  limpet_quaternion_normalize(turn);
  limpet_quaternion_to_matrix(R, turn);
  for (int i = 0; i < input->vertex_count; ++i) {
    double moved[3], turned[3];
    limpet_vec3_sub(moved, input->vertices + 3 * i, input->reference_position);
    limpet_mat3_tmul_vec(turned, R, moved);
    for (int k = 0; k < 3; ++k) vertices[3 * i + k] = input->scale[k] * turned[k];
  }
  if (input->single_precision) round_to_float(vertices, 3 * input->vertex_count);
}

static int *faces_copy(const limpet_mesh_input *input) {
  int *faces = malloc(3 * (size_t)input->face_count * sizeof *faces);
  if (!faces) return NULL;
  memcpy(faces, input->faces, 3 * (size_t)input->face_count * sizeof *faces);
  if (input->scale[0] * input->scale[1] * input->scale[2] > 0.0) return faces;
  for (int f = 0; f < input->face_count; ++f) {
    const int v = faces[3 * f + 1];
    faces[3 * f + 1] = faces[3 * f + 2];
    faces[3 * f + 2] = v;
  }
  return faces;
}

// Triangles of the convex hull, as indices of `vertices`; *faces by malloc.
static limpet_status hull_triangles(int **faces, int *face_count, const double *vertices,
                                    int vertex_count, int vertex_limit, limpet_error *error) {
  limpet_polygons polygons;
  const limpet_status status =
      limpet_polygons_qhull(&polygons, vertices, vertex_count, vertex_limit, error);
  if (status != LIMPET_OK) return status;
  const int corner_count = polygons.face_begin[polygons.face_count];
  *face_count = corner_count - 2 * polygons.face_count;
  *faces = malloc(3 * (size_t)*face_count * sizeof **faces);
  if (*faces) {
    int *face = *faces;
    for (int f = 0; f < polygons.face_count; ++f) {
      const int *corner = polygons.corner_vertex + polygons.face_begin[f];
      for (int i = 1; i + 1 < polygons.face_begin[f + 1] - polygons.face_begin[f]; ++i, face += 3)
        face[0] = polygons.vertex_point[corner[0]], face[1] = polygons.vertex_point[corner[i]],
        face[2] = polygons.vertex_point[corner[i + 1]];
    }
  }
  limpet_polygons_free(&polygons);
  return *faces
             ? LIMPET_OK
             : limpet_error_fill(error, LIMPET_ERROR_MEMORY, "no memory for the faces of a hull");
}

static limpet_status equivalent_box(double box[3], const double moment[3], double volume,
                                    const limpet_mesh_input *input, limpet_error *error) {
  const double sum = moment[0] + moment[1] + moment[2];
  for (int i = 0; i < 3; ++i) {
    const double square = 1.5 * (sum - 2.0 * moment[i]) / volume;
    if (square < -1e-6 * sum / volume)
      return fail(error, input, LIMPET_ERROR_INPUT,
                  "its inertia is not that of any body (A + B < C): faces look in different "
                  "directions; orient them, or use inertia "
                  "\"legacy\" or \"convex\"");
    box[i] = sqrt(fmax(square, 0.0));
  }
  return LIMPET_OK;
}

static void move_to_inertial_frame(double *vertices, int count, const double com[3],
                                   const double q[4]) {
  double R[9];
  limpet_quaternion_to_matrix(R, q);
  for (int i = 0; i < count; ++i) {
    double moved[3];
    limpet_vec3_sub(moved, vertices + 3 * i, com);
    limpet_mat3_tmul_vec(vertices + 3 * i, R, moved);
  }
}

static void bounding_box(double aabb[6], const double *vertices, int count) {
  for (int k = 0; k < 3; ++k) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < count; ++i)
      low = fmin(low, vertices[3 * i + k]), high = fmax(high, vertices[3 * i + k]);
    aabb[k] = 0.5 * (low + high);
    aabb[3 + k] = 0.5 * (high - low);
  }
}

// `bytes` of an array to *memory, which moves behind them; NULL for none.
static const void *pack_array(char **memory, const void *array, size_t bytes) {
  void *to = bytes ? memcpy(*memory, array, bytes) : NULL;
  *memory += bytes;
  return to;
}

// Corners of tetrahedra that a mirroring scale turned inside out.
static void orient_tetrahedra(int *tetrahedra, int count, const double scale[3]) {
  if (scale[0] * scale[1] * scale[2] > 0.0) return;
  for (int t = 0; t < count; ++t) {
    const int v = tetrahedra[4 * t + 2];
    tetrahedra[4 * t + 2] = tetrahedra[4 * t + 3];
    tetrahedra[4 * t + 3] = v;
  }
}

// Of the faces that a mirroring scale turned around.
static void turn_coordinates(float *coordinates, int face_count, const double scale[3]) {
  if (scale[0] * scale[1] * scale[2] > 0.0) return;
  for (int f = 0; f < face_count; ++f)
    for (int k = 0; k < 2; ++k) {
      float *corner = coordinates + 6 * f + k;
      const float u = corner[2];
      corner[2] = corner[4];
      corner[4] = u;
    }
}

/* Tangents of unit length in the inertial frame, which lies at this quaternion in the frame of the
 * file. A scale divides them, as MuJoCo divides normals. */
static void turn_tangents(double *tangents, const limpet_mesh_input *input,
                          const double quaternion[4]) {
  double turn[4], reference[9], R[9];
  limpet_quaternion_copy(turn, input->reference_quaternion);
  limpet_quaternion_normalize(turn);
  limpet_quaternion_to_matrix(reference, turn);
  limpet_quaternion_to_matrix(R, quaternion);
  for (int i = 0; i < 2 * input->vertex_count; ++i) {
    double tangent[3];
    limpet_mat3_tmul_vec(tangent, reference, tangents + 3 * i);
    for (int k = 0; k < 3; ++k) tangent[k] /= input->scale[k];
    limpet_vec3_normalize(tangent);
    limpet_mat3_tmul_vec(tangents + 3 * i, R, tangent);
  }
}

// One block: vertices, faces, hull, names. `mesh` gets its array pointers.
static limpet_status pack(limpet_mesh *mesh, void **storage, const limpet_mesh_input *input,
                          const double *vertices, const int *faces, const limpet_hull *hull,
                          limpet_error *error) {
  const limpet_hull_size size = hull ? limpet_hull_size_of(hull) : (limpet_hull_size){0};
  const size_t vertex_bytes = 3 * (size_t)mesh->vertex_count * sizeof(double),
               face_bytes = 3 * (size_t)mesh->face_count * sizeof(int),
               field_bytes = input->field ? (size_t)mesh->vertex_count * sizeof(double) : 0,
               tangent_bytes = input->tangents ? 2 * vertex_bytes : 0,
               tetrahedron_bytes = 4 * (size_t)input->tetrahedron_count * sizeof(int),
               coordinate_bytes =
                   input->texture_coordinates ? 6 * (size_t)input->face_count * sizeof(float) : 0;
  const size_t name_bytes = input->name ? strlen(input->name) + 1 : 0,
               file_bytes = input->file ? strlen(input->file) + 1 : 0;
  const size_t hull_bytes = hull ? limpet_hull_memory_size(&size) : 0;
  const size_t total = (hull_bytes + vertex_bytes + tangent_bytes + field_bytes + face_bytes +
                        tetrahedron_bytes + coordinate_bytes + name_bytes + file_bytes + 63) /
                       64 * 64;
  char *memory = aligned_alloc(64, total);
  if (!memory) return fail(error, input, LIMPET_ERROR_MEMORY, "no memory");
  *storage = memory;
  if (hull) mesh->hull = limpet_hull_copy(memory, hull);
  memory += hull_bytes;
  mesh->vertices = pack_array(&memory, vertices, vertex_bytes);
  double *tangents = (double *)(void *)memory;
  mesh->tangents = pack_array(&memory, input->tangents, tangent_bytes);
  if (tangent_bytes) turn_tangents(tangents, input, mesh->quaternion);
  mesh->field = pack_array(&memory, input->field, field_bytes);
  mesh->faces = pack_array(&memory, faces, face_bytes);
  int *tetrahedra = (int *)(void *)memory;
  mesh->tetrahedra = pack_array(&memory, input->tetrahedra, tetrahedron_bytes);
  orient_tetrahedra(tetrahedra, input->tetrahedron_count, input->scale);
  float *coordinates = (float *)(void *)memory;
  mesh->texture_coordinates = pack_array(&memory, input->texture_coordinates, coordinate_bytes);
  if (coordinate_bytes) turn_coordinates(coordinates, input->face_count, input->scale);
  mesh->name = pack_array(&memory, input->name, name_bytes);
  mesh->file = pack_array(&memory, input->file, file_bytes);
  return LIMPET_OK;
}

// Mass properties of the surface that `input->inertia` names: of the faces themselves, or of the
// hull's.
static limpet_status mass_of(limpet_mesh_mass *mass, const limpet_mesh_input *input,
                             const double *vertices, const int *faces, int face_count,
                             limpet_error *error) {
  limpet_error inner = {0};
  limpet_status status;
  if (input->inertia == LIMPET_MESH_INERTIA_CONVEX && input->face_count > 0) {
    int *triangles = NULL, count = 0;
    status = hull_triangles(&triangles, &count, vertices, input->vertex_count,
                            input->hull_vertex_limit, &inner);
    if (status == LIMPET_OK)
      status = limpet_mesh_mass_compute(mass, vertices, triangles, count, input->inertia, &inner);
    free(triangles);
  } else {
    status = limpet_mesh_mass_compute(mass, vertices, faces, face_count, input->inertia, &inner);
  }
  return status == LIMPET_OK ? status : fail(error, input, status, inner.message);
}

static limpet_status process(limpet_mesh *mesh, void **storage, const limpet_mesh_input *input,
                             double *vertices, int *faces, limpet_error *error) {
  limpet_mesh_mass mass;
  double moment[3];
  limpet_status status = mass_of(&mass, input, vertices, faces, mesh->face_count, error);
  if (status != LIMPET_OK) return status;
  mesh->volume = mass.volume;
  limpet_principal_axes(moment, mesh->quaternion, mass.inertia);
  limpet_vec3_copy(mesh->position, mass.com);
  status = equivalent_box(mesh->box, moment, mass.volume, input, error);
  if (status != LIMPET_OK) return status;

  move_to_inertial_frame(vertices, mesh->vertex_count, mesh->position, mesh->quaternion);
  if (input->single_precision) round_to_float(vertices, 3 * mesh->vertex_count);
  bounding_box(mesh->aabb, vertices, mesh->vertex_count);

  limpet_hull *hull = NULL;
  if (input->want_hull) {
    limpet_error inner = {0};
    hull = limpet_hull_create(vertices, mesh->vertex_count, input->hull_vertex_limit, &inner);
    if (!hull) return fail(error, input, inner.status, inner.message);
  }
  status = pack(mesh, storage, input, vertices, faces, hull, error);
  free(hull);
  return status;
}

limpet_status limpet_mesh_process(limpet_mesh *mesh, void **storage, const limpet_mesh_input *input,
                                  limpet_error *error) {
  assert(mesh && storage && input);
  *mesh = (limpet_mesh){.vertex_count = input->vertex_count,
                        .face_count = input->face_count,
                        .tetrahedron_count = input->tetrahedron_count,
                        .concave = input->concave};
  *storage = NULL;
  limpet_status status = input_check(input, error);
  if (status != LIMPET_OK) return status;
  double *vertices = malloc(3 * (size_t)input->vertex_count * sizeof *vertices);
  if (!vertices) return fail(error, input, LIMPET_ERROR_MEMORY, "no memory");
  place_vertices(vertices, input);

  int *faces = NULL;
  if (input->face_count > 0) {
    faces = faces_copy(input);
    if (!faces) status = fail(error, input, LIMPET_ERROR_MEMORY, "no memory");
  } else {
    limpet_error inner = {0};
    status = hull_triangles(&faces, &mesh->face_count, vertices, input->vertex_count,
                            input->hull_vertex_limit, &inner);
    if (status != LIMPET_OK) fail(error, input, status, inner.message);
  }
  if (status == LIMPET_OK) status = process(mesh, storage, input, vertices, faces, error);
  free(vertices), free(faces);
  return status;
}
