/* tests/geometry/test_pressure_potential_meshes_slow.c: force and moment of curved bodies in meshes
 * of tetrahedra, and in rigid triangle meshes, are the gradient of U = int min(p_A, p_B) dV, which
 * is integrated over the volume of each tetrahedron (pressure_potential.h), at random poses. Meshes
 * are stars with dents.
 *
 * A surface is off by 1e-8 of the integral of pressure at most (rigid curved bodies, whose integral
 * over the volume takes the longest, by 1e-6), or by ten times what it states. Two compliant bodies
 * are asked for 1e-4: their polygons grow with 1/tolerance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "potential_meshes.h"

static const limpet_shape_kind kinds[] = {LIMPET_SHAPE_SPHERE, LIMPET_SHAPE_ELLIPSOID,
                                          LIMPET_SHAPE_CAPSULE, LIMPET_SHAPE_CYLINDER};

static void check(test_rigid rigid, double tolerance, double allowed, int poses,
                  unsigned long seed) {
  const test_potential_meshes meshes = {.kind = kinds,
                                        .kind_count = 4,
                                        .poses = poses,
                                        .rigid = rigid,
                                        .tolerance = tolerance,
                                        .allowed = allowed,
                                        .seed = seed};
  int checked;
  assert_int_equal(test_potential_meshes_check(&meshes, &checked), 0);
  assert_int_equal(checked, 4 * poses);
}

static void soft_bodies_in_soft_meshes(void **state) {
  (void)state;
  check(TEST_RIGID_NONE, 1e-4, 1e-8, 1, 3);
}

static void soft_bodies_in_rigid_meshes(void **state) {
  (void)state;
  check(TEST_RIGID_MESH, 1e-7, 1e-8, 1, 5);
}

static void rigid_bodies_in_soft_meshes(void **state) {
  (void)state;
  check(TEST_RIGID_CURVED, 1e-5, 1e-6, 1, 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(soft_bodies_in_soft_meshes),
                                     cmocka_unit_test(soft_bodies_in_rigid_meshes),
                                     cmocka_unit_test(rigid_bodies_in_soft_meshes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
