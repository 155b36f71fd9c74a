/* tests/optim/test_working_set.c: the factor of a working set, where there is one and where not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "optim/working_set.h"

enum { N = 5 };

typedef struct set_under_test {
  limpet_working_set set;
  char *memory;
} set_under_test;

static void create(set_under_test *s) {
  const size_t size = limpet_working_set_layout(&s->set, N, NULL);
  s->memory = aligned_alloc(64, size);
  limpet_working_set_layout(&s->set, N, s->memory);
}

// Q of a single row, a block of two and one of two more.
static void blocks(double Q[N * N]) {
  memset(Q, 0, N * N * sizeof *Q);
  for (int i = 0; i < N; ++i) Q[i * N + i] = 2.0 + i;
  Q[1 * N + 2] = Q[2 * N + 1] = -1.0;
  Q[3 * N + 4] = Q[4 * N + 3] = 3.0;
}

// J'QJ = I, to round-off.
static void positive_definite_blocks_are_factored(void **state) {
  (void)state;
  set_under_test s;
  double Q[N * N];
  create(&s);
  blocks(Q);
  assert_true(limpet_working_set_reset(&s.set, Q, N));
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      double sum = 0.0;
      for (int r = 0; r < N; ++r)
        for (int c = 0; c < N; ++c)
          sum += s.set.J[r * s.set.ld + i] * Q[r * N + c] * s.set.J[c * s.set.ld + j];
      assert_true(fabs(sum - (i == j ? 1.0 : 0.0)) < 1e-14);
    }
  free(s.memory);
}

// Any one block that is not positive definite is enough, the others being so: the first, a middle
// and the last one, a row alone and a block of two.
static void failed_pivots_are_said(void **state) {
  (void)state;
  static const double bad[] = {0.0, -1.0, -1e-300, NAN};
  set_under_test s;
  double Q[N * N];
  create(&s);
  for (int i = 0; i < N; ++i)
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
      blocks(Q);
      Q[i * N + i] = bad[k];
      assert_false(limpet_working_set_reset(&s.set, Q, N));
    }

  // diagonals above zero that do not hold what is beside them
  blocks(Q);
  Q[3 * N + 4] = Q[4 * N + 3] = 6.0;
  assert_false(limpet_working_set_reset(&s.set, Q, N));
  blocks(Q);
  Q[1 * N + 2] = Q[2 * N + 1] = 4.0;
  assert_false(limpet_working_set_reset(&s.set, Q, N));
  blocks(Q);
  assert_true(limpet_working_set_reset(&s.set, Q, N));
  free(s.memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(positive_definite_blocks_are_factored),
      cmocka_unit_test(failed_pivots_are_said),
  };
  return cmocka_run_group_tests_name("working_set", tests, NULL, NULL);
}
