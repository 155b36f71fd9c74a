/* tests/solve/test_coulomb_point.c: where a contact alone meets its normal law.
 *
 * u - w n(u) = target has one solution, as n falls with u. That of Hunt-Crossley's law has a closed
 * form; bisection on the law itself is the yardstick. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "law/normal_law.h"
#include "shared_data.h"
#include "solve/coulomb.h"

// n of the solution by bisection of u between the target and where no force is left.
static double bisected(const limpet_contact_constants *c, double w, double target) {
  double slope, low = target, high = target + w * limpet_normal_impulse(c, target, &slope);
  for (int i = 0; i < 200; ++i) {
    const double u = 0.5 * (low + high);
    if (u - w * limpet_normal_impulse(c, u, &slope) < target) low = u;
    else high = u;
  }
  return (0.5 * (low + high) - target) / w;
}

static limpet_contact_constants random_law(unsigned long *seed, double w) {
  const double dt = random_log_uniform(seed, 5e-5, 5e-3);
  // from soft to a thousand times as hard as near-rigid ones
  const double k = random_log_uniform(seed, 1e-3, 4e6) / (dt * dt * w);
  const double depth = random_uniform(seed, -1.0, 1.0) * random_log_uniform(seed, 1e-9, 1e-2);
  return (limpet_contact_constants){.dt = dt,
                                    .stiffness = k,
                                    .elastic_force = k * depth,
                                    .dissipation = random_uniform(seed, 0.0, 1.0) < 0.2
                                                       ? 0.0
                                                       : random_log_uniform(seed, 1e-3, 1e4)};
}

static void closed_form_meets_the_law(void **state) {
  (void)state;
  unsigned long seed = 12;
  int pushing = 0, open = 0;
  double worst = 0.0;
  for (int i = 0; i < 20000; ++i) {
    const double w = random_log_uniform(&seed, 1e-3, 1e3);
    const limpet_contact_constants c = random_law(&seed, w);
    const double target = random_uniform(&seed, -1.0, 1.0) * random_log_uniform(&seed, 1e-6, 1e2);
    double n, slope, law_slope;
    const double u = limpet_coulomb_normal_point(&c, w, target, &n, &slope);
    assert_true(n >= 0.0 && u == target + w * n);
    const double other = bisected(&c, w, target), size = fabs(target) + w * other;
    limpet_normal_impulse(&c, u, &law_slope);
    assert_true(slope == law_slope);
    worst = fmax(worst, w * fabs(n - other) / size);
    pushing += n > 0.0;
    open += n == 0.0;
  }
  printf("%d push, %d are open, worst %.2g of the speed\n", pushing, open, worst);
  // round-off of u, which both have
  assert_true(worst < 1e-14);
  assert_true(pushing > 5000 && open > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(closed_form_meets_the_law)};
  return cmocka_run_group_tests_name("coulomb point", tests, NULL, NULL);
}
