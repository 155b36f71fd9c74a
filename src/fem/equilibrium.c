/* fem/equilibrium.c: where a deformable body comes to rest under gravity and nodal forces.
 *
 *   minimise U(q) = Psi(q) - sum (m_a g + F_a).q_a  over the nodes that are not fixed
 * by Newton's method: d = -K^-1 (f(q) - load), K exact where it has a Cholesky factor, projected
 * elsewhere, with a length that is halved until U falls by a share of the slope. The law `linear`
 * is one solve.
 *
 * Ends where |f - load| is `tolerance` of the load, or round-off. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "fem/step.h"

static const double sufficient = 1e-4;    // [-]  share of the slope
static const double floor_share = 1e-14;  // [-]  of the stiffness times the extent
static const double round_off = 1e-12;    // [-]  of the energy: falls below cannot be told
static const double near_floor = 100.0;   // [-]  times the floor, where nothing falls any more
enum { HALVINGS = 40 };

// residual = f(q) - load, zero at fixed nodes; U is left in step->energy.
static void static_residual(limpet_fem_step *step, const double *q) {
  const limpet_fem_body *body = step->body;
  const limpet_fem_kernels *kernels = limpet_fem();
  const long n = 3L * body->info.node_count;
  double *r = step->residual;
  memset(r, 0, (size_t)n * sizeof *r);
  if (step->point) {
    step->energy = kernels->points(body, q, step->point);
    kernels->force(body, step->point, r);
  } else {
    kernels->linear_force(body, NULL, 1.0, q, 1.0, r);
    step->energy = 0.0;
    for (long i = 0; i < n; ++i) step->energy += 0.5 * r[i] * (q[i] - body->rest[i]);
  }
  for (long i = 0; i < n; ++i) {
    r[i] -= step->load[i];
    step->energy -= step->load[i] * (q[i] - body->rest[i]);
  }
  limpet_fem_clear_fixed(step, r);
}

static bool static_tangent(limpet_fem_step *step, bool projected) {
  const limpet_fem_body *body = step->body;
  const limpet_fem_kernels *kernels = limpet_fem();
  memset(step->H, 0, 9 * (size_t)body->block_count * sizeof *step->H);
  if (step->point) kernels->stiffness(body, step->point, projected, 1.0, step->H);
  else kernels->linear_stiffness(body, NULL, 1.0, step->H);
  return limpet_fem_factor(step);
}

// Round-off of f: that of positions, times the stiffness.
static double static_floor(const limpet_fem_step *step, const double *q) {
  const limpet_fem_body *body = step->body;
  double stiff = 0.0, extent = 0.0;
  for (int i = 0; i < body->info.node_count; ++i) {
    const double *h = step->H + 9L * (body->row_begin[i + 1] - 1);
    stiff += h[0] * h[0] + h[4] * h[4] + h[8] * h[8];
    for (int k = 0; k < 3; ++k) extent = fmax(extent, fabs(q[3L * i + k] - q[k]));
  }
  return floor_share * sqrt(stiff) * extent;
}

// q += t d with the first t = 1, 1/2, ... that brings the energy (or the residual) down.
static bool static_search(limpet_fem_step *step, double *q, double before, double slope) {
  const int n = 3 * step->body->info.node_count;
  const double energy = step->energy;
  double t = 1.0;
  for (int halving = 0; halving <= HALVINGS; ++halving, t *= 0.5) {
    for (int i = 0; i < n; ++i) step->trial[i] = q[i] + t * step->direction[i];
    static_residual(step, step->trial);
    const double now = limpet_fem_norm(n, step->residual);
    if (step->energy - energy <= sufficient * t * slope ||
        (-slope * t < round_off * fabs(energy) && now < before)) {
      memcpy(q, step->trial, (size_t)n * sizeof *q);
      return true;
    }
    ++step->info.line_searches;
  }
  return false;
}

static limpet_fem_outcome static_newton(limpet_fem_step *step, double *q) {
  const int n = 3 * step->body->info.node_count;
  const double load = limpet_fem_norm(n, step->load);
  double before = INFINITY;
  static_residual(step, q);
  for (int iteration = 0;; ++iteration) {
    const double now = limpet_fem_norm(n, step->residual);
    step->info.residual = load > 0.0 ? now / load : now;
    if (!isfinite(now)) return LIMPET_FEM_NOT_FINITE;
    if (now <= step->input.tolerance * load) return LIMPET_FEM_SOLVED;
    if (iteration >= step->input.iteration_limit) return LIMPET_FEM_ITERATION_LIMIT;
    if (!static_tangent(step, false)) {
      ++step->info.projected;
      if (!step->point || !static_tangent(step, true)) return LIMPET_FEM_NOT_POSITIVE;
    }
    const double least = static_floor(step, q);
    if (now <= least || (now <= near_floor * least && now > 0.5 * before)) return LIMPET_FEM_SOLVED;
    before = now;

    double slope = 0.0;
    for (int i = 0; i < n; ++i) step->direction[i] = -step->residual[i];
    limpet_block_cholesky_solve(step->factor, step->direction);
    for (int i = 0; i < n; ++i) slope += step->direction[i] * step->residual[i];
    ++step->info.iterations;
    if (!static_search(step, q, now, slope))
      return now <= near_floor * least ? LIMPET_FEM_SOLVED : LIMPET_FEM_STALLED;
  }
}

limpet_fem_outcome limpet_fem_step_equilibrium(limpet_fem_step *step, const limpet_fem_input *input,
                                               double *q) {
  assert(step && input && q);
  limpet_fem_input at = *input;
  at.position = at.velocity = q;
  at.fixed_velocity = NULL;
  limpet_fem_outcome outcome = LIMPET_FEM_NOT_FINITE;
  if (limpet_fem_input_take(step, &at)) outcome = static_newton(step, q);
  step->input.position = NULL;  // a begin must follow before the calls that need one
  return step->info.outcome = outcome;
}
