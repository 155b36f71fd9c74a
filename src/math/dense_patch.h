/* math/dense_patch.h: part of dense_kernels.h: what the contacts of two bodies add to a matrix.
 *
 * Six numbers are four lanes and two. The 6 x 6 matrix K of a patch stays in registers while it is
 * summed. C K D' is made row by row, four columns at once, which are added as one where they follow
 * each other in the matrix. */
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
  if (!any) return 0;
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) *(lanes4 *)(K + 6 * i) = low[i], *(lanes2 *)(K + 6 * i + 4) = high[i];
  return 1;
}

// Of S sides, a constant.
INLINE void speeds_of(const int S, int count, const double *J, const double *const v[2],
                      double *u) {
  limpet_six at[2];
#pragma GCC unroll 2
  for (int s = 0; s < S; ++s) at[s] = limpet_six_at(v[s]);
  for (; count > 0; --count, J += 18 * S, u += 3)
    limpet_six_speeds(S, (const double *const[2]){J, J + 18}, at, u);
}

static void body_speeds(int count, int sides, const double *J, const double *const v[2],
                        double *u) {
  if (sides == 2) speeds_of(2, count, J, v, u);
  else if (sides == 1) speeds_of(1, count, J, v, u);
}

INLINE void push_of(const int S, int count, const double *J, const double *gamma,
                    double *const f[2]) {
  limpet_six sum[2];
#pragma GCC unroll 2
  for (int s = 0; s < S; ++s) sum[s] = limpet_six_at(f[s]);
  for (; count > 0; --count, J += 18 * S, gamma += 3) {
#pragma GCC unroll 2
    for (int s = 0; s < S; ++s) sum[s] = limpet_six_push(sum[s], J + 18 * s, gamma);
  }
#pragma GCC unroll 2
  for (int s = 0; s < S; ++s) limpet_six_store(f[s], sum[s]);
}

static void body_push(int count, int sides, const double *J, const double *gamma,
                      double *const f[2]) {
  if (sides == 2) push_of(2, count, J, gamma, f);
  else if (sides == 1) push_of(1, count, J, gamma, f);
}

// Two rows of six numbers times V, both sums in one pair.
INLINE lanes2 two_products(const double *w, const lanes2 V[3]) {
  lanes2 s = *(const lanes2 *)w * V[0], t = *(const lanes2 *)(w + 6) * V[0];
#pragma GCC unroll 2
  for (int k = 1; k < 3; ++k) {
    s += *(const lanes2 *)(w + 2 * k) * V[k];
    t += *(const lanes2 *)(w + 6 + 2 * k) * V[k];
  }
  return __builtin_shufflevector(s, t, 0, 2) + __builtin_shufflevector(s, t, 1, 3);
}

static void contact_speeds(int count, const double *W, const double *V, double *u) {
  const lanes2 v[3] = {*(const lanes2 *)V, *(const lanes2 *)(V + 2), *(const lanes2 *)(V + 4)};
  for (; count > 1; count -= 2, W += 36, u += 6) {
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) *(lanes2 *)(u + 2 * k) = two_products(W + 12 * k, v);
  }
  if (count == 0) return;
  *(lanes2 *)u = two_products(W, v);
  u[2] = two_products(W + 6, v)[1];
}

// Each row of a contact has a sum of its own, as a multiply-add waits for the one before.
static void contact_push(int count, const double *W, const double *gamma, double *F) {
  const limpet_six zero = {{0.0, 0.0, 0.0, 0.0}, {0.0, 0.0}};
  limpet_six sum[3] = {zero, zero, zero};
  for (; count > 0; --count, W += 18, gamma += 3) {
#pragma GCC unroll 3
    for (int e = 0; e < 3; ++e)
      sum[e] = limpet_six_addmul(sum[e], gamma[e], limpet_six_at(W + 6 * e));
  }
  limpet_six_store(F, limpet_six_addmul(limpet_six_addmul(sum[0], 1.0, sum[1]), 1.0, sum[2]));
}

// to (6 x 6) += J' T for J (3 x 6) and the rows T.
INLINE void add_outer(const double *J, const limpet_six T[3], double *to, long stride) {
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    limpet_six row = limpet_six_at(to + i * stride);
#pragma GCC unroll 3
    for (int e = 0; e < 3; ++e) row = limpet_six_addmul(row, J[6 * e + i], T[e]);
    limpet_six_store(to + i * stride, row);
  }
}

// T = G J
INLINE void weigh_six(const double *G, const double *J, limpet_six T[3]) {
  const limpet_six r0 = limpet_six_at(J), r1 = limpet_six_at(J + 6), r2 = limpet_six_at(J + 12);
  T[0] = limpet_six_addmul(limpet_six_addmul(limpet_six_scaled(G[0], r0), G[1], r1), G[3], r2);
  T[1] = limpet_six_addmul(limpet_six_addmul(limpet_six_scaled(G[1], r0), G[2], r1), G[4], r2);
  T[2] = limpet_six_addmul(limpet_six_addmul(limpet_six_scaled(G[3], r0), G[4], r1), G[5], r2);
}

static void body_stiffness(int count, int sides, int r, const double *J, const double *G,
                           double *const to[3], const int stride[3]) {
  for (; count > 0; --count, J += 18 * sides, G += 6) {
    if (G[0] == 0.0 && G[2] == 0.0 && G[5] == 0.0) continue;
    limpet_six T[3];
    weigh_six(G, J, T);
    add_outer(J, T, to[0], stride[0]);
    if (sides < 2) continue;
    if (r == 1) add_outer(J + 18, T, to[1], stride[1]);
    weigh_six(G, J + 18, T);
    add_outer(J + 18, T, to[2], stride[2]);
    if (r == 0) add_outer(J, T, to[1], stride[1]);
  }
}

// y . d_j for the four columns of d (6 x ldd) at its begin.
INLINE lanes4 four_products(const double *y, const double *d, long ldd) {
  return (y[0] * *(const lanes4 *)d + y[1] * *(const lanes4 *)(d + ldd) +
          y[2] * *(const lanes4 *)(d + 2 * ldd)) +
         (y[3] * *(const lanes4 *)(d + 3 * ldd) + y[4] * *(const lanes4 *)(d + 4 * ldd) +
          y[5] * *(const lanes4 *)(d + 5 * ldd));
}

// What rows are multiplied by: D' (6 x n), where its columns go, and which four of them follow each
// other.
typedef struct column_set {
  int n, ascending;
  const int *column;
  long ldd;
  char together[SMALL / 4];
  double d[6 * SMALL] __attribute__((aligned(64)));
} column_set;

static void columns_take(column_set *s, int n, const int *column, const double *D) {
  s->n = n, s->column = column, s->ldd = (n + 3) & ~3, s->ascending = 1;
  transpose(n, 6, D, 6, s->d, s->ldd);
  for (int l = 0; l < 6; ++l)
    for (int q = n; q < s->ldd; ++q) s->d[l * s->ldd + q] = 0.0;
  for (int j = 0; j < n; j += 4) {
    int together = j + 4 <= n;
    for (int q = j + 1; q < n && q < j + 4; ++q) together &= column[q] == column[j] + q - j;
    s->together[j / 4] = (char)together;
  }
  for (int j = 1; j < n; ++j) s->ascending &= column[j] > column[j - 1];
}

// h[column_j] += y . d_j for the first n columns.
INLINE void add_columns(const column_set *s, int n, const double y[6], double *h) {
  const int *column = s->column;
  for (int j = 0; j < n; j += 4) {
    const lanes4 sum = four_products(y, s->d + j, s->ldd);
    if (s->together[j / 4] && j + 4 <= n) {
      *(lanes4 *)(h + column[j]) += sum;
      continue;
    }
    h[column[j]] += sum[0];
    if (j + 1 < n) h[column[j + 1]] += sum[1];
    if (j + 2 < n) h[column[j + 2]] += sum[2];
    if (j + 3 < n) h[column[j + 3]] += sum[3];
  }
}

// The same for the columns up to `row`, in any order.
static void add_lower_columns(const column_set *s, int row, const double y[6], double *h) {
  for (int j = 0; j < s->n; j += 4) {
    const lanes4 sum = four_products(y, s->d + j, s->ldd);
    for (int q = 0; q < 4 && j + q < s->n; ++q)
      if (s->column[j + q] <= row) h[s->column[j + q]] += sum[q];
  }
}

static void add_congruent(int m, const int *row, const double *C, const double *K, int n,
                          const int *column, const double *D, double *H, int ldh) {
  column_set s;
  for (int b = 0; b < n; b += SMALL) {
    columns_take(&s, n - b < SMALL ? n - b : SMALL, column + b, D + 6L * b);
    int below = 0;  // columns up to the row, where both ascend
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
      double *h = H + (long)row[i] * ldh;
      if (!s.ascending) {
        add_lower_columns(&s, row[i], y, h);
        continue;
      }
      if (i > 0 && row[i] < row[i - 1]) below = 0;
      while (below < s.n && s.column[below] <= row[i]) ++below;
      add_columns(&s, below, y, h);
    }
  }
}
