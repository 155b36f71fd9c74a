/* tests/geometry/test_pressure_straight.c: a round body that lies on a flat face is pushed straight
 * away from it, at the tolerance of steps, too: errors on both sides of it cancel. A push askew by
 * a millionth would make it roll away from rest, since nothing resists rolling. The face is that of
 * a large block whose middle is elsewhere, soft or rigid. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "limpet/pressure.h"
#include "shared_data.h"

static const struct {
  limpet_shape_kind kind;
  double size[3];
} round_body[] = {{LIMPET_SHAPE_SPHERE, {0.05}},
                  {LIMPET_SHAPE_CAPSULE, {0.05, 0.1}},
                  {LIMPET_SHAPE_CYLINDER, {0.05, 0.1}}};

// On its side, rolled by an angle about its axis, which is the y axis of the world.
static void lie(double R[9], double roll) {
  const double c = cos(roll), s = sin(roll);
  const double turned[9] = {c, -s, 0.0, 0.0, 0.0, -1.0, s, c, 0.0};
  for (int i = 0; i < 9; ++i) R[i] = turned[i];
}

static limpet_pressure_field *field(limpet_shape_kind kind, const double *size, double modulus) {
  limpet_pressure_material material = limpet_pressure_material_default();
  material.modulus = modulus;
  return limpet_pressure_field_of_shape(kind, size, NULL, &material, NULL);
}

static void round_bodies_are_pushed_straight(void **state) {
  (void)state;
  static const double block[3] = {0.5, 0.4, 0.1}, upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  unsigned long seed = 11;
  limpet_pressure_surface *surface = limpet_pressure_surface_create(NULL);
  const limpet_pressure_query query = limpet_pressure_query_default();
  for (int k = 0; k < 3; ++k)
    for (int rigid = 0; rigid < 2; ++rigid)
      for (int trial = 0; trial < 20; ++trial) {
        limpet_pressure_field *a = field(round_body[k].kind, round_body[k].size, 1e6),
                              *b = field(LIMPET_SHAPE_BOX, block, rigid ? INFINITY : 2e6);
        double R[9];
        lie(R, random_uniform(&seed, -3.0, 3.0));
        const double depth = 0.05 * pow(10.0, random_uniform(&seed, -4.0, -1.0));
        const double at[3] = {0.0, 0.0, 0.05 - depth};
        const double under[3] = {random_uniform(&seed, -0.2, 0.2), random_uniform(&seed, -0.1, 0.1),
                                 -0.1};
        const limpet_pressure_body ball = {a, at, R}, floor = {b, under, upright};
        assert_int_equal(limpet_pressure_surface_compute(surface, &ball, &floor, &query),
                         LIMPET_OK);
        const double aside = fabs(surface->force[0] / surface->force[2]);
        if (!(aside < 1e-9))
          fail_msg("%s, %s, %g m deep: askew by %.2e", limpet_shape_kind_word(round_body[k].kind),
                   rigid ? "rigid block" : "soft block", depth, aside);
        limpet_pressure_field_destroy(a), limpet_pressure_field_destroy(b);
      }
  limpet_pressure_surface_destroy(surface);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(round_bodies_are_pushed_straight)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
