/* optim/working_set.c: factored equality-constrained quadratic programmes. Symbols and equations in
 * working_set.h.
 *
 * With d = J'g = [d1 d2]: z = J2 d2 and R r = d1. The reflection H of d2 onto its first coordinate,
 * H = 1 - beta v v', v = d2 - alpha e1, alpha = -sign(d2[0]) |d2|, turns J2 into J2 H = J2 - beta
 * (z - alpha J2 e1) v': the product J2 v costs nothing, and [d1 alpha] is the new row of R'. */
#include "optim/working_set.h"

#include <math.h>
#include <string.h>

#include "math/dense_table.h"

/* [-]  squared sine below which a row counts as dependent: its part outside the span is then
 *   round-off of J, whose relative error is some n eps, for rows that are dependent in truth. */
static const double DEPENDENT = 1e-24;

static double *take(char **memory, size_t *size, size_t count) {
  double *array = *memory ? (double *)(void *)(*memory + *size) : NULL;
  *size += (count * sizeof(double) + 63) / 64 * 64;
  return array;
}

size_t limpet_working_set_layout(limpet_working_set *set, int n, char *memory) {
  const int ld = limpet_qp_pad(n, LIMPET_QP_LANES);
  const size_t row = (size_t)(ld > 0 ? ld : LIMPET_QP_LANES), square = (size_t)n * row;
  size_t size = 0;
  *set = (limpet_working_set){.kernels = limpet_qp_kernels(), .n = n, .ld = ld};
  set->J = take(&memory, &size, square);
  set->Rt = take(&memory, &size, square);
  set->A = take(&memory, &size, square);
  set->Q = take(&memory, &size, square);
  set->factor = take(&memory, &size, square);
  set->inverse = take(&memory, &size, row);
  set->d = take(&memory, &size, row);
  set->z = take(&memory, &size, row);
  set->coefficient = take(&memory, &size, row);
  set->tail = take(&memory, &size, row);
  set->work = take(&memory, &size, row);
  set->row = (int *)(void *)take(&memory, &size, row);
  return size;
}

// J of the block of rows from .. to - 1. False: it is not positive definite.
static bool block_factor(limpet_working_set *set, int from, int to) {
  const int size = to - from, ld = set->ld;
  const double *q = set->Q + (long)from * ld + from;
  double *j = set->J + (long)from * ld + from;
  if (size == 1) {
    *j = 1.0 / sqrt(*q);
    return *q > 0.0 && isfinite(*j);
  }
  for (int i = 0; i < size; ++i) {
    memcpy(set->factor + (long)i * ld, q + (long)i * ld, (size_t)(i + 1) * sizeof(double));
    j[(long)i * ld + i] = 1.0;
  }
  if (limpet_dense()->cholesky(size, set->factor, ld, NULL)) return false;
  limpet_dense()->solve_rows(size, size, set->factor, ld, j, ld);  // L^-T
  return true;
}

bool limpet_working_set_reset(limpet_working_set *set, const double *Q, int ldq) {
  const int n = set->n, ld = set->ld;
  set->count = 0;
  memset(set->J, 0, (size_t)(n * ld) * sizeof(double));
  for (int k = n; k < ld; ++k) set->z[k] = 0.0;
  for (int i = 0; i < n; ++i) {
    double *q = set->Q + (long)i * ld;
    memcpy(q, Q + (long)i * ldq, (size_t)n * sizeof(double));
    for (int k = n; k < ld; ++k) q[k] = 0.0;
  }

  // blocks from the last one up: a block begins where no later row of it reaches further left
  bool failed = false;
  for (int end = n, i = n - 1, left = n; i >= 0; --i) {
    const double *q = set->Q + (long)i * ld;
    int first = 0;
    while (first < i && first < left && q[first] == 0.0) ++first;
    if (first < left) left = first;
    if (left < i) continue;
    failed |= !block_factor(set, i, end);
    end = left = i;
  }
  return !failed;
}

double limpet_working_set_direction(limpet_working_set *set, const double *g, double *total) {
  return set->kernels->direction(set->n, set->ld, set->count, set->J, g, set->d, set->tail, set->z,
                                 total);
}

void limpet_working_set_coefficients(limpet_working_set *set) {
  memcpy(set->coefficient, set->d, (size_t)set->count * sizeof(double));
  set->kernels->backward(set->count, set->Rt, set->ld, set->inverse, set->coefficient);
}

bool limpet_working_set_depends(const limpet_working_set *set, double curvature, double total) {
  return set->count == set->n || !(curvature > DEPENDENT * total);
}

void limpet_working_set_add(limpet_working_set *set, int row, const double *g, double curvature) {
  const int n = set->n, ld = set->ld, q = set->count;
  double alpha = set->d[q];
  if (q + 1 < n) {
    const double length = sqrt(curvature), first = set->d[q];
    alpha = first > 0.0 ? -length : length;
    const double beta = 1.0 / (curvature + fabs(first) * length);
    set->tail[q] = first - alpha;
    set->kernels->reflect(n, ld, q, alpha, beta, set->z, set->tail, set->J);
  }
  double *r = set->Rt + (long)q * ld, *a = set->A + (long)q * ld;
  memcpy(r, set->d, (size_t)q * sizeof(double));
  r[q] = alpha;
  set->inverse[q] = 1.0 / alpha;
  memcpy(a, g, (size_t)n * sizeof(double));
  for (int k = n; k < ld; ++k) a[k] = 0.0;
  set->row[q] = row;
  ++set->count;
}

void limpet_working_set_drop(limpet_working_set *set, int k) {
  const int n = set->n, ld = set->ld, q = --set->count;
  for (int i = k; i < q; ++i) {
    memcpy(set->Rt + (long)i * ld, set->Rt + (long)(i + 1) * ld, (size_t)(i + 2) * sizeof(double));
    memcpy(set->A + (long)i * ld, set->A + (long)(i + 1) * ld, (size_t)ld * sizeof(double));
    set->row[i] = set->row[i + 1];
  }
  for (int i = k; i < q; ++i) {
    double *r = set->Rt + (long)i * ld + i;
    const double length = sqrt(r[0] * r[0] + r[1] * r[1]), inverse = 1.0 / length;
    const double cosine = r[0] * inverse, sine = r[1] * inverse;
    set->kernels->rotate(q - i, i, cosine, sine, set->Rt + (long)i * ld, ld);
    set->kernels->rotate(n, i, cosine, sine, set->J, ld);
    set->inverse[i] = inverse;
  }
}

void limpet_working_set_solve(limpet_working_set *set, const double *b, const double *e, double *x,
                              double *u) {
  const int n = set->n, ld = set->ld, q = set->count;
  double *t = set->work;
  set->kernels->mul_t(n, ld, set->J, ld, b, t);
  double *y = set->coefficient;
  memcpy(y, e, (size_t)q * sizeof(double));
  set->kernels->forward(q, set->Rt, ld, set->inverse, y);
  for (int k = 0; k < q; ++k) u[k] = y[k] + t[k], t[k] = y[k];
  for (int k = q; k < n; ++k) t[k] = -t[k];
  set->kernels->backward(q, set->Rt, ld, set->inverse, u);
  set->kernels->mul(n, 0, ld, set->J, ld, t, x);
  for (int k = n; k < ld; ++k) x[k] = 0.0;
}

void limpet_working_set_product(const limpet_working_set *set, const double *x, double *y) {
  set->kernels->mul_t(set->n, set->ld, set->Q, set->ld, x, y);
}
