/* tests/geometry/test_pressure_potential_slow.c: force and moment are the gradient of the
 * potential, to 1e-8, in all pairs of sphere, ellipsoid, capsule, cylinder, box, hull and half
 * space of which one is curved; both are compliant, or either one is rigid. See
 * test_pressure_potential.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "potential_pairs.h"

static void all_pairs_follow_the_potential(void **state) {
  (void)state;
  static const limpet_shape_kind kinds[] = {
      LIMPET_SHAPE_SPHERE, LIMPET_SHAPE_ELLIPSOID, LIMPET_SHAPE_CAPSULE, LIMPET_SHAPE_CYLINDER,
      LIMPET_SHAPE_BOX,    LIMPET_SHAPE_MESH,      LIMPET_SHAPE_PLANE};
  int checked;
  const test_potential_pairs pairs = {
      .kind = kinds, .kind_count = 7, .variants = 3, .allowed = 1e-8, .seed = 11};
  assert_int_equal(test_potential_pairs_check(&pairs, &checked), 0);
  assert_int_equal(checked, 22);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_pairs_follow_the_potential)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
