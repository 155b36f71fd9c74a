/* tests/law/test_material.c: stiffness and dissipation of a pair, as Drake combines them:
 *   k = kA kB/(kA + kB),  d = (kB dA + kA dB)/(kA + kB)
 * for materials drawn over their range. `rigid_stiffness` stands in for what has none, and for
 * nothing else, however stiff. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "law/material.h"
#include "mjcf_text.h"
#include "random_models.h"

enum { CASES = 200 };

// Spheres; NAN: the material has no stiffness.
static limpet_pair_material combined(double k_a, double d_a, double k_b, double d_b,
                                     double rigid_stiffness) {
  char text[1024], stiffness[2][64] = {"", ""};
  const double k[2] = {k_a, k_b};
  for (int i = 0; i < 2; ++i)
    if (!isnan(k[i])) snprintf(stiffness[i], sizeof stiffness[i], "limpet:stiffness='%.17g'", k[i]);
  snprintf(text, sizeof text,
           "<mujoco xmlns:limpet='limpet'><worldbody><geom size='1' %s limpet:dissipation='%.17g'/>"
           "<body><freejoint/><geom size='1' %s limpet:dissipation='%.17g'/></body></worldbody>"
           "</mujoco>",
           stiffness[0], d_a, stiffness[1], d_b);
  limpet_model *model = mjcf_load(text);
  assert_non_null(model);
  const limpet_pair_material pair = limpet_material_combine(model, rigid_stiffness, 0, 1, -1);
  limpet_model_destroy(model);
  return pair;
}

static void assert_close(double a, double b) { assert_true(fabs(a - b) <= 1e-14 * fabs(b)); }

static void check(double k_a, double d_a, double k_b, double d_b, double rigid) {
  const double a = isnan(k_a) ? rigid : k_a, b = isnan(k_b) ? rigid : k_b;
  const limpet_pair_material pair = combined(k_a, d_a, k_b, d_b, rigid);
  if (isinf(a) && isinf(b)) {
    assert_true(isinf(pair.stiffness));
  } else if (isinf(a) || isinf(b)) {
    assert_close(pair.stiffness, isinf(a) ? b : a);
    assert_close(pair.dissipation, isinf(a) ? d_b : d_a);
  } else {
    assert_close(pair.stiffness, a * b / (a + b));
    assert_close(pair.dissipation, (b * d_a + a * d_b) / (a + b));
  }
}

static void pairs_combine_as_stated(void **state) {
  (void)state;
  unsigned long seed = 11;
  for (int i = 0; i < CASES; ++i) {
    double x[6];
    random_vector(&seed, x, 6, 1.0);
    const double k_a = x[4] > 0.6 ? NAN : pow(10.0, 6.0 + 4.0 * x[0]),
                 k_b = x[5] > 0.6 ? NAN : pow(10.0, 6.0 + 4.0 * x[1]);
    check(k_a, pow(10.0, 2.0 * x[2]), k_b, pow(10.0, 2.0 * x[3]), i % 2 ? 1e6 : INFINITY);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_combine_as_stated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
