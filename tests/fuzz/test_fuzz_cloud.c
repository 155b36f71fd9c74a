/* tests/fuzz/test_fuzz_cloud.c: files of point clouds changed at random are read or refused with a
 * text; what is read has finite numbers. Run it with the sanitizers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/cloud/formats.h"
#include "mutate.h"

enum { MUTATIONS = 4000, ROOM = 4096 };

static const char *const words[] = {"nan",
                                    "1",
                                    "2",
                                    "3",
                                    "inf",
                                    "-1",
                                    "0",
                                    "1e308",
                                    "999999999999",
                                    "vertex",
                                    "list",
                                    "uchar",
                                    "float",
                                    "double",
                                    "binary",
                                    "ascii",
                                    "POINTS",
                                    "COUNT",
                                    "\nSIZE 8 8 8",
                                    "(2, 3)",
                                    "<f4",
                                    "\nproperty list uchar int a",
                                    "\nelement vertex 3",
                                    "\nend_header\n",
                                    "\xff\xff\xff\x7f",
                                    "\nDATA binary\n",
                                    "\n"};

static void check(const limpet_cloud_file *cloud) {
  for (int i = 0; i < 3 * cloud->point_count; ++i) assert_true(isfinite(cloud->points[i]));
}

static void fuzz(limpet_cloud_reader *read, const char *start, size_t length, unsigned long seed) {
  static char changed[ROOM];
  int accepted = 0;
  for (int i = 0; i < MUTATIONS; ++i) {
    memcpy(changed, start, length);
    const size_t n =
        i ? mutate(&seed, changed, length, ROOM, words, (int)(sizeof words / sizeof *words))
          : length;
    char *exact = malloc(n + 1);
    assert_non_null(exact);
    memcpy(exact, changed, n);
    exact[n] = '\0';
    limpet_cloud_file cloud = {0};
    limpet_error error = {0};
    if (read(&cloud, exact, n, "cloud", &error) == LIMPET_OK) check(&cloud), ++accepted;
    else assert_true(strstr(error.message, "cloud") == error.message);
    if (i == 0) assert_true(accepted == 1 && cloud.point_count == 2);  // the seed itself is right
    limpet_cloud_file_free(&cloud);
    free(exact);
  }
  printf("%d of %d accepted\n", accepted, MUTATIONS);
  assert_in_range(accepted, MUTATIONS / 50,
                  MUTATIONS - MUTATIONS / 50);  // changes reach deep, and they do harm
}

#define FUZZ(read, text, seed) fuzz(read, text, sizeof text - 1, seed)

static void ply_never_crashes(void **state) {
  (void)state;
#define HEADER(format)                                                                            \
  "ply\nformat " format                                                                           \
  " 1.0\nelement a 1\nproperty list uchar short l\nelement vertex 2\nproperty float x\nproperty " \
  "float y\n"                                                                                     \
  "property uchar r\nproperty float z\nelement face 1\nproperty list uchar int v\nend_header\n"
  FUZZ(limpet_cloud_read_ply, HEADER("ascii") "2 1 2\n1 2 255 3\n4 5.5 0 -6e-1\n3 0 1 0\n", 1);
  FUZZ(limpet_cloud_read_ply,
       HEADER("binary_little_endian") "\x01\x01\x01....____.1111____222233334\x03zzz", 2);
  FUZZ(limpet_cloud_read_ply,
       HEADER("binary_big_endian") "\x01\x01\x01....____.1111____222233334\x03zzz", 3);
}

static void pcd_never_crashes(void **state) {
  (void)state;
#define FIELDS \
  "FIELDS x y z rgb\nSIZE 4 4 4 1\nTYPE F F F U\nCOUNT 1 1 1 2\nWIDTH 2\nHEIGHT 1\nPOINTS 2\n"
  FUZZ(limpet_cloud_read_pcd, FIELDS "DATA ascii\n1 2 3 4 5\n-1 0.5 7 8 9\n", 4);
  FUZZ(limpet_cloud_read_pcd, FIELDS "DATA binary\n....____----12====****++++34", 5);
  FUZZ(limpet_cloud_read_pcd,
       FIELDS
       "DATA binary_compressed\n\x14\0\0\0\x1c\0\0\0\x07"
       "abcd....\xe0\x04\x07\x06"
       "12==456",
       8);
}

static void xyz_never_crashes(void **state) {
  (void)state;
  FUZZ(limpet_cloud_read_xyz, "# c\n1 2 3\n\n4.5,-6e3,.7 8 9\n", 6);
}

static void npy_never_crashes(void **state) {
  (void)state;
#define NPY "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
  FUZZ(limpet_cloud_read_npy, "\x93NUMPY\x01\0\x3b\0" NPY "....____----====****++++", 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ply_never_crashes), cmocka_unit_test(pcd_never_crashes),
      cmocka_unit_test(xyz_never_crashes), cmocka_unit_test(npy_never_crashes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
