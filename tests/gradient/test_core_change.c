/* tests/gradient/test_core_change.c: rates of the contact point of balls and capsules against
 * differences of the shapes' own contact, for sizes from 1 mm to 1 m, touching with their cylinders
 * and with their ends, in every order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gradient/core_change.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "random_models.h"
#include "shape_pair.h"

enum { PAIRS = 3000, KINDS = 4 };

static unsigned long seed = 8;

// kinds: bit 0: A is a capsule, bit 1: B.
static void point_to(shape_pair *b, int kinds) {
  shape_pair_of(b, kinds & 1 ? LIMPET_SHAPE_CAPSULE : LIMPET_SHAPE_SPHERE,
                kinds & 2 ? LIMPET_SHAPE_CAPSULE : LIMPET_SHAPE_SPHERE);
}

// Two of them near each other, or inside.
static bool draw(shape_pair *b, int kinds, limpet_manifold *manifold, double *scale) {
  *scale = random_log(&seed, 1e-3, 1.0);
  for (int s = 0; s < 2; ++s) {
    for (int i = 0; i < 2; ++i) b->size[s][i] = *scale * random_log(&seed, 0.2, 2.0);
    random_turn(&seed, b->rotation[s], 3.0);
    for (int i = 0; i < 3; ++i) b->position[s][i] = *scale * random_uniform(&seed, -1.5, 1.5);
  }
  point_to(b, kinds);
  limpet_shape_contact(manifold, &b->shape[0], &b->shape[1], 0.3 * *scale, false);
  return manifold->count == 1;
}

static void rates_are_differences(void **state) {
  (void)state;
  static const double near = 1e-3, width = 1e-5, allowed = 1e-8;  // [-]  of the scale; of rates
  int known[KINDS] = {0}, unknown = 0, wrong = 0;
  double worst = 0.0;
  for (int pair = 0; pair < PAIRS; ++pair) {
    shape_pair b;
    limpet_manifold manifold;
    limpet_box_point_change change[6];
    double scale, P[3];
    const int kinds = pair % KINDS;
    if (!draw(&b, kinds, &manifold, &scale)) continue;
    const limpet_contact_point *point = &manifold.point[0];
    for (int i = 0; i < 3; ++i) P[i] = b.position[0][i] + scale * random_uniform(&seed, -2.0, 2.0);
    // rates grow as one over the distance of the cores, where these nearly cross
    const double cores = point->distance + b.size[0][0] + b.size[1][0];
    if (!(cores > 0.05 * scale)) continue;
    if (!limpet_core_point_rates(&b.shape[0], &b.shape[1], point, P, near * scale, change)) {
      ++unknown;
      continue;
    }
    ++known[kinds];
    for (int k = 0; k < 6; ++k) {
      const double error =
          shape_pair_rate_error(&b, P, k, width, scale, 0.5 * scale, point, &change[k]);
      worst = fmax(worst, error);
      wrong += error > allowed;
      if (error > allowed)
        printf("pair %d, twist %d: off by %.2g (kinds %d, scale %g)\n", pair, k, error, kinds,
               scale);
    }
  }
  printf(
      "balls %d, capsule and ball %d, ball and capsule %d, capsules %d, %d unknown, worst %.2g\n",
      known[0], known[1], known[2], known[3], unknown, worst);
  for (int i = 0; i < KINDS; ++i) assert_true(known[i] > 100);
  assert_true(unknown < (known[1] + known[2] + known[3]) / 50);
  assert_int_equal(wrong, 0);
}

// Where a cylinder ends, where capsules are nearly parallel, and of other shapes nothing is told.
static void what_has_no_rates_is_told(void **state) {
  (void)state;
  static const double P[3] = {0.0}, near = 1e-3;
  shape_pair b = {.size = {{0.1, 0.2}, {0.1, 0.2}}, .position = {{0.0}, {0.15, 0.0, 0.2}}};
  limpet_manifold manifold;
  limpet_box_point_change change[6];
  for (int s = 0; s < 2; ++s) limpet_mat3_identity(b.rotation[s]);
  for (int parallel = 0; parallel < 2; ++parallel) {
    if (parallel) b.position[1][2] = 0.0;
    point_to(&b, parallel ? 3 : 1);
    limpet_shape_contact(&manifold, &b.shape[0], &b.shape[1], 0.1, false);
    assert_true(manifold.count > 0);
    assert_false(
        limpet_core_point_rates(&b.shape[0], &b.shape[1], &manifold.point[0], P, near, change));
  }
  point_to(&b, 1);
  limpet_shape_contact(&manifold, &b.shape[0], &b.shape[1], 0.1, false);
  assert_true(
      limpet_core_point_rates(&b.shape[0], &b.shape[1], &manifold.point[0], P, near, change));
  b.shape[1].kind = LIMPET_SHAPE_BOX;
  assert_false(
      limpet_core_point_rates(&b.shape[0], &b.shape[1], &manifold.point[0], P, near, change));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rates_are_differences),
                                     cmocka_unit_test(what_has_no_rates_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
