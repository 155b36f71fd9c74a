/* tests/math/test_trigonometry.c: the inline sine and cosine against libm, four against one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/trigonometry_lanes.h"
#include "shared_data.h"

// Two units in the last place of 1: rounding of the reduced angle (half), of the two sums (one), of
// libm (half).
static const double tolerance = 4.5e-16;

static void check(double x) {
  double s, c;
  limpet_sine_cosine(&s, &c, x);
  assert_true(fabs(s - sin(x)) < tolerance);
  assert_true(fabs(c - cos(x)) < tolerance);
}

static void values_agree_with_libm(void **state) {
  (void)state;
  unsigned long seed = 1;
  for (int i = 0; i < 300000; ++i) {
    static const double spans[] = {1e-3, 2.0, 30.0, 9.9e4, 1e7};  // the last one is libm's
    check(random_uniform(&seed, -1.0, 1.0) * spans[i % 5]);
  }
  // quadrant borders and their neighbours
  for (int k = -40; k <= 40; ++k) {
    const double border = k * 0.78539816339744830962;
    check(border);
    check(nextafter(border, 1e9));
    check(nextafter(border, -1e9));
  }
}

static void exact_where_it_must_be(void **state) {
  (void)state;
  double s, c;
  limpet_sine_cosine(&s, &c, 0.0);
  assert_true(s == 0.0 && c == 1.0);
  limpet_sine_cosine(&s, &c, 1e-300);
  assert_true(s == 1e-300 && c == 1.0);
  limpet_sine_cosine(&s, &c, NAN);
  assert_true(isnan(s) && isnan(c));
}

// The same bits, whatever the quadrants of the four are, and where one of them is libm's.
static void four_are_as_one(void **state) {
  (void)state;
  unsigned long seed = 2;
  for (int i = 0; i < 20000; ++i) {
    double x[4], s[4], c[4];
    for (int k = 0; k < 4; ++k) {
      const double exponent = random_uniform(&seed, -12.0, i % 50 ? 4.9 : 6.0);
      x[k] = random_uniform(&seed, -1.0, 1.0) * pow(10.0, exponent);
    }
    if (i % 100 == 0) x[i / 100 % 4] = 0.0;
    if (i % 1000 == 1) x[i / 1000 % 4] = NAN;
    sines_cosines(s, c, (lanes){x[0], x[1], x[2], x[3]});
    for (int k = 0; k < 4; ++k) {
      double one_s, one_c;
      limpet_sine_cosine(&one_s, &one_c, x[k]);
      assert_true((isnan(s[k]) && isnan(one_s)) || s[k] == one_s);
      assert_true((isnan(c[k]) && isnan(one_c)) || c[k] == one_c);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_agree_with_libm),
      cmocka_unit_test(exact_where_it_must_be),
      cmocka_unit_test(four_are_as_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
