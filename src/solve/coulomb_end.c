/* solve/coulomb_end.c: the end of an island that the iteration of coulomb.h does not solve:
 * pivoting, sweeps and shifted problems, which know who touches and who slides. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "solve/coulomb_descent.h"
#include "solve/coulomb_facets.h"
#include "solve/island.h"
#include "solve/island_round_off.h"
#include "solve/row.h"

// [-]  |F| over its scale: beyond it the state has diverged
static const double garbage = 0.1;
// [-]  |F| over its scale, after a linear step from forces that were found: in small islands of
// free bodies no way leads from there
static const double hopeless = 0.99;
// [-]  units of round-off by which the sum of a row's speed may be off; of |F|, to which bounds
// agree
static const double row_units = 8.0, between = 0.03;
static const double gain = 10.0;  // [-]  energy over what there is without contact: likewise
/* [-]  Share of the limit's rest that the first shifted problem may take, where nothing turns or
 * there are no sweeps. Newton's method from the forces of a problem that leaves a gap: iterations,
 * at most; those kept for the contacts that keep sweeps from their end. Sweeps before problems, for
 * each iteration of the limit, and for FEWEST at least: less in islands of heavy trees. Attempts of
 * pivoting before problems; further ones follow them. */
static const double first_part = 0.75;
enum {
  LAST_PROBLEMS = 2,
  FROM_PROBLEM = 12,
  FEWEST = 15,
  TWO_PROBLEMS = 20,
  TWO_LIGHT_PROBLEMS = 12,
  SECOND_PART = 15,
  AWAKE_PART = 24,
  PIVOTED = 2
};
/* Contacts of an island from which thousands of sweeps, and pivoting of some of its contacts, cost
 * more than the iterations in which further shifted problems close the gap. */
enum { VAST = 400 };
static const int last_sweeps[][LAST_PROBLEMS] = {[false] = {67, 267}, [true] = {1, 67}};

/* Sweeps from where the last ones ended, or from the forces of the last step: what the iteration
 * made of them since may be anything. */
static bool sweep_on(limpet_descent *f, int plain) {
  limpet_island_solver *s = f->solver;
  if (!limpet_coulomb_recall_sweeps(s)) limpet_descent_recall(s);
  const limpet_coulomb_sweeps sweeps = {
      .accelerated = LIMPET_ACCELERATED, .plain = plain, .gap = LIMPET_GAP_NEAR};
  return limpet_coulomb_sweep(s, &sweeps);
}

// Bounds of what turns in the next shifted problem, from forces (contacts x 3).
static void expect_turning(limpet_island_solver *s, const double *forces) {
  for (int i = 0; i < s->island->contact_count; ++i)
    s->coulomb->bound[i] = fmax(forces[3 * i + 2], 0.0);
}

// The residual after impulses were changed.
static void measure_again(limpet_descent *f) {
  limpet_island_solver *s = f->solver;
  limpet_island_measure(s, f->x, s->newton.gradient, &f->measure);
  s->info.residual = limpet_newton_relative(&f->measure);
}

// Torques of an unsolved problem into their bounds: what momentum misses then is in the residual.
static void project_turning(limpet_descent *f) {
  limpet_island_solver *s = f->solver;
  limpet_island_spins_project(s);
  for (int i = 0; i < s->n; ++i) s->newton.gradient[i] = s->A_difference[i] - s->impulse[i];
  measure_again(f);
}

bool limpet_descent_presses_beyond(const limpet_island_solver *s, double share) {
  const double *bound = s->problem->return_bound;
  if (!bound) return false;
  const double *of_contacts = bound + s->island->contact,
               *of_rows = bound + s->problem->contact_count + s->island->row;
  for (int i = 0; i < s->island->contact_count; ++i)
    if (s->contact_gamma[3 * i + 2] > share * of_contacts[i]) return true;
  for (int i = 0; i < s->island->row_count; ++i)
    if (fabs(s->row_gamma[i]) > share * of_rows[i]) return true;
  return false;
}

// Iterations of those left that a second problem has.
static int left_for_second(int left) {
  const int usual = (int)((1.0 - first_part) * left), least = left / 2;
  return usual > SECOND_PART ? usual : least < SECOND_PART ? least : SECOND_PART;
}

/* Whether the state has much more energy than there is without contact, and in what is led back at
 * the speed that its law states: friction and stops take energy, so sweeps that end so have
 * diverged. Momentum is kept by them anywhere. */
static bool has_gained(const limpet_island_solver *s) {
  double before = 0.0, after = 0.0;  // v' A v
  for (int i = 0; i < s->island->contact_count; ++i) {
    const limpet_contact_constants *own = &s->own_constants[i];
    if (!(own->distance < 0.0) || !(own->dissipation > 0.0)) continue;
    const double led = fmin(-own->distance / own->dt, 1.0 / own->dissipation);
    before += led * led / own->delassus;
  }
  for (int i = 0; i < s->n; ++i) {
    before += s->v_free[i] * s->momentum[i];
    after += s->x[i] * (s->A_difference[i] + s->momentum[i]);
  }
  return !(after <= gain * before);
}

// Whether all contacts of an island are pivoted together.
static bool is_small(const limpet_island_solver *s) {
  return s->island->contact_count <= LIMPET_FACETS_CONTACTS;
}

/* Newton's method from the forces of a shifted problem that is solved but for its gap: it knows who
 * touches and who slides, so |F| falls quadratically from there where the gap is not long. Returns
 * whether that solves the island. */
static bool go_on_from_problem(limpet_descent *f) {
  limpet_island_solver *s = f->solver;
  limpet_descent_place(f);
  f->settled = false;
  limpet_descent_restart(f, LIMPET_COULOMB_SWEPT);
  const bool pivoted = s->coulomb->pivots && is_small(s),
             hopes = !pivoted || f->measure.residual <= hopeless * f->measure.scale;
  const int last = s->info.iterations + FROM_PROBLEM, limit = f->settings->iteration_limit;
  while (hopes && !limpet_descent_ends(f) && f->since <= LIMPET_ON_ITS_WAY &&
         s->info.iterations < limit && (s->info.iterations < last || limpet_descent_converges(f)))
    if (!limpet_descent_iterate(f)) break;
  if (s->info.outcome == LIMPET_NEWTON_SOLVED) return true;
  s->info.outcome = LIMPET_NEWTON_ITERATION_LIMIT;
  return false;
}

/* Newton's method from forces that pivoting finds in a small island: it knows who touches, who
 * slides and where to, so this is nearly always a solution. */
static bool end_pivoted(limpet_descent *f) {
  limpet_island_solver *s = f->solver;
  const int left = f->settings->iteration_limit - s->info.iterations;
  if (left < TWO_LIGHT_PROBLEMS || !limpet_coulomb_facets_fit(s) || !is_small(s)) return false;
  const size_t size = 3 * (size_t)s->island->contact_count * sizeof *s->contact_gamma;
  for (int k = 0; k < PIVOTED; ++k) {
    memcpy(s->coulomb->forces, s->contact_gamma, size);
    if (!limpet_coulomb_facets(s, k)) return false;
    if (go_on_from_problem(f)) return true;
  }
  return false;
}

// Further forces by pivoting, of a small island or of contacts in it; number: of the attempt.
static bool pivot_again(limpet_island_solver *s, int number) {
  return is_small(s) ? limpet_coulomb_facets(s, PIVOTED + number)
                     : limpet_coulomb_facets_awake(s, number > 0);
}

/* The same of the contacts among many that keep sweeps from their end, or once more of a small
 * island. Where that finds no solution the state stays the solution of the last shifted problem,
 * with a gap. */
static bool end_awake(limpet_descent *f) {
  limpet_island_solver *s = f->solver;
  const size_t size = (size_t)s->n * sizeof *s->x;
  const limpet_newton_info info = s->info;
  memcpy(s->other_start, s->x, size);
  const int limit = f->settings->iteration_limit;
  for (int k = 0; s->info.iterations < limit && pivot_again(s, k); ++k)
    if (go_on_from_problem(f)) return true;
  memcpy(s->x, s->other_start, size);
  limpet_coulomb_set_form(s, LIMPET_FRICTION_SHIFTED);
  limpet_island_evaluate(s, s->x, s->newton.gradient);
  measure_again(f);
  s->info.cost = info.cost;
  s->info.outcome = info.outcome;
  return false;
}

/* The iteration stalls again, or few iterations are left. Thousands of sweeps come so close to a
 * solution that the shifted problem with their slip speeds, which is convex, leaves no gap, or so
 * short a one that Newton's method goes on from there. Else more sweeps leave less than further
 * problems. Where a problem is not solved either, the end is the forces of sweeps. */
static void end_swept(limpet_descent *f) {
  limpet_island_solver *s = f->solver;
  if (end_pivoted(f)) return;
  const int limit = f->settings->iteration_limit;
  const int sweeps = limit > FEWEST ? limit : FEWEST;
  // heavy trees have two problems only where iterations suffice for both; few sweeps leave contacts
  // on soft bodies so far off that the first one would waste its iterations
  const int left = limit - s->info.iterations;
  const bool few = left < (s->coulomb->heavy ? TWO_PROBLEMS : TWO_LIGHT_PROBLEMS);
  const bool vast = s->island->contact_count > VAST;
  const bool one = s->coulomb->soft || few || vast;
  bool swept = true;
  s->coulomb->least_gap = INFINITY;
  for (int k = one ? LAST_PROBLEMS - 1 : 0; k < LAST_PROBLEMS && swept; ++k) {
    limpet_newton_settings own = *f->settings;
    swept = sweep_on(f, last_sweeps[s->coulomb->heavy][vast ? 0 : k] * sweeps);
    if (swept) limpet_island_place(s, f->x);
    expect_turning(s, swept ? s->coulomb->forces : s->contact_gamma);
    const bool again = swept && k + 1 < LAST_PROBLEMS && s->spins.count == 0;
    // some are left for a second problem, or for one without friction
    if (again || !swept) own.iteration_limit -= left_for_second(limit - s->info.iterations);
    else if (!one && limpet_coulomb_facets_fit(s)) own.iteration_limit -= AWAKE_PART;
    limpet_coulomb_close_gaps(s, &own, again ? 1 : INT_MAX, swept);
    if (s->info.outcome == LIMPET_NEWTON_SOLVED) return;
    const bool has_gap = s->info.residual <= f->settings->tolerance;
    if (again && has_gap && go_on_from_problem(f)) return;
  }
  if (!one && swept && limpet_coulomb_facets_fit(s) && end_awake(f)) return;
  if (limpet_coulomb_recall_gap(s)) return;
  if (s->info.residual <= f->settings->tolerance) {
    if (s->spins.count > 0) project_turning(f);
    return;
  }
  if (swept) {
    limpet_coulomb_take_sweeps(s);
    measure_again(f);
  }
  const bool diverged = !(s->info.residual <= garbage) || has_gained(s);
  if (diverged && !limpet_descent_presses_beyond(s, LIMPET_JAM_SHARE))
    limpet_coulomb_drop_friction(s, f->settings);
  s->info.outcome = LIMPET_NEWTON_ITERATION_LIMIT;
}

/* Whether doubles bring |F| no closer: stiff rows carry the round-off of fast bodies. */
static bool is_rounded(const limpet_descent *f) {
  const limpet_newton_measure *m = &f->measure;
  return m->residual <= LIMPET_ROUNDED * m->scale &&
         m->residual <= limpet_island_round_off(f->solver);
}

// [m/s, rad/s]  round-off of the speed of a row
static double row_round_off(const limpet_island_solver *s, const limpet_constraint_row *row) {
  double terms = fabs(row->v_hat);
  for (int e = row->entry; e < row->entry + row->entry_count; ++e)
    terms += fabs(s->problem->entry_value[e] * s->x[s->problem->entry_dof[e]]);
  return row_units * DBL_EPSILON * terms;
}

// F with the present impulses of contacts and rows.
static void push_again(limpet_descent *f) {
  limpet_island_push(f->solver, f->solver->newton.gradient);
  measure_again(f);
}

/* Where doubles end, momentum is off by what stiff rows make of the round-off of their speeds: the
 * impulse that balances it lies between those of two neighbouring numbers. Newton's step has it,
 * though the state cannot take that step. With it momentum is met, and each row meets its law
 * within the round-off of its speed: a solution. Else the state stays as it is. */
static bool end_between_numbers(limpet_descent *f) {
  limpet_island_solver *s = f->solver;
  const size_t bytes = 3 * (size_t)s->island->contact_count * sizeof *s->contact_gamma;
  memcpy(s->coulomb->forces, s->contact_gamma, bytes);
  limpet_coulomb_linearise(s);
  ++s->info.factorizations;
  const bool stepped = limpet_coulomb_step(s, between * f->measure.residual, f->d);
  memcpy(s->contact_gamma, s->coulomb->forces, bytes);
  limpet_descent_bound(s);
  limpet_island_spins_evaluate(s);
  bool within = stepped;
  for (int i = 0; within && i < s->island->row_count; ++i) {
    const limpet_constraint_row *row = &s->problem->row[s->island->row + i];
    const double slope = limpet_row_curvature(row, limpet_row_wanted(row, s->row_u[i]));
    within = slope == 0.0 || fabs(s->row_du[i]) <= row_round_off(s, row);
    s->row_gamma[i] = limpet_row_clamp(row, s->row_gamma[i] - slope * s->row_du[i]);
  }
  push_again(f);
  if (within && s->info.residual <= f->settings->tolerance) {
    s->info.outcome = LIMPET_NEWTON_SOLVED;
    return true;
  }
  limpet_island_rows_evaluate(s);
  push_again(f);
  return false;
}

/* The end of a step that Newton's method does not solve. Where it is as close as doubles come, and
 * the end is no solution either, the step stays there: forces meet their laws but for that. */
void limpet_descent_end_late(limpet_descent *f) {
  limpet_island_solver *s = f->solver;
  const bool close = is_rounded(f);
  if (close && end_between_numbers(f)) return;
  if (close) memcpy(s->closest, f->x, (size_t)s->n * sizeof *f->x);
  end_swept(f);
  if (!close || s->info.outcome == LIMPET_NEWTON_SOLVED) return;
  memcpy(f->x, s->closest, (size_t)s->n * sizeof *f->x);
  limpet_descent_place(f);
  s->rounded = true;
}

/* The matrix cannot be factored, of stiffness beyond all digits: sweeps need none, and what they
 * leave is told by the residual. */
void limpet_descent_end_unfactored(limpet_descent *f) {
  limpet_island_solver *s = f->solver;
  if (!sweep_on(f, f->settings->iteration_limit)) return;
  limpet_coulomb_take_sweeps(s);
  measure_again(f);
  if (isfinite(s->info.residual)) s->info.outcome = LIMPET_NEWTON_ITERATION_LIMIT;
}
