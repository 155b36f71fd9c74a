/* math/dense_tile.h: register tiles, written once for a lane type and included for each:
 * dense_product.h defines
 *   LANE         type of V-th part of a row: eight doubles, four, two, or one
 *   WIDTH        doubles in a LANE
 *   TILE(x)      name of a function for this type
 *   PART         type of `part`: which numbers of the last LANE of a row there are
 *   GET(x, part), PUT(x, lane, part)   read and write the last LANE of a row
 *   SLOW         1: GET takes longer than a load, and is avoided where what lies behind a row may
 *                be read
 *
 * R (rows, 1..6) and V (lanes per row, 1 or 2) are constants wherever these are called, so the
 * loops over them unroll and the tile stays in registers: 6 x 2 lanes of four fill 12 of 16
 * registers and need 8 loads for 12 multiply-adds. */
INLINE LANE TILE(get)(const int V, int v, const double *x, PART part) {
  (void)part;
  return v + 1 < V ? *(const LANE *)(x + v * WIDTH) : GET(x + v * WIDTH, part);
}

// C (R x V lanes) -= sum over l < k of a[r rows + l steps] b[l], the rows of b ldb apart.
INLINE void TILE(load)(const int R, const int V, LANE s[6][2], const double *c, long ldc,
                       PART part) {
#pragma GCC unroll 6
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) s[r][v] = TILE(get)(V, v, c + r * ldc, part);
}

INLINE void TILE(store)(const int R, const int V, LANE s[6][2], double *c, long ldc, PART part) {
#pragma GCC unroll 6
  for (int r = 0; r < R; ++r) {
    double *row = c + r * ldc;
    if (V == 2) *(LANE *)row = s[r][0];
    PUT(row + (V - 1) * WIDTH, s[r][V - 1], part);
  }
  (void)part;
}

// s -= a[r * row] x
INLINE void TILE(sub_one)(const int R, const int V, LANE s[6][2], const double *a, long row,
                          const LANE x[2]) {
#pragma GCC unroll 6
  for (int r = 0; r < R; ++r) {
    const double y = a[r * row];
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) s[r][v] -= y * x[v];
  }
}

/* s -= sum over l < k of a[r * row + l * step] b[l * ldb ...]. Rows of b but the last one are read
 * as whole lanes where GET is slow: behind each there is another one, and the numbers between do
 * not get to where PUT writes. */
INLINE void TILE(sub)(const int R, const int V, LANE s[6][2], int k, const double *a, long row,
                      long step, const double *b, long ldb, PART part) {
  LANE x[2];
  int l = 0;
  for (; SLOW && ldb >= WIDTH && l + 1 < k; ++l) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) x[v] = *(const LANE *)(b + l * ldb + v * WIDTH);
    TILE(sub_one)(R, V, s, a + l * step, row, x);
  }
  for (; l < k; ++l) {
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) x[v] = TILE(get)(V, v, b + l * ldb, part);
    TILE(sub_one)(R, V, s, a + l * step, row, x);
  }
}

INLINE void TILE(update)(const int R, const int V, int k, const double *a, long row, long step,
                         const double *b, long ldb, double *c, long ldc, PART part) {
  LANE s[6][2];
  TILE(load)(R, V, s, c, ldc, part);
  TILE(sub)(R, V, s, k, a, row, step, b, ldb, part);
  TILE(store)(R, V, s, c, ldc, part);
}

/* Rows p .. p + R - 1 of b <- L^-1 b, the rows before p being done: l points to row p of L with
 * entries l[r * row + k * step], `inverse` to the reciprocal of its diagonal entry p. */
INLINE void TILE(solve)(const int R, const int V, int p, const double *l, long row, long step,
                        const double *inverse, double *b, long ldb, PART part) {
  LANE s[6][2];
  TILE(load)(R, V, s, b + p * ldb, ldb, part);
  TILE(sub)(R, V, s, p, l, row, step, b, ldb, part);
#pragma GCC unroll 6
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 6
    for (int q = 0; q < r; ++q) {
      const double y = l[r * row + (p + q) * step];
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) s[r][v] -= y * s[q][v];
    }
    const double y = inverse[r];
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) s[r][v] *= y;
  }
  TILE(store)(R, V, s, b + p * ldb, ldb, part);
}
