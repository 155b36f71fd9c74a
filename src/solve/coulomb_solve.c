/* solve/coulomb_solve.c: the iteration of coulomb.h from its start to its end: when sweeps help,
 * and when it is to end by them. */
#include <math.h>
#include <string.h>

#include "math/vec3.h"
#include "solve/coulomb_descent.h"
#include "solve/island.h"

// [-]  |F| over its scale: what stalls below turns about a kink; close to the solution; above, F is
// as large as what it is made of
static const double near = 0.1, close_by = 1e-3, lost = 0.5;
/* Shares of the limit that are kept for the end, less where the iteration is on its way to a
 * solution, and where it converges. */
static const double reserve = 2.0 / 3.0, nearing_reserve = 0.5, converging_reserve = 7.0 / 60.0;
/* Where the iteration stalls for the first time: iterations without a record, less where |F| is
 * small; and sweeps. In small islands these are cheap. Measured: docs/theory/coulomb.md. */
enum { SMALL_ISLAND = 64 };  // velocities
typedef struct patience {
  int far, near;
  limpet_coulomb_sweeps sweeps;
} patience;
static const patience in_small = {9, 6, {.accelerated = LIMPET_ACCELERATED, .plain = 50}},
                      in_large = {9, 6, {.accelerated = LIMPET_ACCELERATED, .plain = 200}},
                      without_sweeps = {9, 6, {.accelerated = 0}};

static const patience *patience_of(const limpet_island_solver *s) {
  if (s->coulomb->sweeps == LIMPET_SWEEPS_NEVER) return &without_sweeps;
  return s->n < SMALL_ISLAND ? &in_small : &in_large;
}

/* Whether the first linear step has led islands with soft bodies of many vertices to where |F| is
 * as large as what it is made of: sweeps find the way back from the forces of the last step, where
 * iterations from here take ten more. */
static bool is_lost(const limpet_descent *f) {
  return f->solver->coulomb->soft && f->measure.residual > lost * f->measure.scale;
}

// Whether |F| has had no record for long.
static bool makes_no_way(const limpet_descent *f) {
  const patience *p = patience_of(f->solver);
  return f->since >= (f->record < near * f->measure.scale ? p->near : p->far);
}

// Whether sweeps are to help.
static bool stalls(const limpet_descent *f) {
  return (!f->stalled_before && is_lost(f)) || makes_no_way(f);
}

// Starts anew from better forces than the present ones.
static void start_anew(limpet_descent *f) {
  limpet_island_solver *s = f->solver;
  const size_t size = 3 * (size_t)s->island->contact_count * sizeof *s->contact_gamma;
  if (!f->stalled_before && is_lost(f)) limpet_descent_recall(s);
  else memcpy(s->coulomb->forces, s->contact_gamma, size);
  f->stalled_before = true;
  const bool swept = limpet_coulomb_sweep(s, &patience_of(s)->sweeps);
  if (!swept) limpet_coulomb_shift(s, f->settings);
  if (s->info.outcome == LIMPET_NEWTON_FAILURE) return;
  limpet_descent_place(f);
  limpet_descent_restart(f, swept ? LIMPET_COULOMB_SWEPT : LIMPET_COULOMB_CARRIED);
}

// Whether the iteration is to end by sweeps and shifted problems.
static bool is_late(const limpet_descent *f) {
  const limpet_island_solver *s = f->solver;
  const double scale = f->measure.scale;
  const bool nears =
      f->record < near * scale &&
      f->since <= (f->record < close_by * scale ? patience_of(s)->near : LIMPET_ON_ITS_WAY);
  const double kept = limpet_descent_converges(f) ? converging_reserve
                      : nears                     ? nearing_reserve
                                                  : reserve;
  const int limit = f->settings->iteration_limit;
  if (limpet_descent_is_stuck(f)) return true;
  if (s->info.iterations + fmax(1.0, floor(kept * limit)) >= limit) return true;
  return f->stalled_before && s->coulomb->sweeps != LIMPET_SWEEPS_NEVER && stalls(f);
}

/* Whether a solve that may give up does so: what is kept for the end of a step is for the problem
 * that is solved instead. */
static bool gives_up(const limpet_descent *f) {
  const limpet_island_solver *s = f->solver;
  return s->gives_up_after > 0 &&
         (s->info.iterations >= s->gives_up_after || limpet_descent_is_stuck(f) || makes_no_way(f));
}

// The cost at the state. Laws without one, as of infinite stiffness, have no solution.
static void tell_cost(limpet_island_solver *s) {
  if (s->info.outcome == LIMPET_NEWTON_FAILURE) return;
  s->info.cost = limpet_island_laws(s);
  if (!isfinite(s->info.cost)) s->info.outcome = LIMPET_NEWTON_FAILURE;
}

void limpet_coulomb_solve(limpet_island_solver *s, const limpet_newton_settings *settings,
                          const limpet_solve_start *start, bool known) {
  limpet_descent f = {.known = known,
                      .solver = s,
                      .settings = settings,
                      .x = s->x,
                      .d = s->newton.direction,
                      .record = INFINITY,
                      .best = INFINITY};
  s->info = (limpet_newton_info){.outcome = LIMPET_NEWTON_ITERATION_LIMIT};
  limpet_descent_choose_start(&f, start);
  bool late = false;
  if (!limpet_descent_ends(&f)) {
    if (f.measure.residual <= LIMPET_GOOD_START * f.measure.scale) {
      limpet_descent_aim(&f);
    } else if (settings->iteration_limit > 0) {
      limpet_descent_begin(&f);
    }
    while (!limpet_descent_ends(&f) && !gives_up(&f)) {
      late = is_late(&f);
      if (late || (makes_no_way(&f) && limpet_descent_presses_beyond(s, 1.0))) break;
      if (stalls(&f)) start_anew(&f);
      else if (!limpet_descent_iterate(&f)) break;
    }
    if (s->info.outcome == LIMPET_NEWTON_FAILURE) limpet_descent_end_unfactored(&f);
  }
  tell_cost(s);
  if (late && s->info.outcome != LIMPET_NEWTON_FAILURE && !limpet_descent_presses_beyond(s, 1.0))
    limpet_descent_end_late(&f);
  limpet_coulomb_set_form(s, LIMPET_FRICTION_COUPLED);
}

void limpet_coulomb_carry_one(const limpet_island_solver *s, int contact, double force[3]) {
  const double *W = s->problem->contact_row + 18 * (s->island->contact + contact);
  limpet_vec3_zero(force);
  for (int e = 0; e < 3; ++e)
    limpet_vec3_addmul(force, force, s->contact_gamma[3 * contact + e] / s->problem->dt,
                       W + 6 * e + 3);
}

void limpet_coulomb_carry(const limpet_island_solver *s, double *carried) {
  for (int i = 0; i < s->island->contact_count; ++i)
    limpet_coulomb_carry_one(s, i, carried + 3 * (s->island->contact + i));
}
