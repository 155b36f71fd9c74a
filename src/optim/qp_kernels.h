/* optim/qp_kernels.h: the kernels of qp_table.h, written once and compiled for each instruction set
 * by a source file that defines LIMPET_QP_TABLE, the name of the table.
 *
 * Contraction is on in these files, as in math/dense_kernels.h; sums run in a fixed order, so one
 * type of CPU gives the same bits always. What is done to all m rows of G runs along the rows of
 * G', 16 rows of G at a time in registers: n loads of each number of G, none of s, and 2 loads a
 * cycle are the floor: n m / 8 cycles with four lanes. */
#include <math.h>
#include <stdint.h>

#include "optim/qp_table.h"

// vectors wider than the machine's are only passed to functions that are inlined
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#define INLINE static inline __attribute__((always_inline))
typedef double lanes4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t mask4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double lanes2 __attribute__((vector_size(16), aligned(8), may_alias));

INLINE lanes4 load(const double *x) { return *(const lanes4 *)x; }
INLINE void store(double *x, lanes4 v) { *(lanes4 *)x = v; }
INLINE lanes4 magnitude(lanes4 v) {
  return (lanes4)((mask4)v & (mask4){INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX});
}
INLINE lanes4 select(mask4 m, lanes4 yes, lanes4 no) {
  return (lanes4)((m & (mask4)yes) | (~m & (mask4)no));
}
INLINE double sum(lanes4 v) { return (v[0] + v[1]) + (v[2] + v[3]); }
// Lane k: the sum of s[k], as sums of neighbours, then of halves.
INLINE lanes4 sums(const lanes4 s[4]) {
  const lanes4 p = __builtin_shufflevector(s[0], s[1], 0, 4, 2, 6) +
                   __builtin_shufflevector(s[0], s[1], 1, 5, 3, 7);
  const lanes4 q = __builtin_shufflevector(s[2], s[3], 0, 4, 2, 6) +
                   __builtin_shufflevector(s[2], s[3], 1, 5, 3, 7);
  return __builtin_shufflevector(p, q, 0, 1, 4, 5) + __builtin_shufflevector(p, q, 2, 3, 6, 7);
}

// Four rows of G from i on, transposed.
static void transpose_4(int n, const double *g, const double *weight, double *t, long ldm,
                        double *norm) {
  lanes4 square = {0.0, 0.0, 0.0, 0.0};
  int j = 0;
  for (; j + 4 <= n; j += 4) {
    const lanes4 r0 = load(g + j), r1 = load(g + n + j), r2 = load(g + 2L * n + j),
                 r3 = load(g + 3L * n + j);
    const lanes4 t0 = __builtin_shufflevector(r0, r1, 0, 4, 2, 6),
                 t1 = __builtin_shufflevector(r0, r1, 1, 5, 3, 7);
    const lanes4 t2 = __builtin_shufflevector(r2, r3, 0, 4, 2, 6),
                 t3 = __builtin_shufflevector(r2, r3, 1, 5, 3, 7);
    const lanes4 c[4] = {
        __builtin_shufflevector(t0, t2, 0, 1, 4, 5), __builtin_shufflevector(t1, t3, 0, 1, 4, 5),
        __builtin_shufflevector(t0, t2, 2, 3, 6, 7), __builtin_shufflevector(t1, t3, 2, 3, 6, 7)};
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      store(t + (j + k) * ldm, c[k]);
      square += weight[j + k] * c[k] * c[k];
    }
  }
  for (; j < n; ++j) {
    const lanes4 c = {g[j], g[n + j], g[2 * n + j], g[3 * n + j]};
    store(t + j * ldm, c);
    square += weight[j] * c * c;
  }
  store(norm, square);
}

static void transpose(int m, int n, const double *G, const double *weight, double *Gt, int ldm,
                      double *norm, double *scale) {
  int i = 0;
  for (; i + 4 <= m; i += 4) transpose_4(n, G + (long)i * n, weight, Gt + i, ldm, norm + i);
  for (int k = i; k < ldm; ++k) norm[k] = 0.0;
  for (int j = 0; j < n; ++j)
    for (int k = i; k < ldm; ++k) {
      const double g = k < m ? G[(long)k * n + j] : 0.0;
      Gt[(long)j * ldm + k] = g;
      norm[k] += weight[j] * g * g;
    }
  for (int k = 0; k < ldm; ++k) scale[k] = norm[k] > 0.0 ? 1.0 / norm[k] : 0.0;
}

typedef struct least {
  lanes4 value;
  mask4 row;
} least;

INLINE void least_take(least *best, lanes4 value, mask4 row) {
  const mask4 lower = value < best->value;
  best->value = select(lower, value, best->value);
  best->row = (lower & row) | (~lower & best->row);
}

// The first of equals.
INLINE limpet_qp_worst least_of(const least *best) {
  limpet_qp_worst worst = {(int)best->row[0], best->value[0]};
  for (int k = 1; k < 4; ++k)
    if (best->value[k] < worst.value || (best->value[k] == worst.value && best->row[k] < worst.row))
      worst = (limpet_qp_worst){(int)best->row[k], best->value[k]};
  return worst;
}

static const least none = {{INFINITY, INFINITY, INFINITY, INFINITY}, {0, 0, 0, 0}};

INLINE limpet_qp_worst slack_of(const int bounds, int n, int ldm, const double *Gt, const double *h,
                                const double *x, const double *scale, double *s, double *bound) {
  least best = none;
  mask4 row = {0, 1, 2, 3};
  for (int i = 0; i < ldm; i += 8) {
    const double *g = Gt + i;
    lanes4 s0 = load(h + i), s1 = load(h + i + 4), b0 = magnitude(s0), b1 = magnitude(s1);
    for (int j = 0; j < n; ++j, g += ldm) {
      const lanes4 p = x[j] * load(g), q = x[j] * load(g + 4);
      s0 += p, s1 += q;
      if (bounds) b0 += magnitude(p), b1 += magnitude(q);
    }
    store(s + i, s0), store(s + i + 4, s1);
    if (bounds) store(bound + i, b0), store(bound + i + 4, b1);
    least_take(&best, s0 * magnitude(s0) * load(scale + i), row);
    least_take(&best, s1 * magnitude(s1) * load(scale + i + 4), row + 4);
    row += 8;
  }
  return least_of(&best);
}

static limpet_qp_worst slack(int n, int ldm, const double *Gt, const double *h, const double *x,
                             const double *scale, double *s, double *bound) {
  return bound ? slack_of(1, n, ldm, Gt, h, x, scale, s, bound)
               : slack_of(0, n, ldm, Gt, h, x, scale, s, bound);
}

static limpet_qp_worst advance(int n, int ldm, const double *Gt, double t, const double *z,
                               const double *scale, double *s) {
  least best = none;
  mask4 row = {0, 1, 2, 3};
  for (int i = 0; i < ldm; i += 16) {
    const double *g = Gt + i;
    lanes4 sum4[4] = {
        {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}};
    for (int j = 0; j < n; ++j, g += ldm)
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) sum4[k] += z[j] * load(g + 4 * k);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k, row += 4) {
      const lanes4 v = load(s + i + 4 * k) + t * sum4[k];
      store(s + i + 4 * k, v);
      least_take(&best, v * magnitude(v) * load(scale + i + 4 * k), row);
    }
  }
  return least_of(&best);
}

static limpet_qp_worst worst(int ldm, const double *scale, const double *s) {
  least best = none;
  mask4 row = {0, 1, 2, 3};
  for (int i = 0; i < ldm; i += 4, row += 4) {
    const lanes4 v = load(s + i);
    least_take(&best, v * magnitude(v) * load(scale + i), row);
  }
  return least_of(&best);
}

static void mul_t(int rows, int columns, const double *A, int lda, const double *x, double *y) {
  int j = 0;
  for (; j + 16 <= columns; j += 16) {
    lanes4 s[4] = {
        {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}};
    const double *a = A + j;
    for (int i = 0; i < rows; ++i, a += lda)
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) s[k] += x[i] * load(a + 4 * k);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) store(y + j + 4 * k, s[k]);
  }
  for (; j < columns; j += 4) {
    lanes4 s = {0.0, 0.0, 0.0, 0.0}, t = s;
    const double *a = A + j;
    int i = 0;
    for (; i + 2 <= rows; i += 2, a += 2L * lda) s += x[i] * load(a), t += x[i + 1] * load(a + lda);
    if (i < rows) s += x[i] * load(a);
    store(y + j, s + t);
  }
}

static void mul(int rows, int from, int to, const double *A, int lda, const double *x, double *y) {
  int i = 0;
  for (; i + 4 <= rows; i += 4, A += 4L * lda) {
    lanes4 s[4] = {
        {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}};
    for (int j = from; j < to; j += 4)
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) s[k] += load(A + (long)k * lda + j) * load(x + j);
    store(y + i, sums(s));
  }
  for (; i < rows; ++i, A += lda) {
    lanes4 s = {0.0, 0.0, 0.0, 0.0};
    for (int j = from; j < to; j += 4) s += load(A + j) * load(x + j);
    y[i] = sum(s);
  }
}

static double direction(int n, int ld, int q, const double *J, const double *g, double *d,
                        double *tail, double *z, double *total) {
  mul_t(n, ld, J, ld, g, d);
  lanes4 all = {0.0, 0.0, 0.0, 0.0}, outside = all;
  mask4 column = {0, 1, 2, 3};
  for (int j = 0; j < ld; j += 4, column += 4) {
    const lanes4 dj = load(d + j), tj = (lanes4)((mask4)dj & (column >= (int64_t)q));
    store(tail + j, tj);
    all += dj * dj;
    outside += tj * tj;
  }
  mul(n, q & ~3, ld, J, ld, tail, z);
  *total = sum(all);
  return sum(outside);
}

static void reflect(int n, int ld, int q, double alpha, double beta, const double *z,
                    const double *v, double *J) {
  for (int i = 0; i < n; ++i, J += ld) {
    const double w = beta * (z[i] - alpha * J[q]);
    for (int j = q & ~3; j < ld; j += 4) store(J + j, load(J + j) - w * load(v + j));
  }
}

// e gathers the round-off of s, exactly where the sum is greater than the term, as c is nearly
// always.
static void rest(int ld, int q, const double *product, const double *A, const double *u,
                 double *b) {
  for (int j = 0; j < ld; j += 4) {
    lanes4 s = load(b + j), e = {0.0, 0.0, 0.0, 0.0};
    const double *a = A + j;
    for (int i = 0; i < q; ++i, a += ld) {
      const lanes4 next = s - u[i] * load(a);
      e += (s - next) - u[i] * load(a);
      s = next;
    }
    store(b + j, (s + load(product + j)) + e);
  }
}

static void rotate(int rows, int k, double cosine, double sine, double *A, int lda) {
  const lanes2 c = {cosine, cosine}, s = {sine, -sine};
  double *a = A + k;
  for (int i = 0; i < rows; ++i, a += lda) {
    const lanes2 v = *(const lanes2 *)a;
    *(lanes2 *)a = c * v + s * __builtin_shufflevector(v, v, 1, 0);
  }
}

// Four rows at a time, of which only the triangle on the diagonal is a chain; numbers are stored as
// they will be loaded.
static void forward(int q, const double *Rt, int ldr, const double *inverse, double *y) {
  int p = 0;
  for (; p + 4 <= q; p += 4) {
    const double *r0 = Rt + (long)p * ldr, *r1 = r0 + ldr, *r2 = r1 + ldr, *r3 = r2 + ldr;
    lanes4 s[4] = {
        {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}};
    for (int j = 0; j < p; j += 4) {
      const lanes4 yj = load(y + j);
      s[0] += load(r0 + j) * yj, s[1] += load(r1 + j) * yj, s[2] += load(r2 + j) * yj,
          s[3] += load(r3 + j) * yj;
    }
    const lanes4 rest = load(y + p) - sums(s);
    const double t0 = rest[0] * inverse[p];
    const double t1 = (rest[1] - r1[p] * t0) * inverse[p + 1];
    const double t2 = (rest[2] - r2[p] * t0 - r2[p + 1] * t1) * inverse[p + 2];
    const double t3 = (rest[3] - r3[p] * t0 - r3[p + 1] * t1 - r3[p + 2] * t2) * inverse[p + 3];
    store(y + p, (lanes4){t0, t1, t2, t3});
  }
  for (int i = p; i < q; ++i) {
    const double *r = Rt + (long)i * ldr;
    lanes4 s = {0.0, 0.0, 0.0, 0.0};
    for (int j = 0; j < p; j += 4) s += load(r + j) * load(y + j);
    double t = y[i] - sum(s);
    for (int j = p; j < i; ++j) t -= r[j] * y[j];
    y[i] = t * inverse[i];
  }
}

static void backward(int q, const double *Rt, int ldr, const double *inverse, double *y) {
  const int whole = q & ~3;
  for (int i = q - 1; i >= whole; --i) {
    const double *r = Rt + (long)i * ldr;
    const double t = y[i] * inverse[i];
    for (int j = 0; j < whole; j += 4) store(y + j, load(y + j) - t * load(r + j));
    for (int j = whole; j < i; ++j) y[j] -= t * r[j];
    y[i] = t;
  }
  for (int p = whole - 4; p >= 0; p -= 4) {
    const double *r0 = Rt + (long)p * ldr, *r1 = r0 + ldr, *r2 = r1 + ldr, *r3 = r2 + ldr;
    const lanes4 yp = load(y + p);
    const double t3 = yp[3] * inverse[p + 3];
    const double t2 = (yp[2] - r3[p + 2] * t3) * inverse[p + 2];
    const double t1 = (yp[1] - r3[p + 1] * t3 - r2[p + 1] * t2) * inverse[p + 1];
    const double t0 = (yp[0] - r3[p] * t3 - r2[p] * t2 - r1[p] * t1) * inverse[p];
    store(y + p, (lanes4){t0, t1, t2, t3});
    for (int j = 0; j < p; j += 4)
      store(y + j, load(y + j) - t0 * load(r0 + j) - t1 * load(r1 + j) - t2 * load(r2 + j) -
                       t3 * load(r3 + j));
  }
}

const limpet_qp_table LIMPET_QP_TABLE = {
    .transpose = transpose,
    .slack = slack,
    .advance = advance,
    .worst = worst,
    .mul_t = mul_t,
    .mul = mul,
    .direction = direction,
    .reflect = reflect,
    .rest = rest,
    .rotate = rotate,
    .forward = forward,
    .backward = backward,
};
