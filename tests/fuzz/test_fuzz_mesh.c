/* tests/fuzz/test_fuzz_mesh.c: mesh files changed at random are read or refused with a text; what
 * is read has indices in range and finite numbers. Run it with the sanitizers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/mesh/formats.h"
#include "mutate.h"
#include "shared_data.h"

enum { MUTATIONS = 4000, ROOM = 4096 };

static const char *const words[] = {"nan",
                                    "1",
                                    "2",
                                    "3",
                                    "7",
                                    "inf",
                                    "-1",
                                    "0",
                                    "1e308",
                                    "999999999999",
                                    "vertex",
                                    "facet",
                                    "endfacet",
                                    "endsolid",
                                    "\nf 1 2 3",
                                    "\nv 1",
                                    "\\\n",
                                    "1//2",
                                    "\xff\xff\xff\xff",
                                    "\xff\xff\xff\x7f",
                                    "\n$Nodes\n",
                                    "1 14 1 14\n"};

static const char *const text_stl =
    "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1e0 "
    "0\nendloop\nendfacet\n"
    "facet normal 0 0 1\nouter loop\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 "
    "0\nendloop\nendfacet\nendsolid a\n";
static const char *const text_obj =
    "# o\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvn 0 0 1\nf 1/1/1 2//1 3/1 \\\n 4\nf -1 -2 "
    "-3\ns 1\n";
static const char *const text_gmsh =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 "
    "0\n0 0 1\n"
    "$EndNodes\n$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n";

static const char *const text_old_gmsh =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 "
    "1\n$EndNodes\n$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n";
static const char *const text_vtk =
    "# vtk DataFile Version 3.0\na\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n0 0 0 1 "
    "0 0 0 1 0 0 0 1 0 0 -1\nCELLS 2 10\n4 0 1 2 3\n4 0 1 2 4\nCELL_TYPES 2\n10 "
    "10\nPOINT_DATA 5\nSCALARS field double 1\nLOOKUP_TABLE default\n0 0 0 0 1\n";
static const char *const text_new_vtk =
    "# vtk DataFile Version 5.1\na\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 "
    "0 0 1 0 0 0 1\nCELLS 2 4\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n0 1 2 "
    "3\nCELL_TYPES 1\n10\n";

static size_t binary_vtk(char *bytes) {
  static const char head[] =
      "# vtk DataFile Version 3.0\na\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n";
  size_t n = sizeof head - 1;
  memcpy(bytes, head, n);
  memset(bytes + n, 0, 48);
  for (int i = 1; i < 4; ++i) memcpy(bytes + n + 12 * i + 4 * (i - 1), "\x3f\x80\0\0", 4);  // 1.0
  n += 48;
  memcpy(bytes + n, "\nCELLS 1 5\n\0\0\0\4\0\0\0\0\0\0\0\1\0\0\0\2\0\0\0\3", 31);
  n += 31;
  memcpy(bytes + n, "\nCELL_TYPES 1\n\0\0\0\12", 18);
  return n + 18;
}

static size_t binary_stl(char *bytes) {
  const uint32_t count = 4;
  memset(bytes, 0, 84 + 50 * 4);
  memcpy(bytes + 80, &count, 4);
  for (int i = 0; i < 36; ++i) {
    const float x = (float)((i * 7) % 5);
    memcpy(bytes + 84 + 50 * (i / 9) + 12 + 4 * (i % 9), &x, 4);
  }
  return 84 + 50 * 4;
}

static size_t binary_msh(char *bytes) {
  const int32_t header[4] = {4, 1, 1, 2}, faces[6] = {0, 1, 2, 0, 2, 3};
  memset(bytes, 0, 16 + 48 + 12 + 8 + 24);
  memcpy(bytes, header, 16);
  memcpy(bytes + 84, faces, 24);
  return 108;
}

static limpet_status check_gmsh(limpet_mesh_file *mesh, const char *text, size_t length,
                                const char *path, limpet_error *error) {
  (void)mesh;
  return limpet_mesh_check_gmsh(text, length, path, error);
}

static void check(const limpet_mesh_file *mesh) {
  for (int i = 0; i < 3 * mesh->face_count; ++i)
    assert_true(mesh->faces[i] >= 0 && mesh->faces[i] < mesh->vertex_count);
  for (int i = 0; i < 4 * mesh->tetrahedron_count; ++i)
    assert_true(mesh->tetrahedra[i] >= 0 && mesh->tetrahedra[i] < mesh->vertex_count);
}

static void fuzz(limpet_mesh_reader *read, const char *start, size_t length, unsigned long seed) {
  static char bytes[ROOM];
  int accepted = 0;
  for (int i = 0; i < MUTATIONS; ++i) {
    memcpy(bytes, start, length);
    const size_t n =
        i ? mutate(&seed, bytes, length, ROOM, words, (int)(sizeof words / sizeof *words)) : length;
    char *exact = malloc(n + 1);
    assert_non_null(exact);
    memcpy(exact, bytes, n);
    exact[n] = '\0';
    limpet_mesh_file mesh = {0};
    limpet_error error = {0};
    if (read(&mesh, exact, n, "mesh", &error) == LIMPET_OK) check(&mesh), ++accepted;
    else assert_true(strstr(error.message, "mesh") == error.message);
    if (i == 0) assert_int_equal(accepted, 1);  // the seed itself is right
    limpet_mesh_file_free(&mesh);
    free(exact);
  }
  printf("%d of %d accepted\n", accepted, MUTATIONS);
  assert_in_range(accepted, MUTATIONS / 50,
                  MUTATIONS - MUTATIONS / 50);  // changes reach deep, and they do harm
}

static void stl_never_crashes(void **state) {
  (void)state;
  char bytes[ROOM];
  fuzz(limpet_mesh_read_stl, bytes, binary_stl(bytes), 1);
  fuzz(limpet_mesh_read_stl, text_stl, strlen(text_stl), 2);
}

static void obj_never_crashes(void **state) {
  (void)state;
  fuzz(limpet_mesh_read_obj, text_obj, strlen(text_obj), 3);
}

static void msh_never_crashes(void **state) {
  (void)state;
  char bytes[ROOM];
  fuzz(limpet_mesh_read_msh, bytes, binary_msh(bytes), 4);
  fuzz(check_gmsh, text_gmsh, strlen(text_gmsh), 5);
}

static void volume_meshes_never_crash(void **state) {
  (void)state;
  char bytes[ROOM];
  fuzz(limpet_mesh_read_vtk, text_vtk, strlen(text_vtk), 6);
  fuzz(limpet_mesh_read_vtk, text_new_vtk, strlen(text_new_vtk), 7);
  fuzz(limpet_mesh_read_vtk, bytes, binary_vtk(bytes), 8);
  fuzz(limpet_mesh_read_gmsh, text_gmsh, strlen(text_gmsh), 9);
  fuzz(limpet_mesh_read_gmsh, text_old_gmsh, strlen(text_old_gmsh), 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stl_never_crashes), cmocka_unit_test(obj_never_crashes),
      cmocka_unit_test(msh_never_crashes), cmocka_unit_test(volume_meshes_never_crash)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
