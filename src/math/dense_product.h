/* math/dense_product.h: part of dense_kernels.h: products of small matrices.
 *
 * C -= a b with b running along rows and a read one number at a time, in tiles of 6 rows x 8
 * columns (16 with AVX-512) that stay in registers (dense_tile.h). What is left of a row takes one
 * tile with a mask where the machine has one: a tile of three columns waits as long as one of 16.
 * A B' transposes pieces of B on the stack first. */
#if defined(__AVX2__)
#include <immintrin.h>
#endif

// vectors wider than the machine's are only passed to functions that are inlined
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#define INLINE static inline __attribute__((always_inline))
typedef double lanes4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double lanes2 __attribute__((vector_size(16), aligned(8), may_alias));

enum { TINY = 8, SMALL = 64, BLOCK = 48 };  // BLOCK <= SMALL, both multiples of 4

// whole lanes
#define PART int
#define GET(x, part) (*(const LANE *)(x))
#define PUT(x, lane, part) (*(LANE *)(x) = (lane))
#define SLOW 0
#define LANE lanes4
#define WIDTH 4
#define TILE(x) tile4_##x
#include "math/dense_tile.h"
#undef LANE
#undef WIDTH
#undef TILE
#if defined(__AVX512F__)
typedef double lanes8 __attribute__((vector_size(64), aligned(8), may_alias));
#define LANE lanes8
#define WIDTH 8
#define TILE(x) tile8_##x
#include "math/dense_tile.h"
#undef LANE
#undef WIDTH
#undef TILE
#elif !defined(__AVX2__)
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
#endif
#undef PART
#undef GET
#undef PUT
#undef SLOW

// ends of rows: lanes of which the first few count; GET and PUT leave the others alone
#if defined(__AVX512F__)
#define PART __mmask8
#define GET(x, part) ((lanes8)_mm512_maskz_loadu_pd(part, x))
#define PUT(x, lane, part) _mm512_mask_storeu_pd(x, part, (__m512d)(lane))
#define SLOW 0
#define LANE lanes8
#define WIDTH 8
#define TILE(x) end_##x
#include "math/dense_tile.h"
#define STRIP_TILE(x) tile8_##x
enum { STRIP = 8 };
INLINE __mmask8 first_lanes(int count) { return (__mmask8)((1 << count) - 1); }
#elif defined(__AVX2__)
/* Plain moves of one to three numbers: a store with a mask takes three times as long on AMD's first
 * Zen cores, and a mask takes a register that the widest tile has not got. */
INLINE lanes4 first_get(const double *x, int count) {
  if (count == 1) return (lanes4){x[0], 0.0, 0.0, 0.0};
  const lanes2 low = *(const lanes2 *)x;
  return (lanes4){low[0], low[1], count == 3 ? x[2] : 0.0, 0.0};
}

INLINE void first_put(double *x, lanes4 lane, int count) {
  if (count == 1) {
    x[0] = lane[0];
  } else {
    *(lanes2 *)x = (lanes2){lane[0], lane[1]};
    if (count == 3) x[2] = lane[2];
  }
}

#define PART int
#define GET(x, part) first_get(x, part)
#define PUT(x, lane, part) first_put(x, lane, part)
#define SLOW 1
#define LANE lanes4
#define WIDTH 4
#define TILE(x) end_##x
#include "math/dense_tile.h"
#define STRIP_TILE(x) tile4_##x
enum { STRIP = 4 };
INLINE int first_lanes(int count) { return count; }
#endif

// R rows of C (R x n) -= a b.
INLINE void strip_update(const int R, int n, int k, const double *a, long row, long step,
                         const double *b, long ldb, double *c, long ldc) {
  int j = 0;
#if defined(__AVX2__)
  for (; j + 2 * STRIP <= n; j += 2 * STRIP)
    STRIP_TILE(update)(R, 2, k, a, row, step, b + j, ldb, c + j, ldc, 0);
  const int rest = n - j;
  if (rest == STRIP) STRIP_TILE(update)(R, 1, k, a, row, step, b + j, ldb, c + j, ldc, 0);
  else if (rest > STRIP)
    end_update(R, 2, k, a, row, step, b + j, ldb, c + j, ldc, first_lanes(rest - STRIP));
  else if (rest > 0) end_update(R, 1, k, a, row, step, b + j, ldb, c + j, ldc, first_lanes(rest));
#else
  for (; j + 8 <= n; j += 8) tile4_update(R, 2, k, a, row, step, b + j, ldb, c + j, ldc, 0);
  if (j + 4 <= n) tile4_update(R, 1, k, a, row, step, b + j, ldb, c + j, ldc, 0), j += 4;
  if (j + 2 <= n) tile2_update(R, 1, k, a, row, step, b + j, ldb, c + j, ldc, 0), j += 2;
  if (j < n) tile1_update(R, 1, k, a, row, step, b + j, ldb, c + j, ldc, 0);
#endif
}

/* C (m x n) -= sum over l of a[i row + l step] b[l ldb + j]. `lower`: what lies above the diagonal
 * may be left out, and entries just above it are overwritten. */
static void update(int m, int n, int k, const double *a, long row, long step, const double *b,
                   long ldb, double *c, long ldc, int lower) {
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

// Four rows of A from row i on and four columns from column j on, j <= i, and their mirror image.
INLINE void symmetric_tile(int i, int j, const double *P, const double *Q, long ld, double *A,
                           long lda) {
  double *a = A + i * lda + j, *mirror = A + j * lda + i;
  lanes4 s[4], t[4];
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) s[r] = *(const lanes4 *)(a + r * lda);
#pragma GCC unroll 6
  for (int l = 0; l < 6; ++l) {
    const lanes4 x = *(const lanes4 *)(Q + l * ld + j);
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) s[r] -= P[l * ld + i + r] * x;
  }
  TRANSPOSE_FOUR(lanes4, s, t);
  if (i == j) {
    s[0] = __builtin_shufflevector(s[0], t[0], 0, 5, 6, 7);
    s[1] = __builtin_shufflevector(s[1], t[1], 0, 1, 6, 7);
    s[2] = __builtin_shufflevector(s[2], t[2], 0, 1, 2, 7);
  } else {
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) *(lanes4 *)(mirror + r * lda) = t[r];
  }
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) *(lanes4 *)(a + r * lda) = s[r];
}

static void symmetric_update(int n, const double *P, const double *Q, int ld, double *A, int lda) {
  const int whole = n & ~3;
  for (int i = 0; i < whole; i += 4)
    for (int j = 0; j <= i; j += 4) symmetric_tile(i, j, P, Q, ld, A, lda);
  for (int i = whole; i < n; ++i) {
    for (int j = 0; j < whole; j += 4) {
      lanes4 s = *(const lanes4 *)(A + (long)i * lda + j);
#pragma GCC unroll 6
      for (int l = 0; l < 6; ++l)
        s -= P[(long)l * ld + i] * *(const lanes4 *)(Q + (long)l * ld + j);
      *(lanes4 *)(A + (long)i * lda + j) = s;
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) A[(long)(j + r) * lda + i] = s[r];
    }
    for (int j = whole; j <= i; ++j) {
      double s = A[(long)i * lda + j];
      for (int l = 0; l < 6; ++l) s -= P[(long)l * ld + i] * Q[(long)l * ld + j];
      A[(long)i * lda + j] = A[(long)j * lda + i] = s;
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
      lanes4 from[4], to[4];
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) from[r] = *(const lanes4 *)(s + r * lds);
      TRANSPOSE_FOUR(lanes4, from, to);
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) *(lanes4 *)(d + r * ldd) = to[r];
    }
    for (; j < n; ++j)
      for (int p = 0; p < 4; ++p) dst[j * ldd + i + p] = src[(i + p) * lds + j];
  }
  for (; i < m; ++i)
    for (int j = 0; j < n; ++j) dst[j * ldd + i] = src[i * lds + j];
}

// n = k = 6: the columns of B' are put together in registers.
static void sub_mul_t_6(int m, const double *A, long lda, const double *B, long ldb, double *C,
                        long ldc) {
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

static void sub_mul_t(int m, int n, int k, const double *A, int lda, const double *B, int ldb,
                      double *C, int ldc) {
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
    double d[PIECE * PIECE] __attribute__((aligned(64))),
        b[PIECE * SMALL] __attribute__((aligned(64)));
    for (int p = 0; p < m; ++p)
      for (int q = 0; q < PIECE; ++q) d[p * PIECE + q] = q <= p ? c[(long)p * ldc + q] : 0.0;
    for (int l = 0; l < k; l += SMALL) {
      const int steps = k - l < SMALL ? k - l : SMALL;
      transpose(m, steps, a + l, lda, b, PIECE);
      update(m, m, steps, a + l, lda, 1, b, PIECE, d, PIECE, 1);
      const int below = n - i - m;
      if (below > 0)
        update(below, m, steps, a + (long)m * lda + l, lda, 1, b, PIECE, c + (long)m * ldc, ldc, 0);
    }
    for (int p = 0; p < m; ++p)
      for (int q = 0; q <= p; ++q) c[(long)p * ldc + q] = d[p * PIECE + q];
  }
}
