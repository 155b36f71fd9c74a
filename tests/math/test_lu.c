/* tests/math/test_lu.c: LU factors solve with the matrix and its transpose; a matrix that is
 * singular in doubles is told by the column without a pivot. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "math/lu.h"
#include "shared_data.h"

enum { MOST = 12 };

// Condition numbers of random matrices of this size are below 1e5.
static void factors_solve(void **state) {
  (void)state;
  unsigned long seed = 5;
  for (int n = 1; n <= MOST; ++n) {
    double A[MOST * MOST], LU[MOST * MOST], x[MOST], b[MOST] = {0}, c[MOST] = {0};
    int pivot[MOST];
    for (int i = 0; i < n * n; ++i) A[i] = LU[i] = random_uniform(&seed, -1.0, 1.0);
    for (int i = 0; i < n; ++i) x[i] = random_uniform(&seed, -1.0, 1.0);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k) b[i] += A[i * n + k] * x[k], c[i] += A[k * n + i] * x[k];
    assert_int_equal(limpet_lu(n, LU, pivot), 0);
    limpet_lu_solve(n, LU, pivot, b);
    limpet_lu_solve_transposed(n, LU, pivot, c);
    for (int i = 0; i < n; ++i) assert_true(fabs(b[i] - x[i]) < 1e-9 && fabs(c[i] - x[i]) < 1e-9);
  }
}

static void singular_matrices_are_told(void **state) {
  (void)state;
  int pivot[3];
  double zero[9] = {0}, twice[9] = {1, 2, 3, 2, 4, 6, 1, 0, 1}, bad[4] = {NAN, 1, 1, 1};
  assert_int_equal(limpet_lu(3, zero, pivot), 1);
  assert_int_equal(limpet_lu(3, twice, pivot), 3);
  assert_int_equal(limpet_lu(2, bad, pivot), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(factors_solve),
                                     cmocka_unit_test(singular_matrices_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
