/* tests/step/test_soft_history.c: points of an affine iteration are combined to where it ends. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random_models.h"
#include "step/soft_history.h"

enum { SIZE = 40 };

static double norm_of(const double *x) {
  double sum = 0.0;
  for (int k = 0; k < SIZE; ++k) sum += x[k] * x[k];
  return sqrt(sum);
}

// x -> x - r, r = (1 - rate) (x - end): `slow` directions keep 0.74 to 0.92 of what is left.
static void step_of(const double *rate, const double *end, double *x, double *rest) {
  for (int k = 0; k < SIZE; ++k) {
    rest[k] = (1.0 - rate[k]) * (x[k] - end[k]);
    x[k] -= rest[k];
  }
}

static void slow_directions_are_taken_out(void **state) {
  (void)state;
  unsigned long seed = 7;
  for (int slow = 1; slow < LIMPET_SOFT_HISTORY - 1; ++slow) {
    limpet_arena arena;
    limpet_soft_history history = {0};
    assert_int_equal(limpet_arena_create(&arena, 1 << 16), LIMPET_OK);
    double rate[SIZE], end[SIZE], x[SIZE], rest[SIZE], at[SIZE];
    double share[LIMPET_ANDERSON_MEMORY];
    int count = 0;
    for (int k = 0; k < SIZE; ++k) {
      rate[k] = k < slow ? 0.74 + 0.06 * k : 0.0;
      end[k] = random_uniform(&seed, -1.0, 1.0), x[k] = random_uniform(&seed, -1.0, 1.0);
    }
    for (int i = 0; i < LIMPET_SOFT_HISTORY + 3; ++i) {
      for (int k = 0; k < SIZE; ++k) at[k] = x[k];
      step_of(rate, end, x, rest);
      assert_true(limpet_soft_history_add(&history, &arena, SIZE, at, end, rest));
      count = limpet_soft_history_shares(&history, SIZE, share);
      assert_int_equal(count, i < LIMPET_ANDERSON_MEMORY ? i : LIMPET_ANDERSON_MEMORY);
    }
    const double *newest = history.v[limpet_soft_history_place(&history, 0)];
    for (int k = 0; k < SIZE; ++k) at[k] = newest[k] - end[k], x[k] -= end[k];
    for (int i = 0; i < count; ++i) {
      const double *other = history.v[limpet_soft_history_place(&history, i + 1)];
      for (int k = 0; k < SIZE; ++k) at[k] += share[i] * (other[k] - newest[k]);
    }
    if (!(norm_of(at) < 1e-3 * norm_of(x)))
      fail_msg("%d slow directions: %g left of %g", slow, norm_of(at), norm_of(x));
    limpet_arena_destroy(&arena);
  }
}

static void equal_points_give_none(void **state) {
  (void)state;
  limpet_arena arena;
  limpet_soft_history history = {0};
  double v[SIZE] = {0.0}, rest[SIZE] = {1.0}, share[LIMPET_ANDERSON_MEMORY];
  assert_int_equal(limpet_arena_create(&arena, 1 << 16), LIMPET_OK);
  for (int i = 0; i < 3; ++i)
    assert_true(limpet_soft_history_add(&history, &arena, SIZE, v, v, rest));
  assert_int_equal(limpet_soft_history_shares(&history, SIZE, share), 0);
  limpet_arena_destroy(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(slow_directions_are_taken_out),
                                     cmocka_unit_test(equal_points_give_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
