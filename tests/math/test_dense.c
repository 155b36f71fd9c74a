/* tests/math/test_dense.c: the dense kernels of every instruction set against textbook loops, which
 * are kept here as the yardstick.
 *
 * Tolerance: Cholesky and its solves are backward stable with an error of a few n eps relative to
 * the matrix; matrices are made well conditioned (eigenvalues in [1, ~n]), so 1e-13 n covers both
 * sides for n <= 300. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/dense.h"
#include "math/dense_table.h"
#include "shared_data.h"

static unsigned long seed = 1;

static const limpet_dense_table *tables[3] = {&limpet_dense_baseline};
static int table_count = 1;

static double *random_matrix(int rows, int columns) {
  double *A = malloc((size_t)(rows * columns + 1) * sizeof *A);
  for (int i = 0; i < rows * columns; ++i) A[i] = random_uniform(&seed, -1.0, 1.0);
  return A;
}

// Symmetric positive definite n x n in the lower triangle, leading dimension ld; what lies above is
// NaN.
static double *random_definite(int n, int ld) {
  double *A = random_matrix(n, ld), *B = random_matrix(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < ld; ++j) {
      double sum = i == j ? 1.0 : 0.0;
      for (int k = 0; k < n; ++k) sum += j < n ? B[i * n + k] * B[j * n + k] : 0.0;
      A[i * ld + j] = j <= i ? sum : NAN;
    }
  free(B);
  return A;
}

static int textbook_cholesky(int n, double *A, int ld) {
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k)
      for (int i = j; i < n; ++i) A[i * ld + j] -= A[i * ld + k] * A[j * ld + k];
    if (!(A[j * ld + j] > 0.0)) return 1 + j;
    A[j * ld + j] = sqrt(A[j * ld + j]);
    for (int i = j + 1; i < n; ++i) A[i * ld + j] /= A[j * ld + j];
  }
  return 0;
}

static void expect_near(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g within %.3g", a, b, tolerance);
}

static void cholesky_agrees_with_the_textbook(void **state) {
  (void)state;
  for (int t = 0; t < table_count; ++t)
    for (int n = 0; n <= 300; n = n < 70 ? n + 1 : n + 23) {
      const int ld = n + 3;
      double *A = random_definite(n, ld), *B = malloc((size_t)(n * ld + 1) * sizeof *B),
             *inverse = malloc((size_t)(n + 1) * sizeof *inverse);
      memcpy(B, A, (size_t)(n * ld) * sizeof *A);
      assert_int_equal(textbook_cholesky(n, B, ld), 0);
      assert_int_equal(tables[t]->cholesky(n, A, ld, n % 2 ? inverse : NULL), 0);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < ld; ++j) {
          if (j <= i) expect_near(A[i * ld + j], B[i * ld + j], 1e-13 * (n + 1));
          else assert_true(isnan(A[i * ld + j]));  // the strict upper triangle is not touched
        }
      if (n % 2)
        for (int i = 0; i < n; ++i) expect_near(inverse[i] * A[i * ld + i], 1.0, 1e-15);

      // solve: L L' x = b for a known x
      double *x = random_matrix(n, 1), *b = calloc((size_t)n + 1, sizeof *b);
      for (int i = 0; i < n; ++i)
        for (int k = 0; k <= i; ++k) {
          double y = 0.0;
          for (int j = k; j < n; ++j) y += B[j * ld + k] * x[j];
          b[i] += B[i * ld + k] * y;
        }
      tables[t]->cholesky_solve(n, A, ld, b);
      for (int i = 0; i < n; ++i) expect_near(b[i], x[i], 1e-12 * (n + 1));
      free(A), free(B), free(inverse), free(x), free(b);
    }
}

static void cholesky_names_the_pivot_that_fails(void **state) {
  (void)state;
  for (int t = 0; t < table_count; ++t)
    for (int n = 1; n <= 130; n += n < 20 ? 1 : 11)
      for (int row = 0; row < n; row += n < 20 ? 1 : 7) {
        for (int kind = 0; kind < 2; ++kind) {
          double *A = random_definite(n, n);
          A[row * n + row] = kind ? NAN : -1.0;
          assert_int_equal(tables[t]->cholesky(n, A, n, NULL), 1 + row);
          free(A);
        }
      }
}

static void products_agree_with_loops(void **state) {
  (void)state;
  for (int t = 0; t < table_count; ++t)
    for (int round = 0; round < 400; ++round) {
      const int large = round % 40 == 0 ? 120 : 20;
      const int m = (int)random_uniform(&seed, 0, large), n = (int)random_uniform(&seed, 0, large),
                k = (int)random_uniform(&seed, 0, large);
      const int lda = k + 2, ldb = k + 1, ldc = n + 3;
      double *A = random_matrix(m + 1, lda), *B = random_matrix(n + 1, ldb),
             *C = random_matrix(m + 1, ldc);
      double *D = malloc((size_t)((m + 1) * ldc) * sizeof *D);
      memcpy(D, C, (size_t)((m + 1) * ldc) * sizeof *D);
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j)
          for (int l = 0; l < k; ++l) D[i * ldc + j] -= A[i * lda + l] * B[j * ldb + l];
      tables[t]->sub_mul_t(m, n, k, A, lda, B, ldb, C, ldc);
      for (int i = 0; i < (m + 1) * ldc; ++i) expect_near(C[i], D[i], 1e-14 * (k + 1));
      free(A), free(B), free(C), free(D);
    }
}

static void syrk_touches_the_lower_triangle_only(void **state) {
  (void)state;
  for (int t = 0; t < table_count; ++t)
    for (int round = 0; round < 200; ++round) {
      const int large = round % 20 == 0 ? 150 : 30;
      const int n = (int)random_uniform(&seed, 0, large), k = (int)random_uniform(&seed, 0, large);
      double *A = random_matrix(n + 1, k + 1), *C = random_matrix(n + 1, n + 1),
             *D = malloc((size_t)((n + 1) * (n + 1)) * sizeof *D);
      memcpy(D, C, (size_t)((n + 1) * (n + 1)) * sizeof *D);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j)
          for (int l = 0; l < k; ++l) D[i * (n + 1) + j] -= A[i * (k + 1) + l] * A[j * (k + 1) + l];
      tables[t]->sub_syrk(n, k, A, k + 1, C, n + 1);
      for (int i = 0; i < n + 1; ++i)
        for (int j = 0; j < n + 1; ++j) {
          if (i < n && j <= i) expect_near(C[i * (n + 1) + j], D[i * (n + 1) + j], 1e-14 * (k + 1));
          else assert_true(C[i * (n + 1) + j] == D[i * (n + 1) + j]);
        }
      free(A), free(C), free(D);
    }
}

// Both triangles, of which the upper one is the mirror image to the bit; the frame stays.
static void symmetric_updates_agree_with_loops(void **state) {
  (void)state;
  for (int t = 0; t < table_count; ++t)
    for (int n = 0; n < 40; ++n) {
      const int ld = n + 2, lda = n + 3;
      double *P = random_matrix(6, ld), *Q = malloc((size_t)(6 * ld) * sizeof *Q),
             *A = random_matrix(n + 1, lda), *B = malloc((size_t)((n + 1) * lda) * sizeof *B);
      for (int i = 0; i < 6 * ld; ++i) Q[i] = (i < 3 * ld ? -1.7 : 0.6) * P[i];
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j) A[j * lda + i] = A[i * lda + j];
      memcpy(B, A, (size_t)((n + 1) * lda) * sizeof *B);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          for (int l = 0; l < 6; ++l) B[i * lda + j] -= P[l * ld + i] * Q[l * ld + j];
      tables[t]->symmetric_update(n, P, Q, ld, A, lda);
      for (int i = 0; i <= n; ++i)
        for (int j = 0; j < lda; ++j) {
          if (i < n && j < n) {
            expect_near(A[i * lda + j], B[i * lda + j], 1e-14);
            assert_true(A[i * lda + j] == A[j * lda + i]);
          } else {
            assert_true(A[i * lda + j] == B[i * lda + j]);
          }
        }
      free(P), free(Q), free(A), free(B);
    }
}

static void rows_are_solved(void **state) {
  (void)state;
  for (int t = 0; t < table_count; ++t)
    for (int round = 0; round < 200; ++round) {
      const int large = round % 20 == 0 ? 150 : 30;
      const int m = (int)random_uniform(&seed, 0, large), n = (int)random_uniform(&seed, 1, large);
      double *L = random_definite(n, n), *X = random_matrix(m + 1, n),
             *Y = calloc((size_t)((m + 1) * n), sizeof *Y);
      assert_int_equal(textbook_cholesky(n, L, n), 0);

      // Y = X L', so solving gives X back
      for (int i = 0; i < m + 1; ++i)
        for (int j = 0; j < n; ++j)
          for (int k = 0; k <= j; ++k) Y[i * n + j] += X[i * n + k] * L[j * n + k];
      const double untouched = Y[m * n];
      tables[t]->solve_rows(m, n, L, n, Y, n);
      for (int i = 0; i < m * n; ++i) expect_near(Y[i], X[i], 1e-13 * (n + 1));
      assert_true(Y[m * n] == untouched);
      free(L), free(X), free(Y);
    }
}

static void panels_agree_with_loops(void **state) {
  (void)state;
  for (int t = 0; t < table_count; ++t)
    for (int round = 0; round < 300; ++round) {
      const int w = (int)random_uniform(&seed, 1, 40), r = (int)random_uniform(&seed, 0, 60),
                ldp = r + 1;
      double *L = random_definite(w, w), *inverse = malloc((size_t)w * sizeof *inverse),
             *P = random_matrix(w, ldp), *S = calloc((size_t)(w * ldp), sizeof *S);
      assert_int_equal(tables[t]->cholesky(w, L, w, inverse), 0);
      for (int i = 0; i < w; ++i)
        for (int j = 0; j < r; ++j)
          for (int k = 0; k <= i; ++k) S[i * ldp + j] += L[i * w + k] * P[k * ldp + j];
      tables[t]->panel_solve(w, r, L, inverse, S, ldp);
      for (int i = 0; i < w; ++i)
        for (int j = 0; j < r; ++j) expect_near(S[i * ldp + j], P[i * ldp + j], 1e-13 * (w + 1));

      // the sweeps of a solve
      double *x = random_matrix(w, 1), *z = calloc((size_t)w, sizeof *z), *y = random_matrix(r, 1),
             *u = calloc((size_t)r + 1, sizeof *u);
      for (int i = 0; i < w; ++i)
        for (int k = 0; k <= i; ++k) z[i] += L[i * w + k] * x[k];
      tables[t]->panel_forward(w, r, L, inverse, P, ldp, z, u);
      for (int i = 0; i < w; ++i) expect_near(z[i], x[i], 1e-13 * (w + 1));
      for (int j = 0; j < r; ++j) {
        double sum = 0.0;
        for (int i = 0; i < w; ++i) sum += P[i * ldp + j] * x[i];
        expect_near(u[j], sum, 1e-12);
      }
      for (int k = 0; k < w; ++k) {
        z[k] = 0.0;
        for (int i = k; i < w; ++i) z[k] += L[i * w + k] * x[i];
        for (int j = 0; j < r; ++j) z[k] += P[k * ldp + j] * y[j];
      }
      tables[t]->panel_backward(w, r, L, inverse, P, ldp, z, y);
      for (int i = 0; i < w; ++i) expect_near(z[i], x[i], 1e-12 * (w + 1));
      free(L), free(inverse), free(P), free(S), free(x), free(z), free(y), free(u);
    }
}

// Rows of n numbers `ld` apart, no room behind the last one; between them `filler`.
static double *spaced_rows(int rows, int n, int ld, const double *from, double filler) {
  const int size = (rows - 1) * ld + n;
  double *A = malloc((size_t)size * sizeof *A);
  for (int i = 0; i < size; ++i) A[i] = i % ld < n ? from[i / ld * n + i % ld] : filler;
  return A;
}

// What lies behind the rows of a panel changes nothing, is not changed, and need not be there.
static void numbers_behind_rows_do_not_count(void **state) {
  (void)state;
  for (int t = 0; t < table_count; ++t)
    for (int round = 0; round < 300; ++round) {
      const int w = (int)random_uniform(&seed, 1, 20), r = (int)random_uniform(&seed, 1, 30),
                m = (int)random_uniform(&seed, 1, 14), ld = r + (int)random_uniform(&seed, 0, 6);
      double *L = random_definite(w, w), *inverse = malloc((size_t)w * sizeof *inverse),
             *A = random_matrix(w, m), *B = random_matrix(w, r), *C = random_matrix(m, r);
      assert_int_equal(tables[t]->cholesky(w, L, w, inverse), 0);
      double *P[2], *D[2];
      for (int k = 0; k < 2; ++k) {
        P[k] = spaced_rows(w, r, ld, B, k == 0 ? 0.0 : NAN);
        D[k] = spaced_rows(m, r, ld, C, 7.0);
        tables[t]->panel_solve(w, r, L, inverse, P[k], ld);
        tables[t]->panel_product(m, r, w, A, m, P[k], ld, D[k], ld);
      }
      for (int i = 0; i < w; ++i)
        assert_memory_equal(P[0] + i * ld, P[1] + i * ld, (size_t)r * sizeof **P);
      assert_memory_equal(D[0], D[1], (size_t)((m - 1) * ld + r) * sizeof **D);
      for (int i = 0; i + 1 < m; ++i)
        for (int j = r; j < ld; ++j) assert_true(D[1][i * ld + j] == 7.0);
      for (int k = 0; k < 2; ++k) free(P[k]), free(D[k]);
      free(L), free(inverse), free(A), free(B), free(C);
    }
}

// A times its inverse is the identity, both triangles are there, and nothing beside them.
static void inverses_agree(void **state) {
  (void)state;
  for (int t = 0; t < table_count; ++t)
    for (int n = 1; n <= 300; n = n < 70 ? n + 1 : n + 23) {
      const int ld = n + 2;
      double *A = random_definite(n, n), *L = malloc((size_t)(n * n) * sizeof *L),
             *inverse = malloc((size_t)n * sizeof *inverse), *W = random_matrix(n, ld),
             *Y = malloc((size_t)(n * (n + 3)) * sizeof *Y);
      memcpy(L, A, (size_t)(n * n) * sizeof *L);
      assert_int_equal(tables[t]->cholesky(n, L, n, inverse), 0);
      for (int i = 0; i < n; ++i) W[i * ld + n] = 7.0;
      tables[t]->cholesky_invert(n, L, n, inverse, Y, W, ld);
      for (int i = 0; i < n; ++i) {
        assert_true(W[i * ld + n] == 7.0);
        for (int j = 0; j < n; ++j) {
          double sum = 0.0;
          for (int k = 0; k < n; ++k) sum += (k <= i ? A[i * n + k] : A[k * n + i]) * W[k * ld + j];
          expect_near(sum, i == j, 1e-12 * (n + 1));
          assert_true(W[i * ld + j] == W[j * ld + i]);
        }
      }
      free(A), free(L), free(inverse), free(W), free(Y);
    }
}

static void vectors_agree_with_loops(void **state) {
  (void)state;
  for (int t = 0; t < table_count; ++t)
    for (int n = 0; n < 60; ++n) {
      double *x = random_matrix(n, 1), *y = random_matrix(n, 1), sum = 0.0;
      for (int i = 0; i < n; ++i) sum += x[i] * y[i];
      expect_near(tables[t]->dot(n, x, y), sum, 1e-14);
      double *z = malloc((size_t)(n + 1) * sizeof *z);
      for (int i = 0; i < n; ++i) z[i] = y[i] + 0.3 * x[i];
      tables[t]->axpy(n, 0.3, x, y);
      for (int i = 0; i < n; ++i) expect_near(y[i], z[i], 1e-15);
      free(x), free(y), free(z);
    }
}

static void matrices_times_vectors_agree_with_loops(void **state) {
  (void)state;
  for (int t = 0; t < table_count; ++t)
    for (int k = 0; k < 400; ++k) {
      const int m = (int)random_uniform(&seed, 0.0, 70.0), n = k % 65, ld = (n + 3) & ~3;
      double *A = random_matrix(m, ld), *x = random_matrix(n, 1), *z = random_matrix(m, 1);
      double *y = malloc((size_t)(m + n + 2) * sizeof *y), *w = y + m + 1;
      for (int i = 0; i < m; ++i)
        for (int j = n; j < ld; ++j) A[i * ld + j] = 0.0;
      y[m] = w[n] = 7.0;
      tables[t]->mul_vec(m, n, A, ld, x, y);
      tables[t]->tmul_vec(m, n, A, ld, z, w);
      assert_true(y[m] == 7.0 && w[n] == 7.0);
      for (int i = 0; i < m; ++i) {
        double sum = 0.0;
        for (int j = 0; j < n; ++j) sum += A[i * ld + j] * x[j];
        expect_near(y[i], sum, 1e-14);
      }
      for (int j = 0; j < n; ++j) {
        double sum = 0.0;
        for (int i = 0; i < m; ++i) sum += A[i * ld + j] * z[i];
        expect_near(w[j], sum, 1e-14);
      }
      free(A), free(x), free(y), free(z);
    }
}

// What Anderson's method asks of its memory.
static void changes_agree_with_loops(void **state) {
  (void)state;
  enum { MOST = 5, ROOM = 80 };
  for (int t = 0; t < table_count; ++t)
    for (int k = 0; k < 400; ++k) {
      const int m = 1 + k % MOST, n = (int)random_uniform(&seed, 0.0, ROOM - 1.0), ld = n + k % 3;
      double *A = random_matrix(m, ld), *x = random_matrix(ROOM, 1), *y = random_matrix(ROOM, 1),
             *w = random_matrix(ROOM, 1), *r = random_matrix(ROOM, 1), *g = random_matrix(ROOM, 1);
      double of_x[MOST + 1], of_y[MOST + 1], changed[5][ROOM];
      of_x[m] = of_y[m] = 7.0;
      tables[t]->row_products(m, n, A, ld, x, y, of_x, of_y);
      assert_true(of_x[m] == 7.0 && of_y[m] == 7.0);
      for (int i = 0; i < m; ++i) {
        double sum_x = 0.0, sum_y = 0.0;
        for (int j = 0; j < n; ++j) sum_x += A[i * ld + j] * x[j], sum_y += A[i * ld + j] * y[j];
        expect_near(of_x[i], sum_x, 1e-14);
        expect_near(of_y[i], sum_y, 1e-14);
      }

      // y, last r, last g, changes of both
      memcpy(changed[0], y, sizeof changed[0]), memcpy(changed[1], r, sizeof changed[1]);
      memcpy(changed[2], g, sizeof changed[2]);
      for (int i = 0; i < ROOM; ++i) changed[3][i] = changed[4][i] = 7.0;
      tables[t]->weigh_change(n, w, x, changed[0], changed[1], changed[2], changed[3], changed[4]);
      for (int i = 0; i < ROOM; ++i) {
        const bool in = i < n;
        const double now = w[i] * (x[i] - y[i]);
        expect_near(changed[0][i], in ? now : y[i], 1e-15);
        expect_near(changed[1][i], in ? now : r[i], 1e-15);
        expect_near(changed[2][i], in ? x[i] : g[i], 1e-15);
        expect_near(changed[3][i], in ? now - r[i] : 7.0, 1e-15);
        expect_near(changed[4][i], in ? x[i] - g[i] : 7.0, 1e-15);
      }
      free(A), free(x), free(y), free(w), free(r), free(g);
    }
}

static void contacts_agree_with_loops(void **state) {
  (void)state;
  for (int t = 0; t < table_count; ++t)
    for (int count = 0; count < 9; ++count) {
      double *W = random_matrix(count, 18), *G = random_matrix(count, 6), K[36], L[36];
      for (int i = 0; i < 36; ++i) K[i] = L[i] = 0.1 * i;
      if (count > 2) G[12] = G[14] = G[17] = 0.0;  // a contact that is open
      for (int c = 0; c < count; ++c) {
        const double *g = G + 6 * c;
        const double full[9] = {g[0], g[1], g[3], g[1], g[2], g[4], g[3], g[4], g[5]};
        for (int i = 0; i < 36 && (c != 2); ++i)
          for (int e = 0; e < 9; ++e)
            L[i] += full[e] * W[18 * c + 6 * (e / 3) + i / 6] * W[18 * c + 6 * (e % 3) + i % 6];
      }
      assert_int_equal(tables[t]->add_contacts(count, W, G, K), count > 0);
      for (int i = 0; i < 36; ++i) expect_near(K[i], L[i], 1e-13);
      free(W), free(G);
    }
}

// Rows and columns in runs, out of order, and those of one side.
static void congruences_touch_the_lower_triangle_only(void **state) {
  (void)state;
  enum { N = 150 };
  for (int t = 0; t < table_count; ++t)
    for (int k = 0; k < 200; ++k) {
      int at[2][N], count[2] = {0, 0};
      for (int s = 0; s < 2; ++s) {
        for (int d = 0; d < N; d += random_uniform(&seed, 0.0, 1.0) < 0.7 ? 1 : k % 50 + 2)
          at[s][count[s]++] = k % 3 == 2 ? N - 1 - d : d;
        if (k % 2 && s) memcpy(at[1], at[0], sizeof at[0]), count[1] = count[0];
      }
      double *C = random_matrix(count[0], 6), *D = random_matrix(count[1], 6),
             *B = random_matrix(6, 6), K[36], *H = random_matrix(N, N), *E = random_matrix(N, N);
      memcpy(E, H, N * N * sizeof *E);
      for (int i = 0; i < 36; ++i) K[i] = B[i] + B[6 * (i % 6) + i / 6];
      tables[t]->add_congruent(count[0], at[0], C, K, count[1], at[1], D, H, N);
      for (int i = 0; i < count[0]; ++i)
        for (int j = 0; j < count[1]; ++j)
          for (int e = 0; e < 36 && at[1][j] <= at[0][i]; ++e)
            E[at[0][i] * N + at[1][j]] += C[6 * i + e / 6] * K[e] * D[6 * j + e % 6];
      for (int i = 0; i < N * N; ++i) expect_near(H[i], E[i], 1e-13);
      free(C), free(D), free(B), free(H), free(E);
    }
}

static void same_bits_twice(void **state) {
  (void)state;
  double *A = random_definite(50, 50), *B = malloc(2500 * sizeof *B);
  memcpy(B, A, 2500 * sizeof *B);
  assert_int_equal(limpet_cholesky(50, A, 50), 0);
  assert_int_equal(limpet_cholesky(50, B, 50), 0);
  assert_memory_equal(A, B, 2500 * sizeof *B);
  free(A), free(B);
}

/* Wider tiles sum in the same order: factor, inverse and products of the wide table equal those of
 * AVX2 to the bit, so a run does not tell which of the two it had. */
static void wide_tiles_give_the_same_bits(void **state) {
  (void)state;
  if (table_count < 3) skip();
  const limpet_dense_table *a = tables[1], *b = tables[2];
  for (int n = 1; n < 200; n = n < 60 ? n + 1 : n + 17) {
    const int m = n / 2 + 3, ld = n + 5;
    const size_t size = (size_t)(n * ld) * sizeof(double);
    double *A = random_definite(n, ld), *B = malloc(size), *X = random_matrix(n, m + n),
           *Y = malloc((size_t)(n * (m + n)) * sizeof *Y), *C = random_matrix(m, n),
           *D = malloc((size_t)(m * n) * sizeof *D), inverse[2][200];
    memcpy(B, A, size), memcpy(Y, X, (size_t)(n * (m + n)) * sizeof *Y);
    memcpy(D, C, (size_t)(m * n) * sizeof *D);
    assert_int_equal(a->cholesky(n, A, ld, inverse[0]), 0);
    assert_int_equal(b->cholesky(n, B, ld, inverse[1]), 0);
    assert_memory_equal(A, B, size);
    for (int i = 0; i < n; ++i) inverse[0][i] = 1.0 / A[i * ld + i];
    for (int i = 0; i < n; ++i) memmove(B + i * n, A + i * ld, (size_t)n * sizeof *B);
    a->panel_solve(n, m + n, B, inverse[0], X, m + n);
    b->panel_solve(n, m + n, B, inverse[0], Y, m + n);
    assert_memory_equal(X, Y, (size_t)(n * (m + n)) * sizeof *Y);
    a->panel_product(m, n, n, X, m + n, X + m, m + n, C, n);
    b->panel_product(m, n, n, X, m + n, X + m, m + n, D, n);
    assert_memory_equal(C, D, (size_t)(m * n) * sizeof *D);
    free(A), free(B), free(X), free(Y), free(C), free(D);
  }
}

int main(void) {
#if defined(__x86_64__)
  if (limpet_dense() == &limpet_dense_avx512) tables[table_count++] = &limpet_dense_avx2;
#endif
  if (limpet_dense() != tables[0]) tables[table_count++] = limpet_dense();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cholesky_agrees_with_the_textbook),
      cmocka_unit_test(cholesky_names_the_pivot_that_fails),
      cmocka_unit_test(products_agree_with_loops),
      cmocka_unit_test(syrk_touches_the_lower_triangle_only),
      cmocka_unit_test(symmetric_updates_agree_with_loops),
      cmocka_unit_test(rows_are_solved),
      cmocka_unit_test(panels_agree_with_loops),
      cmocka_unit_test(numbers_behind_rows_do_not_count),
      cmocka_unit_test(inverses_agree),
      cmocka_unit_test(vectors_agree_with_loops),
      cmocka_unit_test(matrices_times_vectors_agree_with_loops),
      cmocka_unit_test(changes_agree_with_loops),
      cmocka_unit_test(contacts_agree_with_loops),
      cmocka_unit_test(congruences_touch_the_lower_triangle_only),
      cmocka_unit_test(same_bits_twice),
      cmocka_unit_test(wide_tiles_give_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
