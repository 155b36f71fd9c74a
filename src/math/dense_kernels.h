/* math/dense_kernels.h: the dense kernels, written once and compiled for each instruction set by a
 * source file that defines
 *   LIMPET_DENSE_TABLE   name of the table, e.g. limpet_dense_avx2
 *   LIMPET_DENSE_NAME    its word, e.g. "avx2"
 * Products, factorisation, solves and what contacts add to a matrix are in parts, included here;
 * below are the kernels of panels (dense_table.h) and the table.
 *
 * Floating-point contraction is on in these files and only here: a multiply-add rounds once where
 * the machine has one. Sums run in a fixed order, so one type of CPU gives the same bits always.
 * Workspace: up to three buffers of 32 KiB on the stack. */
#include <stdint.h>
#include <string.h>

#include "math/dense_table.h"
#include "math/six.h"
#include "math/transpose_four.h"

#include "math/dense_product.h"

#include "math/dense_cholesky.h"

#include "math/dense_solve.h"

#include "math/dense_lu.h"

#include "math/dense_patch.h"

static void panel_solve(int w, int r, const double *L, const double *inverse, double *P, int ldp) {
  solve_columns(w, r, L, w, 1, inverse, P, ldp);
}

// C (6 x 6) -= A' B for 6 x 6 pieces of a panel: the pair of free bodies.
INLINE void update_6(const double *a, const double *b, long ldp, double *c, long ldc) {
  lanes4 low[6];
  lanes2 high[6];
#pragma GCC unroll 6
  for (int l = 0; l < 6; ++l)
    low[l] = *(const lanes4 *)(b + l * ldp), high[l] = *(const lanes2 *)(b + l * ldp + 4);
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    lanes4 s = *(lanes4 *)(c + i * ldc);
    lanes2 t = *(lanes2 *)(c + i * ldc + 4);
#pragma GCC unroll 6
    for (int l = 0; l < 6; ++l) s -= a[l * ldp + i] * low[l], t -= a[l * ldp + i] * high[l];
    *(lanes4 *)(c + i * ldc) = s;
    *(lanes2 *)(c + i * ldc + 4) = t;
  }
}

static void panel_update(int count, const limpet_panel_update *item, int w, const double *P,
                         int ldp, double *values) {
  for (const limpet_panel_update *end = item + count; item < end; ++item) {
    const double *a = P + item->a, *b = P + item->b;
    double *c = values + item->target;
    if (w == 6 && item->m == 6 && item->n == 6) {
      update_6(a, b, ldp, c, item->ldc);
    } else {
      update(item->m, item->n, w, a, 1, ldp, b, ldp, c, item->ldc, item->lower);
    }
  }
}

static void panel_product(int r, int m, int w, const double *P, int ldp, const double *X, int ldx,
                          double *C, int ldc) {
  update(r, m, w, P, 1, ldp, X, ldx, C, ldc, 0);
}

static void sub_mul(int m, int n, int k, const double *A, int row, int step, const double *B,
                    int ldb, double *C, int ldc) {
  update(m, n, k, A, row, step, B, ldb, C, ldc, 0);
}

static void solve_triangle(int w, int n, const double *L, int row, int step, const double *inverse,
                           double *B, int ldb) {
  solve_columns(w, n, L, row, step, inverse, B, ldb);
}

static void transpose_matrix(int m, int n, const double *A, int lda, double *B, int ldb) {
  transpose(m, n, A, lda, B, ldb);
}

/* A = (L L')^-1 = Y' Y with Y = L^-1. Y is found by blocks of columns, of which the rows above are
 * zero; A row by row, its lower triangle, which is copied to the upper one. */
static void cholesky_invert(int n, const double *L, int ldl, const double *inverse, double *Y,
                            double *A, int lda) {
  const long ldy = (n + 3) & ~3;
  memset(Y, 0, (size_t)(ldy * n) * sizeof *Y);
  for (int c = 0; c < n; c += BLOCK) {
    const int w = n - c < BLOCK ? n - c : BLOCK;
    double *y = Y + c * ldy + c;
    for (int i = 0; i < w; ++i) y[i * ldy + i] = 1.0;
    solve_columns(n - c, w, L + (long)c * ldl + c, ldl, 1, inverse + c, y, ldy);
  }
  enum { ROWS = 6 };
  for (int i = 0; i < n; i += ROWS) {
    const int m = n - i < ROWS ? n - i : ROWS;
    const double *y = Y + i * ldy;
    for (int r = 0; r < m; ++r) memset(A + (long)(i + r) * lda, 0, (size_t)(i + m) * sizeof *A);
    update(m, i + m, n - i, y + i, 1, ldy, y, ldy, A + (long)i * lda, lda, 0);
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      const double a = -A[(long)i * lda + j];
      A[(long)i * lda + j] = A[(long)j * lda + i] = a;
    }
}

// x <- L^-1 x for L (6 x 6): a free body, or two vertices of a mesh.
INLINE void forward_6(const double *L, const double *inverse, double *x) {
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    double t = x[i];
#pragma GCC unroll 6
    for (int j = 0; j < i; ++j) t -= L[6 * i + j] * x[j];
    x[i] = t * inverse[i];
  }
}

INLINE void backward_6(const double *L, const double *inverse, double *x) {
#pragma GCC unroll 6
  for (int i = 5; i >= 0; --i) {
    double t = x[i];
#pragma GCC unroll 6
    for (int j = 5; j > i; --j) t -= L[6 * j + i] * x[j];
    x[i] = t * inverse[i];
  }
}

// y (r) = P' x for x (6).
INLINE void spread_6(int r, const double *P, long ldp, const double *x, double *y) {
  int j = 0;
  for (; j + 4 <= r; j += 4) {
    lanes4 sum = x[0] * *(const lanes4 *)(P + j);
#pragma GCC unroll 5
    for (int k = 1; k < 6; ++k) sum += x[k] * *(const lanes4 *)(P + k * ldp + j);
    *(lanes4 *)(y + j) = sum;
  }
  for (; j < r; ++j) {
    double sum = x[0] * P[j];
#pragma GCC unroll 5
    for (int k = 1; k < 6; ++k) sum += x[k] * P[k * ldp + j];
    y[j] = sum;
  }
}

// x (6) -= P y for y (r).
INLINE void collect_6(int r, const double *P, long ldp, const double *y, double *x) {
  lanes4 sum[6];
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) sum[k] = (lanes4){0.0, 0.0, 0.0, 0.0};
  int j = 0;
  for (; j + 4 <= r; j += 4) {
    const lanes4 at = *(const lanes4 *)(y + j);
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) sum[k] += *(const lanes4 *)(P + k * ldp + j) * at;
  }
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
    double t = (sum[k][0] + sum[k][1]) + (sum[k][2] + sum[k][3]);
    for (int q = j; q < r; ++q) t += P[k * ldp + q] * y[q];
    x[k] -= t;
  }
}

/* The same where the rows that the panel reaches are six by six, `row` of the vector on for each of
 * `list`: P' x is subtracted there at once. */
static void bodies_forward(int count, const int *list, const int *row, const double *L,
                           const double *inverse, const double *P, int ldp, double *x,
                           double *all) {
  forward_6(L, inverse, x);
  for (const int *end = list + count; list < end; ++list, P += 6) {
    double *to = all + row[*list];
    limpet_six sum = limpet_six_at(to);
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k)
      sum = limpet_six_addmul(sum, -x[k], limpet_six_at(P + (long)k * ldp));
    limpet_six_store(to, sum);
  }
}

static void bodies_backward(int count, const int *list, const int *row, const double *L,
                            const double *inverse, const double *P, int ldp, double *x,
                            const double *all) {
  limpet_six sum[6];
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) sum[k] = (limpet_six){{0.0}, {0.0}};
  for (const int *end = list + count; list < end; ++list, P += 6) {
    const limpet_six at = limpet_six_at(all + row[*list]);
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k)
      sum[k] = limpet_six_add_product(sum[k], limpet_six_at(P + (long)k * ldp), at);
  }
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) x[k] -= limpet_six_sum(sum[k]);
  backward_6(L, inverse, x);
}

static void panel_forward(int w, int r, const double *L, const double *inverse, const double *P,
                          int ldp, double *x, double *y) {
  if (w == 6) {
    forward_6(L, inverse, x);
    spread_6(r, P, ldp, x, y);
    return;
  }
  forward(0, w, L, w, inverse, x);
  for (int j = 0; j < r; ++j) y[j] = 0.0;
  strip_update(1, r, w, x, 0, 1, P, ldp, y, 0);
  for (int j = 0; j < r; ++j) y[j] = -y[j];
}

static void panel_backward(int w, int r, const double *L, const double *inverse, const double *P,
                           int ldp, double *x, const double *y) {
  if (w == 6) {
    collect_6(r, P, ldp, y, x);
    backward_6(L, inverse, x);
    return;
  }
  int k = 0;
  for (; k + 4 <= w; k += 4) rows_dot(4, r, P + (long)k * ldp, ldp, y, x + k);
  for (; k < w; ++k) rows_dot(1, r, P + (long)k * ldp, ldp, y, x + k);
  backward(0, w, L, w, inverse, x);
}

const limpet_dense_table LIMPET_DENSE_TABLE = {
    .name = LIMPET_DENSE_NAME,
    .cholesky = cholesky,
    .cholesky_solve = cholesky_solve,
    .cholesky_invert = cholesky_invert,
    .lu = lu,
    .lu_solve = lu_solve,
    .lu_solve_transposed = lu_solve_transposed,
    .solve_columns = solve_triangle,
    .solve_rows = solve_rows,
    .sub_mul_t = sub_mul_t,
    .sub_mul = sub_mul,
    .sub_syrk = sub_syrk,
    .symmetric_update = symmetric_update,
    .transpose = transpose_matrix,
    .dot = dot,
    .axpy = axpy,
    .tmul_vec = tmul_vec,
    .mul_vec = mul_vec,
    .row_products = row_products,
    .weigh_change = weigh_change,
    .add_contacts = add_contacts,
    .contact_speeds = contact_speeds,
    .contact_push = contact_push,
    .body_speeds = body_speeds,
    .body_push = body_push,
    .body_stiffness = body_stiffness,
    .add_congruent = add_congruent,
    .panel_solve = panel_solve,
    .panel_update = panel_update,
    .panel_product = panel_product,
    .bodies_forward = bodies_forward,
    .bodies_backward = bodies_backward,
    .panel_forward = panel_forward,
    .panel_backward = panel_backward,
};
