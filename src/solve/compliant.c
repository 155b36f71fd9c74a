/* solve/compliant.c: the method of islands of compliant contacts: Newton's method on the velocities
 * (island_solver.h). */
#include <math.h>
#include <string.h>

#include "solve/coulomb.h"
#include "solve/island.h"
#include "solve/island_round_off.h"
#include "solve/island_solver.h"
#include "solve/method.h"

static const double good_start = 1e-2;  // [-]  residual over its scale

static limpet_status create(void *solver, const limpet_contact_problem *problem, int island,
                            const limpet_solve_settings *settings, limpet_arena *arena) {
  limpet_island_solver *s = solver;
  if (limpet_island_vectors_create(s, problem, island, arena) != LIMPET_OK)
    return LIMPET_ERROR_MEMORY;
  s->plain_hessian = settings->plain_hessian;
  s->dense_limit = settings->dense_limit;
  if (settings->takes_later) s->later = arena;
  else if (limpet_island_hessian_create(s, s->dense_limit, arena) != LIMPET_OK)
    return LIMPET_ERROR_MEMORY;
  return s->model->coupled ? limpet_coulomb_create(s, arena) : LIMPET_OK;
}

static void evaluate_start(limpet_island_solver *s, const double *x) {
  s->newton.cost = limpet_island_evaluate(s, x, s->newton.gradient);
  s->newton.evaluated = true;
}

/* Whether rows alone are nearly solved by x, so that no other start is worth a look. Where they are
 * solved by it, the other one may solve them to more digits. */
static bool suits_rows(limpet_island_solver *s, const double *x, double tolerance) {
  limpet_newton_measure measure;
  if (s->island->contact_count > 0) return false;
  limpet_island_measure(s, x, s->newton.gradient, &measure);
  return measure.residual > tolerance * measure.scale &&
         measure.residual <= good_start * measure.scale;
}

/* The better of two starts into x, evaluated. A barrier may forbid both, as motion carried on leads
 * through a surface; rest is always allowed. */
static void choose_start(limpet_island_solver *s, const limpet_solve_start *start, double tolerance,
                         double *x) {
  const double *first = start->guess ? start->guess : start->v;
  limpet_island_gather(s->problem, s->island, first, x);
  evaluate_start(s, x);
  if (start->guess && !suits_rows(s, x, tolerance)) {
    const double cost = s->newton.cost;
    limpet_island_state_keep(s);
    limpet_island_gather(s->problem, s->island, start->v, x);
    evaluate_start(s, x);
    if (cost < s->newton.cost) {
      limpet_island_state_restore(s);
      limpet_island_spins_evaluate(s);
      s->newton.cost = cost;
    }
  }
  if (isfinite(s->newton.cost)) return;
  memset(x, 0, (size_t)s->n * sizeof *x);
  evaluate_start(s, x);
}

/* Whether what keeps the residual above the tolerance is round-off. A coupled model may also miss
 * its law where the momentum is met. */
static bool is_rounded(limpet_island_solver *s, double tolerance) {
  limpet_newton_measure measure;
  if (s->info.outcome != LIMPET_NEWTON_ITERATION_LIMIT) return false;
  limpet_island_measure(s, s->x, s->newton.gradient, &measure);
  const double residual = s->info.residual * measure.scale;
  return s->info.residual > tolerance && residual <= limpet_island_round_off(s);
}

/* The tolerance of rows alone. Where the start is within the tolerance of the momentum, but not of
 * what the step changes, that of the latter. */
static double rows_tolerance(const limpet_island_solver *s, double tolerance) {
  limpet_newton_measure measure;
  limpet_island_measure((void *)s, s->x, s->newton.gradient, &measure);
  if (!(measure.residual <= tolerance * measure.scale)) return tolerance;
  const double bound = limpet_island_start_bound(s, &measure, tolerance);
  return measure.residual > bound ? bound / measure.scale : tolerance;
}

static void solve(void *solver, const limpet_solve_settings *settings,
                  const limpet_solve_start *start) {
  limpet_island_solver *s = solver;
  if (s->model->coupled && s->island->contact_count > 0) {
    limpet_coulomb_solve(s, &settings->newton, start);
    return;
  }
  choose_start(s, start, settings->newton.tolerance, s->x);
  limpet_newton_settings newton = settings->newton;
  if (s->model->coupled) newton.tolerance = rows_tolerance(s, newton.tolerance);
  s->info = limpet_island_minimize(s, &newton, s->x);
  if (s->info.outcome == LIMPET_NEWTON_ITERATION_LIMIT &&
      s->info.residual <= settings->newton.tolerance)
    s->info.outcome = LIMPET_NEWTON_SOLVED;
  s->rounded = is_rounded(s, settings->newton.tolerance);
}

static void results(const void *solver, limpet_contact_solution *solution) {
  const limpet_island_solver *s = solver;
  limpet_solution_keep(s->problem, s->island, s->x, s->impulse, s->contact_gamma, s->contact_v,
                       s->row_gamma, solution);
  memcpy(solution->constants + s->island->contact, s->own_constants,
         (size_t)s->island->contact_count * sizeof *s->own_constants);
  for (int i = 0; i < s->spins.count; ++i) {
    const limpet_spin *spin = &s->spins.spin[i];
    const double *tau = s->spins.tau + 2 * i;
    if (spin->rolling) memcpy(solution->rolling + 2 * spin->contact, tau, 2 * sizeof *tau);
    else solution->torsion[spin->contact] = tau[0];
  }
  if (solution->carried && s->model->coupled) limpet_coulomb_carry(s, solution->carried);
}

static limpet_outcome outcome_of(const limpet_island_solver *s) {
  if (s->info.outcome == LIMPET_NEWTON_SOLVED) return LIMPET_OUTCOME_SOLVED;
  if (s->info.outcome != LIMPET_NEWTON_ITERATION_LIMIT) return LIMPET_OUTCOME_NUMERICAL_FAILURE;
  return s->rounded ? LIMPET_OUTCOME_PRECISION_LIMIT : LIMPET_OUTCOME_ITERATION_LIMIT;
}

static limpet_island_report statistics(void *solver, const limpet_solve_settings *settings,
                                       limpet_arena *arena, limpet_solve_info *info) {
  limpet_island_solver *s = solver;
  info->compliant.newton_iterations += s->info.iterations;
  info->compliant.line_search_evaluations += s->info.line_search_evaluations;
  info->compliant.factorizations += s->info.factorizations;
  if (settings->condition_number) {
    const limpet_arena_mark mark = limpet_arena_mark_now(arena);
    info->condition_number = fmax(info->condition_number, limpet_island_condition(s, arena));
    limpet_arena_release(arena, mark);
  }
  return (limpet_island_report){.outcome = outcome_of(s),
                                .residual = s->info.residual,
                                .cost = s->info.cost,
                                .iterations = s->info.iterations};
}

const limpet_island_method limpet_compliant_method = {.size = sizeof(limpet_island_solver),
                                                      .create = create,
                                                      .solve = solve,
                                                      .results = results,
                                                      .statistics = statistics};
