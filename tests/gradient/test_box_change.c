/* tests/gradient/test_box_change.c: rates of the contact points of two boxes against differences of
 * the boxes' own contact, for sizes from 1 mm to 1 m, faces, corners and crossing edges, at random
 * and at nearly aligned poses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gradient/box_change.h"
#include "math/quaternion.h"
#include "math/vec3.h"
#include "random_models.h"
#include "shape_pair.h"

enum { PAIRS = 4000 };

static unsigned long seed = 3;

// Two boxes, a little inside each other along the direction from one to the other.
static bool draw(shape_pair *b, limpet_manifold *manifold, double *scale) {
  double apart[3], tilt[9];
  *scale = random_log(&seed, 1e-3, 1.0);
  for (int s = 0; s < 2; ++s)
    for (int i = 0; i < 3; ++i) b->size[s][i] = *scale * random_log(&seed, 0.3, 3.0);
  random_turn(&seed, b->rotation[0], 3.0);
  random_turn(&seed, tilt, random_uniform(&seed, 0, 1) < 0.5 ? random_log(&seed, 1e-6, 1e-1) : 3.0);
  limpet_mat3_mul(b->rotation[1], b->rotation[0], tilt);
  for (int i = 0; i < 3; ++i) {
    b->position[0][i] = *scale * random_uniform(&seed, -1.0, 1.0);
    apart[i] = random_uniform(&seed, -1.0, 1.0);
  }
  limpet_vec3_normalize(apart);
  shape_pair_of(b, LIMPET_SHAPE_BOX, LIMPET_SHAPE_BOX);
  const double depth = *scale * random_log(&seed, 1e-6, 1e-2);
  double low = 0.0, high = 20.0 * *scale;
  for (int k = 0; k < 60; ++k) {  // where they touch
    const double middle = 0.5 * (low + high);
    limpet_vec3_addmul(b->position[1], b->position[0], middle, apart);
    limpet_shape_contact(manifold, &b->shape[0], &b->shape[1], 1e-300, false);
    if (manifold->count > 0) low = middle;
    else high = middle;
  }
  limpet_vec3_addmul(b->position[1], b->position[0], low - depth, apart);
  limpet_shape_contact(manifold, &b->shape[0], &b->shape[1], 0.1 * *scale, false);
  return manifold->count > 0;
}

// The least of three widths: another axis may win within them.
static double error_along(const shape_pair *b, const double P[3], int k, double scale,
                          const limpet_contact_point *point,
                          const limpet_box_point_change *change) {
  double least = INFINITY;
  for (double width = 1e-6; width > 1e-9 && least > 1e-7; width *= 0.1)
    least = fmin(least, shape_pair_rate_error(b, P, k, width, scale, 0.1 * scale, point, change));
  return least;
}

static void rates_are_differences(void **state) {
  (void)state;
  int faces = 0, edges = 0, unknown = 0, ties = 0, wrong = 0, corners[3] = {0};
  double worst = 0.0;
  for (int pair = 0; pair < PAIRS; ++pair) {
    shape_pair b;
    limpet_manifold manifold;
    limpet_box_meeting meeting;
    double scale, P[3];
    if (!draw(&b, &manifold, &scale)) continue;
    for (int i = 0; i < 3; ++i) P[i] = b.position[0][i] + scale * random_uniform(&seed, -2.0, 2.0);
    const double *normal = manifold.point[0].normal;
    if (!limpet_box_meeting_make(&b.shape[0], &b.shape[1], normal, &meeting)) {
      ++unknown;
      continue;
    }
    ties += meeting.tie;
    if (meeting.tie) continue;
    for (int i = 0; i < manifold.count; ++i) {
      limpet_box_point_change change[6];
      if (!limpet_box_point_rates(&meeting, &manifold.point[i], P, change)) {
        ++unknown;
        continue;
      }
      faces += meeting.owner >= 0, edges += meeting.owner < 0;
      if (meeting.owner >= 0) ++corners[manifold.point[i].feature >> 30 & 3];
      for (int k = 0; k < 6; ++k) {
        const double error = error_along(&b, P, k, scale, &manifold.point[i], &change[k]);
        worst = fmax(worst, error < 1e-6 ? error : 0.0);
        wrong += error > 1e-6;
        if (error > 1e-6)
          printf(
              "pair %d, point %d of %d, twist %d: off by %.2g (owner %d, feature %x, scale %g)\n",
              pair, i, manifold.count, k, error, meeting.owner, (unsigned)manifold.point[i].feature,
              scale);
      }
    }
  }
  printf(
      "%d points on faces (corners of A %d, of B %d, edges %d), %d of edges, %d unknown, %d ties, "
      "%d wrong, worst %.2g\n",
      faces, corners[0], corners[1], corners[2], edges, unknown, ties, wrong, worst);
  assert_true(faces > 1000 && edges > 200 && corners[0] > 100 && corners[1] > 100 &&
              corners[2] > 100);
  assert_true(unknown < (faces + edges) / 100);
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rates_are_differences)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
