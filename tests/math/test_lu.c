/* tests/math/test_lu.c: LU factors solve with the matrix and its transpose; a matrix that is
 * singular in doubles is told by the row without a pivot. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "math/dense.h"
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

/* A column gives its place to another one whose number in the row is more than eight times as
 * large, and to no other: at each place of a row, beside the width of the kernel's vectors. */
static void far_larger_numbers_are_pivots(void **state) {
  (void)state;
  for (int n = 2; n <= MOST; ++n)
    for (int at = 1; at < n; ++at)
      for (int sign = -1; sign <= 1; sign += 2)
        for (int larger = 0; larger < 2; ++larger) {
          double A[MOST * MOST] = {0.0};
          int pivot[MOST];
          for (int i = 0; i < n; ++i) A[i * (n + 1)] = 1.0;
          A[at] = sign * (larger ? 8.1 : 7.9);
          A[at * n] = 0.01;  // so that the row of the place has a pivot when it comes
          assert_int_equal(limpet_lu(n, A, pivot), 0);
          assert_int_equal(pivot[0], larger ? at : 0);
        }
}

enum { LARGEST = 131, COLUMNS = 11 };

// All columns at once as one by one: sizes beside the widths of kernels and of their chunks.
static void columns_solve_together(void **state) {
  (void)state;
  static const int sizes[] = {1, 5, 6, 7, 12, 59, 60, 61, 119, LARGEST};
  static double A[LARGEST * LARGEST], L[LARGEST * LARGEST], B[LARGEST * COLUMNS],
      X[LARGEST * COLUMNS], Y[LARGEST * COLUMNS];
  unsigned long seed = 6;
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
    const int n = sizes[s], count = 1 + (int)s;
    int pivot[LARGEST];
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        const double side = random_uniform(&seed, -1.0, 1.0);
        A[i * n + j] = side + (i == j ? n : 0.0);
        A[j * n + i] = random_uniform(&seed, -1.0, 1.0) + (i == j ? n : 0.0);
        L[i * n + j] = L[j * n + i] = side + (i == j ? 2.0 * n : 0.0);
      }
    for (int i = 0; i < n * count; ++i) B[i] = X[i] = Y[i] = random_uniform(&seed, -1.0, 1.0);
    for (int k = 0; k < n / 2; ++k)  // columns that must change places
      for (int j = 0; j < n; ++j) {
        const double a = A[j * n + k];
        A[j * n + k] = A[j * n + n - 1 - k], A[j * n + n - 1 - k] = a;
      }
    assert_int_equal(limpet_lu(n, A, pivot), 0);
    assert_int_equal(limpet_cholesky(n, L, n), 0);
    limpet_lu_solve_many(n, A, pivot, count, X);
    limpet_cholesky_solve_many(n, L, count, Y);
    for (int c = 0; c < count; ++c) {
      double x[LARGEST], y[LARGEST];
      for (int i = 0; i < n; ++i) x[i] = y[i] = B[i * count + c];
      limpet_lu_solve(n, A, pivot, x);
      limpet_cholesky_solve(n, L, n, y);
      for (int i = 0; i < n; ++i)
        assert_true(fabs(X[i * count + c] - x[i]) < 1e-13 && fabs(Y[i * count + c] - y[i]) < 1e-13);
    }
  }
}

// A X = 1 for both factors; sizes beside the widths of kernels, and with more rows than a chunk.
static void inverses_are_inverse(void **state) {
  (void)state;
  static const int sizes[] = {1, 7, 8, 9, 13, 61, LARGEST};
  static double A[LARGEST * LARGEST], LU[LARGEST * LARGEST], X[LARGEST * LARGEST];
  unsigned long seed = 7;
  for (size_t s = 0; s < 2 * sizeof sizes / sizeof sizes[0]; ++s) {
    const int n = sizes[s / 2];
    const bool symmetric = s % 2;
    int pivot[LARGEST];
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        const double below = random_uniform(&seed, -1.0, 1.0),
                     above = random_uniform(&seed, -1.0, 1.0), more = i == j ? 2.0 * n : 0.0;
        A[i * n + j] = below + more;
        A[j * n + i] = (symmetric || i == j ? below : above) + more;
      }
    for (int c = 0; c < n / 2 && !symmetric; ++c)  // columns that must change places
      for (int i = 0; i < n; ++i) {
        const double a = A[i * n + c];
        A[i * n + c] = A[i * n + n - 1 - c], A[i * n + n - 1 - c] = a;
      }
    memcpy(LU, A, (size_t)(n * n) * sizeof *LU);
    if (symmetric) assert_int_equal(limpet_cholesky(n, LU, n), 0);
    else assert_int_equal(limpet_lu(n, LU, pivot), 0);
    if (symmetric) limpet_cholesky_inverse(n, LU, X);
    else limpet_lu_inverse(n, LU, pivot, X);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = i == j ? -1.0 : 0.0;
        for (int k = 0; k < n; ++k) sum += A[i * n + k] * X[k * n + j];
        assert_true(fabs(sum) < 1e-12);
      }
  }
}

static void singular_matrices_are_told(void **state) {
  (void)state;
  int pivot[3];
  double zero[9] = {0}, twice[9] = {1, 2, 1, 2, 4, 0, 3, 6, 1}, bad[4] = {NAN, 1, 1, 1};
  assert_int_equal(limpet_lu(3, zero, pivot), 1);
  assert_int_equal(limpet_lu(3, twice, pivot), 3);
  assert_int_equal(limpet_lu(2, bad, pivot), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factors_solve), cmocka_unit_test(far_larger_numbers_are_pivots),
      cmocka_unit_test(columns_solve_together), cmocka_unit_test(inverses_are_inverse),
      cmocka_unit_test(singular_matrices_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
