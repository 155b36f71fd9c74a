/* math/dense_tile.h: register tiles, written once for a lane type and included for each:
 * dense_kernels.h defines
 *   LANE      type of V-th part of a row: eight doubles, four, two, or one
 *   WIDTH     doubles in a LANE
 *   TILE(x)   name of a function for this type
 *
 * R (rows, 1..6) and V (lanes per row, 1 or 2) are constants wherever these are called, so the
 * loops over them unroll and the tile stays in registers: 6 x 2 lanes of four fill 12 of 16
 * registers and need 8 loads for 12 multiply-adds. */

// C (R x V lanes) -= sum over l < k of a[r rows + l steps] b[l], the rows of b ldb apart.
INLINE void TILE(load)(const int R, const int V, LANE s[6][2], const double *c, long ldc) {
#pragma GCC unroll 6
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) s[r][v] = *(const LANE *)(c + r * ldc + v * WIDTH);
}

INLINE void TILE(store)(const int R, const int V, LANE s[6][2], double *c, long ldc) {
#pragma GCC unroll 6
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) *(LANE *)(c + r * ldc + v * WIDTH) = s[r][v];
}

// s -= sum over l < k of a[r * row + l * step] b[l * ldb ...]
INLINE void TILE(sub)(const int R, const int V, LANE s[6][2], int k, const double *a, long row,
                      long step, const double *b, long ldb) {
  for (int l = 0; l < k; ++l) {
    LANE x[2];
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) x[v] = *(const LANE *)(b + l * ldb + v * WIDTH);
#pragma GCC unroll 6
    for (int r = 0; r < R; ++r) {
      const double y = a[r * row + l * step];
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) s[r][v] -= y * x[v];
    }
  }
}

INLINE void TILE(update)(const int R, const int V, int k, const double *a, long row, long step,
                         const double *b, long ldb, double *c, long ldc) {
  LANE s[6][2];
  TILE(load)(R, V, s, c, ldc);
  TILE(sub)(R, V, s, k, a, row, step, b, ldb);
  TILE(store)(R, V, s, c, ldc);
}

/* Rows p .. p + R - 1 of b <- L^-1 b, the rows before p being done: l points to row p of L with
 * entries l[r * row + k * step], `inverse` to the reciprocal of its diagonal entry p. */
INLINE void TILE(solve)(const int R, const int V, int p, const double *l, long row, long step,
                        const double *inverse, double *b, long ldb) {
  LANE s[6][2];
  TILE(load)(R, V, s, b + p * ldb, ldb);
  TILE(sub)(R, V, s, p, l, row, step, b, ldb);
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
  TILE(store)(R, V, s, b + p * ldb, ldb);
}
