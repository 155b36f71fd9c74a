/* math/dense_solve.h: part of dense_kernels.h: solves of one vector with the Cholesky factor, dot,
 * axpy, and products of a matrix and a vector.
 *
 * Four rows at a time: forward by dot products of rows, backward by adding multiples of rows, both
 * along memory; only the 4 x 4 triangle on the diagonal is a chain. */
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
INLINE void forward_rows(const int R, int p, const double *l, long ldl, const double *inverse,
                         double *x) {
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
INLINE void backward_rows(const int R, int p, const double *l, long ldl, const double *inverse,
                          double *x) {
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

static void backward(int from, int to, const double *L, long ldl, const double *inverse,
                     double *x) {
  int p = to & ~3;
  const double *l = L + p * ldl;
  inverse += p - from;
  switch (to - p) {
    case 1: backward_rows(1, p, l, ldl, inverse, x); break;
    case 2: backward_rows(2, p, l, ldl, inverse, x); break;
    case 3: backward_rows(3, p, l, ldl, inverse, x); break;
    default: break;
  }
  for (p -= 4; p >= from; p -= 4)
    l -= 4 * ldl, inverse -= 4, backward_rows(4, p, l, ldl, inverse, x);
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

INLINE void solve_four(const double *l, long ldl, double *x) {
  double inverse[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) inverse[i] = 1.0 / l[i * ldl + i];
  forward_rows(4, 0, l, ldl, inverse, x);
  backward_rows(4, 0, l, ldl, inverse, x);
}

// The reciprocals are taken in pieces in both sweeps, so that no array of length n is needed.
static void cholesky_solve(int n, const double *L, int lda, double *x) {
  switch (n) {
    case 1: solve_tiny(1, L, lda, x); return;
    case 2: solve_tiny(2, L, lda, x); return;
    case 3: solve_tiny(3, L, lda, x); return;
    case 4: solve_four(L, lda, x); return;
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

/* y (n) = sum of x_i A_i over the rows, R at a time with sums of their own, for V lanes of four:
 * the last one ends at n, over numbers of the one before, which it sums alike. */
INLINE void sum_rows(const int R, const int V, int m, int n, const double *A, long lda,
                     const double *x, double *y) {
  lanes4 s[8];
#pragma GCC unroll 8
  for (int v = 0; v < R * V; ++v) s[v] = (lanes4){0.0, 0.0, 0.0, 0.0};
  int i = 0;
  for (; i + R <= m; i += R, A += R * lda) {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v)
        s[r * V + v] += x[i + r] * *(const lanes4 *)(A + r * lda + (v + 1 < V ? 4 * v : n - 4));
    }
  }
  for (; i < m; ++i, A += lda) {
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) s[v] += x[i] * *(const lanes4 *)(A + (v + 1 < V ? 4 * v : n - 4));
  }
#pragma GCC unroll 8
  for (int v = 0; v < V; ++v) {
#pragma GCC unroll 8
    for (int r = 1; r < R; ++r) s[v] += s[r * V + v];
    *(lanes4 *)(y + (v + 1 < V ? 4 * v : n - 4)) = s[v];
  }
}

static void tmul_vec(int m, int n, const double *A, int lda, const double *x, double *y) {
  for (; n > 32; n -= 28, A += 28, y += 28) sum_rows(1, 7, m, 28, A, lda, x, y);
  switch ((n + 3) / 4) {
    case 8: sum_rows(1, 8, m, n, A, lda, x, y); return;
    case 7: sum_rows(1, 7, m, n, A, lda, x, y); return;
    case 6: sum_rows(1, 6, m, n, A, lda, x, y); return;
    case 5: sum_rows(1, 5, m, n, A, lda, x, y); return;
    case 4: sum_rows(2, 4, m, n, A, lda, x, y); return;
    case 3: sum_rows(2, 3, m, n, A, lda, x, y); return;
    case 2: sum_rows(4, 2, m, n, A, lda, x, y); return;
    default: break;
  }
  for (int j = 0; j < n; ++j) {
    double sum = 0.0;
    for (int i = 0; i < m; ++i) sum += x[i] * A[(long)i * lda + j];
    y[j] = sum;
  }
}

// y[r] = a[r, :] . x for R rows of V lanes.
INLINE void rows_product(const int R, int lanes, const double *a, long row, const lanes4 *x,
                         double *y) {
  lanes4 s[4];
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) s[r] = (lanes4){0.0, 0.0, 0.0, 0.0};
  for (int v = 0; v < lanes; ++v) {
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) s[r] += *(const lanes4 *)(a + r * row + 4 * v) * x[v];
  }
  const lanes4 t = __builtin_shufflevector(s[0], s[1], 0, 4, 2, 6) +
                   __builtin_shufflevector(s[0], s[1], 1, 5, 3, 7),
               u = __builtin_shufflevector(s[2], s[3], 0, 4, 2, 6) +
                   __builtin_shufflevector(s[2], s[3], 1, 5, 3, 7),
               sum = __builtin_shufflevector(t, u, 0, 1, 4, 5) +
                     __builtin_shufflevector(t, u, 2, 3, 6, 7);
  if (R == 4) {
    *(lanes4 *)y = sum;
    return;
  }
#pragma GCC unroll 3
  for (int r = 0; r < R; ++r) y[r] = sum[r];
}

static void mul_vec(int m, int n, const double *A, int lda, const double *x, double *y) {
  lanes4 padded[SMALL / 4];
  const int lanes = (n + 3) / 4;
  if (lanes > 0) padded[lanes - 1] = (lanes4){0.0, 0.0, 0.0, 0.0};
  memcpy(padded, x, (size_t)n * sizeof *x);
  int i = 0;
  for (; i + 4 <= m; i += 4) rows_product(4, lanes, A + (long)i * lda, lda, padded, y + i);
  const double *rest = A + (long)i * lda;
  switch (m - i) {
    case 1: rows_product(1, lanes, rest, lda, padded, y + i); return;
    case 2: rows_product(2, lanes, rest, lda, padded, y + i); return;
    case 3: rows_product(3, lanes, rest, lda, padded, y + i); return;
    default: return;
  }
}

// Of M rows, a constant.
INLINE void products_of(const int M, int n, const double *A, long lda, const double *x,
                        const double *y, double *of_x, double *of_y) {
  lanes4 s[5], t[5];
#pragma GCC unroll 5
  for (int r = 0; r < M; ++r) s[r] = t[r] = (lanes4){0.0, 0.0, 0.0, 0.0};
  int j = 0;
  for (; j + 4 <= n; j += 4) {
    const lanes4 xj = *(const lanes4 *)(x + j), yj = *(const lanes4 *)(y + j);
#pragma GCC unroll 5
    for (int r = 0; r < M; ++r) {
      const lanes4 a = *(const lanes4 *)(A + r * lda + j);
      s[r] += a * xj, t[r] += a * yj;
    }
  }
#pragma GCC unroll 5
  for (int r = 0; r < M; ++r) {
    double of[2] = {(s[r][0] + s[r][1]) + (s[r][2] + s[r][3]),
                    (t[r][0] + t[r][1]) + (t[r][2] + t[r][3])};
    for (int q = j; q < n; ++q) of[0] += A[r * lda + q] * x[q], of[1] += A[r * lda + q] * y[q];
    of_x[r] = of[0], of_y[r] = of[1];
  }
}

static void row_products(int m, int n, const double *A, int lda, const double *x, const double *y,
                         double *of_x, double *of_y) {
  switch (m) {
    case 1: products_of(1, n, A, lda, x, y, of_x, of_y); return;
    case 2: products_of(2, n, A, lda, x, y, of_x, of_y); return;
    case 3: products_of(3, n, A, lda, x, y, of_x, of_y); return;
    case 4: products_of(4, n, A, lda, x, y, of_x, of_y); return;
    case 5: products_of(5, n, A, lda, x, y, of_x, of_y); return;
    default: return;
  }
}

static void weigh_change(int n, const double *w, const double *g, double *y, double *last_r,
                         double *last_g, double *dr, double *dg) {
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    const lanes4 to = *(const lanes4 *)(g + i);
    const lanes4 r = *(const lanes4 *)(w + i) * (to - *(const lanes4 *)(y + i));
    *(lanes4 *)(dr + i) = r - *(const lanes4 *)(last_r + i);
    *(lanes4 *)(dg + i) = to - *(const lanes4 *)(last_g + i);
    *(lanes4 *)(y + i) = *(lanes4 *)(last_r + i) = r;
    *(lanes4 *)(last_g + i) = to;
  }
  for (; i < n; ++i) {
    const double r = w[i] * (g[i] - y[i]);
    dr[i] = r - last_r[i], dg[i] = g[i] - last_g[i];
    y[i] = last_r[i] = r, last_g[i] = g[i];
  }
}
