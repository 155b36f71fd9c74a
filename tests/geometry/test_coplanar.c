/* tests/geometry/test_coplanar.c: when four moving points lie in one plane, against roots that are
 * put in and against signs along the way. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geometry/coplanar.h"
#include "math/vec3.h"
#include "random_models.h"

// Six volumes of the points at t: which side of the first three the last one is on.
static double side_at(const double x[12], const double way[12], double t) {
  double p[12], u[3], v[3], w[3], n[3];
  for (int i = 0; i < 12; ++i) p[i] = x[i] + t * way[i];
  limpet_vec3_sub(u, p + 3, p), limpet_vec3_sub(v, p + 6, p), limpet_vec3_sub(w, p + 9, p);
  limpet_vec3_cross(n, u, v);
  return limpet_vec3_dot(n, w);
}

/* The last point is put into the plane of the others at one time: that time is found, to the
 * rounding of the volume. Sizes and ways span four decades each. */
static void a_meeting_is_found(void **state) {
  (void)state;
  unsigned long seed = 7;
  int found = 0;
  for (int i = 0; i < 2000; ++i) {
    const double size = random_log(&seed, 1e-3, 10.0), fast = random_log(&seed, 1e-2, 1e2) * size;
    double x[12], way[12], t[3];
    random_vector(&seed, x, 12, size), random_vector(&seed, way, 12, fast);
    const double at = random_uniform(&seed, 0.01, 0.99), b = random_uniform(&seed, -1.0, 1.0),
                 c = random_uniform(&seed, -1.0, 1.0);
    for (int k = 0; k < 3; ++k) {
      double p[3];
      for (int m = 0; m < 3; ++m) p[m] = x[3 * m + k] + at * way[3 * m + k];
      x[9 + k] = p[0] + b * (p[1] - p[0]) + c * (p[2] - p[0]) - at * way[9 + k];
    }
    const int count = limpet_coplanar_times(x, way, t);
    double least = INFINITY;
    for (int k = 0; k < count; ++k) least = fmin(least, fabs(t[k] - at));
    // tangent meetings change no side and count for nothing
    found += least < 1e-6;
    for (int k = 1; k < count; ++k) assert_true(t[k] > t[k - 1]);
  }
  if (found < 1995) fail_msg("%d of 2000 found", found);
}

// As many changes of side as samples of the way show, and each sample on the side that they tell.
static void sides_change_only_there(void **state) {
  (void)state;
  unsigned long seed = 8;
  int changes = 0;
  for (int i = 0; i < 500; ++i) {
    double x[12], way[12], t[3];
    random_vector(&seed, x, 12, 1.0), random_vector(&seed, way, 12, 3.0);
    const int count = limpet_coplanar_times(x, way, t);
    const bool first = side_at(x, way, 0.0) < 0.0;
    for (int k = 0; k <= 200; ++k) {
      const double at = k / 200.0, side = side_at(x, way, at);
      int passed = 0;
      for (int m = 0; m < count; ++m) passed += t[m] < at;
      if (fabs(side) > 1e-9) assert_int_equal(side < 0.0, first != (passed % 2 == 1));
    }
    changes += count;
  }
  assert_true(changes > 200);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_meeting_is_found),
                                     cmocka_unit_test(sides_change_only_there)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
