/* fem/step_iterate.c: Newton's direction by an earlier factor of the same step.
 *
 *   H d = -r   by conjugate gradients, preconditioned with the factor of another H of the step
 * H changes with the rotations and stretches of elements from one iterate to the next; where these
 * changes are small, H and the earlier one differ by their size in all directions, and each
 * iteration lessens the residual by as much. Both have the same M and no stiffness against what
 * moves as a whole, so the momentum that the solve with the earlier H has met stays met.
 * Only factors of the step itself serve, so that a step depends on nothing but its input. Nodes of
 * rigid sets: r and H p are what forces do to the set, p its motion (rigid_set.c), so products of
 * the two are those of the set's six unknowns.
 * Ends unmet where H is not positive along p, or where iterations would cost more than a
 * factorisation. A multiply-add of a solve, whose numbers are read once from memory, counts as
 * `memory` of a factorisation.
 * Source: Golub, Van Loan, Matrix Computations, 10.3. Cost of an iteration: one product with H, one
 * solve. */
#include <math.h>
#include <string.h>

#include "fem/step.h"
#include "math/dense.h"

static const double memory = 4.0;  // [-]
enum { LEAST = 1 };                // iterations from which their rate is judged

// How many iterations cost as much as a factorisation.
static double affordable(const limpet_fem_step *step) {
  const double product = 18.0 * step->body->block_count;
  const double solve = 2.0 * (double)limpet_block_cholesky_doubles(step->factor);
  return limpet_fem_factor_cost(step) / (memory * (product + solve));
}

// Whether iterations that go on as they did reach `aim` before they cost too much.
static bool is_worth_it(int done, double first, double now, double aim, double most) {
  if (done < LEAST) return true;
  const double rate = log(first / now) / done;  // of each
  return rate > 0.0 && done + log(now / aim) / rate <= most;
}

bool limpet_fem_iterate(limpet_fem_step *step, double aim) {
  const int n = 3 * step->body->info.node_count;
  const size_t size = (size_t)n * sizeof(double);
  const double most = affordable(step);
  double *d = step->direction, *r = step->trial, *p = step->position, *z = step->force;
  for (int i = 0; i < n; ++i) r[i] = -step->residual[i];
  memset(d, 0, size);
  const double first = limpet_fem_norm(n, r);
  double before = 0.0;
  for (int done = 0; done < most; ++done) {
    memcpy(z, r, size);
    limpet_fem_solve(step, z);
    const double along = limpet_dot(n, r, z), share = done > 0 ? along / before : 0.0;
    for (int i = 0; i < n; ++i) p[i] = z[i] + (done > 0 ? share * p[i] : 0.0);
    limpet_fem()->multiply(step->body, step->H, p, z);
    limpet_fem_clear_fixed(step, z);
    const double curvature = limpet_dot(n, p, z), length = along / curvature;
    if (!(curvature > 0.0) || !isfinite(length)) return false;
    limpet_axpy(n, length, p, d), limpet_axpy(n, -length, z, r);
    before = along;
    ++step->info.solves;
    const double now = limpet_fem_norm(n, r);
    if (now <= aim) return true;
    if (!is_worth_it(done + 1, first, now, aim, most)) return false;
  }
  return false;
}
