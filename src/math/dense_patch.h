/* math/dense_patch.h: part of dense_kernels.h: what the contacts of two bodies add to a matrix.
 *
 * Six numbers are four lanes and two. The 6 x 6 matrix K of a patch stays in registers while it is
 * summed. C K D' is made row by row, four columns at once; four that follow each other in the
 * matrix are added as one. */
static int add_contacts(int count, const double *W, const double *G, double *K) {
  lanes4 low[6];
  lanes2 high[6];
  int any = 0;
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i)
    low[i] = *(const lanes4 *)(K + 6 * i), high[i] = *(const lanes2 *)(K + 6 * i + 4);
  for (; count > 0; --count, W += 18, G += 6) {
    if (G[0] == 0.0 && G[2] == 0.0 && G[5] == 0.0) continue;
    any = 1;
    const lanes4 w0 = *(const lanes4 *)W, w1 = *(const lanes4 *)(W + 6),
                 w2 = *(const lanes4 *)(W + 12);
    const lanes2 z0 = *(const lanes2 *)(W + 4), z1 = *(const lanes2 *)(W + 10),
                 z2 = *(const lanes2 *)(W + 16);
    const lanes4 t0 = G[0] * w0 + G[1] * w1 + G[3] * w2, t1 = G[1] * w0 + G[2] * w1 + G[4] * w2,
                 t2 = G[3] * w0 + G[4] * w1 + G[5] * w2;
    const lanes2 u0 = G[0] * z0 + G[1] * z1 + G[3] * z2, u1 = G[1] * z0 + G[2] * z1 + G[4] * z2,
                 u2 = G[3] * z0 + G[4] * z1 + G[5] * z2;
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) {
      low[i] += W[i] * t0 + W[6 + i] * t1 + W[12 + i] * t2;
      high[i] += W[i] * u0 + W[6 + i] * u1 + W[12 + i] * u2;
    }
  }
#pragma GCC unroll 6
  for (int i = 0; any && i < 6; ++i)
    *(lanes4 *)(K + 6 * i) = low[i], *(lanes2 *)(K + 6 * i + 4) = high[i];
  return any;
}

// h[column_j] += y . d_j of a row for the four columns from j on, d (6 x ldd).
INLINE lanes4 four_products(const double *y, const double *d, long ldd) {
  return (y[0] * *(const lanes4 *)d + y[1] * *(const lanes4 *)(d + ldd) +
          y[2] * *(const lanes4 *)(d + 2 * ldd)) +
         (y[3] * *(const lanes4 *)(d + 3 * ldd) + y[4] * *(const lanes4 *)(d + 4 * ldd) +
          y[5] * *(const lanes4 *)(d + 5 * ldd));
}

static void add_row(int row, const double y[6], int n, const int *column, const double *d, long ldd,
                    double *h) {
  for (int j = 0; j < n; j += 4) {
    const int last = j + 4 <= n ? j + 3 : n - 1;
    if (column[j] > row && column[last] > row && (j + 1 >= last || column[j + 1] > row) &&
        (j + 2 >= last || column[j + 2] > row))
      continue;  // above the diagonal
    const lanes4 sum = four_products(y, d + j, ldd);
    if (j + 4 <= n && column[j + 3] <= row && column[j + 1] == column[j] + 1 &&
        column[j + 2] == column[j] + 2 && column[j + 3] == column[j] + 3) {
      *(lanes4 *)(h + column[j]) += sum;
      continue;
    }
    for (int q = 0; q < 4 && j + q < n; ++q)
      if (column[j + q] <= row) h[column[j + q]] += sum[q];
  }
}

static void add_congruent(int m, const int *row, const double *C, const double *K, int n,
                          const int *column, const double *D, double *H, int ldh) {
  double d[6 * SMALL] __attribute__((aligned(64)));
  for (int b = 0; b < n; b += SMALL) {
    const int columns = n - b < SMALL ? n - b : SMALL, ldd = (columns + 3) & ~3;
    transpose(columns, 6, D + 6L * b, 6, d, ldd);
    for (int l = 0; l < 6; ++l)
      for (int q = columns; q < ldd; ++q) d[l * ldd + q] = 0.0;
    for (int i = 0; i < m; ++i) {
      const double *c = C + 6L * i;
      double y[6];
      lanes4 low = c[0] * *(const lanes4 *)K;
      lanes2 high = c[0] * *(const lanes2 *)(K + 4);
#pragma GCC unroll 5
      for (int l = 1; l < 6; ++l) {
        low += c[l] * *(const lanes4 *)(K + 6 * l);
        high += c[l] * *(const lanes2 *)(K + 6 * l + 4);
      }
      *(lanes4 *)y = low, *(lanes2 *)(y + 4) = high;
      add_row(row[i], y, columns, column + b, d, ldd, H + (long)row[i] * ldh);
    }
  }
}
