/* control/plan_backward.c: the backward pass of iterated LQR with limits on the controls.
 *
 * From the last knot to the first, with V the quadratic model of the cost to go, d the gap behind
 * the knot (x_k+1 = A x + B u + d in changes):
 *   Vx' = Vx + Vxx d
 *   Qx = lx + A'Vx'          Qu = lu + B'Vx'
 *   Qxx = lxx + A'Vxx A      Quu = luu + B'Vxx B      Qux = lux + B'Vxx A
 *   k = argmin of 1/2 u'Quu u + Qu'u over lower <= control + u <= upper
 *   K = -Quu^-1 Qux on the controls that are not at a limit, 0 on the others
 *   Vx = Qx + K'Quu k + K'Qu + Qux'k      Vxx = Qxx + K'Quu K + K'Qux + Qux'K
 * Regularisation r: Quu + r (c s I + t B'B V), with s and V the mean diagonals of Quu and Vxx, c
 * and t the shares of controls and states. For the step only; V keeps the plain matrices. Sources:
 * Tassa, Mansard, Todorov, Control-limited differential dynamic programming, ICRA 2014; Mastalli
 * and others, Crocoddyl, ICRA 2020 (gaps). Cost: O(N (n^3 + n^2 m + m^3)). */
#include <math.h>
#include <string.h>

#include "control/plan.h"
#include "math/dense.h"
#include "optim/boxed_lcp.h"

// C (a x b) += A' D, A (rows x a), D (rows x b)
static void add_product(int rows, int a, int b, const double *A, const double *D, double *C) {
  for (int k = 0; k < rows; ++k)
    for (int i = 0; i < a; ++i) {
      const double f = A[k * a + i];
      if (f != 0.0) limpet_axpy(b, f, D + (size_t)k * (size_t)b, C + (size_t)i * (size_t)b);
    }
}

// y (a) += A' x, A (rows x a)
static void add_transposed(int rows, int a, const double *A, const double *x, double *y) {
  for (int k = 0; k < rows; ++k) limpet_axpy(a, x[k], A + (size_t)k * (size_t)a, y);
}

// C (n x b) = V D, V symmetric (n x n), D (n x b)
static void symmetric_product(int n, int b, const double *V, const double *D, double *C) {
  memset(C, 0, (size_t)(n * b) * sizeof *C);
  add_product(n, n, b, V, D, C);
}

static double mean_diagonal(int n, const double *A) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += fabs(A[i * n + i]);
  return n > 0 ? sum / n : 0.0;
}

// Q of a knot from V behind it.
static void expand(limpet_plan_workspace *w, size_t k) {
  const int n = w->n, m = w->m;
  const size_t nn = (size_t)(n * n), nm = (size_t)(n * m), mm = (size_t)(m * m);
  const double *A = w->A + k * nn, *B = w->B + k * nm;
  memcpy(w->Qx, w->lx + k * (size_t)n, (size_t)n * sizeof(double));
  memcpy(w->Qxx, w->lxx + k * nn, nn * sizeof(double));
  memcpy(w->Qu, w->lu + k * (size_t)m, (size_t)m * sizeof(double));
  memcpy(w->Quu, w->luu + k * mm, mm * sizeof(double));
  memcpy(w->Qux, w->lux + k * nm, nm * sizeof(double));
  add_transposed(n, n, A, w->Vx, w->Qx);
  add_transposed(n, m, B, w->Vx, w->Qu);
  symmetric_product(n, n, w->Vxx, A, w->product);
  add_product(n, n, n, A, w->product, w->Qxx);
  add_product(n, m, n, B, w->product, w->Qux);
  symmetric_product(n, m, w->Vxx, B, w->product);
  add_product(n, m, m, B, w->product, w->Quu);
}

// The matrix of the programme of a knot: Quu, symmetric to the bit, with its regularisation.
static void regularize(limpet_plan_workspace *w, size_t k, double r, double *matrix) {
  const int n = w->n, m = w->m;
  const double *B = w->B + k * (size_t)(n * m);
  // a knot whose controls cost nothing and change nothing that does: any number will do
  const double mean = mean_diagonal(m, w->Quu), scale = mean > 0.0 ? mean : 1.0;
  const double plain = r * w->settings.control_regularization * scale,
               state = r * w->settings.state_regularization * mean_diagonal(n, w->Vxx);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) matrix[i * m + j] = 0.5 * (w->Quu[i * m + j] + w->Quu[j * m + i]);
  for (int i = 0; i < m; ++i) matrix[i * m + i] += plain;
  for (int k2 = 0; k2 < n && state > 0.0; ++k2)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) matrix[i * m + j] += state * B[k2 * m + i] * B[k2 * m + j];
}

// Minimises over the box. False where the matrix is not positive definite.
static bool box_minimize(limpet_plan_workspace *w, const double *control, const double *matrix,
                         double *shift) {
  const int m = w->m;
  bool bounded = false;
  for (int i = 0; i < m; ++i) {
    w->box_lower[i] = fmin(w->lower[i] - control[i], 0.0);
    w->box_upper[i] = fmax(w->upper[i] - control[i], 0.0);
    bounded |= isfinite(w->box_lower[i]) || isfinite(w->box_upper[i]);
  }
  memcpy(w->factor, matrix, (size_t)(m * m) * sizeof(double));
  if (limpet_cholesky(m, w->factor, m) != 0) return false;
  for (int i = 0; i < m; ++i) shift[i] = -w->Qu[i];
  limpet_cholesky_solve(m, w->factor, m, shift);
  bool inside = true;
  for (int i = 0; i < m; ++i) inside &= shift[i] >= w->box_lower[i] && shift[i] <= w->box_upper[i];
  if (inside || !bounded) return true;
  const limpet_boxed_lcp box = {
      .n = m, .A = matrix, .q = w->Qu, .lower = w->box_lower, .upper = w->box_upper};
  return limpet_boxed_lcp_solve(&box, w->box_memory, shift, w->box_w, NULL) ==
         LIMPET_BOXED_LCP_SOLVED;
}

// Rows of the gain of controls that are free: K = -Quu^-1 Qux on them.
static bool gain_fill(limpet_plan_workspace *w, const double *matrix, const double *shift,
                      double *K) {
  const int n = w->n, m = w->m;
  int count = 0;
  double *column = w->row;
  memset(K, 0, (size_t)(m * n) * sizeof *K);
  for (int i = 0; i < m; ++i) {
    w->box_w[i] = shift[i] > w->box_lower[i] && shift[i] < w->box_upper[i];
    count += w->box_w[i] > 0.0;
  }
  if (count == 0) return true;
  for (int i = 0, a = 0; i < m; ++i) {
    if (!(w->box_w[i] > 0.0)) continue;
    for (int j = 0, b = 0; j < m; ++j)
      if (w->box_w[j] > 0.0) w->factor[a * count + b++] = matrix[i * m + j];
    ++a;
  }
  if (limpet_cholesky(count, w->factor, count) != 0) return false;
  for (int x = 0; x < n; ++x) {
    for (int i = 0, a = 0; i < m; ++i)
      if (w->box_w[i] > 0.0) column[a++] = -w->Qux[i * n + x];
    limpet_cholesky_solve(count, w->factor, count, column);
    for (int i = 0, a = 0; i < m; ++i)
      if (w->box_w[i] > 0.0) K[i * n + x] = column[a++];
  }
  return true;
}

// V before the knot from Q, gain and shift; and what the shift is expected to change.
static void value_update(limpet_plan_workspace *w, const double *shift, const double *K) {
  const int n = w->n, m = w->m;
  double *Quu_k = w->row, *Quu_K = w->product;
  memset(Quu_k, 0, (size_t)m * sizeof(double));
  add_transposed(m, m, w->Quu, shift, Quu_k);
  w->linear += limpet_dot(m, shift, w->Qu);
  w->square += limpet_dot(m, shift, Quu_k);

  // Vx = Qx + K'(Quu k + Qu) + Qux'k
  for (int i = 0; i < m; ++i) Quu_k[i] += w->Qu[i];
  memcpy(w->Vx, w->Qx, (size_t)n * sizeof(double));
  add_transposed(m, n, K, Quu_k, w->Vx);
  add_transposed(m, n, w->Qux, shift, w->Vx);

  // Vxx = Qxx + K'(Quu K + Qux) + Qux'K, made symmetric
  memcpy(w->Vxx, w->Qxx, (size_t)(n * n) * sizeof(double));
  memcpy(Quu_K, w->Qux, (size_t)(m * n) * sizeof(double));
  add_product(m, m, n, w->Quu, K, Quu_K);
  add_product(m, n, n, K, Quu_K, w->Vxx);
  add_product(m, n, n, w->Qux, K, w->Vxx);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      w->Vxx[i * n + j] = w->Vxx[j * n + i] = 0.5 * (w->Vxx[i * n + j] + w->Vxx[j * n + i]);
}

// Vx <- Vx + Vxx d, and what closing the gap is expected to change.
static void gap_take(limpet_plan_workspace *w, const double *gap) {
  const int n = w->n;
  for (int i = 0; i < n; ++i) w->costate = fmax(w->costate, fabs(w->Vx[i]));
  double most = 0.0;
  for (int i = 0; i < n; ++i) most = fmax(most, fabs(gap[i]));
  if (most == 0.0) return;
  memset(w->dx, 0, (size_t)n * sizeof(double));
  add_transposed(n, n, w->Vxx, gap, w->dx);
  w->linear += limpet_dot(n, gap, w->Vx);
  w->square += limpet_dot(n, gap, w->dx);
  for (int i = 0; i < n; ++i) w->Vx[i] += w->dx[i];
}

bool limpet_plan_backward(limpet_plan *plan, double regularization) {
  limpet_plan_workspace *w = plan->workspace;
  const size_t n = (size_t)w->n, m = (size_t)w->m, last = (size_t)plan->knot_count;
  double *matrix = w->row + (n > m ? n : m);
  w->linear = w->square = w->costate = 0.0;
  memcpy(w->Vx, w->lx + last * n, n * sizeof(double));
  memcpy(w->Vxx, w->lxx + last * n * n, n * n * sizeof(double));
  for (size_t k = last; k-- > 0;) {
    double *shift = w->shift + k * m, *K = plan->gain + k * m * n;
    gap_take(w, w->gap + k * n);
    expand(w, k);
    regularize(w, k, regularization, matrix);
    if (!box_minimize(w, plan->control + k * m, matrix, shift) || !gain_fill(w, matrix, shift, K))
      return false;
    value_update(w, shift, K);
  }
  return isfinite(w->linear) && isfinite(w->square);
}
