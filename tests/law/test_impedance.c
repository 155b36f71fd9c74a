/* tests/law/test_impedance.c: MuJoCo's impedance and reference acceleration against values
 * worked out by hand. 1e-14: round-off. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "law/impedance.h"
#include "shared_data.h"

static const double dt = 0.002;

static bool near(double a, double b) { return fabs(a - b) <= 1e-14 * fabs(b); }

static double impedance_at(const double p[5], double r) {
  const limpet_impedance impedance = {.reference = {0.02, 1.0},
                                      .impedance = {p[0], p[1], p[2], p[3], p[4]}};
  return limpet_impedance_at(&impedance, r, dt).impedance;
}

static void impedance_has_its_closed_form_values(void **state) {
  (void)state;
  // MuJoCo's defaults: from d0 over half way at half the width to d1
  const double standard[5] = {0.9, 0.95, 0.001, 0.5, 2.0};
  assert_true(near(impedance_at(standard, 0.0), 0.9));
  assert_true(near(impedance_at(standard, 0.0005), 0.925));
  assert_true(near(impedance_at(standard, 0.001), 0.95));
  assert_true(near(impedance_at(standard, 1.0), 0.95));
  assert_true(near(impedance_at(standard, -0.0005), 0.925));
  assert_true(near(impedance_at(standard, 0.00025), 0.9 + 0.05 * 0.125));  // 2 x^2

  // midpoint 0.3, power 3: x^3/0.3^2 below, 1 - (1 - x)^3/0.7^2 above; where they meet both are 0.3
  const double skewed[5] = {0.2, 0.7, 0.01, 0.3, 3.0};
  assert_true(near(impedance_at(skewed, 0.002), 0.2 + 0.5 * 0.008 / 0.09));
  assert_true(near(impedance_at(skewed, 0.003), 0.2 + 0.5 * 0.3));
  assert_true(near(impedance_at(skewed, 0.006), 0.2 + 0.5 * (1.0 - 0.064 / 0.49)));

  // power 1: a straight line; equal ends or no width: constant; ends are kept within [1e-4, 0.9999]
  assert_true(near(impedance_at((double[5]){0.2, 0.7, 0.01, 0.3, 1.0}, 0.004), 0.4));
  assert_true(near(impedance_at((double[5]){0.6, 0.8, 0.0, 0.5, 2.0}, 0.004), 0.7));
  assert_true(near(impedance_at((double[5]){2.0, 1.0, 0.01, 0.5, 2.0}, 0.003), 0.9999));
  assert_true(near(impedance_at((double[5]){0.0, 0.5, 0.01, 0.5, 2.0}, 0.0), 1e-4));
}

static void impedance_and_stiffness_grow_with_depth(void **state) {
  (void)state;
  unsigned long seed = 3;
  for (int n = 0; n < 200; ++n) {
    const double d0 = random_uniform(&seed, 0.01, 0.9), d1 = random_uniform(&seed, d0, 0.99);
    const limpet_impedance impedance = {
        .reference = {random_uniform(&seed, 0.005, 0.1), random_uniform(&seed, 0.1, 2.0)},
        .impedance = {d0, d1, random_uniform(&seed, 1e-4, 0.1), random_uniform(&seed, 0.05, 0.95),
                      random_uniform(&seed, 1.0, 6.0)}};
    double last = 0.0, last_K = 0.0;
    for (int i = 0; i <= 120; ++i) {
      double K, C;
      const double r = -impedance.impedance[2] * i / 100,
                   d = limpet_impedance_at(&impedance, r, dt).impedance;
      limpet_impedance_stiffness(&impedance, r, dt, 1.0, &K, &C);
      if (i == 0) assert_true(limpet_impedance_damping_at_rest(&impedance, dt, 1.0) == C);
      assert_true(d >= last && d >= d0 * (1 - 1e-14) && d <= d1 * (1 + 1e-14));
      assert_true(K >= last_K && C > 0.0);
      last = d, last_K = K;
    }
  }
}

static void stiffness_and_damping_in_standard_and_direct_form(void **state) {
  (void)state;
  double K, C;
  /* d = 0.925, d_max = 0.95, tau = 0.02 s, zeta = 1.1, 2 kg: K = d^2 m/((1 - d) d_max^2 tau^2
   * zeta^2), C = 2 d m/((1 - d) d_max tau) */
  const limpet_impedance standard = {.reference = {0.02, 1.1},
                                     .impedance = {0.9, 0.95, 0.001, 0.5, 2.0}};
  limpet_impedance_stiffness(&standard, -0.0005, dt, 0.5, &K, &C);
  assert_true(fabs(K / (0.925 * 0.925 * 2.0 / (0.075 * 0.9025 * 4e-4 * 1.21)) - 1.0) < 1e-13);
  assert_true(fabs(C / (2.0 * 0.925 * 2.0 / (0.075 * 0.95 * 0.02)) - 1.0) < 1e-13);

  // direct: k_ref = 1e4/d_max^2, b = 200/d_max
  const limpet_impedance direct = {.reference = {-1e4, -200.0},
                                   .impedance = {0.9, 0.95, 0.001, 0.5, 2.0}};
  limpet_impedance_stiffness(&direct, -0.0005, dt, 0.5, &K, &C);
  assert_true(fabs(K / (1e4 * 0.925 * 0.925 * 2.0 / (0.075 * 0.9025)) - 1.0) < 1e-13);
  assert_true(fabs(C / (200.0 * 0.925 * 2.0 / (0.075 * 0.95)) - 1.0) < 1e-13);
}

// A time constant below two steps counts as two steps, in the standard form only.
static void time_constant_is_two_steps_at_least(void **state) {
  (void)state;
  const double p[5] = {0.9, 0.95, 0.001, 0.5, 2.0};
  const limpet_impedance fast = {.reference = {0.001, 1.0},
                                 .impedance = {p[0], p[1], p[2], p[3], p[4]}};
  const limpet_impedance clamped = {.reference = {0.004, 1.0},
                                    .impedance = {p[0], p[1], p[2], p[3], p[4]}};
  const limpet_impedance_values a = limpet_impedance_at(&fast, 0.0, 0.002),
                                b = limpet_impedance_at(&clamped, 0.0, 0.002);
  assert_true(a.stiffness == b.stiffness && a.damping == b.damping);
  assert_true(limpet_impedance_at(&fast, 0.0, 0.0005).stiffness >
              15.9 * a.stiffness);  // (4 ms/1 ms)^2
  const limpet_impedance direct = {.reference = {-1e6, -2e3},
                                   .impedance = {p[0], p[1], p[2], p[3], p[4]}};
  assert_true(limpet_impedance_at(&direct, 0.0, 0.002).stiffness ==
              limpet_impedance_at(&direct, 0.0, 0.0005).stiffness);
}

// Against central differences of random laws, direct and standard, away from the end of the
// sigmoid.
static void slopes_are_those_of_differences(void **state) {
  (void)state;
  unsigned long seed = 3;
  for (int i = 0; i < 20000; ++i) {
    const double width = pow(10.0, random_uniform(&seed, -5.0, -1.0));
    const bool direct = i % 2;
    const limpet_impedance impedance = {
        .reference = {direct ? -1e4 : 0.02, direct ? -200.0 : 1.0},
        .impedance = {random_uniform(&seed, 0.1, 0.99), random_uniform(&seed, 0.1, 0.99), width,
                      random_uniform(&seed, 0.1, 0.9), random_uniform(&seed, 1.0, 4.0)}};
    const double r = -width * random_uniform(&seed, 0.01, 1.2), h = 1e-5 * fabs(r);
    // differences see where its arcs meet, and bend ever more towards its end
    const double x = -r / width;
    if (fabs(x - impedance.impedance[3]) < 1e-4 || fabs(x - 1.0) < 0.05) continue;
    double K[2], C[2];
    const limpet_impedance_slopes slopes =
        limpet_impedance_stiffness_slopes(&impedance, r, 0.002, 0.5);
    limpet_impedance_stiffness(&impedance, r - h, 0.002, 0.5, &K[1], &C[1]);
    limpet_impedance_stiffness(&impedance, r + h, 0.002, 0.5, &K[0], &C[0]);
    // of the slope where that is steep: the third derivative; round-off is 1e-16/1e-5 of K
    const double K_bound = 1e-7 * (slopes.K + width * fabs(slopes.K_by_r)),
                 C_bound = 1e-7 * (slopes.C + width * fabs(slopes.C_by_r));
    assert_true(fabs((K[1] - K[0]) / (2.0 * h) - slopes.K_by_r) * width <= K_bound);
    assert_true(fabs((C[1] - C[0]) / (2.0 * h) - slopes.C_by_r) * width <= C_bound);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(impedance_has_its_closed_form_values),
      cmocka_unit_test(impedance_and_stiffness_grow_with_depth),
      cmocka_unit_test(stiffness_and_damping_in_standard_and_direct_form),
      cmocka_unit_test(slopes_are_those_of_differences),
      cmocka_unit_test(time_constant_is_two_steps_at_least),
  };
  return cmocka_run_group_tests_name("impedance", tests, NULL, NULL);
}
