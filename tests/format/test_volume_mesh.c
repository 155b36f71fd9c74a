/* tests/format/test_volume_mesh.c: tetrahedral meshes in VTK's legacy format and in Gmsh's: one
 * tetrahedron pair in every form, the meshes of shared data, and files that are broken. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/mesh/formats.h"
#include "shared_data.h"

static const char *path_of(const char *name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/test_volume_mesh_%s", LIMPET_BINARY_DIR, name);
  return path;
}

static limpet_status read_bytes(const char *name, const void *bytes, size_t size,
                                limpet_mesh_file *mesh, limpet_error *error) {
  const char *path = path_of(name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
  return limpet_mesh_file_read(mesh, path, error);
}

static limpet_status read_text(const char *name, const char *text, limpet_mesh_file *mesh,
                               limpet_error *error) {
  return read_bytes(name, text, strlen(text), mesh, error);
}

static double tetrahedra_volume(const limpet_mesh_file *mesh) {
  double sum = 0.0;
  for (int t = 0; t < mesh->tetrahedron_count; ++t) {
    double e[3][3];
    const int *corner = mesh->tetrahedra + 4 * t;
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k)
        e[i][k] = mesh->vertices[3 * corner[i + 1] + k] - mesh->vertices[3 * corner[0] + k];
    const double one = (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                        e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                        e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
                       6.0;
    assert_true(one > 0.0);
    sum += one;
  }
  return sum;
}

// Of the boundary: divergence theorem. Equal to the sum over tetrahedra if it is closed and
// outward.
static double boundary_volume(const limpet_mesh_file *mesh) {
  double sum = 0.0;
  for (int f = 0; f < mesh->face_count; ++f) {
    const double *a = mesh->vertices + 3 * mesh->faces[3 * f],
                 *b = mesh->vertices + 3 * mesh->faces[3 * f + 1],
                 *c = mesh->vertices + 3 * mesh->faces[3 * f + 2];
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6.0;
}

// Two tetrahedra of volume 1/6 on the two sides of a triangle, the second one inside out.
static void is_the_pair(limpet_mesh_file *mesh, const limpet_error *error, limpet_status status) {
  if (status != LIMPET_OK) fail_msg("%s", error->message);
  assert_int_equal(mesh->vertex_count, 5);
  assert_int_equal(mesh->tetrahedron_count, 2);
  assert_int_equal(mesh->face_count, 6);
  assert_true(fabs(tetrahedra_volume(mesh) - 1.0 / 3.0) < 1e-15);
  assert_true(fabs(boundary_volume(mesh) - 1.0 / 3.0) < 1e-15);
  limpet_mesh_file_free(mesh);
}

static const char *const points = "POINTS 5 double\n0 0 0 1 0 0 0 1 0\n0 0 1 0 0 -1\n";
static const char *const head =
    "# vtk DataFile Version 3.0\nthe pair\nASCII\nDATASET "
    "UNSTRUCTURED_GRID\n";
static const char *const cells =
    "CELLS 3 14\n4 0 1 2 3\n4 0 1 2 4\n3 0 1 2\nCELL_TYPES 3\n10 10 "
    "5\n";

static void vtk_text(void **state) {
  (void)state;
  char text[2000];
  limpet_mesh_file mesh;
  limpet_error error = {0};
  snprintf(text, sizeof text, "%s%s%s", head, points, cells);
  is_the_pair(&mesh, &error, read_text("pair.vtk", text, &mesh, &error));

  // version 5.1, with a field
  snprintf(text, sizeof text,
           "%s%sCELLS 3 8\nOFFSETS vtktypeint64\n0 4 8\nCONNECTIVITY vtktypeint64\n0 1 2 3 0 1 2 "
           "4\nCELL_TYPES 2\n10 10\nPOINT_DATA 5\nSCALARS field double 1\nLOOKUP_TABLE default\n0 "
           "0 0.5 0 1\n",
           head, points);
  assert_int_equal(read_text("new.vtk", text, &mesh, &error), LIMPET_OK);
  assert_non_null(mesh.field);
  assert_true(mesh.field[2] == 0.5 && mesh.field[4] == 1.0);
  is_the_pair(&mesh, &error, LIMPET_OK);
}

static size_t put(char *to, const void *value, size_t size) {  // big endian
  for (size_t i = 0; i < size; ++i) to[i] = ((const char *)value)[size - 1 - i];
  return size;
}

static void vtk_binary(void **state) {
  (void)state;
  static const float x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1};
  static const int32_t cell[10] = {4, 0, 1, 2, 3, 4, 0, 1, 2, 4}, type[2] = {10, 10};
  char bytes[2000];
  size_t n = (size_t)sprintf(bytes,
                             "# vtk DataFile Version 2.0\nx\nBINARY\nDATASET "
                             "UNSTRUCTURED_GRID\nPOINTS 5 float\n");
  for (int i = 0; i < 15; ++i) n += put(bytes + n, &x[i], 4);
  n += (size_t)sprintf(bytes + n, "\nCELLS 2 10\n");
  for (int i = 0; i < 10; ++i) n += put(bytes + n, &cell[i], 4);
  n += (size_t)sprintf(bytes + n, "\nCELL_TYPES 2\n");
  for (int i = 0; i < 2; ++i) n += put(bytes + n, &type[i], 4);
  limpet_mesh_file mesh;
  limpet_error error = {0};
  is_the_pair(&mesh, &error, read_bytes("binary.vtk", bytes, n, &mesh, &error));
}

static void gmsh_text(void **state) {
  (void)state;
  limpet_mesh_file mesh;
  limpet_error error = {0};
  // numbers of nodes with gaps, a triangle among the elements
  is_the_pair(&mesh, &error,
              read_text("old.msh",
                        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n7 0 0 0\n1 1 0 0\n3 0 1 "
                        "0\n4 0 0 1\n9 0 0 -1\n$EndNodes\n$Elements\n3\n1 2 2 0 1 7 1 3\n2 4 2 0 1 "
                        "7 1 3 4\n3 4 2 0 1 7 1 3 9\n$EndElements\n",
                        &mesh, &error));
  is_the_pair(&mesh, &error,
              read_text("new.msh",
                        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 5 1 9\n3 1 0 "
                        "5\n7\n1\n3\n4\n9\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 0 "
                        "-1\n$EndNodes\n$Elements\n2 3 1 3\n2 1 2 1\n1 7 1 3\n3 1 4 2\n2 7 1 3 "
                        "4\n3 7 1 3 9\n$EndElements\n",
                        &mesh, &error));
}

static void refused(const char *name, const char *text, const char *part) {
  limpet_mesh_file mesh;
  limpet_error error = {0};
  assert_int_not_equal(read_text(name, text, &mesh, &error), LIMPET_OK);
  if (!strstr(error.message, part) || !strstr(error.message, path_of(name)))
    fail_msg("message: %s\nexpected: %s", error.message, part);
  assert_null(mesh.vertices);
  assert_null(mesh.tetrahedra);
}

static void vtk_refused(const char *rest, const char *part) {
  char text[4000];
  snprintf(text, sizeof text, "%s%s", head, rest);
  refused("bad.vtk", text, part);
}

static void broken_files_say_what_and_where(void **state) {
  (void)state;
  refused("bad.vtk", "<VTKFile>\n", "save it in the legacy format");
  refused("bad.vtk", "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\n",
          "4: only data sets of the kind UNSTRUCTURED_GRID");
  vtk_refused("POINTS 2 double\n0 0 0 1 0\n", "7: expected a number");
  vtk_refused("POINTS 40000000 double\n0 0 0 1 0\n", "the file ends before its numbers do");
  vtk_refused("POINTS 1 double\n0 nan 0\n", "not a finite number");
  vtk_refused("POINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n",
              "tetrahedron 0 names vertex 4, but there are 4");
  vtk_refused("POINTS 4 double\n0 0 0 1 0 0 0 1 0 1 1 0\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n",
              "has the volume 0 at edges of 1.4");
  vtk_refused("POINTS 4 double\n0 0 0 1 0 0 0 1 0 1 1 0\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n12\n",
              "cell 0 is of VTK's type 12 with 4 points; only tetrahedra");
  vtk_refused(
      "POINTS 5 double\n0 0 0 1 0 0 0 1 0 0 0 1 0 0 2\nCELLS 2 10\n4 0 1 2 3 4 0 1 2 4\n"
      "CELL_TYPES 2\n10 10\n",
      "tetrahedra 0 and 1 lie on the same side of the face that they share");
  refused("bad.msh", "$MeshFormat\n4.1 1 8\n$EndMeshFormat\n", "save it as text");
  refused("bad.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n",
          "the section $Elements is missing");
}

// Interior vertices stay, and the boundary is closed: both volumes agree to round-off.
static void meshes_of_shared_data(void **state) {
  (void)state;
  static const char *const names[] = {"shapes/u_block", "finray/finray_1000",
                                      "veggies/yellow_bell_pepper_no_stem_low",
                                      "wsg_50_bubble/bubble", "dishes/evo_bowl_coarse3k"};
  static const int counts[] = {960, 2664, 2519, 212, 3374};
  if (!shared_exists("models/soft/shapes/u_block.vtk")) skip();
  for (int i = 0; i < 5; ++i) {
    char name[200];
    snprintf(name, sizeof name, "models/soft/%s.vtk", names[i]);
    limpet_mesh_file mesh;
    limpet_error error = {0};
    if (limpet_mesh_file_read(&mesh, shared_path(name), &error) != LIMPET_OK)
      fail_msg("%s", error.message);
    assert_int_equal(mesh.tetrahedron_count, counts[i]);
    const double volume = tetrahedra_volume(&mesh);
    assert_true(fabs(volume - boundary_volume(&mesh)) < 1e-12 * volume);
    limpet_mesh_file_free(&mesh);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vtk_text),
      cmocka_unit_test(vtk_binary),
      cmocka_unit_test(gmsh_text),
      cmocka_unit_test(broken_files_say_what_and_where),
      cmocka_unit_test(meshes_of_shared_data),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
