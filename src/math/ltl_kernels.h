/* math/ltl_kernels.h: A = L' L for small matrices with many zeros, and what is added to them,
 * written once and compiled for each instruction set by a source file that defines
 *   LIMPET_LTL_TABLE   name of the table, e.g. limpet_ltl_avx2
 * Contraction to multiply-adds is on, as in math/dense_kernels.h.
 *
 *   from the last row up, four rows p at a time, left-looking, in place:
 *     L[p, :] = L[p, p]^-T (A[p, :] - sum over k below p of L[k, p]' L[k, :])
 * A branch of a kinematic tree meets those that it hangs on, and no other branch: eliminated from
 * its end, it fills in nothing (L L' would fill in all). Zeros are found in the matrix, by strips
 * of four columns: for each strip a set of the rows that have something there. A sum runs over the
 * rows that two strips share. A matrix whose last strip of rows meets all columns has no zeros, and
 * needs no sets; those of 8 and 12 rows, as arms have, are unrolled where vectors are wide.
 *
 * Blocks of four on the diagonal of L are kept as their inverses, so that a solve is products with
 * rows.
 *
 * Matrices are n x n, n a multiple of four and at most SMALL; a smaller one has a unit diagonal
 * there. Above the diagonal, within blocks of four, may be anything finite, and other numbers
 * afterwards. Reference: Featherstone, Rigid Body Dynamics Algorithms (2008), section 6.5. */
#include <stdbool.h>
#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "math/ltl.h"

// vectors wider than the machine's are only passed to functions that are inlined
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#define INLINE static inline __attribute__((always_inline))
typedef double lanes4 __attribute__((vector_size(32), aligned(8), may_alias));

enum { SMALL = LIMPET_LTL_LIMIT, STRIP_LIMIT = SMALL / 4 };

typedef unsigned long long row_set;                            // bit k: row k
typedef unsigned long long bits64 __attribute__((may_alias));  // of a double

INLINE int is_any(lanes4 x) {
#if defined(__AVX__)
  return !_mm256_testz_si256((__m256i)x, (__m256i)x);
#else
  return x[0] != 0.0 || x[1] != 0.0 || x[2] != 0.0 || x[3] != 0.0;
#endif
}

// Rows of the lowest run of a set; a set never has all of its bits.
INLINE int run_length(row_set rows) { return __builtin_ctzll(~(rows >> __builtin_ctzll(rows))); }
INLINE row_set run_removed(row_set rows) { return rows & (rows + (rows & (0 - rows))); }

// s -= l[0 ... 3]' x
INLINE void row_sub(lanes4 s[4][2], int v, const double *l, lanes4 x) {
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) s[r][v] -= l[r] * x;
}

// s (4 x 2 lanes) -= L[k, p]' L[k, j] over a run of rows k; lk: at column p, xk: at column j.
INLINE void run_sub_wide(lanes4 s[4][2], int left, const double *lk, const double *xk, long lda) {
  for (; left > 0; --left, lk += lda, xk += lda) {
    const lanes4 x = *(const lanes4 *)xk, y = *(const lanes4 *)(xk + 4);
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) s[r][0] -= lk[r] * x, s[r][1] -= lk[r] * y;
  }
}

// The same over the rows of a set, run by run.
INLINE void rows_sub_wide(lanes4 s[4][2], row_set rows, const double *l, const double *to,
                          long lda) {
  for (; rows; rows = run_removed(rows)) {
    const long at = __builtin_ctzll(rows) * lda;
    run_sub_wide(s, run_length(rows), l + at, to + at, lda);
  }
}

// A run of `left` rows for one lane, with two sums for each row, since a multiply-add waits for the
// one before: every other row of the run enters the second one.
INLINE void run_sub(lanes4 s[4][2], int left, const double *lk, const double *xk, long lda) {
  for (; left > 1; left -= 2, lk += 2 * lda, xk += 2 * lda) {
    row_sub(s, 0, lk, *(const lanes4 *)xk);
    row_sub(s, 1, lk + lda, *(const lanes4 *)(xk + lda));
  }
  if (left > 0) row_sub(s, 0, lk, *(const lanes4 *)xk);
}

INLINE void second_clear(lanes4 s[4][2]) {
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) s[r][1] = (lanes4){0.0, 0.0, 0.0, 0.0};
}

INLINE void second_add(lanes4 s[4][2]) {
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) s[r][0] += s[r][1];
}

// The same for the rows of a set.
INLINE void rows_sub(lanes4 s[4][2], row_set rows, const double *l, const double *to, long lda) {
  second_clear(s);
  if (rows && !run_removed(rows)) {
    const long at = __builtin_ctzll(rows) * lda;
    run_sub(s, run_length(rows), l + at, to + at, lda);
    rows = 0;
  }
  for (; rows; rows &= rows - 1) {
    const long at = __builtin_ctzll(rows) * lda;
    row_sub(s, 0, l + at, *(const lanes4 *)(to + at));
    if (!(rows &= rows - 1)) break;
    const long next = __builtin_ctzll(rows) * lda;
    row_sub(s, 1, l + next, *(const lanes4 *)(to + next));
  }
  second_add(s);
}

/* Factors the lower triangle of a 4 x 4 block as L' L, from its last row up, two rows at a time:
 * with d3 the last pivot and e2 = s22 d3 - s32^2 that of the next one times d3, both quotients are
 * found at once, and one is in the chain of two pivots. `inverse`: reciprocals of the diagonal.
 * False: a pivot is not positive. */
INLINE bool block_ltl(double s[16], double *inverse) {
  const double d3 = s[15], e2 = s[10] * d3 - s[14] * s[14];
  const double t1 = s[9] * d3 - s[14] * s[13], t0 = s[8] * d3 - s[14] * s[12];
  const double i3 = 1.0 / d3, f2 = 1.0 / e2, share = i3 * f2;
  const double x = i3 * s[13], y = i3 * s[12], u = share * t1, v = share * t0;
  const double d1 = s[5] - x * s[13] - u * t1, m = s[4] - x * s[12] - u * t0,
               d0 = s[0] - y * s[12] - v * t0;
  const double e0 = d0 * d1 - m * m, i1 = 1.0 / d1, f0 = 1.0 / e0;
  const bool positive = d3 > 0.0 && e2 > 0.0 && d1 > 0.0 && e0 > 0.0;
  const double root[4] = {__builtin_sqrt(e0 * i1), __builtin_sqrt(d1), __builtin_sqrt(e2 * i3),
                          __builtin_sqrt(d3)};
  inverse[3] = root[3] * i3, inverse[2] = root[2] * (d3 * f2);
  inverse[1] = root[1] * i1, inverse[0] = root[0] * (d1 * f0);
  const double scale = i3 * inverse[2];
  s[15] = root[3], s[14] *= inverse[3], s[13] *= inverse[3], s[12] *= inverse[3];
  s[10] = root[2], s[9] = t1 * scale, s[8] = t0 * scale;
  s[5] = root[1], s[4] = m * inverse[1], s[0] = root[0];
  return positive;
}

// W = L^-1 of a lower triangle of 4 x 4 and the reciprocals of its diagonal; zero above it.
INLINE void block_invert(const double L[16], const double *inverse, double *W, long ld) {
  const lanes4 zero = {0.0, 0.0, 0.0, 0.0};
  const double a = -L[4] * inverse[1], b = -L[9] * inverse[2], c = -L[14] * inverse[3];
  const double d = -(L[8] + L[9] * a) * inverse[2], e = -(L[13] + L[14] * b) * inverse[3];
  const double f = -(L[12] + L[13] * a + L[14] * d) * inverse[3];
  double *row[4] = {W, W + ld, W + 2 * ld, W + 3 * ld};
  *(lanes4 *)row[0] = *(lanes4 *)row[1] = *(lanes4 *)row[2] = zero;
  row[0][0] = inverse[0];
  row[1][0] = a * inverse[0], row[1][1] = inverse[1];
  row[2][0] = d * inverse[0], row[2][1] = b * inverse[1], row[2][2] = inverse[2];
  row[3][0] = f * inverse[0], row[3][1] = e * inverse[1], row[3][2] = c * inverse[2];
  row[3][3] = inverse[3];
}

INLINE void tile_load(const int V, lanes4 s[4][2], const double *to, long lda) {
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) s[r][v] = *(const lanes4 *)(to + r * lda + 4 * v);
}

// Sums by the factor of the diagonal block of their rows.
INLINE void tile_end(const int V, lanes4 s[4][2], double *to, long lda, const double block[16],
                     const double *inverse) {
#pragma GCC unroll 4
  for (int r = 3; r >= 0; --r)
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) {
#pragma GCC unroll 4
      for (int q = 3; q > r; --q) s[r][v] -= block[4 * q + r] * s[q][v];
      s[r][v] *= inverse[r];
      *(lanes4 *)(to + r * lda + 4 * v) = s[r][v];
    }
}

// The strip of rows at p less what the rows of the set add, and by the factor of its diagonal
// block.
INLINE void ltl_tile(const int V, row_set rows, int p, int j, double *A, long lda,
                     const double block[16], const double *inverse) {
  double *to = A + p * lda + j;
  lanes4 s[4][2];
  tile_load(V, s, to, lda);
  if (V == 2) rows_sub_wide(s, rows, A + p, A + j, lda);
  else rows_sub(s, rows, A + p, A + j, lda);
  tile_end(V, s, to, lda, block, inverse);
}

// Rows of a strip that have something in a strip of columns, after those below them in the block.
INLINE unsigned spread(unsigned rows, const double block[16]) {
  if (rows & 8u)
    rows |= (unsigned)(block[12] != 0.0) | (unsigned)(block[13] != 0.0) << 1 |
            (unsigned)(block[14] != 0.0) << 2;
  if (rows & 4u) rows |= (unsigned)(block[8] != 0.0) | (unsigned)(block[9] != 0.0) << 1;
  if (rows & 2u) rows |= (unsigned)(block[4] != 0.0);
  return rows;
}

// Whether a number has a bit, as all have that are not +0.
INLINE bool has_bits(const double *x) { return *(const bits64 *)x != 0; }

// Of a block of four rows and columns below the diagonal: bits of the rows that have something.
INLINE row_set rows_with(const double *a, long lda) {
  if (has_bits(a) && has_bits(a + lda) && has_bits(a + 2 * lda) && has_bits(a + 3 * lda))
    return 15u;
  lanes4 x[4];
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) x[r] = *(const lanes4 *)(a + r * lda);
  row_set bits = 0;
  if (!is_any(x[0]) && !is_any(x[1]) && !is_any(x[2]) && !is_any(x[3])) return 0;
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) bits |= (row_set)is_any(x[r]) << r;
  return bits;
}

/* Rows of the last strip, if each strip of columns has something in the first ones of them and
 * nothing in others: a matrix that has no zeros then, but for such rows. Else 0. */
INLINE int last_rows(int n, const double *A, long lda) {
  row_set all = 0;
  for (int j = 0; j < n - 4; j += 4) {
    const row_set some = rows_with(A + (n - 4) * lda + j, lda);
    if (!some || (some & (some + 1))) return 0;
    all |= some;
  }
  return all ? __builtin_ctzll(~all) : 0;
}

// The rest of a strip at p of such a matrix, of one or two strips of columns at j.
INLINE void full_tile(const int V, int left, int p, int j, double *A, long lda,
                      const double block[16], const double *inverse) {
  const double *below = A + (p + 4) * lda;
  double *to = A + p * lda + j;
  lanes4 s[4][2];
  tile_load(V, s, to, lda);
  if (V == 2) {
    run_sub_wide(s, left, below + p, below + j, lda);
  } else {
    second_clear(s);
    run_sub(s, left, below + p, below + j, lda);
    second_add(s);
  }
  tile_end(V, s, to, lda, block, inverse);
}

/* The factor of a matrix without zeros down to its row `end`: sums as below, over all rows. Those
 * of chains of joints are so. Unrolled for short ones. */
INLINE int factor_full(const int n, int end, double *A, const long lda) {
#pragma GCC unroll 3
  for (int p = n - 4; p >= 0; p -= 4) {
    double *diagonal = A + p * lda + p, *below = diagonal + 4 * lda, inverse[4];
    double block[16] __attribute__((aligned(32)));
    lanes4 s[4][2];
    const int left = end - p - 4;
    tile_load(1, s, diagonal, lda);
    second_clear(s);
    if (p < n - 4) run_sub(s, left, below, below, lda);
    second_add(s);
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) *(lanes4 *)(block + 4 * r) = s[r][0];
    if (!block_ltl(block, inverse)) return 1 + p;
    if (p & 4) full_tile(1, left, p, p - 4, A, lda, block, inverse);  // the last of an odd number
    for (int j = p - 8 - (p & 4); j >= 0; j -= 8) full_tile(2, left, p, j, A, lda, block, inverse);
    block_invert(block, inverse, diagonal, lda);
  }
  return 0;
}

static int factor_long(int n, int end, double *A, int lda) { return factor_full(n, end, A, lda); }

static int factor_branches(int n, double *A, int lda) {
  row_set rows[STRIP_LIMIT];   // by strips of columns: rows below its block
  unsigned fill[STRIP_LIMIT];  // by strips of rows: bits of strips of columns that are filled
  const int strips = n / 4;
  for (int t = 0; t < strips; ++t) rows[t] = 0, fill[t] = 0;
  for (int strip = strips - 1; strip >= 0; --strip) {
    // the block on the diagonal
    const int p = 4 * strip;
    double *diagonal = A + (long)p * lda + p, inverse[4];
    double block[16] __attribute__((aligned(32)));
    lanes4 s[4][2];
    for (int r = 0; r < 4; ++r) s[r][0] = *(const lanes4 *)(diagonal + r * lda);
    rows_sub(s, rows[strip], A + p, A + p, lda);
    for (int r = 0; r < 4; ++r) *(lanes4 *)(block + 4 * r) = s[r][0];
    if (!block_ltl(block, inverse)) return 1 + p;

    // what the strip has in others
    unsigned tiles = fill[strip];
    const row_set four = (row_set)15u << p;
    if (tiles == (1u << strip) - 1u) {
      for (int t = 0; t < strip; ++t) rows[t] |= four;
    } else {
      for (int t = 0; t < strip; ++t) {
        row_set own = four;
        if (!(tiles >> t & 1u)) {
          const row_set some = rows_with(A + (long)p * lda + 4 * t, lda);
          if (!some) continue;
          tiles |= 1u << t;
          own = (row_set)spread((unsigned)some, block) << p;
        }
        rows[t] |= own;
      }
    }
    if (tiles) {  // strips that it has, the last of them has, too
      const int last = 31 - __builtin_clz(tiles);
      fill[last] |= tiles & ((1u << last) - 1u);
    }
    for (int t = (strip - 1) & ~1; t >= 0; t -= 2) {  // the next block waits for the nearest
      const unsigned both = tiles >> t & 3u;
      if (!both) continue;
      const int j = 4 * t;
      if (both == 3u)
        ltl_tile(2, rows[strip] & (rows[t] | rows[t + 1]), p, j, A, lda, block, inverse);
      else if (both == 1u) ltl_tile(1, rows[strip] & rows[t], p, j, A, lda, block, inverse);
      else ltl_tile(1, rows[strip] & rows[t + 1], p, j + 4, A, lda, block, inverse);
    }
    block_invert(block, inverse, diagonal, lda);
  }
  return 0;
}

static int ltl_factor(int n, double *A, int lda) {
  const int last = last_rows(n, A, lda), end = n - 4 + last;
  if (last == 0) return factor_branches(n, A, lda);
#if defined(__AVX__)
  if (n == 8 && lda == 8) return factor_full(8, end, A, 8);
  if (n == 12 && lda == 12) return factor_full(12, end, A, 12);
#endif
  return factor_long(n, end, A, lda);
}

// The last four rows of such a copy, of which `rest` are those of A; `whole` columns before them.
INLINE void copy_rest(const int rest, int whole, const double *A, int lda, double *L, int ld) {
  const lanes4 zero = {0.0, 0.0, 0.0, 0.0};
  for (int j = 0; j < whole; j += 4)
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r)
      *(lanes4 *)(L + (long)r * ld + j) =
          r < rest ? *(const lanes4 *)(A + (long)r * lda + j) : zero;
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r, A += lda, L += ld)
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k)
      L[whole + k] = r < rest && k <= r ? A[whole + k] : r == k ? 1.0 : 0.0;
}

// L (ld x ld, ld: n rounded up to four) <- the lower triangle of A, and a unit diagonal beyond it.
static void ltl_copy(int n, const double *A, int lda, double *L) {
  const int whole = n & ~3, ld = (n + 3) & ~3;
  for (int p = 0; p < whole; p += 4, A += 4L * lda, L += 4L * ld)
    for (int j = 0; j <= p; j += 4)
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r)
        *(lanes4 *)(L + (long)r * ld + j) = *(const lanes4 *)(A + (long)r * lda + j);
  switch (n - whole) {
    case 1: copy_rest(1, whole, A, lda, L, ld); return;
    case 2: copy_rest(2, whole, A, lda, L, ld); return;
    case 3: copy_rest(3, whole, A, lda, L, ld); return;
    default: return;
  }
}

// The sums of four lanes each.
INLINE lanes4 sums_of(const lanes4 s[4]) {
  const lanes4 t = __builtin_shufflevector(s[0], s[1], 0, 4, 2, 6) +
                   __builtin_shufflevector(s[0], s[1], 1, 5, 3, 7),
               u = __builtin_shufflevector(s[2], s[3], 0, 4, 2, 6) +
                   __builtin_shufflevector(s[2], s[3], 1, 5, 3, 7);
  return __builtin_shufflevector(t, u, 0, 1, 4, 5) + __builtin_shufflevector(t, u, 2, 3, 6, 7);
}

// Whether four numbers are zero.
INLINE bool is_nothing(const double *x) {
  return x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0 && x[3] == 0.0;
}

// x <- (L' L)^-1 x: L' from the last strip up that is not zero, then L from the first one down.
INLINE void solve(const int n, const double *L, const long lda, double *x) {
  int top = n - 4;
  while (top > 0 && is_nothing(x + top)) top -= 4;
  for (int p = top; p >= 0; p -= 4) {
    const double *l = L + p * lda, *W = l + p;
    lanes4 y = x[p + 3] * *(const lanes4 *)(W + 3 * lda);
#pragma GCC unroll 3
    for (int r = 2; r >= 0; --r) y += x[p + r] * *(const lanes4 *)(W + r * lda);
    *(lanes4 *)(x + p) = y;
    for (int j = p - 4; j >= 0; j -= 4) {
      lanes4 s = *(lanes4 *)(x + j);
#pragma GCC unroll 4
      for (int r = 3; r >= 0; --r) s -= y[r] * *(const lanes4 *)(l + r * lda + j);
      *(lanes4 *)(x + j) = s;
    }
  }
#pragma GCC unroll 3
  for (int p = 0; p < n; p += 4) {
    const double *l = L + p * lda;
    lanes4 s[4], w[4];
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) s[r] = (lanes4){0.0, 0.0, 0.0, 0.0};
    for (int j = 0; j < p; j += 4) {
      const lanes4 xj = *(const lanes4 *)(x + j);
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) s[r] += *(const lanes4 *)(l + r * lda + j) * xj;
    }
    const lanes4 y = *(const lanes4 *)(x + p) - sums_of(s);
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) w[r] = *(const lanes4 *)(l + r * lda + p) * y;
    *(lanes4 *)(x + p) = sums_of(w);
  }
}

static void solve_long(int n, const double *L, int lda, double *x) { solve(n, L, lda, x); }

static void ltl_solve(int n, const double *L, int lda, double *x) {
#if defined(__AVX__)
  if (n == 8 && lda == 8) solve(8, L, 8, x);
  else if (n == 12 && lda == 12) solve(12, L, 12, x);
  else
#endif
    solve_long(n, L, lda, x);
}

// Y (m rows) = G B for a symmetric G, its lower triangle row by row, in some strips of columns.
INLINE void weigh(const int m, const double *G, unsigned tiles, const double *B, long ldb,
                  double *Y) {
  for (; tiles; tiles &= tiles - 1) {
    const int j = 4 * __builtin_ctz(tiles);
    lanes4 b[6];
#pragma GCC unroll 6
    for (int i = 0; i < m; ++i) b[i] = *(const lanes4 *)(B + i * ldb + j);
#pragma GCC unroll 6
    for (int i = 0; i < m; ++i) {
      lanes4 s = G[i * (i + 1) / 2] * b[0];
#pragma GCC unroll 6
      for (int k = 1; k < m; ++k) s += G[i > k ? i * (i + 1) / 2 + k : k * (k + 1) / 2 + i] * b[k];
      *(lanes4 *)(Y + i * ldb + j) = s;
    }
  }
}

static void weigh_rows(int m, const double *G, unsigned tiles, const double *B, int ldb,
                       double *Y) {
  switch (m) {
    case 2: weigh(2, G, tiles, B, ldb, Y); return;
    case 3: weigh(3, G, tiles, B, ldb, Y); return;
    case 6: weigh(6, G, tiles, B, ldb, Y); return;
    default: return;
  }
}

// Y (m x ld) = W S for W (m x k), S (k x ld) that is zero but for some strips of four columns.
INLINE void rows_by(const int k, int m, const double *W, unsigned tiles, const double *S, long ld,
                    double *Y) {
  for (int j = 0; j < ld; j += 4, tiles >>= 1) {
    double *y = Y + j;
    const lanes4 zero = {0.0, 0.0, 0.0, 0.0};
    if (!(tiles & 1u)) {
      for (int i = 0; i < m; ++i, y += ld) *(lanes4 *)y = zero;
      continue;
    }
    lanes4 s[6];
    const double *w = W;
#pragma GCC unroll 6
    for (int l = 0; l < k; ++l) s[l] = *(const lanes4 *)(S + l * ld + j);
    for (int i = 0; i < m; ++i, y += ld, w += k) {
      lanes4 sum = w[0] * s[0];
#pragma GCC unroll 6
      for (int l = 1; l < k; ++l) sum += w[l] * s[l];
      *(lanes4 *)y = sum;
    }
  }
}

static void multiply_rows(int m, int k, const double *W, unsigned tiles, const double *S, int ld,
                          double *Y) {
  if (k == 6) rows_by(6, m, W, tiles, S, ld, Y);
  else rows_by(3, m, W, tiles, S, ld, Y);
}

// A strip of four rows of H += Y' B of the groups of a set.
INLINE void gram_tile(const int V, row_set groups, const limpet_row_group *group, int p, int j,
                      long ld, double *H, long ldh) {
  double *h = H + p * ldh + j;
  lanes4 s[4][2];
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) s[r][v] = *(const lanes4 *)(h + r * ldh + 4 * v);
  for (; groups; groups &= groups - 1) {
    const limpet_row_group *g = group + __builtin_ctzll(groups);
    const double *y = g->Y + p, *b = g->B + j;
    for (int e = g->count; e > 0; --e, y += ld, b += ld) {
      lanes4 x[2];
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) x[v] = *(const lanes4 *)(b + 4 * v);
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r)
#pragma GCC unroll 2
        for (int v = 0; v < V; ++v) s[r][v] += y[r] * x[v];
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) *(lanes4 *)(h + r * ldh + 4 * v) = s[r][v];
}

static void add_gram(int n, int count, const limpet_row_group *group, int ld, double *H, int ldh) {
  enum { AT_ONCE = 64 };
  for (; count > 0; count -= AT_ONCE, group += AT_ONCE) {
    row_set with[STRIP_LIMIT + 1] = {0};  // by strips of columns: groups that have something there
    for (int g = 0; g < count && g < AT_ONCE; ++g)
      for (unsigned tiles = group[g].tiles; tiles; tiles &= tiles - 1)
        with[__builtin_ctz(tiles)] |= (row_set)1 << g;
    for (int s = 0; 4 * s < n; ++s)
      for (int t = 0; with[s] && t <= s; t += 2) {
        const row_set both = with[s] & (with[t] | with[t + 1]);
        if (!both) continue;
        if (t < s) gram_tile(2, both, group, 4 * s, 4 * t, ld, H, ldh);
        else gram_tile(1, with[s], group, 4 * s, 4 * t, ld, H, ldh);
      }
  }
}

const limpet_ltl_table LIMPET_LTL_TABLE = {
    .copy = ltl_copy,
    .factor = ltl_factor,
    .solve = ltl_solve,
    .weigh_rows = weigh_rows,
    .multiply_rows = multiply_rows,
    .add_gram = add_gram,
};
