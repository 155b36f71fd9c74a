/* math/dense_kernels.h: the dense kernels, written once and compiled for each instruction set by a source file that defines
 *   LIMPET_DENSE_TABLE   name of the table, e.g. limpet_dense_avx2
 *   LIMPET_DENSE_NAME    its word, e.g. "avx2"
 *
 *   Cholesky       A = L L', upper form inside: U = L' is made row block by row block (4 rows), left-looking:
 *                    U[p, :] = D[p]^-T (A[p, :] - sum over k < p of U[k, p] U[k, :])
 *                  n <= TINY: unrolled, in place; n <= SMALL: in a transposed copy on the stack; above: column blocks of BLOCK,
 *                  right-looking
 *   pivots         4 x 4 as L D L' with one division in the chain of each pivot, square roots afterwards:
 *                  1/sqrt(d) = sqrt(d) (1/d), so the latency per pivot is one division and two multiply-adds
 *   products       tiles of 6 rows x 8 columns in registers (dense_tile.h); A B' transposes pieces of B on the stack
 *
 * Reference: Golub, Van Loan, Matrix Computations, section 4.2. Floating-point contraction is on in these files and only here: a
 * multiply-add rounds once where the machine has one. Sums run in a fixed order, so one type of CPU gives the same bits always.
 * Workspace: two buffers of 32 KiB on the stack. Cost: n^3/6 multiply-adds. */
#include "math/dense_table.h"

#include <stddef.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors wider than the machine's are only passed to functions that are inlined
#endif

#define INLINE static inline __attribute__((always_inline))
typedef double lanes4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double lanes2 __attribute__((vector_size(16), aligned(8), may_alias));

enum { TINY = 8, SMALL = 64, BLOCK = 48 };  // BLOCK <= SMALL, both multiples of 4

#define LANE lanes4
#define WIDTH 4
#define TILE(x) tile4_##x
#include "math/dense_tile.h"
#undef LANE
#undef WIDTH
#undef TILE
#define LANE lanes2
#define WIDTH 2
#define TILE(x) tile2_##x
#include "math/dense_tile.h"
#undef LANE
#undef WIDTH
#undef TILE
#define LANE double
#define WIDTH 1
#define TILE(x) tile1_##x
#include "math/dense_tile.h"
#undef LANE
#undef WIDTH
#undef TILE

// ------------------------------------------------------------------------------------------------------------ products

// R rows of C (R x n) -= a b.
INLINE void strip_update(const int R, int n, int k, const double *a, long row, long step, const double *b, long ldb, double *c,
                         long ldc) {
  int j = 0;
  for (; j + 8 <= n; j += 8) tile4_update(R, 2, k, a, row, step, b + j, ldb, c + j, ldc);
  if (j + 4 <= n) tile4_update(R, 1, k, a, row, step, b + j, ldb, c + j, ldc), j += 4;
  if (j + 2 <= n) tile2_update(R, 1, k, a, row, step, b + j, ldb, c + j, ldc), j += 2;
  if (j < n) tile1_update(R, 1, k, a, row, step, b + j, ldb, c + j, ldc);
}

/* C (m x n) -= sum over l of a[i row + l step] b[l ldb + j]. `lower`: what lies above the diagonal may be left out, and entries just
 * above it are overwritten. */
static void update(int m, int n, int k, const double *a, long row, long step, const double *b, long ldb, double *c, long ldc,
                   int lower) {
  for (int i = 0; i < m; i += 6) {
    const int columns = lower && i + 6 < n ? i + 6 : n;
    const double *ai = a + i * row;
    double *ci = c + i * ldc;
    switch (m - i) {
      case 1: strip_update(1, columns, k, ai, row, step, b, ldb, ci, ldc); break;
      case 2: strip_update(2, columns, k, ai, row, step, b, ldb, ci, ldc); break;
      case 3: strip_update(3, columns, k, ai, row, step, b, ldb, ci, ldc); break;
      case 4: strip_update(4, columns, k, ai, row, step, b, ldb, ci, ldc); break;
      case 5: strip_update(5, columns, k, ai, row, step, b, ldb, ci, ldc); break;
      default: strip_update(6, columns, k, ai, row, step, b, ldb, ci, ldc); break;
    }
  }
}

// dst (n x m) = src' (src: m x n).
static void transpose(int m, int n, const double *src, long lds, double *dst, long ldd) {
  int i = 0;
  for (; i + 4 <= m; i += 4) {
    int j = 0;
    for (; j + 4 <= n; j += 4) {
      const double *s = src + i * lds + j;
      double *d = dst + j * ldd + i;
      const lanes4 r0 = *(const lanes4 *)s, r1 = *(const lanes4 *)(s + lds);
      const lanes4 r2 = *(const lanes4 *)(s + 2 * lds), r3 = *(const lanes4 *)(s + 3 * lds);
      const lanes4 t0 = __builtin_shufflevector(r0, r1, 0, 4, 2, 6), t1 = __builtin_shufflevector(r0, r1, 1, 5, 3, 7);
      const lanes4 t2 = __builtin_shufflevector(r2, r3, 0, 4, 2, 6), t3 = __builtin_shufflevector(r2, r3, 1, 5, 3, 7);
      *(lanes4 *)d = __builtin_shufflevector(t0, t2, 0, 1, 4, 5);
      *(lanes4 *)(d + ldd) = __builtin_shufflevector(t1, t3, 0, 1, 4, 5);
      *(lanes4 *)(d + 2 * ldd) = __builtin_shufflevector(t0, t2, 2, 3, 6, 7);
      *(lanes4 *)(d + 3 * ldd) = __builtin_shufflevector(t1, t3, 2, 3, 6, 7);
    }
    for (; j < n; ++j)
      for (int p = 0; p < 4; ++p) dst[j * ldd + i + p] = src[(i + p) * lds + j];
  }
  for (; i < m; ++i)
    for (int j = 0; j < n; ++j) dst[j * ldd + i] = src[i * lds + j];
}

// n = k = 6: the columns of B' are put together in registers.
static void sub_mul_t_6(int m, const double *A, long lda, const double *B, long ldb, double *C, long ldc) {
  lanes4 low[6];
  lanes2 high[6];
#pragma GCC unroll 6
  for (int l = 0; l < 6; ++l) {
    low[l] = (lanes4){B[l], B[ldb + l], B[2 * ldb + l], B[3 * ldb + l]};
    high[l] = (lanes2){B[4 * ldb + l], B[5 * ldb + l]};
  }
  for (int i = 0; i < m; ++i, A += lda, C += ldc) {
    lanes4 s = *(lanes4 *)C;
    lanes2 t = *(lanes2 *)(C + 4);
#pragma GCC unroll 6
    for (int l = 0; l < 6; ++l) s -= A[l] * low[l], t -= A[l] * high[l];
    *(lanes4 *)C = s;
    *(lanes2 *)(C + 4) = t;
  }
}

static void sub_mul_t(int m, int n, int k, const double *A, int lda, const double *B, int ldb, double *C, int ldc) {
  if (n == 6 && k == 6) {
    sub_mul_t_6(m, A, lda, B, ldb, C, ldc);
    return;
  }
  double b[SMALL * SMALL] __attribute__((aligned(64)));
  for (int j = 0; j < n; j += SMALL) {
    const int columns = n - j < SMALL ? n - j : SMALL, ld = (columns + 3) & ~3;
    for (int l = 0; l < k; l += SMALL) {
      const int steps = k - l < SMALL ? k - l : SMALL;
      transpose(columns, steps, B + (long)j * ldb + l, ldb, b, ld);
      update(m, columns, steps, A + l, lda, 1, b, ld, C + j, ldc, 0);
    }
  }
}

// The diagonal piece goes through a copy, so that what lies above the diagonal is not touched.
static void sub_syrk(int n, int k, const double *A, int lda, double *C, int ldc) {
  enum { PIECE = 24 };
  for (int i = 0; i < n; i += PIECE) {
    const int m = n - i < PIECE ? n - i : PIECE;
    const double *a = A + (long)i * lda;
    double *c = C + (long)i * ldc + i;
    double d[PIECE * PIECE] __attribute__((aligned(64))), b[PIECE * SMALL] __attribute__((aligned(64)));
    for (int p = 0; p < m; ++p)
      for (int q = 0; q < PIECE; ++q) d[p * PIECE + q] = q <= p ? c[(long)p * ldc + q] : 0.0;
    for (int l = 0; l < k; l += SMALL) {
      const int steps = k - l < SMALL ? k - l : SMALL;
      transpose(m, steps, a + l, lda, b, PIECE);
      update(m, m, steps, a + l, lda, 1, b, PIECE, d, PIECE, 1);
      const int below = n - i - m;
      if (below > 0) update(below, m, steps, a + (long)m * lda + l, lda, 1, b, PIECE, c + (long)m * ldc, ldc, 0);
    }
    for (int p = 0; p < m; ++p)
      for (int q = 0; q <= p; ++q) c[(long)p * ldc + q] = d[p * PIECE + q];
  }
}

// --------------------------------------------------------------------------------------------- solves with the factor

// Rows p .. p + R - 1 of b (n columns), see dense_tile.h.
INLINE void strip_solve(const int R, int n, int p, const double *l, long row, long step, const double *inverse, double *b,
                        long ldb) {
  int j = 0;
  for (; j + 8 <= n; j += 8) tile4_solve(R, 2, p, l, row, step, inverse, b + j, ldb);
  if (j + 4 <= n) tile4_solve(R, 1, p, l, row, step, inverse, b + j, ldb), j += 4;
  if (j + 2 <= n) tile2_solve(R, 1, p, l, row, step, inverse, b + j, ldb), j += 2;
  if (j < n) tile1_solve(R, 1, p, l, row, step, inverse, b + j, ldb);
}

// b <- L^-1 b (b: w x n), L[i][k] = l[i row + k step].
static void solve_columns(int w, int n, const double *l, long row, long step, const double *inverse, double *b, long ldb) {
  for (int p = 0; p < w; p += 6) {
    const double *lp = l + p * row, *ip = inverse + p;
    switch (w - p) {
      case 1: strip_solve(1, n, p, lp, row, step, ip, b, ldb); break;
      case 2: strip_solve(2, n, p, lp, row, step, ip, b, ldb); break;
      case 3: strip_solve(3, n, p, lp, row, step, ip, b, ldb); break;
      case 4: strip_solve(4, n, p, lp, row, step, ip, b, ldb); break;
      case 5: strip_solve(5, n, p, lp, row, step, ip, b, ldb); break;
      default: strip_solve(6, n, p, lp, row, step, ip, b, ldb); break;
    }
  }
}

static void solve_rows(int m, int n, const double *L, int ldl, double *X, int ldx) {
  double x[SMALL * SMALL] __attribute__((aligned(64))), inverse[SMALL];
  for (int p = 0; p < n; p += BLOCK) {
    const int w = n - p < BLOCK ? n - p : BLOCK;
    const double *l = L + (long)p * ldl + p;
    for (int i = 0; i < w; ++i) inverse[i] = 1.0 / l[(long)i * ldl + i];
    if (p > 0) sub_mul_t(m, w, p, X, ldx, L + (long)p * ldl, ldl, X + p, ldx);
    for (int i = 0; i < m; i += SMALL) {
      const int rows = m - i < SMALL ? m - i : SMALL, ld = (rows + 3) & ~3;
      double *xi = X + (long)i * ldx + p;
      transpose(rows, w, xi, ldx, x, ld);
      solve_columns(w, rows, l, ldl, 1, inverse, x, ld);
      transpose(w, rows, x, ld, xi, ldx);
    }
  }
}

// ------------------------------------------------------------------------------------------------------------ Cholesky

/* Factors the R x R pivot block s (upper triangle, rows of 4) in place, `inverse`: reciprocals of the diagonal. Returns 0 or 1 + the
 * row of a pivot that is not positive. */
INLINE int pivot_block(const int R, double s[16], double *inverse) {
  double d[4], i[4];
#pragma GCC unroll 4
  for (int p = 0; p < R; ++p) {
    d[p] = s[5 * p];
    i[p] = 1.0 / d[p];
#pragma GCC unroll 4
    for (int r = p + 1; r < R; ++r) {
      const double l = s[4 * p + r] * i[p];
#pragma GCC unroll 4
      for (int q = r; q < R; ++q) s[4 * r + q] -= l * s[4 * p + q];
    }
  }
  int failed = 0;
#pragma GCC unroll 4
  for (int p = R - 1; p >= 0; --p) {
    if (!(d[p] > 0.0)) failed = 1 + p;
    const double root = __builtin_sqrt(d[p]), scale = root * i[p];
    inverse[p] = scale;
    s[5 * p] = root;
#pragma GCC unroll 4
    for (int q = p + 1; q < R; ++q) s[4 * p + q] *= scale;
  }
  return failed;
}

// Rows p .. p + R - 1 of the upper factor; columns run to `ld`, the padded n.
INLINE int upper_rows(const int R, int p, int ld, double *u, double *inverse) {
  double *row = u + (long)p * ld;
  lanes4 s[6][2];
  double pivot[16];
  tile4_load(R, 1, s, row + p, ld);
  tile4_sub(R, 1, s, p, u + p, 1, ld, u + p, ld);
  tile4_store(R, 1, s, pivot, 4);
  const int failed = pivot_block(R, pivot, inverse + p);
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int q = r; q < R; ++q) row[(long)r * ld + p + q] = pivot[4 * r + q];
  if (failed) return p + failed;
  strip_solve(R, ld - p - 4, p, u + p, 1, ld, inverse + p, u + p + 4, ld);
  return 0;
}

static int upper_factor(int n, int ld, double *u, double *inverse) {
  int p = 0, failed = 0;
  for (; p + 4 <= n && !failed; p += 4) failed = upper_rows(4, p, ld, u, inverse);
  if (failed) return failed;
  switch (n - p) {
    case 1: return upper_rows(1, p, ld, u, inverse);
    case 2: return upper_rows(2, p, ld, u, inverse);
    case 3: return upper_rows(3, p, ld, u, inverse);
    default: return 0;
  }
}

/* Rows i .. i + R - 1 of the lower triangle of A as columns of u. Only whole vectors are stored, because a vector that is loaded soon after
 * its numbers were stored one by one waits for the stores to retire. */
INLINE void columns_copy_in(const int R, int i, const double *A, long lda, double *u, long ld) {
  const double *a = A + i * lda;
  int k = 0;
  if (R == 4) transpose(4, k = i, a, lda, u + i, ld);
  for (; k < i; ++k) *(lanes4 *)(u + k * ld + i) = (lanes4){a[k], R > 1 ? a[lda + k] : 0.0, R > 2 ? a[2 * lda + k] : 0.0, 0.0};
  const double *d = a + i;
  *(lanes4 *)(u + i * ld + i) = (lanes4){d[0], R > 1 ? d[lda] : 0.0, R > 2 ? d[2 * lda] : 0.0, R > 3 ? d[3 * lda] : 0.0};
  if (R > 1)
    *(lanes4 *)(u + (i + 1) * ld + i) = (lanes4){0.0, d[lda + 1], R > 2 ? d[2 * lda + 1] : 0.0, R > 3 ? d[3 * lda + 1] : 0.0};
  if (R > 2) *(lanes4 *)(u + (i + 2) * ld + i) = (lanes4){0.0, 0.0, d[2 * lda + 2], R > 3 ? d[3 * lda + 2] : 0.0};
  if (R > 3) *(lanes4 *)(u + (i + 3) * ld + i) = (lanes4){0.0, 0.0, 0.0, d[3 * lda + 3]};
}

// n <= SMALL
static int cholesky_small(int n, double *A, int lda, double *inverse) {
  double u[SMALL * SMALL] __attribute__((aligned(64)));
  const int ld = (n + 3) & ~3;
  int i = 0;
  for (; i + 4 <= n; i += 4) columns_copy_in(4, i, A, lda, u, ld);
  switch (n - i) {
    case 1: columns_copy_in(1, i, A, lda, u, ld); break;
    case 2: columns_copy_in(2, i, A, lda, u, ld); break;
    case 3: columns_copy_in(3, i, A, lda, u, ld); break;
    default: break;
  }
  const int failed = upper_factor(n, ld, u, inverse);
  for (i = 0; i < n; i += 4) {
    const int rows = n - i < 4 ? n - i : 4;
    transpose(i, rows, u + i, ld, A + (long)i * lda, lda);
    for (int r = 0; r < rows; ++r)
      for (int k = 0; k <= r; ++k) A[(long)(i + r) * lda + i + k] = u[(long)(i + k) * ld + i + r];
  }
  return failed;
}

/* n <= TINY, a constant: all of the lower triangle in registers, as far as they reach; pivots as in pivot_block. */
INLINE int cholesky_tiny(const int n, double *A, long lda, double *inverse) {
  double s[TINY][TINY], reciprocal[TINY];
#pragma GCC unroll 8
  for (int r = 0; r < n; ++r)
#pragma GCC unroll 8
    for (int c = 0; c <= r; ++c) s[r][c] = A[r * lda + c];
#pragma GCC unroll 8
  for (int p = 0; p < n; ++p) {
    reciprocal[p] = 1.0 / s[p][p];
#pragma GCC unroll 8
    for (int r = p + 1; r < n; ++r) {
      const double l = s[r][p] * reciprocal[p];
#pragma GCC unroll 8
      for (int q = p + 1; q <= r; ++q) s[r][q] -= l * s[q][p];
    }
  }
  int failed = 0;
#pragma GCC unroll 8
  for (int p = n - 1; p >= 0; --p) {
    if (!(s[p][p] > 0.0)) failed = 1 + p;
    const double root = __builtin_sqrt(s[p][p]), scale = root * reciprocal[p];
    inverse[p] = scale;
    A[p * lda + p] = root;
#pragma GCC unroll 8
    for (int r = p + 1; r < n; ++r) A[r * lda + p] = s[r][p] * scale;
  }
  return failed;
}

/* Right-looking: the rows below the diagonal block are solved in pieces from the last one up, so that each piece, while its
 * transpose is at hand, updates all trailing rows from itself on downwards. `inverse` moves on by `step` for each column block. */
static int cholesky_large(int n, double *A, int lda, double *inverse, int step) {
  double x[SMALL * SMALL] __attribute__((aligned(64)));
  for (int p = 0; p < n; p += BLOCK) {
    const int w = n - p < BLOCK ? n - p : BLOCK;
    double *l = A + (long)p * lda + p;
    const int failed = cholesky_small(w, l, lda, inverse);
    if (failed) return p + failed;
    const int below = n - p - w, pieces = (below + SMALL - 1) / SMALL;
    for (int piece = pieces - 1; piece >= 0; --piece) {
      const int i = p + w + piece * SMALL, m = n - i < SMALL ? n - i : SMALL, ld = (m + 3) & ~3;
      double *xi = A + (long)i * lda + p, *c = A + (long)i * lda + i;
      transpose(m, w, xi, lda, x, ld);
      solve_columns(w, m, l, lda, 1, inverse, x, ld);
      transpose(w, m, x, ld, xi, lda);
      sub_syrk(m, w, xi, lda, c, lda);
      if (i + m < n) update(n - i - m, m, w, xi + (long)m * lda, lda, 1, x, ld, c + (long)m * lda, lda, 0);
    }
    inverse += step;
  }
  return 0;
}

static int cholesky(int n, double *A, int lda, double *inverse) {
  double own[SMALL];
  const int step = inverse ? BLOCK : 0;
  if (!inverse) inverse = own;
  switch (n) {
    case 0: return 0;
    case 1: return cholesky_tiny(1, A, lda, inverse);
    case 2: return cholesky_tiny(2, A, lda, inverse);
    case 3: return cholesky_tiny(3, A, lda, inverse);
    case 4: return cholesky_tiny(4, A, lda, inverse);
    case 5: return cholesky_tiny(5, A, lda, inverse);
    case 6: return cholesky_tiny(6, A, lda, inverse);  // a free body: the most frequent block
    case 7: return cholesky_tiny(7, A, lda, inverse);
    case 8: return cholesky_tiny(8, A, lda, inverse);
    default: return n <= SMALL ? cholesky_small(n, A, lda, inverse) : cholesky_large(n, A, lda, inverse, step);
  }
}

// --------------------------------------------------------------------------------------------------- solves of vectors

// y[r] -= a[r, :] . x for R rows of n.
INLINE void rows_dot(const int R, int n, const double *a, long row, const double *x, double *y) {
  lanes4 s[4];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) s[r] = (lanes4){0.0, 0.0, 0.0, 0.0};
  int j = 0;
  for (; j + 4 <= n; j += 4) {
    const lanes4 xj = *(const lanes4 *)(x + j);
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) s[r] += *(const lanes4 *)(a + r * row + j) * xj;
  }
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
    double t = (s[r][0] + s[r][1]) + (s[r][2] + s[r][3]);
    for (int q = j; q < n; ++q) t += a[r * row + q] * x[q];
    y[r] -= t;
  }
}

// Rows p .. p + R - 1 of x <- L^-1 x; l: row p of L, `inverse`: from p on.
INLINE void forward_rows(const int R, int p, const double *l, long ldl, const double *inverse, double *x) {
  rows_dot(R, p, l, ldl, x, x + p);
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
    double t = x[p + r];
#pragma GCC unroll 4
    for (int q = 0; q < r; ++q) t -= l[r * ldl + p + q] * x[p + q];
    x[p + r] = t * inverse[r];
  }
}

// Rows p .. p + R - 1 of x <- L^-T x, then their part in the rows before them.
INLINE void backward_rows(const int R, int p, const double *l, long ldl, const double *inverse, double *x) {
#pragma GCC unroll 4
  for (int r = R - 1; r >= 0; --r) {
    double t = x[p + r];
#pragma GCC unroll 4
    for (int q = r + 1; q < R; ++q) t -= l[q * ldl + p + r] * x[p + q];
    x[p + r] = t * inverse[r];
  }
  double y[4];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) y[r] = x[p + r];
  for (int j = 0; j < p; j += 4) {  // p is a multiple of 4
    lanes4 s = *(lanes4 *)(x + j);
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) s -= y[r] * *(const lanes4 *)(l + r * ldl + j);
    *(lanes4 *)(x + j) = s;
  }
}

// Rows from..to-1, `from` a multiple of 4; `inverse` from row `from` on.
static void forward(int from, int to, const double *L, long ldl, const double *inverse, double *x) {
  int p = from;
  const double *l = L + p * ldl;
  for (; p + 4 <= to; p += 4, l += 4 * ldl, inverse += 4) forward_rows(4, p, l, ldl, inverse, x);
  switch (to - p) {
    case 1: forward_rows(1, p, l, ldl, inverse, x); break;
    case 2: forward_rows(2, p, l, ldl, inverse, x); break;
    case 3: forward_rows(3, p, l, ldl, inverse, x); break;
    default: break;
  }
}

static void backward(int from, int to, const double *L, long ldl, const double *inverse, double *x) {
  int p = to & ~3;
  const double *l = L + p * ldl;
  inverse += p - from;
  switch (to - p) {
    case 1: backward_rows(1, p, l, ldl, inverse, x); break;
    case 2: backward_rows(2, p, l, ldl, inverse, x); break;
    case 3: backward_rows(3, p, l, ldl, inverse, x); break;
    default: break;
  }
  for (p -= 4; p >= from; p -= 4) l -= 4 * ldl, inverse -= 4, backward_rows(4, p, l, ldl, inverse, x);
}

// n, a constant, at most TINY.
INLINE void solve_tiny(const int n, const double *l, long ldl, double *b) {
  double x[TINY], inverse[TINY];
#pragma GCC unroll 8
  for (int i = 0; i < n; ++i) inverse[i] = 1.0 / l[i * ldl + i];
#pragma GCC unroll 8
  for (int i = 0; i < n; ++i) {
    double t = b[i];
#pragma GCC unroll 8
    for (int j = 0; j < i; ++j) t -= l[i * ldl + j] * x[j];
    x[i] = t * inverse[i];
  }
#pragma GCC unroll 8
  for (int i = n - 1; i >= 0; --i) {
    double t = x[i];
#pragma GCC unroll 8
    for (int j = n - 1; j > i; --j) t -= l[j * ldl + i] * x[j];
    b[i] = x[i] = t * inverse[i];
  }
}

// The reciprocals are taken in pieces in both sweeps, so that no array of length n is needed.
static void cholesky_solve(int n, const double *L, int lda, double *x) {
  switch (n) {
    case 3: solve_tiny(3, L, lda, x); return;
    case 6: solve_tiny(6, L, lda, x); return;
    case 7: solve_tiny(7, L, lda, x); return;
    default: break;
  }
  double inverse[SMALL];
  const int last = n > 0 ? (n - 1) / SMALL * SMALL : 0;
  for (int p = 0; p < n; p += SMALL) {
    const int end = p + SMALL < n ? p + SMALL : n;
    for (int i = p; i < end; ++i) inverse[i - p] = 1.0 / L[(long)i * lda + i];
    forward(p, end, L, lda, inverse, x);
  }
  for (int p = last; p >= 0; p -= SMALL) {
    const int end = p + SMALL < n ? p + SMALL : n;
    if (p < last)
      for (int i = p; i < end; ++i) inverse[i - p] = 1.0 / L[(long)i * lda + i];
    backward(p, end, L, lda, inverse, x);
  }
}

static double dot(int n, const double *x, const double *y) {
  lanes4 s = {0.0, 0.0, 0.0, 0.0}, t = s;
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    s += *(const lanes4 *)(x + i) * *(const lanes4 *)(y + i);
    t += *(const lanes4 *)(x + i + 4) * *(const lanes4 *)(y + i + 4);
  }
  s += t;
  double sum = (s[0] + s[1]) + (s[2] + s[3]);
  for (; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

static void axpy(int n, double a, const double *x, double *y) {
  int i = 0;
  for (; i + 4 <= n; i += 4) *(lanes4 *)(y + i) += a * *(const lanes4 *)(x + i);
  for (; i < n; ++i) y[i] += a * x[i];
}

// -------------------------------------------------------------------------------------------------------------- panels

static void panel_solve(int w, int r, const double *L, const double *inverse, double *P, int ldp) {
  solve_columns(w, r, L, w, 1, inverse, P, ldp);
}

// C (6 x 6) -= A' B for 6 x 6 pieces of a panel: the pair of free bodies.
INLINE void update_6(const double *a, const double *b, long ldp, double *c, long ldc) {
  lanes4 low[6];
  lanes2 high[6];
#pragma GCC unroll 6
  for (int l = 0; l < 6; ++l) low[l] = *(const lanes4 *)(b + l * ldp), high[l] = *(const lanes2 *)(b + l * ldp + 4);
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

static void panel_update(int count, const limpet_panel_update *item, int w, const double *P, int ldp, double *values) {
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

static void panel_forward(int w, int r, const double *L, const double *inverse, const double *P, int ldp, double *x,
                          double *y) {
  forward(0, w, L, w, inverse, x);
  for (int j = 0; j < r; ++j) y[j] = 0.0;
  strip_update(1, r, w, x, 0, 1, P, ldp, y, 0);
  for (int j = 0; j < r; ++j) y[j] = -y[j];
}

static void panel_backward(int w, int r, const double *L, const double *inverse, const double *P, int ldp, double *x,
                           const double *y) {
  int k = 0;
  for (; k + 4 <= w; k += 4) rows_dot(4, r, P + (long)k * ldp, ldp, y, x + k);
  for (; k < w; ++k) rows_dot(1, r, P + (long)k * ldp, ldp, y, x + k);
  backward(0, w, L, w, inverse, x);
}

const limpet_dense_table LIMPET_DENSE_TABLE = {
    .name = LIMPET_DENSE_NAME,
    .cholesky = cholesky,
    .cholesky_solve = cholesky_solve,
    .solve_rows = solve_rows,
    .sub_mul_t = sub_mul_t,
    .sub_syrk = sub_syrk,
    .dot = dot,
    .axpy = axpy,
    .panel_solve = panel_solve,
    .panel_update = panel_update,
    .panel_forward = panel_forward,
    .panel_backward = panel_backward,
};
