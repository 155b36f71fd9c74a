/* optim/boxed_lcp.c: see boxed_lcp.h. */
#include "optim/boxed_lcp.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "math/dense.h"

typedef enum place { OUTSIDE, AT_LOWER, AT_UPPER, FREE } place;

typedef struct pivoting {
  const limpet_boxed_lcp *p;
  double *x, *w;
  // (n x n)  Cholesky factor of A over the free unknowns, in the order in which they came
  double *L;
  double *dx, *dw;  // (n)  per unit of the driven unknown
  double *work;     // (n)
  int *free;        // (free_count)
  place *place;     // (n)
  int free_count, entered, pivots;
} pivoting;

size_t limpet_boxed_lcp_memory_size(int n) {
  return ((size_t)n * (size_t)n + 3 * (size_t)n) * sizeof(double) +
         (size_t)n * (sizeof(int) + sizeof(place));
}

// Appends an unknown to the free ones. False: A is not positive definite.
static bool factor_add(pivoting *s, int i) {
  const int n = s->p->n, k = s->free_count;
  double *row = s->L + (long)k * n, sum = s->p->A[(long)i * n + i];
  for (int r = 0; r < k; ++r) {
    const double *l = s->L + (long)r * n;
    row[r] = (s->p->A[(long)i * n + s->free[r]] - limpet_dot(r, l, row)) / l[r];
  }
  sum -= limpet_dot(k, row, row);
  if (!(sum > 0.0)) return false;
  row[k] = sqrt(sum);
  s->free[s->free_count++] = i;
  s->place[i] = FREE;
  return true;
}

// Removes an unknown: later rows move up, rotations of columns make the factor triangular again.
static void factor_remove(pivoting *s, int i, place to) {
  const int n = s->p->n;
  int k = 0;
  while (s->free[k] != i) ++k;
  --s->free_count;
  for (int r = k; r < s->free_count; ++r) {
    s->free[r] = s->free[r + 1];
    memcpy(s->L + (long)r * n, s->L + (long)(r + 1) * n, (size_t)(r + 2) * sizeof *s->L);
  }
  for (int c = k; c < s->free_count; ++c) {
    const double a = s->L[(long)c * n + c], b = s->L[(long)c * n + c + 1], length = hypot(a, b);
    for (int r = c; r < s->free_count; ++r) {
      double *l = s->L + (long)r * n + c;
      const double t = (a * l[0] + b * l[1]) / length;
      l[1] = (a * l[1] - b * l[0]) / length;
      l[0] = t;
    }
  }
  s->place[i] = to;
}

// y (free_count) <- A^-1 y over the free unknowns.
static void solve_free(const pivoting *s, double *y) {
  const int n = s->p->n, count = s->free_count;
  for (int r = 0; r < count; ++r) {
    const double *l = s->L + (long)r * n;
    y[r] = (y[r] - limpet_dot(r, l, y)) / l[r];
  }
  for (int r = count - 1; r >= 0; --r) {
    const double *l = s->L + (long)r * n;
    y[r] /= l[r];
    limpet_axpy(r, -y[r], l, y);
  }
}

// dx of the free unknowns and dw of the others for dx_i = 1; dw of free ones means nothing.
static void directions(pivoting *s, int i) {
  const int n = s->p->n, count = s->free_count;
  const double *row = s->p->A + (long)i * n;
  for (int r = 0; r < count; ++r) s->work[r] = -row[s->free[r]];
  solve_free(s, s->work);
  memcpy(s->dw, row, (size_t)s->entered * sizeof *s->dw);
  for (int r = 0; r < count; ++r) {
    s->dx[s->free[r]] = s->work[r];
    limpet_axpy(s->entered, s->work[r], s->p->A + (long)s->free[r] * n, s->dw);
  }
}

/* How far the driven unknown can go along `sign`, and who stops it: `at` = i: it reached a bound or
 * w_i = 0. */
static double longest_step(const pivoting *s, int i, double sign, int *at, place *to) {
  const double *lower = s->p->lower, *upper = s->p->upper;
  double step = -s->w[i] / (sign * s->dw[i]);  // dw_i > 0: the Schur complement
  *at = i, *to = FREE;
  const double bound = sign > 0.0 ? upper[i] - s->x[i] : s->x[i] - lower[i];
  if (bound <= step) step = bound, *to = sign > 0.0 ? AT_UPPER : AT_LOWER;
  for (int k = 0; k < s->entered; ++k) {
    if (k == i) continue;
    double most = INFINITY;
    place end = FREE;
    if (s->place[k] == FREE) {
      const double rate = sign * s->dx[k];
      if (rate > 0.0) most = (upper[k] - s->x[k]) / rate, end = AT_UPPER;
      if (rate < 0.0) most = (lower[k] - s->x[k]) / rate, end = AT_LOWER;
    } else {
      const double rate = sign * s->dw[k];
      if (lower[k] == upper[k]) continue;
      if (s->place[k] == AT_LOWER && rate < 0.0) most = -s->w[k] / rate;
      if (s->place[k] == AT_UPPER && rate > 0.0) most = -s->w[k] / rate;
    }
    if (most < step) step = fmax(most, 0.0), *at = k, *to = end;
  }
  return step;
}

static void advance(pivoting *s, int i, double step) {
  for (int r = 0; r < s->free_count; ++r) s->x[s->free[r]] += step * s->dx[s->free[r]];
  s->x[i] += step;
  for (int k = 0; k < s->entered; ++k)
    if (s->place[k] != FREE) s->w[k] += step * s->dw[k];
}

static limpet_boxed_lcp_outcome enter(pivoting *s, int i) {
  const limpet_boxed_lcp *p = s->p;
  const int n = p->n, limit = 50 + 20 * n;
  s->x[i] = 0.0, s->w[i] = p->q[i];
  for (int k = 0; k < i; ++k) s->w[i] += p->A[(long)i * n + k] * s->x[k];
  s->place[i] = OUTSIDE;
  s->entered = i + 1;
  while (s->pivots < limit) {
    // does its condition hold?
    if (s->w[i] >= 0.0 && s->x[i] == p->lower[i]) s->place[i] = AT_LOWER;
    else if (s->w[i] <= 0.0 && s->x[i] == p->upper[i]) s->place[i] = AT_UPPER;
    if (s->place[i] != OUTSIDE) return LIMPET_BOXED_LCP_SOLVED;
    const double sign = s->w[i] > 0.0 ? -1.0 : 1.0;
    directions(s, i);
    if (!(s->dw[i] > 0.0)) return LIMPET_BOXED_LCP_FAILURE;
    ++s->pivots;

    int at;
    place to;
    const double step = longest_step(s, i, sign, &at, &to);
    if (!isfinite(step)) return LIMPET_BOXED_LCP_FAILURE;
    advance(s, i, sign * step);
    if (at != i) {
      if (to == FREE) {
        s->w[at] = 0.0;
        if (!factor_add(s, at)) return LIMPET_BOXED_LCP_FAILURE;
      } else {
        s->x[at] = to == AT_UPPER ? p->upper[at] : p->lower[at];
        s->w[at] = 0.0;
        factor_remove(s, at, to);
      }
    } else if (to == FREE) {
      s->w[i] = 0.0;
      return factor_add(s, i) ? LIMPET_BOXED_LCP_SOLVED : LIMPET_BOXED_LCP_FAILURE;
    } else {
      s->x[i] = to == AT_UPPER ? p->upper[i] : p->lower[i];
      s->place[i] = to;
      return LIMPET_BOXED_LCP_SOLVED;
    }
  }
  return LIMPET_BOXED_LCP_PIVOT_LIMIT;
}

// The free unknowns afresh from the factor, without the round-off of the pivots.
static void polish(pivoting *s) {
  const limpet_boxed_lcp *p = s->p;
  const int n = p->n, count = s->free_count;
  for (int r = 0; r < count; ++r) {
    const int i = s->free[r];
    s->work[r] = -p->q[i];
    for (int k = 0; k < n; ++k)
      if (s->place[k] != FREE) s->work[r] -= p->A[(long)i * n + k] * s->x[k];
  }
  solve_free(s, s->work);
  for (int r = 0; r < count; ++r)
    s->x[s->free[r]] = fmin(fmax(s->work[r], p->lower[s->free[r]]), p->upper[s->free[r]]);
}

limpet_boxed_lcp_outcome limpet_boxed_lcp_solve(const limpet_boxed_lcp *p, void *memory, double *x,
                                                double *w, int *pivots) {
  assert(p && p->n >= 0 && memory && x && w);
  const size_t n = (size_t)p->n;
  double *at = memory;
  pivoting s = {.p = p,
                .x = x,
                .w = w,
                .L = at,
                .dx = at + n * n,
                .dw = at + n * n + n,
                .work = at + n * n + 2 * n};
  s.free = (int *)(void *)(s.work + n);
  s.place = (place *)(void *)(s.free + n);
  memset(x, 0, n * sizeof *x);
  limpet_boxed_lcp_outcome outcome = LIMPET_BOXED_LCP_SOLVED;
  bool bounded = false;
  for (int i = 0; i < p->n && outcome == LIMPET_BOXED_LCP_SOLVED; ++i) {
    // bounds of all friction from the normals of this moment
    for (int k = i; k < p->n && !bounded && p->normal && p->normal[i] >= 0; ++k)
      if (p->normal[k] >= 0)
        p->upper[k] = p->ratio[k] * fmax(x[p->normal[k]], 0.0), p->lower[k] = -p->upper[k];
    if (p->normal && p->normal[i] >= 0) bounded = true;
    outcome = enter(&s, i);
  }
  if (outcome == LIMPET_BOXED_LCP_SOLVED) polish(&s);
  if (pivots) *pivots = s.pivots;
  return outcome;
}
