/* tests/math/test_ltl.c: the kernels of math/ltl.h, of every instruction set, against textbook
 * loops. Matrices of branches have a condition number below 1e5, so solutions are good to 1e-10. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/ltl.h"
#include "shared_data.h"

static unsigned long seed = 1;

static const limpet_ltl_table *tables[2] = {&limpet_ltl_baseline};
static int table_count = 1;

static double *random_matrix(int rows, int columns) {
  double *A = malloc((size_t)(rows * columns + 1) * sizeof *A);
  for (int i = 0; i < rows * columns; ++i) A[i] = random_uniform(&seed, -1.0, 1.0);
  return A;
}

static void expect_near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g within %.3g", a, b, tolerance);
}

// Symmetric, positive definite and full.
static double *random_definite(int n, int lda) {
  double *A = calloc((size_t)(n * lda), sizeof *A), *B = random_matrix(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) A[i * lda + j] += B[i * n + k] * B[j * n + k] / n;
    A[i * lda + i] += 1.0;
  }
  free(B);
  return A;
}

/* A symmetric positive definite matrix of a random tree of velocities, or of several, with the
 * zeros between branches: sum of w w' over the paths w from a velocity to the root. */
static double *random_branches(int n, bool couples) {
  double *A = calloc((size_t)(n * n), sizeof *A), *w = malloc((size_t)n * sizeof *w);
  int parent[64];
  for (int d = 0; d < n; ++d) {
    const double draw = random_uniform(&seed, 0.0, 1.0);
    parent[d] = d == 0 || draw < 0.1 ? -1 : draw < 0.7 ? d - 1 : (int)random_uniform(&seed, 0.0, d);
  }
  for (int d = 0; d < n; ++d) {
    memset(w, 0, (size_t)n * sizeof *w);
    for (int a = d; a >= 0; a = parent[a]) w[a] = random_uniform(&seed, -1.0, 1.0);
    if (couples && d % 5 == 0)
      for (int a = (int)random_uniform(&seed, 0.0, n); a >= 0; a = parent[a]) w[a] += 0.3;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) A[i * n + j] += w[i] * w[j];
    A[d * n + d] += 0.1;
  }
  free(w);
  return A;
}

// Symmetric, positive definite and sparse, by no tree: elimination fills in anywhere.
static double *random_sparse(int n) {
  double *A = calloc((size_t)(n * n), sizeof *A);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) {
      if (random_uniform(&seed, 0.0, 1.0) > 0.1) continue;
      const double a = A[i * n + j] = A[j * n + i] = random_uniform(&seed, -1.0, 1.0);
      A[i * n + i] += fabs(a), A[j * n + j] += fabs(a);
    }
  for (int i = 0; i < n; ++i) A[i * n + i] += 0.1;
  return A;
}

// Solutions by L' L = A, with a unit diagonal beyond n, for matrices with few zeros and many.
static void branches_are_factored(void **state) {
  (void)state;
  for (int t = 0; t < table_count; ++t)
    for (int k = 0; k < 600; ++k) {
      const int n = 1 + k % 64, ld = (n + 3) & ~3;
      double *A = k % 5 == 0   ? random_definite(n, n)
                  : k % 5 == 1 ? random_sparse(n)
                               : random_branches(n, k % 5 == 2);
      double *L = malloc((size_t)(ld * ld) * sizeof *L), x[64], b[64] = {0.0};
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j) A[j * n + i] = A[i * n + j];
      tables[t]->copy(n, A, n, L);
      assert_int_equal(tables[t]->factor(ld, L, ld), 0);
      for (int i = 0; i < ld; ++i) x[i] = i < n ? sin(1.0 + i) : 0.0;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) b[i] += A[i * n + j] * x[j];
      tables[t]->solve(ld, L, ld, b);
      for (int i = 0; i < n; ++i) expect_near(b[i], x[i], 1e-10);
      free(A), free(L);
    }
}

// No factor of a matrix with a negative pivot, in whatever row.
static void branches_that_are_not_positive_fail(void **state) {
  (void)state;
  for (int t = 0; t < table_count; ++t)
    for (int n = 1; n <= 64; ++n)
      for (int row = 0; row < n; row += 3) {
        const int ld = (n + 3) & ~3;
        double *A = random_branches(n, false), *L = malloc((size_t)(ld * ld) * sizeof *L);
        A[row * n + row] = row % 2 ? -1.0 : NAN;
        tables[t]->copy(n, A, n, L);
        assert_true(tables[t]->factor(ld, L, ld) != 0);
        free(A), free(L);
      }
}

// Groups of rows, some strips of which are zero, against loops.
static void rows_add_to_a_matrix(void **state) {
  (void)state;
  static const int sizes[] = {2, 3, 6};
  for (int t = 0; t < table_count; ++t)
    for (int k = 0; k < 200; ++k) {
      const int n = 4 * (1 + k % 16), count = 1 + k % 130;
      double *H = random_matrix(n + 12, n), *E = random_matrix(n, n);
      memcpy(E, H, (size_t)(n * n) * sizeof *E);
      double *B = random_matrix(6 * count, n), *Y = malloc((size_t)(6 * count * n) * sizeof *Y);
      limpet_row_group *group = malloc((size_t)count * sizeof *group);
      for (int g = 0; g < count; ++g) {
        const int m = sizes[(g + k) % 3];
        double G[21], *b = B + 6 * g * n, *y = Y + 6 * g * n;
        const unsigned tiles = (unsigned)random_uniform(&seed, 0.0, 65536.0) & ((1u << n / 4) - 1u);
        for (int i = 0; i < 21; ++i) G[i] = random_uniform(&seed, -1.0, 1.0);
        for (int i = 0; i < m; ++i)
          for (int j = 0; j < n; ++j)
            if (!(tiles >> j / 4 & 1u)) b[i * n + j] = 0.0, y[i * n + j] = 0.0;
        tables[t]->weigh_rows(m, G, tiles, b, n, y);
        double *product = malloc((size_t)(m * n) * sizeof *product);
        if (m > 2) tables[t]->multiply_rows(m, m, H, tiles, b, n, product);
        for (int i = 0; i < m * n && m > 2; ++i) {
          double sum = 0.0;
          for (int l = 0; l < m; ++l) sum += H[i / n * m + l] * b[l * n + i % n];
          expect_near(product[i], sum, 1e-13);
        }
        free(product);
        group[g] = (limpet_row_group){.count = m, .tiles = tiles, .Y = y, .B = b};
        for (int r = 0; r < m; ++r)
          for (int s = 0; s < m; ++s)
            for (int i = 0; i < n; ++i)
              for (int j = 0; j <= i; ++j)
                E[i * n + j] += G[r > s ? r * (r + 1) / 2 + s : s * (s + 1) / 2 + r] *
                                b[r * n + i] * b[s * n + j];
      }
      tables[t]->add_gram(n, count, group, n, H, n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) expect_near(H[i * n + j], E[i * n + j], 1e-12);
      free(H), free(E), free(B), free(Y), free(group);
    }
}

int main(void) {
  if (limpet_ltl() != tables[0]) tables[table_count++] = limpet_ltl();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(branches_are_factored),
      cmocka_unit_test(branches_that_are_not_positive_fail),
      cmocka_unit_test(rows_add_to_a_matrix),
  };
  return cmocka_run_group_tests_name("ltl", tests, NULL, NULL);
}
