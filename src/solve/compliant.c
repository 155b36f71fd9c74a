/* solve/compliant.c: the method of islands of compliant contacts: Newton's method on the velocities
 * (island_solver.h). */
#include <math.h>
#include <string.h>

#include "solve/coulomb.h"
#include "solve/idle.h"
#include "solve/island.h"
#include "solve/island_round_off.h"
#include "solve/island_rows.h"
#include "solve/island_solver.h"
#include "solve/method.h"

// [-]  residual over its scale; of coupled models: the guess was the better one of 169 of 172
// starts of a 2F-85.
static const double good_start = 1e-2, good_coupled_start = 0.5;
// Iterations that a solve without idle contacts may take: with ten, G1's falls take 3.94 a step in
// place of 3.84; and the fewest of a limit that two solves may share.
enum { REST_ITERATIONS = 18, FEWEST_ITERATIONS = 24 };

/* An island as a whole, and, of coupled models, one without contacts that are idle, which is solved
 * first. */
typedef struct compliant_island {
  limpet_island_solver whole;
  limpet_island_solver *rest;  // NULL: nothing is left out, or what was presses
  limpet_idle idle;            // what `rest` leaves out
  const limpet_contact_problem *problem;
  int island;
  limpet_arena *later;  // from which `whole` is taken when it is needed; NULL: it is there
  limpet_arena_mark before_rest;  // of it
  limpet_newton_info before;      // what a solve without idle contacts that press took
} compliant_island;

static limpet_status create_solver(limpet_island_solver *s, const limpet_contact_problem *problem,
                                   int island, const limpet_solve_settings *settings,
                                   limpet_arena *arena) {
  if (limpet_island_vectors_create(s, problem, island, arena) != LIMPET_OK)
    return LIMPET_ERROR_MEMORY;
  s->plain_hessian = settings->plain_hessian;
  s->dense_limit = settings->dense_limit;
  if (settings->takes_later) s->later = arena;
  else if (limpet_island_hessian_create(s, s->dense_limit, arena) != LIMPET_OK)
    return LIMPET_ERROR_MEMORY;
  const bool coupled = s->model->coupled && s->island->contact_count > 0;
  return coupled ? limpet_coulomb_create(s, arena) : LIMPET_OK;
}

// The solver without what is idle, where something is.
static limpet_status create_rest(compliant_island *c, const limpet_solve_settings *settings,
                                 limpet_arena *arena) {
  bool any;
  if (limpet_idle_leave_out(&c->idle, c->problem, c->island, arena, &any) != LIMPET_OK)
    return LIMPET_ERROR_MEMORY;
  if (!any) return LIMPET_OK;
  c->rest = LIMPET_TAKE(arena, limpet_island_solver, 1);
  if (!c->rest || create_solver(c->rest, &c->idle.rest, 0, settings, arena) != LIMPET_OK)
    return LIMPET_ERROR_MEMORY;
  c->rest->gives_up_after = REST_ITERATIONS;
  return LIMPET_OK;
}

static limpet_status create(void *solver, const limpet_contact_problem *problem, int island,
                            const limpet_solve_settings *settings, limpet_arena *arena) {
  compliant_island *c = solver;
  c->rest = NULL, c->later = NULL, c->whole.problem = NULL;
  c->before_rest = limpet_arena_mark_now(arena);
  c->problem = problem, c->island = island;
  c->before = (limpet_newton_info){0};
  if (limpet_compliant_model_of(problem->model)->coupled &&
      settings->newton.iteration_limit >= FEWEST_ITERATIONS &&
      create_rest(c, settings, arena) != LIMPET_OK)
    return LIMPET_ERROR_MEMORY;
  if (c->rest && settings->takes_later) {
    c->later = arena;
    return LIMPET_OK;
  }
  return create_solver(&c->whole, problem, island, settings, arena);
}

static void evaluate_start(limpet_island_solver *s, const double *x) {
  s->newton.cost = limpet_island_evaluate(s, x, s->newton.gradient);
  s->newton.evaluated = true;
}

/* Whether rows alone are nearly solved by x, so that no other start is worth a look. Where they are
 * solved by it, the other one may solve them to more digits; coupled models ask for these
 * themselves (rows_tolerance). */
static bool suits_rows(limpet_island_solver *s, const double *x, double tolerance,
                       limpet_newton_measure *measure) {
  if (s->island->contact_count > 0) return false;
  limpet_island_measure(s, x, s->newton.gradient, measure);
  if (s->model->coupled) return measure->residual <= good_coupled_start * measure->scale;
  return measure->residual > tolerance * measure->scale &&
         measure->residual <= good_start * measure->scale;
}

/* The better of two starts into x, evaluated. A barrier may forbid both, as motion carried on leads
 * through a surface; rest is always allowed. Returns whether `measure` is that of x. */
static bool choose_start(limpet_island_solver *s, const limpet_solve_start *start, double tolerance,
                         double *x, limpet_newton_measure *measure) {
  const double *first = start->guess ? start->guess : start->v;
  limpet_island_gather(s->problem, s->island, first, x);
  evaluate_start(s, x);
  if (start->guess) {
    if (suits_rows(s, x, tolerance, measure)) return true;
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
  if (isfinite(s->newton.cost)) return false;
  memset(x, 0, (size_t)s->n * sizeof *x);
  evaluate_start(s, x);
  return false;
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

/* The tolerance of rows alone: of the momentum, and of what the step changes, which is not known
 * yet: of what the start changes, or misses. Where the start is within the former, of its change.
 */
static double rows_tolerance(const limpet_island_solver *s, const limpet_newton_measure *measure,
                             double tolerance) {
  const bool is_near = measure->residual <= tolerance * measure->scale;
  double bound =
      limpet_island_bound(s, measure, tolerance, is_near ? LIMPET_START_SHARE : LIMPET_END_SHARE);
  if (!is_near) bound = fmax(bound, tolerance * LIMPET_END_SHARE * measure->residual);
  const bool is_finer = bound < tolerance * measure->scale && measure->residual > bound;
  return is_finer ? bound / measure->scale : tolerance;
}

// Whether the guess was found for the same contacts of an island.
static bool is_known(const compliant_island *c, const limpet_solve_start *start) {
  const limpet_island *island = &c->problem->island[c->island];
  if (!start->known || !start->guess) return false;
  for (int i = island->contact; i < island->contact + island->contact_count; ++i)
    if (!start->known[i]) return false;
  return true;
}

static void solve_one(limpet_island_solver *s, const limpet_solve_settings *settings,
                      const limpet_solve_start *start, bool known) {
  if (s->model->coupled && s->island->contact_count > 0) {
    limpet_coulomb_solve(s, &settings->newton, start, known);
    return;
  }
  limpet_newton_measure measure;
  limpet_newton_settings newton = settings->newton;
  const bool direct = newton.iteration_limit > 0 && limpet_island_rows_start(s, start, &measure);
  const bool measured = direct || choose_start(s, start, newton.tolerance, s->x, &measure);
  if (s->model->coupled) {
    if (!measured) limpet_island_measure(s, s->x, s->newton.gradient, &measure);
    newton.tolerance = rows_tolerance(s, &measure, newton.tolerance);
  }
  newton.iteration_limit -= direct;
  s->info = direct && measure.residual <= newton.tolerance * measure.scale
                ? (limpet_newton_info){.outcome = LIMPET_NEWTON_SOLVED,
                                       .cost = s->newton.cost,
                                       .residual = limpet_newton_relative(&measure)}
                : limpet_island_minimize(s, &newton, s->x);
  s->info.iterations += direct, s->info.factorizations += direct;
  if (s->info.outcome == LIMPET_NEWTON_ITERATION_LIMIT &&
      s->info.residual <= settings->newton.tolerance)
    s->info.outcome = LIMPET_NEWTON_SOLVED;
  s->rounded = is_rounded(s, settings->newton.tolerance);
}

// Both solves together keep to the limit.
static void solve(void *solver, const limpet_solve_settings *settings,
                  const limpet_solve_start *start) {
  compliant_island *c = solver;
  limpet_solve_settings own = *settings;
  const bool known = is_known(c, start);
  if (c->rest) {
    solve_one(c->rest, &own, start, known);
    if (c->rest->info.outcome == LIMPET_NEWTON_SOLVED && limpet_idle_stays(&c->idle, c->rest->x))
      return;
    c->before = c->rest->info;
    c->rest = NULL;
    if (c->later) limpet_arena_release(c->later, c->before_rest);
    if (c->later &&
        create_solver(&c->whole, c->problem, c->island, settings, c->later) != LIMPET_OK)
      return;  // the arena has failed, which the caller asks
    own.newton.iteration_limit = settings->newton.iteration_limit - c->before.iterations;
  }
  solve_one(&c->whole, &own, start, known);
}

// What the solver says of its spins; spin: where they are in `all`, NULL: they are `all`.
static void spins_keep(const limpet_island_solver *s, const limpet_spin *all, const int *spin,
                       limpet_contact_solution *solution) {
  for (int i = 0; i < s->spins.count; ++i) {
    const limpet_spin *one = spin ? &all[spin[i]] : &s->spins.spin[i];
    const double *tau = s->spins.tau + 2 * i;
    if (one->rolling) memcpy(solution->rolling + 2 * one->contact, tau, 2 * sizeof *tau);
    else solution->torsion[one->contact] = tau[0];
  }
}

static void whole_results(const limpet_island_solver *s, limpet_contact_solution *solution) {
  limpet_solution_keep(s->problem, s->island, s->x, s->impulse, s->contact_gamma, s->contact_v,
                       s->row_gamma, solution);
  memcpy(solution->constants + s->island->contact, s->own_constants,
         (size_t)s->island->contact_count * sizeof *s->own_constants);
  spins_keep(s, NULL, NULL, solution);
  if (solution->carried && s->model->coupled) limpet_coulomb_carry(s, solution->carried);
}

// Idle contacts have their velocities, and no impulse.
static void rest_results(const compliant_island *c, limpet_contact_solution *solution) {
  const limpet_island_solver *s = c->rest;
  const limpet_contact_problem *p = c->problem;
  const limpet_idle *idle = &c->idle;
  const limpet_island *island = idle->island;
  limpet_island_scatter(p, island, s->x, solution->v);
  limpet_island_scatter(p, island, s->impulse, solution->impulse);
  memcpy(solution->row_gamma + island->row, s->row_gamma,
         (size_t)island->row_count * sizeof *s->row_gamma);
  for (int k = island->contact; k < island->contact + island->contact_count; ++k) {
    const int local = k - island->contact;
    if (!idle->left_out[local]) continue;
    limpet_contact_constants *own = &solution->constants[k];
    *own = p->constants[k];
    own->compliant.friction_form = LIMPET_FRICTION_BOUNDED;
    own->compliant.lagged_impulse = 0.0;
    memcpy(solution->velocity + 3 * k, idle->velocity + 3 * local, 3 * sizeof(double));
  }
  for (int i = 0; i < s->island->contact_count; ++i) {
    const int k = idle->contact[i];
    solution->constants[k] = s->own_constants[i];
    memcpy(solution->velocity + 3 * k, s->contact_v + 3 * i, 3 * sizeof *s->contact_v);
    memcpy(solution->gamma + 3 * k, s->contact_gamma + 3 * i, 3 * sizeof *s->contact_gamma);
    if (solution->carried) limpet_coulomb_carry_one(s, i, solution->carried + 3 * k);
  }
  spins_keep(s, p->spin, idle->spin, solution);
}

static void results(const void *solver, limpet_contact_solution *solution) {
  const compliant_island *c = solver;
  if (c->rest) rest_results(c, solution);
  else whole_results(&c->whole, solution);
}

static limpet_outcome outcome_of(const limpet_island_solver *s) {
  if (s->info.outcome == LIMPET_NEWTON_SOLVED) return LIMPET_OUTCOME_SOLVED;
  if (s->info.outcome != LIMPET_NEWTON_ITERATION_LIMIT) return LIMPET_OUTCOME_NUMERICAL_FAILURE;
  return s->rounded ? LIMPET_OUTCOME_PRECISION_LIMIT : LIMPET_OUTCOME_ITERATION_LIMIT;
}

static limpet_island_report statistics(void *solver, const limpet_solve_settings *settings,
                                       limpet_arena *arena, limpet_solve_info *info) {
  compliant_island *c = solver;
  limpet_island_solver *s = c->rest ? c->rest : &c->whole;
  const int iterations = c->before.iterations + s->info.iterations;
  info->compliant.newton_iterations += iterations;
  info->compliant.line_search_evaluations +=
      c->before.line_search_evaluations + s->info.line_search_evaluations;
  info->compliant.factorizations += c->before.factorizations + s->info.factorizations;
  if (settings->condition_number) {
    const limpet_arena_mark mark = limpet_arena_mark_now(arena);
    info->condition_number = fmax(info->condition_number, limpet_island_condition(s, arena));
    limpet_arena_release(arena, mark);
  }
  return (limpet_island_report){.outcome = outcome_of(s),
                                .residual = s->info.residual,
                                .cost = s->info.cost,
                                .iterations = iterations};
}

static const struct limpet_island_solver *whole(const void *solver) {
  const compliant_island *c = solver;
  return c->whole.problem ? &c->whole : NULL;
}

const limpet_island_method limpet_compliant_method = {.size = sizeof(compliant_island),
                                                      .create = create,
                                                      .solve = solve,
                                                      .results = results,
                                                      .statistics = statistics,
                                                      .whole = whole};
