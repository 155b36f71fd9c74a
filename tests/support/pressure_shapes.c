#include "pressure_shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/mesh_geometry.h"
#include "limpet/format.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "shared_data.h"

static void stop(const char *what, const char *message) {
  fprintf(stderr, "%s: %s\n", what, message);
  exit(1);
}

test_tetrahedra test_tetrahedra_read(const char *path) {
  test_tetrahedra mesh = {0};
  FILE *file = fopen(path, "r");
  if (!file) stop(path, "cannot be read");
  char word[128];
  while (fscanf(file, "%127s", word) == 1) {
    int size;
    if (strcmp(word, "POINTS") == 0 && fscanf(file, "%d %*s", &mesh.vertex_count) == 1) {
      mesh.vertices = malloc((size_t)mesh.vertex_count * 3 * sizeof(double));
      for (int k = 0; k < 3 * mesh.vertex_count; ++k)
        if (fscanf(file, "%lf", &mesh.vertices[k]) != 1) stop(path, "a point is missing");
    } else if (strcmp(word, "CELLS") == 0 &&
               fscanf(file, "%d %d", &mesh.tetrahedron_count, &size) == 2) {
      mesh.tetrahedra = malloc((size_t)mesh.tetrahedron_count * 4 * sizeof(int));
      for (int t = 0; t < mesh.tetrahedron_count; ++t) {
        int *v = mesh.tetrahedra + 4 * t;
        if (fscanf(file, "%*d %d %d %d %d", v, v + 1, v + 2, v + 3) != 4)
          stop(path, "a cell is missing");
      }
    }
  }
  fclose(file);
  return mesh;
}

void test_tetrahedra_free(test_tetrahedra *mesh) {
  free(mesh->vertices), free(mesh->tetrahedra);
  *mesh = (test_tetrahedra){0};
}

test_pose test_pose_read(const json_t *pose) {
  test_pose result;
  double quaternion[4];
  json_numbers(json_object_get(pose, "position"), result.position, 3);
  json_numbers(json_object_get(pose, "quaternion"), quaternion, 4);
  limpet_quaternion_to_matrix(result.rotation, quaternion);
  return result;
}

static double number(const json_t *shape, const char *key) {
  return json_number_value(json_object_get(shape, key));
}

// The triangles around a body of tetrahedra, as a rigid boundary.
static limpet_pressure_field *rigid_boundary(const test_tetrahedra *mesh,
                                             const limpet_pressure_material *material,
                                             limpet_error *error) {
  static const int opposite[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
  const int count = 4 * mesh->tetrahedron_count;
  int *faces = malloc((size_t)count * 3 * sizeof *faces), kept = 0;
  for (int k = 0; k < count; ++k) {
    const int *v = mesh->tetrahedra + k / 4 * 4;
    const double *x = mesh->vertices;
    double a[3], b[3], c[3], n[3];
    limpet_vec3_sub(a, x + 3 * v[1], x + 3 * v[0]), limpet_vec3_sub(b, x + 3 * v[2], x + 3 * v[0]);
    limpet_vec3_sub(c, x + 3 * v[3], x + 3 * v[0]);
    limpet_vec3_cross(n, a, b);
    const bool turned = limpet_vec3_dot(n, c) < 0.0;
    int face[3];
    for (int i = 0; i < 3; ++i) face[i] = v[opposite[k % 4][turned ? 2 - i : i]];
    bool shared = false;
    for (int m = 0; m < count && !shared; ++m) {
      if (m / 4 == k / 4) continue;
      int same = 0;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          same += mesh->tetrahedra[m / 4 * 4 + opposite[m % 4][j]] == face[i];
      shared = same == 3;
    }
    if (!shared) memcpy(faces + 3 * kept++, face, sizeof face);
  }
  limpet_pressure_field *field = limpet_pressure_field_of_triangles(
      mesh->vertices, mesh->vertex_count, faces, kept, material, error);
  free(faces);
  return field;
}

static limpet_pressure_field *mesh_field(const json_t *shape,
                                         const limpet_pressure_material *material, bool hull,
                                         limpet_error *error) {
  char name[256];
  snprintf(name, sizeof name, "models/soft/shapes/%s",
           json_string_value(json_object_get(shape, "file")));
  const char *path = shared_path(name);
  if (hull) {
    limpet_mesh_file file;
    if (limpet_mesh_file_read(&file, path, error) != LIMPET_OK) return NULL;
    limpet_hull *h = limpet_hull_create(file.vertices, file.vertex_count, -1, error);
    limpet_pressure_field *field =
        h ? limpet_pressure_field_of_shape(LIMPET_SHAPE_MESH, NULL, h, material, error) : NULL;
    free(h);
    limpet_mesh_file_free(&file);
    return field;
  }
  test_tetrahedra mesh = test_tetrahedra_read(path);
  limpet_pressure_field *field =
      material->modulus < INFINITY
          ? limpet_pressure_field_of_tetrahedra(mesh.vertices, mesh.vertex_count, mesh.tetrahedra,
                                                mesh.tetrahedron_count, NULL, material, error)
          : rigid_boundary(&mesh, material, error);
  test_tetrahedra_free(&mesh);
  return field;
}

limpet_pressure_field *test_pressure_field(const json_t *shape, bool rigid) {
  const char *type = json_string_value(json_object_get(shape, "type"));
  limpet_pressure_material material = limpet_pressure_material_default();
  limpet_shape_kind kind = LIMPET_SHAPE_SPHERE;
  double size[3] = {number(shape, "radius"), 0.5 * number(shape, "length"), 0.0};
  limpet_error error = {0};
  material.modulus = rigid ? INFINITY : number(shape, "hydroelastic_modulus");
  material.slab_thickness = number(shape, "slab_thickness");
  limpet_pressure_field *field;
  if (strcmp(type, "capsule") == 0) kind = LIMPET_SHAPE_CAPSULE;
  if (strcmp(type, "cylinder") == 0) kind = LIMPET_SHAPE_CYLINDER;
  if (strcmp(type, "half_space") == 0) kind = LIMPET_SHAPE_PLANE;
  if (strcmp(type, "ellipsoid") == 0) {
    kind = LIMPET_SHAPE_ELLIPSOID;
    json_numbers(json_object_get(shape, "semi_axes"), size, 3);
  }
  if (strcmp(type, "box") == 0) {
    kind = LIMPET_SHAPE_BOX;
    json_numbers(json_object_get(shape, "size"), size, 3);
    for (int i = 0; i < 3; ++i) size[i] *= 0.5;
  }
  if (strcmp(type, "convex_mesh") == 0 || strcmp(type, "volume_mesh") == 0)
    field = mesh_field(shape, &material, strcmp(type, "convex_mesh") == 0, &error);
  else field = limpet_pressure_field_of_shape(kind, size, NULL, &material, &error);
  if (!field) stop(type, error.message);
  return field;
}
