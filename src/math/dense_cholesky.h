/* math/dense_cholesky.h: part of dense_kernels.h: solves with the rows of a matrix, and the
 * Cholesky factorisation.
 *
 *   A = L L', upper form inside: U = L' is made row block by row block (4 rows), left-looking:
 *     U[p, :] = D[p]^-T (A[p, :] - sum over k < p of U[k, p]' U[k, :])
 *   n <= TINY: unrolled, in place; n <= SMALL: in a transposed copy on the stack; above: column
 *     blocks of BLOCK, right-looking
 *   pivots of a block as L D L' with one division in the chain of each, square roots afterwards:
 *     1/sqrt(d) = sqrt(d) (1/d)
 *
 * Reference: Golub, Van Loan, Matrix Computations, section 4.2. Cost: n^3/6 multiply-adds. */
// Rows p .. p + R - 1 of b (n columns), see dense_tile.h.
INLINE void strip_solve(const int R, int n, int p, const double *l, long row, long step,
                        const double *inverse, double *b, long ldb) {
  int j = 0;
#if defined(__AVX2__)
  for (; j + 2 * STRIP <= n; j += 2 * STRIP)
    STRIP_TILE(solve)(R, 2, p, l, row, step, inverse, b + j, ldb, 0);
  const int rest = n - j;
  if (rest == STRIP) STRIP_TILE(solve)(R, 1, p, l, row, step, inverse, b + j, ldb, 0);
  else if (rest > STRIP)
    end_solve(R, 2, p, l, row, step, inverse, b + j, ldb, first_lanes(rest - STRIP));
  else if (rest > 0) end_solve(R, 1, p, l, row, step, inverse, b + j, ldb, first_lanes(rest));
#else
  for (; j + 8 <= n; j += 8) tile4_solve(R, 2, p, l, row, step, inverse, b + j, ldb, 0);
  if (j + 4 <= n) tile4_solve(R, 1, p, l, row, step, inverse, b + j, ldb, 0), j += 4;
  if (j + 2 <= n) tile2_solve(R, 1, p, l, row, step, inverse, b + j, ldb, 0), j += 2;
  if (j < n) tile1_solve(R, 1, p, l, row, step, inverse, b + j, ldb, 0);
#endif
}

// b <- L^-1 b (b: w x n), L[i][k] = l[i row + k step].
static void solve_columns(int w, int n, const double *l, long row, long step, const double *inverse,
                          double *b, long ldb) {
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

/* Factors the R x R pivot block s (upper triangle, rows of 4) in place, `inverse`: reciprocals of
 * the diagonal. Returns 0 or 1 + the row of a pivot that is not positive. */
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
  tile4_load(R, 1, s, row + p, ld, 0);
  tile4_sub(R, 1, s, p, u + p, 1, ld, u + p, ld, 0);
  tile4_store(R, 1, s, pivot, 4, 0);
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

/* Rows i .. i + R - 1 of the lower triangle of A as columns of u. Only whole vectors are stored,
 * because a vector that is loaded soon after its numbers were stored one by one waits for the
 * stores to retire. */
INLINE void columns_copy_in(const int R, int i, const double *A, long lda, double *u, long ld) {
  const double *a = A + i * lda;
  int k = 0;
  if (R == 4) transpose(4, k = i, a, lda, u + i, ld);
  for (; k < i; ++k)
    *(lanes4 *)(u + k * ld + i) =
        (lanes4){a[k], R > 1 ? a[lda + k] : 0.0, R > 2 ? a[2 * lda + k] : 0.0, 0.0};
  const double *d = a + i;
  *(lanes4 *)(u + i * ld + i) =
      (lanes4){d[0], R > 1 ? d[lda] : 0.0, R > 2 ? d[2 * lda] : 0.0, R > 3 ? d[3 * lda] : 0.0};
  if (R > 1)
    *(lanes4 *)(u + (i + 1) * ld + i) =
        (lanes4){0.0, d[lda + 1], R > 2 ? d[2 * lda + 1] : 0.0, R > 3 ? d[3 * lda + 1] : 0.0};
  if (R > 2)
    *(lanes4 *)(u + (i + 2) * ld + i) =
        (lanes4){0.0, 0.0, d[2 * lda + 2], R > 3 ? d[3 * lda + 2] : 0.0};
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

/* n <= TINY, a constant: all of the lower triangle in registers, as far as they reach; pivots as in
 * pivot_block. */
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

/* Right-looking: the rows below the diagonal block are solved in pieces from the last one up, so
 * that each piece, while its transpose is at hand, updates all trailing rows from itself on
 * downwards. `inverse` moves on by `step` for each column block. */
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
      if (i + m < n)
        update(n - i - m, m, w, xi + (long)m * lda, lda, 1, x, ld, c + (long)m * lda, lda, 0);
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
    default:
      return n <= SMALL ? cholesky_small(n, A, lda, inverse)
                        : cholesky_large(n, A, lda, inverse, step);
  }
}
