/* math/dense_lu.h: part of dense_kernels.h: LU factors of a small matrix without symmetry.
 *
 *   A P' = L U, U's diagonal is 1; columns change places where a row has a much larger number than
 * on the diagonal: a row lies in one piece, so pivots are sought and multiples of rows taken along
 * memory
 * Rows come PANEL at a time. Each takes in those of its panel before it and finds its pivot; what
 * the panel does to all rows below is one product. */
enum { LU_PANEL = 6 };
// [-]  of the largest number of a row, from which the one on the diagonal is its pivot
#define LU_ENOUGH 0.125

// The first `count` entries x of a row become those of L: x U = what they were.
INLINE void lu_begin_row(int count, const double *U, long ld, double *x) {
#pragma GCC unroll 6
  for (int l = 1; l < count; ++l) {
    double t = x[l];
#pragma GCC unroll 6
    for (int q = 0; q < l; ++q) t -= x[q] * U[q * ld + l];
    x[l] = t;
  }
}

// x (n) -= sum over K rows u of y_l u_l.
INLINE void lu_sub_rows(const int K, int n, const double *y, const double *u, long ld, double *x) {
  int j = 0;
  for (; j + 4 <= n; j += 4) {
    lanes4 s = *(const lanes4 *)(x + j);
#pragma GCC unroll 6
    for (int l = 0; l < K; ++l) s -= y[l] * *(const lanes4 *)(u + l * ld + j);
    *(lanes4 *)(x + j) = s;
  }
  for (; j < n; ++j) {
    double t = x[j];
#pragma GCC unroll 6
    for (int l = 0; l < K; ++l) t -= y[l] * u[l * ld + j];
    x[j] = t;
  }
}

static void lu_take_in(int count, int n, const double *y, const double *u, long ld, double *x) {
  switch (count) {
    case 1: lu_sub_rows(1, n, y, u, ld, x); break;
    case 2: lu_sub_rows(2, n, y, u, ld, x); break;
    case 3: lu_sub_rows(3, n, y, u, ld, x); break;
    case 4: lu_sub_rows(4, n, y, u, ld, x); break;
    case 5: lu_sub_rows(5, n, y, u, ld, x); break;
    default: break;
  }
}

typedef long long bits4 __attribute__((vector_size(32), aligned(8), may_alias));

// Where |x_j| is largest; 0 where |x_0| is LU_ENOUGH of that: columns seldom change places then.
static int lu_find_pivot(int n, const double *x) {
  const bits4 unsigned_part = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};  // all but the sign
  const double first = x[0] < 0.0 ? -x[0] : x[0];
  const lanes4 least = {first, first, first, first};
  bits4 far = {0, 0, 0, 0};
  int best = 0, j = 1;
  for (; j + 4 <= n; j += 4)
    far |= (bits4)((lanes4)(*(const bits4 *)(x + j) & unsigned_part) * LU_ENOUGH > least);
  int farther = (far[0] | far[1] | far[2] | far[3]) != 0;
  for (; j < n; ++j) farther |= (x[j] < 0.0 ? -x[j] : x[j]) * LU_ENOUGH > first;
  if (!farther) return 0;
  double most = first;
  for (j = 1; j < n; ++j) {
    const double size = x[j] < 0.0 ? -x[j] : x[j];
    if (size > most) most = size, best = j;
  }
  return best;
}

static void lu_scale(int n, double a, double *x) {
  int j = 0;
  for (; j + 4 <= n; j += 4) *(lanes4 *)(x + j) *= a;
  for (; j < n; ++j) x[j] *= a;
}

// Row i of a panel that begins at row p. False: it has no pivot.
static int lu_row(int n, int p, int i, double *A, int *pivot) {
  const long ld = n;
  double *row = A + i * ld, *own = row + i;
  lu_begin_row(i - p, A + p * ld + p, ld, row + p);
  lu_take_in(i - p, n - i, row + p, A + p * ld + i, ld, own);
  const int best = pivot[i] = i + lu_find_pivot(n - i, own);
  if (best != i)
    for (int r = 0; r < n; ++r) {
      const double a = A[r * ld + i];
      A[r * ld + i] = A[r * ld + best], A[r * ld + best] = a;
    }
  if (!(own[0] > 0.0 || own[0] < 0.0)) return 0;
  lu_scale(n - i - 1, 1.0 / own[0], own + 1);
  return 1;
}

static int lu(int n, double *A, int *pivot) {
  const long ld = n;
  for (int p = 0; p < n; p += LU_PANEL) {
    const int end = p + LU_PANEL < n ? p + LU_PANEL : n, rest = n - end;
    for (int i = p; i < end; ++i)
      if (!lu_row(n, p, i, A, pivot)) return 1 + i;
    double *corner = A + p * ld + p, *below = A + end * ld + p;
    for (int i = 0; i < rest; ++i) lu_begin_row(LU_PANEL, corner, ld, below + i * ld);
    if (rest > 0)
      update(rest, rest, LU_PANEL, below, ld, 1, corner + LU_PANEL, ld, below + LU_PANEL, ld, 0);
  }
  return 0;
}

// Rows p .. p + R - 1 of x <- U^-1 x, those after them being done.
INLINE void lu_upper_rows(const int R, int n, int p, const double *u, long ld, double *x) {
  rows_dot(R, n - p - R, u + p + R, ld, x + p + R, x + p);
#pragma GCC unroll 4
  for (int r = R - 1; r >= 0; --r)
#pragma GCC unroll 4
    for (int q = r + 1; q < R; ++q) x[p + r] -= u[r * ld + p + q] * x[p + q];
}

// Rows p .. p + R - 1 of x <- U'^-1 x, and their part in the rows after them.
INLINE void lu_upper_columns(const int R, int n, int p, const double *u, long ld, double *x) {
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int q = r + 1; q < R; ++q) x[p + q] -= u[r * ld + p + q] * x[p + r];
  lu_sub_rows(R, n - p - R, x + p, u + p + R, ld, x + p + R);
}

static void lu_upper(int n, const double *LU, double *x) {
  const long ld = n;
  const int p = n & ~3;
  switch (n - p) {
    case 1: lu_upper_rows(1, n, p, LU + p * ld, ld, x); break;
    case 2: lu_upper_rows(2, n, p, LU + p * ld, ld, x); break;
    case 3: lu_upper_rows(3, n, p, LU + p * ld, ld, x); break;
    default: break;
  }
  for (int i = p - 4; i >= 0; i -= 4) lu_upper_rows(4, n, i, LU + i * ld, ld, x);
}

static void lu_upper_transposed(int n, const double *LU, double *x) {
  const long ld = n;
  const int p = n & ~3;
  for (int i = 0; i < p; i += 4) lu_upper_columns(4, n, i, LU + i * ld, ld, x);
  switch (n - p) {
    case 2: lu_upper_columns(2, n, p, LU + p * ld, ld, x); break;
    case 3: lu_upper_columns(3, n, p, LU + p * ld, ld, x); break;
    default: break;
  }
}

// [from, to) of the reciprocal diagonal of L.
static void lu_invert(int from, int to, int n, const double *LU, double *inverse) {
  for (int i = from; i < to; ++i) inverse[i - from] = 1.0 / LU[(long)i * n + i];
}

static void lu_solve(int n, const double *LU, double *x) {
  double inverse[SMALL];
  for (int p = 0; p < n; p += SMALL) {
    const int end = p + SMALL < n ? p + SMALL : n;
    lu_invert(p, end, n, LU, inverse);
    forward(p, end, LU, n, inverse, x);
  }
  lu_upper(n, LU, x);
}

static void lu_solve_transposed(int n, const double *LU, double *x) {
  double inverse[SMALL];
  lu_upper_transposed(n, LU, x);
  for (int p = n > 0 ? (n - 1) / SMALL * SMALL : -1; p >= 0; p -= SMALL) {
    const int end = p + SMALL < n ? p + SMALL : n;
    lu_invert(p, end, n, LU, inverse);
    backward(p, end, LU, n, inverse, x);
  }
}
