/* fem/step_newton.c: the free motion of laws that are not linear, by Newton's method with a line
 * search.
 *
 * R is the gradient of
 *   E(v) = 1/2 |v - v0|_M^2 + 2 Psi(q+) + (beta/dt) |E(q+) - E(q)|_C^2 + dt/2 alpha |v|_M^2
 *          - dt f_ext.v
 * [J], q+ = q + dt/2 (v0 + v), the third term that of damping by the rate of Green's strain. Other
 * damping has dt/2 beta |v|_D^2 there; D is the stiffness at rest in the axes of the step's start,
 * or, on request, K(q+) taken from the current iterate (then convergence is linear, and E may rise
 * where K is not positive). A
 * direction d = -H^-1 R with H positive definite descends on E; its length is halved until E
 * falls by a share of what the slope promises (Armijo). H takes the exact K where that has a
 * Cholesky factor, else K projected element by element; d may come from an earlier factor
 * (step_iterate.c). H of the end and its factor stay behind until they are wanted.
 *
 * Ends where |R| <= tolerance |R(v0)|, or where R is round-off: `floor` times the terms that it is
 * made of. Nothing is asked of elements: inverted ones have finite energy and stress.
 * Source: Nocedal, Wright, Numerical Optimization, sections 3.1 and 3.4. */
#include <math.h>
#include <string.h>

#include "fem/step.h"

static const double sufficient = 1e-4;            // [-]  share of the slope that a step must bring
static const double floor_share = 8.0 * 2.2e-16;  // [-]  of the terms of R: round-off
// [-]  times the floor: a residual that is as small and falls no more is round-off, too
static const double near_floor = 100.0;
// [-]  of the residual: the most that a direction by an earlier factor leaves, and a tenth of what
// the iteration before left of its own, if that is less
static const double forcing = 1e-4;
static const double slack = 0.1;  // [-]  of what the residual may end at: the least that it leaves
enum { HALVINGS = 30 };

// Terms of E that are cheap: those of mass, damping by mass and load. v: trial; y: scratch.
static double easy_energy(const limpet_fem_step *step, const double *v, double *y) {
  const limpet_fem_body *body = step->body;
  const double dt = step->input.dt;
  const long n = 3L * body->info.node_count;
  double sum = 0.0;
  for (long i = 0; i < n; ++i) y[i] = v[i] - step->start[i];
  double *My = step->force;
  memset(My, 0, (size_t)n * sizeof *My);
  limpet_fem_mass_add(body, 1.0, y, My);
  for (long i = 0; i < n; ++i) sum += 0.5 * y[i] * My[i] - dt * step->load[i] * v[i];
  if (body->info.mass_damping > 0.0) {
    memset(My, 0, (size_t)n * sizeof *My);
    limpet_fem_mass_add(body, body->info.mass_damping, v, My);
    for (long i = 0; i < n; ++i) sum += 0.5 * dt * v[i] * My[i];
  }
  return sum;
}

// What R consists of, in size: below a share of it a residual is round-off.
static double terms_size(const limpet_fem_step *step, const double *v) {
  const limpet_fem_body *body = step->body;
  const long n = 3L * body->info.node_count;
  double inertia = 0.0, load = 0.0, stiff = 0.0, extent = 0.0;
  for (long i = 0; i < n; ++i) {
    const double m = fabs(body->node_mass[i / 3]);
    inertia += m * m * (v[i] * v[i] + step->start[i] * step->start[i]);
    load += step->load[i] * step->load[i];
    extent = fmax(extent, fabs(step->input.position[i] - step->input.position[i % 3]));
  }
  for (int i = 0; i < body->info.node_count; ++i) {
    const double *h = step->H + 9L * (body->row_begin[i + 1] - 1);
    stiff += h[0] * h[0] + h[4] * h[4] + h[8] * h[8];
  }
  // dt K q, with K <= 2 H/dt^2
  return sqrt(inertia) + step->input.dt * sqrt(load) + 2.0 / step->input.dt * sqrt(stiff) * extent;
}

// Round-off of E: of its terms, `easy` the sum of those but the elastic one, and of the strains.
static double energy_noise(const limpet_fem_step *step, double easy) {
  const limpet_fem_body *body = step->body;
  return 1e-13 * (fabs(easy) + 2.0 * fabs(step->energy) + body->constants.mu * body->info.volume);
}

// The factor of H at the last evaluate, which is exact, or projected where that has none.
static bool factor_tangent(limpet_fem_step *step) {
  if (limpet_fem_factor(step)) return true;
  ++step->info.projected;
  limpet_fem_assemble(step, true);
  const bool done = limpet_fem_factor(step);
  step->serves = false;  // far from what is exact
  return done;
}

bool limpet_fem_complete(limpet_fem_step *step, bool evaluated) {
  if (!step->lags) return true;
  if (!evaluated) limpet_fem_evaluate(step, step->free, step->residual);
  limpet_fem_assemble(step, false);
  return factor_tangent(step);
}

// Newton's direction, and its slope; H is exact. left [N s]: that R + H d may be.
static bool find_direction(limpet_fem_step *step, double left, double *slope) {
  const int n = 3 * step->body->info.node_count;
  double *r = step->residual, *d = step->direction;
  if (!step->serves || !limpet_fem_iterate(step, left)) {
    if (!factor_tangent(step)) return false;
    for (int i = 0; i < n; ++i) d[i] = -r[i];
    limpet_fem_solve(step, d);
  }
  *slope = 0.0;
  for (int i = 0; i < n; ++i) *slope += d[i] * r[i];
  return true;
}

/* Moves v along step->direction; the residual there is left in step->residual, its points in
 * step->point. False: E does not fall. */
static bool line_search(limpet_fem_step *step, double *v, double slope) {
  const int n = 3 * step->body->info.node_count;
  double *d = step->direction, *trial = step->trial, *work = step->position;

  // dt beta (v.K d t + d.K d t^2/2)
  double linear = 0.0, quadratic = 0.0;
  memset(work, 0, (size_t)n * sizeof *work);
  limpet_fem_damping_add(step, step->input.dt, d, work);
  for (int i = 0; i < n; ++i) linear += v[i] * work[i], quadratic += d[i] * work[i];
  const double elastic = step->energy, before = easy_energy(step, v, work);
  const double weight = 1.0 / limpet_fem_share(step);  // of the elastic energy: dE/dv = dt f share
  const double noise = energy_noise(step, before), residual = limpet_fem_norm(n, step->residual);
  double t = 1.0;
  for (int halving = 0; halving <= HALVINGS; ++halving, t *= 0.5) {
    for (int i = 0; i < n; ++i) trial[i] = v[i] + t * d[i];
    const double easy = easy_energy(step, trial, work);
    limpet_fem_evaluate(step, trial, step->residual);
    limpet_fem_clear_fixed(step, step->residual);
    const double change =
        easy - before + weight * (step->energy - elastic) + t * linear + 0.5 * t * t * quadratic;
    // where the change drowns in the round-off of the energies, the residual has to fall
    if (change <= sufficient * t * slope ||
        (-t * slope < noise && limpet_fem_norm(n, step->residual) < residual)) {
      memcpy(v, trial, (size_t)n * sizeof *v);
      return true;
    }
    step->serves = false;  // H changes much on this way
    ++step->info.line_searches;
  }
  return false;
}

limpet_fem_outcome limpet_fem_minimize(limpet_fem_step *step, double *v) {
  const int n = 3 * step->body->info.node_count;
  double *r = step->residual;
  limpet_fem_evaluate(step, v, r);
  limpet_fem_clear_fixed(step, r);
  const double first = limpet_fem_norm(n, r), aim = step->input.tolerance * first;
  double before = INFINITY;
  for (int iteration = 0;; ++iteration) {
    const double now = limpet_fem_norm(n, r);
    step->info.residual = first > 0.0 ? now / first : 0.0;
    step->lags = true;
    if (!isfinite(now)) return LIMPET_FEM_NOT_FINITE;
    if (now <= aim) return LIMPET_FEM_SOLVED;
    limpet_fem_assemble(step, false);
    const double least = floor_share * terms_size(step, v);
    const bool round_off = now <= least || (now <= near_floor * least && now > 0.5 * before);
    const double left = fmax(fmin(forcing, slack * now / before) * now, slack * fmax(aim, least));
    before = now;
    if (round_off) return LIMPET_FEM_SOLVED;
    if (iteration >= step->input.iteration_limit) return LIMPET_FEM_ITERATION_LIMIT;

    double slope;
    if (!find_direction(step, left, &slope)) return LIMPET_FEM_NOT_POSITIVE;
    ++step->info.iterations;
    if (!line_search(step, v, slope)) {
      limpet_fem_evaluate(step, v, r);
      limpet_fem_clear_fixed(step, r);
      return -slope < energy_noise(step, slope) ? LIMPET_FEM_SOLVED : LIMPET_FEM_STALLED;
    }
  }
}
