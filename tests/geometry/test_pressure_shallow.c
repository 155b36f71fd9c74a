/* tests/geometry/test_pressure_shallow.c: surfaces that are shallow are found at any tolerance.
 *
 * Curved bodies that touch meshes of tetrahedra by 4 um to 0.4 mm, at random places: edges, corners
 * and the middle of faces. Surfaces that are asked for at tolerances of 1e-2 to 1e-5 take different
 * ways, and must all be there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "effort.h"
#include "potential_meshes.h"

static const limpet_shape_kind kinds[] = {LIMPET_SHAPE_SPHERE, LIMPET_SHAPE_CAPSULE,
                                          LIMPET_SHAPE_CYLINDER, LIMPET_SHAPE_ELLIPSOID};

static void check(test_rigid rigid, unsigned long seed) {
  const test_potential_meshes meshes = {
      .kind = kinds, .kind_count = 4, .poses = test_effort(15, 3), .rigid = rigid, .seed = seed};
  assert_int_equal(test_potential_meshes_disagree(&meshes), 0);
}

static void rigid_bodies_touch_soft_meshes(void **state) {
  (void)state;
  check(TEST_RIGID_CURVED, 7);
}

static void soft_bodies_touch_soft_meshes(void **state) {
  (void)state;
  check(TEST_RIGID_NONE, 8);
}

static void soft_bodies_touch_rigid_meshes(void **state) {
  (void)state;
  check(TEST_RIGID_MESH, 9);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rigid_bodies_touch_soft_meshes),
                                     cmocka_unit_test(soft_bodies_touch_soft_meshes),
                                     cmocka_unit_test(soft_bodies_touch_rigid_meshes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
