/* tests/format/test_mesh_file.c: STL, OBJ and MSH readers: one cube in every format, and files that
 * are broken. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text_distance.h"
#include "format/mesh/formats.h"
#include "format/read/text.h"
#include "shared_data.h"

static const char *path_of(const char *name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/test_mesh_file_%s", LIMPET_BINARY_DIR, name);
  return path;
}

static const char *write_bytes(const char *name, const void *bytes, size_t size) {
  const char *path = path_of(name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
  return path;
}

static void refused(const char *name, const void *bytes, size_t size, const char *part) {
  limpet_mesh_file mesh;
  limpet_error error = {0};
  const char *path = write_bytes(name, bytes, size);
  assert_int_not_equal(limpet_mesh_file_read(&mesh, path, &error), LIMPET_OK);
  if (!strstr(error.message, part) || !strstr(error.message, path))
    fail_msg("message: %s\nexpected: %s", error.message, part);
  assert_null(mesh.vertices);
  assert_null(mesh.faces);
}

// ------------------------------------------------------------------------------------- cube

static const float corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const int quad[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                               {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

// signed volume of a closed mesh: sum of det(a, b, c)/6
static double volume(const limpet_mesh_file *mesh) {
  double sum = 0.0;
  for (int i = 0; i < mesh->face_count; ++i) {
    const double *a = mesh->vertices + 3 * mesh->faces[3 * i],
                 *b = mesh->vertices + 3 * mesh->faces[3 * i + 1],
                 *c = mesh->vertices + 3 * mesh->faces[3 * i + 2];
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6.0;
}

static void is_the_cube(const char *path) {
  limpet_mesh_file mesh;
  limpet_error error = {0};
  if (limpet_mesh_file_read(&mesh, path, &error) != LIMPET_OK) fail_msg("%s", error.message);
  assert_int_equal(mesh.vertex_count, 8);
  assert_int_equal(mesh.face_count, 12);
  assert_true(volume(&mesh) == 1.0);  // sums of small whole numbers: exact
  limpet_mesh_file_free(&mesh);
}

enum { BINARY_SIZE = 84 + 50 * 12 };

static void binary_cube(char bytes[BINARY_SIZE]) {
  memset(bytes, 0, BINARY_SIZE);
  memcpy(bytes, "solid but binary", 16);
  const uint32_t count = 12;
  memcpy(bytes + 80, &count, 4);
  for (int f = 0; f < 12; ++f) {
    const int *q = quad[f / 2];
    const int triangle[3] = {q[0], f % 2 ? q[2] : q[1], f % 2 ? q[3] : q[2]};
    for (int k = 0; k < 3; ++k) memcpy(bytes + 84 + 50 * f + 12 + 12 * k, corner[triangle[k]], 12);
  }
}

static void binary_stl(void **state) {
  (void)state;
  char bytes[BINARY_SIZE + 7];
  binary_cube(bytes);
  is_the_cube(write_bytes("cube.stl", bytes, BINARY_SIZE));
  memcpy(bytes + 80, "\xff\xff\xff\xff", 4);
  refused("count.stl", bytes, BINARY_SIZE, "4294967295 triangles would take");
  binary_cube(bytes);
  refused("short.stl", bytes, BINARY_SIZE - 1, "is it truncated?");
  refused("tiny.stl", bytes + 1, 10, "is it truncated?");
  const float nan = NAN;
  memcpy(bytes + 84 + 50 * 3 + 12, &nan, 4);
  refused("nan.stl", bytes, BINARY_SIZE, "triangle 3 has a coordinate that is not a finite number");
}

static void zero_and_minus_zero_are_one_vertex(void **state) {
  (void)state;
  char bytes[BINARY_SIZE];
  binary_cube(bytes);
  const float minus_zero = -0.0f;
  memcpy(bytes + 84 + 12, &minus_zero, 4);
  is_the_cube(write_bytes("minus.stl", bytes, BINARY_SIZE));
}

static void text_stl(void **state) {
  (void)state;
  char text[8000] = "solid cube\n";
  for (int f = 0; f < 12; ++f) {
    const int *q = quad[f / 2];
    const int triangle[3] = {q[0], f % 2 ? q[2] : q[1], f % 2 ? q[3] : q[2]};
    strcat(text, " facet normal 0 0 0\n  outer loop\n");
    for (int k = 0; k < 3; ++k) {
      const float *c = corner[triangle[k]];
      snprintf(text + strlen(text), sizeof text - strlen(text), "   vertex %g %.3e %g\n",
               (double)c[0], (double)c[1], (double)c[2]);
    }
    strcat(text, "  endloop\n endfacet\n");
  }
  const size_t open = strlen(text);
  strcat(text, "endsolid cube\n");
  is_the_cube(write_bytes("text.stl", text, strlen(text)));
  refused("open.stl", text, open, "'endsolid' is missing");
  static const char *const bad =
      "solid x\n facet normal 0 0 0\n outer loop\n vertex 0 0 0\n vertex 1 nan 0\n";
  refused("bad.stl", bad, strlen(bad), ":5: expected three finite numbers behind 'vertex'");
  static const char *const two = "solid x\nfacet\nvertex 0 0 0\nvertex 1 0 0\nendfacet\nendsolid";
  refused("two.stl", two, strlen(two), ":5: the facet of line 2 has 2 corners, not 3");
}

static void obj_with_polygons_and_negative_indices(void **state) {
  (void)state;
  char text[4000] = "# cube\nmtllib none.mtl\no cube\n";
  for (int i = 0; i < 8; ++i)
    snprintf(text + strlen(text), 100, "v %g %g %g 0.5 0.5 0.5\r\n", (double)corner[i][0],
             (double)corner[i][1], (double)corner[i][2]);
  strcat(text, "vt 0 0\nvn 0 0 1\ns off\nf 1 2\n");  // a face of two corners is an edge
  for (int f = 0; f < 6; ++f) {
    const int *q = quad[f];
    if (f % 2)
      snprintf(text + strlen(text), 100, "f %d/1/1 %d//1 %d/1 \\\n %d\n", q[0] + 1, q[1] + 1,
               q[2] + 1, q[3] + 1);
    else
      snprintf(text + strlen(text), 100, "f %d %d %d %d # quad\n", q[0] - 8, q[1] - 8, q[2] - 8,
               q[3] - 8);
  }
  is_the_cube(write_bytes("cube.obj", text, strlen(text)));
}

static void obj_that_is_broken(void **state) {
  (void)state;
  static const struct {
    const char *text, *part;
  } cases[] = {
      {"v 0 0 0\nv 1 0\n", ":2: expected three finite numbers behind 'v'"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n",
       ":4: the face names a vertex that the file does not have above it"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", ":4: the face names a vertex"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n", ":4: the face names a vertex"},
      {"v 0 0 0\nf\t\n", ":2: a face needs vertices"},
      {"v 0 0 0\nf a b c\n", ":2: expected vertex numbers"},
      {"v 0 inf 0\n", ":1: expected three finite numbers"},
      {"# nothing\n", "has no vertices"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    refused("bad.obj", cases[i].text, strlen(cases[i].text), cases[i].part);
  refused("zero.obj", "v 0 0 0\0v 1", 12, "has zero bytes in it");
}

static void msh_of_mujoco(void **state) {
  (void)state;
  char bytes[16 + 96 + 144];
  const int32_t header[4] = {8, 0, 0, 12};
  memcpy(bytes, header, 16);
  memcpy(bytes + 16, corner, 96);
  for (int f = 0; f < 12; ++f) {
    const int *q = quad[f / 2];
    const int32_t triangle[3] = {q[0], f % 2 ? q[2] : q[1], f % 2 ? q[3] : q[2]};
    memcpy(bytes + 112 + 12 * f, triangle, 12);
  }
  is_the_cube(write_bytes("cube.msh", bytes, sizeof bytes));
  refused("short.msh", bytes, sizeof bytes - 4, "its header asks for 256 bytes, but it has 252");
  const int32_t far = 8;
  memcpy(bytes + 112, &far, 4);
  refused("far.msh", bytes, sizeof bytes, "face 0 names vertex 8, but there are 8");
  const int32_t absurd[4] = {2147483647, 2147483647, 2147483647, 2147483647};
  memcpy(bytes, absurd, 16);
  refused("absurd.msh", bytes, sizeof bytes, "its header asks for");
  refused("gmsh.msh", "$MeshFormat\n2.2 0 8\n$End", 24, "the section $Nodes is missing");
}

static void other_files(void **state) {
  (void)state;
  limpet_mesh_file mesh;
  limpet_error error = {0};
  assert_int_equal(limpet_mesh_file_read(&mesh, "nowhere/none.stl", &error), LIMPET_ERROR_FILE);
  assert_string_equal(
      error.message,
      "nowhere/none.stl: cannot be opened: No such file or directory; check the path");
  refused("a.fbx", "x", 1,
          "this mesh format is not read; convert the file to .stl, .obj, .dae, .ply, "
          ".gltf, .glb, .vtk (tetrahedra) or .msh");
}

// the files with which MuJoCo tests its own Gmsh reader, whole and broken
static void gmsh_files_are_checked(void **state) {
  (void)state;
  const char *folder = "models/mjcf/corpus/user/testdata";
  if (!shared_exists(folder)) skip();
  file_list list = file_list_find(shared_path(folder), ".msh");
  int whole = 0, broken = 0;
  for (int i = 0; i < list.count; ++i) {
    char *text;
    size_t length;
    limpet_error error = {0};
    assert_int_equal(limpet_text_file(&text, &length, list.path[i], 1 << 30, NULL), LIMPET_OK);
    const bool is_gmsh = length > 11 && memcmp(text, "$MeshFormat", 11) == 0,
               malformed = strstr(list.path[i], "malformed_");
    if (is_gmsh) {
      const limpet_status status = limpet_mesh_check_gmsh(text, length, list.path[i], &error);
      if ((status == LIMPET_OK) == malformed)
        fail_msg("%s: %s", list.path[i], status == LIMPET_OK ? "accepted" : error.message);
      ++*(malformed ? &broken : &whole);
    }
    free(text);
  }
  printf("gmsh files: %d whole, %d broken\n", whole, broken);
  assert_true(whole > 0 && broken > 0);
  file_list_free(&list);
}

// Binary files hold what the text files of the same mesh hold; cut anywhere they are refused.
static void binary_gmsh_files_are_as_text(void **state) {
  (void)state;
  static const char *const versions[] = {"22", "41"};
  for (int i = 0; i < 2; ++i) {
    char name[2][128];
    limpet_mesh_file mesh[2];
    limpet_error error;
    for (int binary = 0; binary < 2; ++binary) {
      snprintf(name[binary], sizeof name[binary],
               "models/mjcf/corpus/user/testdata/cube_%s_%s_vol_gmshApp.msh", versions[i],
               binary ? "binary" : "ascii");
      if (!shared_exists(name[binary])) skip();
      if (limpet_mesh_file_read(&mesh[binary], shared_path(name[binary]), &error) != LIMPET_OK)
        fail_msg("%s", error.message);
    }
    assert_true(mesh[0].tetrahedron_count > 0);
    assert_int_equal(mesh[0].tetrahedron_count, mesh[1].tetrahedron_count);
    assert_int_equal(mesh[0].vertex_count, mesh[1].vertex_count);
    assert_memory_equal(mesh[0].tetrahedra, mesh[1].tetrahedra,
                        4 * (size_t)mesh[0].tetrahedron_count * sizeof(int));
    // text has 16 digits
    for (int k = 0; k < 3 * mesh[0].vertex_count; ++k)
      assert_true(fabs(mesh[0].vertices[k] - mesh[1].vertices[k]) < 1e-15);
    for (int binary = 0; binary < 2; ++binary) limpet_mesh_file_free(&mesh[binary]);

    char *bytes;
    size_t length;
    assert_int_equal(limpet_text_file(&bytes, &length, shared_path(name[1]), 1 << 30, NULL),
                     LIMPET_OK);
    for (size_t cut = 40; cut + 64 < length; cut += 7) {
      const char *path = write_bytes("cut.msh", bytes, cut);
      assert_int_equal(limpet_mesh_file_read(&mesh[0], path, &error), LIMPET_ERROR_INPUT);
    }
    free(bytes);
  }
}

// ---------------------------------------------------------------------------------- numbers

static void numbers_are_read_as_by_the_library(void **state) {
  (void)state;
  unsigned long seed = 1;
  for (int i = 0; i < 20000; ++i) {
    char text[64];
    const double x =
        random_uniform(&seed, -10, 10) * pow(10.0, floor(random_uniform(&seed, -300, 300)));
    static const char *const formats[] = {"%.17g", "%.6g", "%.3e", "%.15f"};
    snprintf(text, sizeof text, fabs(x) < 1e20 ? formats[i % 4] : formats[i % 3], x);
    const char *cursor = text;
    double value;
    assert_true(limpet_text_number(&cursor, &value));
    assert_int_equal(*cursor, '\0');
    assert_true(value == strtod(text, NULL));
  }
  static const char *const none[] = {"", "-", ".", "e5", "+.", "x", "--1"};
  for (size_t i = 0; i < sizeof none / sizeof *none; ++i) {
    const char *cursor = none[i];
    double value;
    assert_false(limpet_text_number(&cursor, &value));
    assert_ptr_equal(cursor, none[i]);
  }
}

static void spelling_counts_edits(void **state) {
  (void)state;
  assert_int_equal(limpet_text_distance("friction", "friction"), 0);
  assert_int_equal(limpet_text_distance("frction", "friction"), 1);
  assert_int_equal(limpet_text_distance("firction", "friction"), 1);
  assert_int_equal(limpet_text_distance("", "abc"), 3);
  assert_int_equal(limpet_text_distance("kitten", "sitting"), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(binary_stl),
      cmocka_unit_test(zero_and_minus_zero_are_one_vertex),
      cmocka_unit_test(text_stl),
      cmocka_unit_test(obj_with_polygons_and_negative_indices),
      cmocka_unit_test(obj_that_is_broken),
      cmocka_unit_test(msh_of_mujoco),
      cmocka_unit_test(other_files),
      cmocka_unit_test(gmsh_files_are_checked),
      cmocka_unit_test(binary_gmsh_files_are_as_text),
      cmocka_unit_test(numbers_are_read_as_by_the_library),
      cmocka_unit_test(spelling_counts_edits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
