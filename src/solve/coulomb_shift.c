/* solve/coulomb_shift.c: convex problems that have Coulomb's friction but for a gap
 * (law/coulomb.c).
 *
 *   z = v_n - mu (s - c),   gamma_n = n(z),   gamma_t = -mu n(z) t
 * is solved for given speeds c [m/s] by Newton's method, from any start. Friction is that of the
 * normal impulse of the same step whatever c is; what a wrong c leaves is a gap or an overlap of
 * dt mu |s - c| [m]. Where that is closed the step is Coulomb's. It is the
 * end of a step that finds no solution.
 * c <- s of one problem is the c of the next, by Anderson's method, until that leaves no gap; one
 * contact alone contracts by mu^2 r/(1 + mu^2 r), r = w_t/w_n. */
#include <math.h>
#include <string.h>

#include "law/normal_law.h"
#include "optim/anderson.h"
#include "solve/coulomb.h"

static const double rough = 1e-2;      // [-]  relative residual that tells forces
enum { ROUGH_ITERATIONS = 25 };        // for it
static const double agreement = 1e-3;  // [-]  of bounds of turning with normal impulses
// [m]  that a step which is not solved may end with: an overlap that a second look leaves as it is
static const double longest_gap = 100.0 * LIMPET_GAP_CLOSED;
enum { FEW = 4 };  // iterations that one more problem may take
// where no iterations are left for the island without friction
static const limpet_coulomb_sweeps without_friction = {.accelerated = 1, .plain = 1024};

void limpet_coulomb_set_form(limpet_island_solver *s, limpet_friction_form form) {
  for (int i = 0; i < s->island->contact_count; ++i)
    s->own_constants[i].compliant.friction_form = form;
}

// Whether a contact pushes, or should: where c > s one that does not can go under.
static bool pushes(const limpet_island_solver *s, int i) {
  double slope;
  return s->contact_gamma[3 * i + 2] > 0.0 ||
         limpet_normal_impulse(&s->own_constants[i], s->contact_v[3 * i + 2], &slope) > 0.0;
}

/* What a torque misses of its law as it was bounded by another normal impulse than that of the
 * problem itself, as a share of the residual: relative to `scale`. What sticks within the true
 * bound misses nothing. */
static double missed_torque(const limpet_island_solver *s, int i, double scale) {
  const limpet_spin *spin = &s->spins.spin[i];
  const int contact = spin->contact - s->island->contact;
  const double n = s->contact_gamma[3 * contact + 2], b = s->coulomb->bound[contact];
  const double *tau = s->spins.tau + 2 * i, size = sqrt(tau[0] * tau[0] + tau[1] * tau[1]);
  const double least = spin->length * fmin(n, b);
  if (fabs(n - b) <= agreement * fmax(n, b) || size <= LIMPET_STICKING_SHARE * least) return 0.0;
  const double rate = spin->rate * sqrt(s->own_constants[contact].delassus);
  return rate * spin->length * fabs(n - b) / scale;
}

/* Whether friction against turning is bounded by normal impulses of the problem itself, not by
 * others that were expected. */
static bool turns_within(limpet_island_solver *s, double tolerance) {
  limpet_newton_measure measure;
  limpet_island_measure(s, s->x, s->newton.gradient, &measure);
  double missed = 0.0;
  for (int i = 0; i < s->spins.count; ++i) {
    const double one = missed_torque(s, i, measure.scale);
    missed += one * one;
  }
  return sqrt(missed) <= tolerance;
}

// The longest gap or overlap that the shift makes  [m].
static double gap_of(const limpet_island_solver *s) {
  double gap = 0.0;
  for (int i = 0; i < s->island->contact_count; ++i) {
    const limpet_contact_constants *own = &s->own_constants[i];
    const double missed = fabs(limpet_coulomb_slip_speed(s, i) - s->coulomb->shift[i]);
    if (pushes(s, i)) gap = fmax(gap, own->dt * own->friction * missed);
  }
  return gap;
}

// The minimum of the cost that laws have in their present form, from the state. Counts, residual
// and outcome are those of the solver's information then.
static void minimize(limpet_island_solver *s, const limpet_newton_settings *settings) {
  const limpet_newton_problem newton = limpet_island_newton(s);
  s->newton.evaluated = false;
  const limpet_newton_info one = limpet_newton_minimize(&newton, settings, &s->newton, s->x);
  s->info.iterations += one.iterations;
  s->info.factorizations += one.factorizations;
  s->info.line_search_evaluations += one.line_search_evaluations;
  s->info.residual = one.residual;
  s->info.cost = one.cost;
  s->info.outcome = one.outcome;
}

/* Where a shifted problem starts: the forces c->forces and torques (spins x 2) that were solved, or
 * swept, for the shift `before` (contacts) at the state; NULL: the state alone. */
typedef struct shifted_start {
  const double *before, *torque;
} shifted_start;

// Keeps the solution of a problem if its gap is the shortest one.
static void keep_gap(limpet_island_solver *s) {
  limpet_coulomb *c = s->coulomb;
  if (s->info.outcome != LIMPET_NEWTON_SOLVED || s->spins.count > 0) return;
  const double gap = gap_of(s);
  if (!(gap < c->least_gap)) return;
  c->least_gap = gap;
  memcpy(c->gapped, s->x, (size_t)s->n * sizeof *s->x);
  memcpy(c->gapped_shift, c->shift, (size_t)s->island->contact_count * sizeof *c->shift);
}

/* Solves the problem for the speeds c->shift, and bounds c->bound of what turns, to `tolerance`,
 * in at most `limit` iterations. Its forces are c->forces. Returns whether there is no gap in its
 * solution. */
static bool solve_shifted(limpet_island_solver *s, const limpet_newton_settings *settings,
                          double tolerance, int limit, shifted_start start) {
  limpet_coulomb *c = s->coulomb;
  const int count = s->island->contact_count;
  limpet_coulomb_set_form(s, LIMPET_FRICTION_SHIFTED);
  for (int i = 0; i < count; ++i) {
    limpet_compliant_constants *own = &s->own_constants[i].compliant;
    own->friction_shift = c->shift[i];
    own->lagged_impulse = c->bound[i];  // of what turns: see island_spins.h
  }
  limpet_newton_settings own = *settings;
  own.tolerance = tolerance;
  own.iteration_limit = limit;
  if (start.before && limit > 0) {
    limpet_coulomb_start_shifted(s, start.before, start.torque);
    --own.iteration_limit;
  }
  minimize(s, &own);
  memcpy(c->forces, s->contact_gamma, 3 * (size_t)count * sizeof *c->forces);
  if (tolerance <= settings->tolerance) keep_gap(s);
  return s->info.outcome == LIMPET_NEWTON_SOLVED && gap_of(s) <= LIMPET_GAP_CLOSED &&
         turns_within(s, settings->tolerance);
}

static int at_most(int limit, const limpet_island_solver *s,
                   const limpet_newton_settings *settings) {
  const int left = settings->iteration_limit - s->info.iterations;
  return left < 0 ? 0 : left < limit ? left : limit;
}

void limpet_coulomb_shift(limpet_island_solver *s, const limpet_newton_settings *settings) {
  for (int i = 0; i < s->island->contact_count; ++i)
    s->coulomb->shift[i] = limpet_coulomb_slip_speed(s, i);
  solve_shifted(s, settings, rough, at_most(ROUGH_ITERATIONS, s, settings), (shifted_start){0});
  if (s->info.outcome == LIMPET_NEWTON_SOLVED) s->info.outcome = LIMPET_NEWTON_ITERATION_LIMIT;
}

void limpet_coulomb_close_gaps(limpet_island_solver *s, const limpet_newton_settings *settings,
                               int problems, bool swept) {
  limpet_coulomb *c = s->coulomb;
  const int count = s->island->contact_count;
  const size_t bytes = (size_t)count * sizeof *c->shift;
  limpet_anderson anderson;
  limpet_anderson_begin(&anderson, count, c->weight, c->memory);
  for (int i = 0; i < count; ++i) c->shift[i] = limpet_coulomb_slip_speed(s, i);
  const bool many = c->sweeps == LIMPET_SWEEPS_FIRST;
  shifted_start start = {many && swept ? c->shift : NULL, c->turning.tau};
  while (!solve_shifted(s, settings, settings->tolerance,
                        at_most(settings->iteration_limit, s, settings), start)) {
    if (s->info.outcome != LIMPET_NEWTON_SOLVED) return;
    if (--problems == 0 || at_most(FEW, s, settings) < FEW) {
      s->info.outcome = LIMPET_NEWTON_ITERATION_LIMIT;
      return;
    }
    memcpy(c->last_shift, c->shift, bytes);
    start = (shifted_start){many ? c->last_shift : NULL, s->spins.tau};
    for (int i = 0; i < count; ++i) {
      c->bound[i] = c->forces[3 * i + 2];
      c->next_bound[i] = limpet_coulomb_slip_speed(s, i);
    }
    // speeds that leave no gap stay, so that bounds of turning find their own
    if (gap_of(s) <= LIMPET_GAP_NEAR) continue;
    limpet_anderson_step(&anderson, c->next_bound, c->shift);
    for (int i = 0; i < count; ++i)
      c->shift[i] = fmax(c->shift[i], s->own_constants[i].compliant.slip_speed);
  }
}

bool limpet_coulomb_recall_gap(limpet_island_solver *s) {
  const limpet_coulomb *c = s->coulomb;
  if (!(c->least_gap <= longest_gap)) return false;
  memcpy(s->x, c->gapped, (size_t)s->n * sizeof *s->x);
  limpet_coulomb_set_form(s, LIMPET_FRICTION_SHIFTED);
  for (int i = 0; i < s->island->contact_count; ++i)
    s->own_constants[i].compliant.friction_shift = c->gapped_shift[i];
  s->info.cost = limpet_island_evaluate(s, s->x, s->newton.gradient);
  limpet_newton_measure measure;
  limpet_island_measure(s, s->x, s->newton.gradient, &measure);
  s->info.residual = limpet_newton_relative(&measure);
  s->info.outcome = LIMPET_NEWTON_ITERATION_LIMIT;
  return true;
}

/* The island without friction by sweeps from no forces: Gauss and Seidel's method for a convex
 * problem, which only falls. Momentum is met wherever they end. False: there are no sweeps. */
static bool sweep_without_friction(limpet_island_solver *s) {
  const int count = s->island->contact_count;
  double *friction = s->coulomb->next_bound;
  for (int i = 0; i < count; ++i) {
    friction[i] = s->own_constants[i].friction;
    s->own_constants[i].friction = 0.0;
  }
  memset(s->coulomb->forces, 0, 3 * (size_t)count * sizeof *s->coulomb->forces);
  if (s->spins.count > 0) memset(s->spins.tau, 0, 2 * (size_t)s->spins.count * sizeof(double));
  const bool swept = limpet_coulomb_sweep(s, &without_friction);
  if (swept) limpet_coulomb_take_sweeps(s);
  for (int i = 0; i < count; ++i) s->own_constants[i].friction = friction[i];
  return swept;
}

void limpet_coulomb_drop_friction(limpet_island_solver *s, const limpet_newton_settings *settings) {
  limpet_newton_settings own = *settings;
  own.iteration_limit = at_most(settings->iteration_limit, s, settings);
  limpet_coulomb_set_form(s, LIMPET_FRICTION_BOUNDED);
  for (int i = 0; i < s->island->contact_count; ++i)
    s->own_constants[i].compliant.lagged_impulse = 0.0;
  memset(s->x, 0, (size_t)s->n * sizeof *s->x);
  minimize(s, &own);
  if (s->info.outcome == LIMPET_NEWTON_SOLVED || !sweep_without_friction(s)) return;
  limpet_newton_measure measure;
  limpet_island_measure(s, s->x, s->newton.gradient, &measure);
  s->info.residual = limpet_newton_relative(&measure);
}
