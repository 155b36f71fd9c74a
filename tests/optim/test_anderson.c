/* tests/optim/test_anderson.c: Anderson's method against the solution of linear systems. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "optim/anderson.h"
#include "shared_data.h"

enum { N = 5, TRIALS = 100 };

// g(y) = y - (B y - c): its fixed point solves B y = c.
static void apply(const double *B, const double *c, const double *y, double *g) {
  for (int i = 0; i < N; ++i) {
    g[i] = y[i] + c[i];
    for (int j = 0; j < N; ++j) g[i] -= B[N * i + j] * y[j];
  }
}

static double residual(const double *B, const double *c, const double *y) {
  double g[N], sum = 0.0;
  apply(B, c, y, g);
  for (int i = 0; i < N; ++i) sum += (g[i] - y[i]) * (g[i] - y[i]);
  return sqrt(sum);
}

/* For a linear g it is GMRES: with as many steps kept as there are unknowns it ends after N + 1 of
 * them, to round-off, even where g itself expands (entries up to 2: iterating it diverges). */
static void a_linear_system_takes_as_many_steps_as_unknowns(void **state) {
  (void)state;
  unsigned long seed = 3;
  for (int trial = 0; trial < TRIALS; ++trial) {
    double B[N * N], c[N], y[N] = {0}, g[N], weight[N];
    double *memory = malloc(limpet_anderson_size(N) * sizeof *memory);
    assert_non_null(memory);
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j)
        B[N * i + j] = random_uniform(&seed, -1.0, 1.0) + (i == j ? 3.0 : 0.0);
      c[i] = random_uniform(&seed, -1.0, 1.0);
      weight[i] = random_uniform(&seed, 0.5, 2.0);
    }
    limpet_anderson anderson;
    limpet_anderson_begin(&anderson, N, weight, memory);
    const double start = residual(B, c, y);
    for (int k = 0; k <= N; ++k) {
      apply(B, c, y, g);
      limpet_anderson_step(&anderson, g, y);
    }
    free(memory);
    if (!(residual(B, c, y) < 1e-6 * start))
      fail_msg("trial %d: residual %g of %g", trial, residual(B, c, y), start);
  }
}

// At a fixed point it stays, though all differences that it solves with vanish.
static void a_fixed_point_is_kept(void **state) {
  (void)state;
  double memory[2 * (LIMPET_ANDERSON_MEMORY + 1) * 2], y[2] = {1.0, -2.0};
  const double weight[2] = {1.0, 1.0}, g[2] = {1.0, -2.0};
  assert_int_equal(limpet_anderson_size(2), sizeof memory / sizeof *memory);
  limpet_anderson anderson;
  limpet_anderson_begin(&anderson, 2, weight, memory);
  for (int k = 0; k < 10; ++k) {
    limpet_anderson_step(&anderson, g, y);
    assert_true(y[0] == 1.0 && y[1] == -2.0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_linear_system_takes_as_many_steps_as_unknowns),
      cmocka_unit_test(a_fixed_point_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
