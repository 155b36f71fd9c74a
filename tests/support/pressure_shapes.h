/* tests/support/pressure_shapes.h: pressure fields as the golden files describe them, and small
 * readers of tetrahedra and triangles for tests of the geometry alone. */
#ifndef LIMPET_TEST_PRESSURE_SHAPES_H
#define LIMPET_TEST_PRESSURE_SHAPES_H

#include <jansson.h>

#include "limpet/pressure.h"

/* A field of a shape of ../shared/golden/hydroelastic; rigid: its boundary alone. A failure ends
 * the test program. */
limpet_pressure_field *test_pressure_field(const json_t *shape, bool rigid);

// Points and tetrahedra of a legacy VTK file in ASCII; arrays by malloc.
typedef struct test_tetrahedra {
  int vertex_count, tetrahedron_count;
  double *vertices;
  int *tetrahedra;
} test_tetrahedra;
test_tetrahedra test_tetrahedra_read(const char *path);
void test_tetrahedra_free(test_tetrahedra *mesh);

// A pose from the golden files: position (3), rotation (9).
typedef struct test_pose {
  double position[3], rotation[9];
} test_pose;
test_pose test_pose_read(const json_t *pose);

#endif
