/* tests/collide/test_soft_common.c: the gap between two surfaces, and what of them can meet. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collide/soft_common.h"
#include "collide/soft_gap.h"
#include "math/vec3.h"
#include "random_models.h"

enum { POINTS = 60 };

typedef struct cloud_pair {
  double x[6 * POINTS], end[6 * POINTS];
  int vertex[2 * POINTS];
  limpet_soft_surface of[2];
} cloud_pair;

/* Points of two slabs `apart` [m] along n, each a metre wide and 5 cm thick, that move by up to
 * 1 cm. */
static void draw(unsigned long *seed, double apart, double n[3], cloud_pair *pair) {
  double u[3] = {1.0, 0.0, 0.0}, w[3], size = 0.0;
  do {
    for (int k = 0; k < 3; ++k) n[k] = random_uniform(seed, -1.0, 1.0);
    size = limpet_vec3_norm(n);
  } while (!(size > 0.1));
  limpet_vec3_scale(n, 1.0 / size, n);
  if (fabs(n[0]) > 0.7) u[0] = 0.0, u[1] = 1.0;
  limpet_vec3_addmul(u, u, -limpet_vec3_dot(u, n), n);
  limpet_vec3_scale(u, 1.0 / limpet_vec3_norm(u), u);
  limpet_vec3_cross(w, n, u);
  for (int i = 0; i < 2 * POINTS; ++i) {
    const double sign = i < POINTS ? -1.0 : 1.0;
    for (int end = 0; end < 2; ++end) {
      const double h = sign * (0.5 * apart + random_uniform(seed, 0.0, 0.05)),
                   a = random_uniform(seed, -.5, .5), b = random_uniform(seed, -.5, .5);
      double *x = (end ? pair->end : pair->x) + 3 * i;
      for (int k = 0; k < 3; ++k) x[k] = h * n[k] + a * u[k] + b * w[k];
    }
    pair->vertex[i] = i;
  }
  for (int k = 0; k < 2; ++k)
    pair->of[k] =
        (limpet_soft_surface){.vertex_count = POINTS, .vertex = pair->vertex + POINTS * k};
}

static void askew_slabs_are_apart(void **state) {
  (void)state;
  unsigned long seed = 5;
  static cloud_pair pair;
  for (int i = 0; i < 200; ++i) {
    double n[3], found[3];
    limpet_soft_common common;
    draw(&seed, 0.05, n, &pair);
    const double gap = limpet_soft_gap(&pair.of[0], &pair.of[1], pair.x, pair.end, 0.0, 8, found);
    if (!(gap > 0.0)) fail_msg("slabs %d: no direction parts them", i);
    for (int a = 0; a < POINTS; ++a)
      for (int b = POINTS; b < 2 * POINTS; ++b) {
        double way[3];
        limpet_vec3_sub(way, pair.end + 3 * b, pair.x + 3 * a);
        assert_true(limpet_vec3_dot(found, way) >= gap - 1e-12);
      }
    assert_false(limpet_soft_common_find(&pair.of[0], &pair.of[1], pair.x, pair.end, &common));
  }
}

// Whether the ways of two points are apart along an axis.
static bool apart_along(const cloud_pair *pair, int a, int b, const double axis[3]) {
  const double a0 = limpet_vec3_dot(axis, pair->x + 3 * a),
               a1 = limpet_vec3_dot(axis, pair->end + 3 * a),
               b0 = limpet_vec3_dot(axis, pair->x + 3 * b),
               b1 = limpet_vec3_dot(axis, pair->end + 3 * b);
  return fmax(a0, a1) < fmin(b0, b1) || fmin(a0, a1) > fmax(b0, b1);
}

static void what_can_meet_is_kept(void **state) {
  (void)state;
  unsigned long seed = 6;
  static cloud_pair pair;
  int left_out = 0;
  for (int i = 0; i < 100; ++i) {
    double n[3];
    limpet_soft_common common;
    draw(&seed, -0.03, n, &pair);
    if (!limpet_soft_common_find(&pair.of[0], &pair.of[1], pair.x, pair.end, &common)) continue;
    for (int a = 0; a < POINTS; ++a) {
      if (!limpet_soft_common_sides(&common, pair.x + 3 * a, pair.end + 3 * a)) continue;
      ++left_out;
      for (int b = POINTS; b < 2 * POINTS; ++b) {
        bool apart = apart_along(&pair, a, b, common.n);
        for (int k = 0; k < 3; ++k) {
          const double axis[3] = {k == 0, k == 1, k == 2};
          apart = apart || apart_along(&pair, a, b, axis);
        }
        assert_true(apart);
      }
    }
  }
  assert_in_range(left_out, 100, 100 * POINTS - 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(askew_slabs_are_apart),
                                     cmocka_unit_test(what_can_meet_is_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
