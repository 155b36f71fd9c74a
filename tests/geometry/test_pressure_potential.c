/* tests/geometry/test_pressure_potential.c: force and moment of curved surfaces are the gradient
 * of U = int min(p_A, p_B) dV, which is integrated over the volume without any surface, at random
 * poses. Here round bodies and half spaces, with differences of U itself besides the integral of
 * its gradient; test_pressure_potential_slow.c has all pairs. A surface is asked for 1e-9. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "effort.h"
#include "math/vec3.h"
#include "potential_pairs.h"
#include "pressure_potential.h"

static void round_bodies_follow_the_potential(void **state) {
  (void)state;
  static const limpet_shape_kind kinds[] = {LIMPET_SHAPE_SPHERE, LIMPET_SHAPE_ELLIPSOID,
                                            LIMPET_SHAPE_CAPSULE, LIMPET_SHAPE_PLANE};
  int checked;
  const test_potential_pairs pairs = {.kind = kinds,
                                      .kind_count = test_effort(4, 2),
                                      .variants = 3,
                                      .differences = true,
                                      .allowed = 1e-8,
                                      .seed = 5};
  assert_int_equal(test_potential_pairs_check(&pairs, &checked), 0);
  assert_int_equal(checked, test_effort(9, 3));
}

// The quadrature itself, of a sphere on a rigid half space.
static void the_potential_of_a_sphere_is_its_closed_form(void **state) {
  (void)state;
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, origin[3] = {0};
  const double R = 0.05, size[3] = {R, R, R}, E = 3e5, d = 0.011, at[3] = {0.01, -0.02, R - d};
  limpet_pressure_material soft = limpet_pressure_material_default(), hard = soft;
  soft.modulus = E, hard.modulus = INFINITY;
  limpet_pressure_field *ball = limpet_pressure_field_of_shape(LIMPET_SHAPE_SPHERE, size, NULL,
                                                               &soft, NULL),
                        *floor = limpet_pressure_field_of_shape(LIMPET_SHAPE_PLANE, NULL, NULL,
                                                                &hard, NULL);
  const limpet_pressure_body a = {floor, origin, identity}, b = {ball, at, identity};
  const test_potential u = test_potential_compute(&a, &b, 1e-10);
  // F = pi E d^2 (1 - 2 d/(3 R)), U its integral
  const double force = LIMPET_PI * E * d * d * (1.0 - 2.0 * d / (3.0 * R)),
               energy = LIMPET_PI * E * d * d * d * (1.0 / 3.0 - d / (6.0 * R));
  assert_true(fabs(u.energy - energy) < 1e-12 * energy);
  assert_true(fabs(u.force[2] - force) < 1e-12 * force);
  assert_true(fabs(u.moment[0] - at[1] * force) < 1e-12 * force);
  assert_true(fabs(u.moment[1] + at[0] * force) < 1e-12 * force);
  limpet_pressure_field_destroy(ball), limpet_pressure_field_destroy(floor);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_potential_of_a_sphere_is_its_closed_form),
      cmocka_unit_test(round_bodies_follow_the_potential),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
