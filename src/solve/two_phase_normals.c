/* solve/two_phase_normals.c: phase one of the two-phase method: normal impulses w_s by Newton's
 * restitution. Symbols as in two_phase.c.
 *
 *   literal    w_s = A_N^+ (s - b_N) over the contacts that approach or rest; singular values below
 *              1e-10 of the largest count as zero
 *   repaired   w_s >= 0,  A_N w_s + b_N - s >= 0,  complementary
 * Redundant contacts leave many repaired solutions. Proximal steps from zero lead to the one of
 * least norm: A_N gets a small weight on its diagonal, the same for all, and later steps correct
 * for it. What remains in the null space of A_N is round-off over the weight. The product
 * x - weight (A_N + weight)^-1 x removes it, and refinement restores what that took from the
 * rest. */
#include <math.h>
#include <string.h>

#include "math/decompose.h"
#include "math/dense.h"
#include "optim/block_pivoting.h"
#include "optim/boxed_lcp.h"
#include "solve/two_phase.h"

enum { PROXIMAL_STEPS = 12, REFINEMENTS = 30 };
static const double cutoff = 1e-10;  // [-]  of singular values
static const double regular = 1e-8;  // [-]  weight over the mean of the diagonal
// [m/s]  literal: contacts that part slower than this count as resting
static const double at_rest = 1e-9;
static const double negligible = 1e-9;  // [-]  of the largest normal impulse
static const double exact = 1e-14;      // [-]  speeds that are missing over the largest

static void normals_literal(limpet_two_phase *z) {
  const int n = z->space->contacts;
  z->count = 0;
  for (int i = 0; i < n; ++i) {
    const double closing = fmax(z->space->constants[i].distance, 0.0) / z->space->dt;
    z->w_s[i] = 0.0;
    if (z->b[3 * i + 2] <= -closing + at_rest) z->pushing[z->count++] = i;
  }
  const int p = z->count;
  double *A_N = z->work, *V = A_N + p * p, *lambda = V + p * p, *right = lambda + p,
         *work = right + p, *w = work + p;
  for (int i = 0; i < p; ++i) {
    for (int k = 0; k < p; ++k) A_N[i * p + k] = z->A_N[z->pushing[i] * n + z->pushing[k]];
    right[i] = z->target[z->pushing[i]] - z->b[3 * z->pushing[i] + 2];
  }
  limpet_symmetric_eigen(p, A_N, work, lambda, V);
  limpet_symmetric_pseudo_solve(p, lambda, V, cutoff, right, work, w);
  for (int i = 0; i < p; ++i) z->w_s[z->pushing[i]] = w[i];
}

// x (p) <- x - weight (A + weight)^-1 x, with the factor L of that: takes out what lies in the null
// space of A.
static void project(int p, const double *L, double weight, double *x, double *work) {
  memcpy(work, x, (size_t)p * sizeof *work);
  limpet_cholesky_solve(p, L, p, work);
  limpet_axpy(p, -weight, work, x);
}

// The solution of least norm over those that push, from the w_s at hand. Left alone where one of
// them would pull.
static void polish(limpet_two_phase *z, double weight, const double *lack) {
  const int n = z->space->contacts, p = z->count;
  double *A = z->work, *L = A + n * n, *x = L + n * n + 6 * n, *y = x + n, *work = y + n;
  double size = 0.0, least = INFINITY;
  for (int i = 0; i < p; ++i) {
    for (int k = 0; k < p; ++k)
      A[i * p + k] = L[i * p + k] = z->A_N[z->pushing[i] * n + z->pushing[k]];
    L[i * p + i] += weight;
    x[i] = z->w_s[z->pushing[i]];
    size = fmax(size, fabs(lack[z->pushing[i]]));
  }
  if (limpet_cholesky(p, L, p)) return;
  for (int round = 0; round < 2; ++round) project(p, L, weight, x, work);
  for (int round = 0; round < REFINEMENTS; ++round) {
    double missing = 0.0;
    for (int i = 0; i < p; ++i) {
      y[i] = lack[z->pushing[i]] - limpet_dot(p, A + i * p, x);
      missing = fmax(missing, fabs(y[i]));
    }
    if (!(missing > exact * size)) break;
    limpet_cholesky_solve(p, L, p, y);
    for (int k = 0; k < 2; ++k) project(p, L, weight, y, work);
    limpet_axpy(p, 1.0, y, x);
  }
  for (int i = 0; i < p; ++i) least = fmin(least, x[i]);
  for (int i = 0; i < p && least > 0.0; ++i) z->w_s[z->pushing[i]] = x[i];
}

// One proximal step from w_s. Pivoting in blocks, or by Dantzig where that does not end.
static limpet_boxed_lcp_outcome proximal_step(limpet_two_phase *z, const double *A, const double *q,
                                              double *w, double *bounds) {
  const int n = z->space->contacts;
  if (limpet_block_pivoting(n, A, q, negligible, z->lcp_memory, z->w_s, w, z->free))
    return LIMPET_BOXED_LCP_SOLVED;
  for (int i = 0; i < n; ++i) bounds[i] = 0.0, bounds[n + i] = INFINITY;
  const limpet_boxed_lcp problem = {.n = n, .A = A, .q = q, .lower = bounds, .upper = bounds + n};
  return limpet_boxed_lcp_solve(&problem, z->lcp_memory, z->w_s, w, NULL);
}

static limpet_outcome normals_repaired(limpet_two_phase *z) {
  const int n = z->space->contacts;
  double *A = z->work, *lack = A + 2 * n * n, *q = lack + n, *w = q + n, *bounds = w + n,
         *before = bounds + 2 * n;
  double weight = 0.0, largest = 0.0, size = 0.0;
  memcpy(A, z->A_N, (size_t)(n * n) * sizeof *A);
  for (int i = 0; i < n; ++i) {
    weight += regular / n * A[i * n + i];
    lack[i] = z->target[i] - z->b[3 * i + 2];
    size = fmax(size, fabs(lack[i]));
    z->w_s[i] = 0.0, z->free[i] = lack[i] > 0.0;
  }
  for (int i = 0; i < n; ++i) A[i * n + i] += weight;
  limpet_boxed_lcp_outcome outcome = LIMPET_BOXED_LCP_SOLVED;
  double change = INFINITY;
  for (int step = 0; step < PROXIMAL_STEPS && weight * change > exact * size; ++step) {
    memcpy(before, z->w_s, (size_t)n * sizeof *before);
    for (int i = 0; i < n; ++i) q[i] = -lack[i] - weight * before[i];
    outcome = proximal_step(z, A, q, w, bounds);
    change = 0.0;
    for (int i = 0; i < n; ++i) change = fmax(change, fabs(z->w_s[i] - before[i]));
  }
  for (int i = 0; i < n; ++i) largest = fmax(largest, z->w_s[i]);
  z->count = 0;
  for (int i = 0; i < n; ++i) {
    if (z->w_s[i] > negligible * largest) z->pushing[z->count++] = i;
    else z->w_s[i] = 0.0;
  }
  polish(z, weight, lack);
  return outcome == LIMPET_BOXED_LCP_SOLVED        ? LIMPET_OUTCOME_SOLVED
         : outcome == LIMPET_BOXED_LCP_PIVOT_LIMIT ? LIMPET_OUTCOME_ITERATION_LIMIT
                                                   : LIMPET_OUTCOME_NUMERICAL_FAILURE;
}

limpet_outcome limpet_two_phase_normals(limpet_two_phase *z) {
  if (!z->literal) return normals_repaired(z);
  normals_literal(z);
  return LIMPET_OUTCOME_SOLVED;
}
