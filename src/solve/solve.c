/* solve/solve.c: all islands of a contact problem, each by Newton's method, as a quadratic
 * programme where contact is rigid, or by an impulsive model's own method; in parallel where
 * threads are given.
 *
 * Workspaces are taken before the tasks start and sums over islands are formed afterwards in their
 * order, so the result does not depend on the number of threads. */
#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "solve/island_contact_space.h"
#include "solve/island_programme.h"
#include "solve/island_solver.h"
#include "solve/solve.h"

typedef struct solve_context {
  limpet_contact_problem *problem;
  const limpet_solve_settings *settings;
  limpet_island_solver *solver;  // one of these three has the islands
  limpet_island_programme *programme;
  limpet_contact_space *space;
  const double *guess;
  double *v, *impulse;
} solve_context;

static void gather(const limpet_contact_problem *p, const limpet_island *island, const double *v,
                   double *local) {
  for (int i = 0; i < island->tree_count; ++i) {
    const int tree = p->island_tree[island->tree + i];
    memcpy(local + p->tree_offset[tree], v + p->tree_dof[tree],
           (size_t)p->tree_dof_count[tree] * sizeof *v);
  }
}

static void scatter(const limpet_contact_problem *p, const limpet_island *island,
                    const double *local, double *v) {
  for (int i = 0; i < island->tree_count; ++i) {
    const int tree = p->island_tree[island->tree + i];
    memcpy(v + p->tree_dof[tree], local + p->tree_offset[tree],
           (size_t)p->tree_dof_count[tree] * sizeof *v);
  }
}

static void evaluate_start(limpet_island_solver *s, const double *x) {
  s->newton.cost = limpet_island_evaluate(s, x, s->newton.gradient);
  s->newton.evaluated = true;
}

/* The better of two starts into x, evaluated. A barrier may forbid both, as motion carried on leads
 * through a surface; rest is always allowed. */
static void choose_start(const solve_context *c, limpet_island_solver *s, double *x) {
  gather(c->problem, s->island, c->v, x);
  evaluate_start(s, x);
  if (c->guess) {
    const double cost = s->newton.cost;
    gather(c->problem, s->island, c->guess, s->other_start);
    evaluate_start(s, s->other_start);
    if (s->newton.cost < cost) memcpy(x, s->other_start, (size_t)s->n * sizeof *x);
    else evaluate_start(s, x);
  }
  if (isfinite(s->newton.cost)) return;
  memset(x, 0, (size_t)s->n * sizeof *x);
  evaluate_start(s, x);
}

// What an island's solver found, to where the whole problem keeps it.
static void keep(const solve_context *c, const limpet_island *island, const double *v,
                 const double *impulse, const double *gamma, const double *velocity,
                 const double *row_gamma) {
  limpet_contact_problem *p = c->problem;
  scatter(p, island, v, c->v);
  scatter(p, island, impulse, c->impulse);
  const size_t contacts = (size_t)island->contact_count, rows = (size_t)island->row_count;
  memcpy(p->gamma + 3 * island->contact, gamma, 3 * contacts * sizeof *gamma);
  memcpy(p->velocity + 3 * island->contact, velocity, 3 * contacts * sizeof *velocity);
  memcpy(p->row_gamma + island->row, row_gamma, rows * sizeof *row_gamma);
}

static void solve_island(void *context, int task, int thread) {
  (void)thread;
  const solve_context *c = context;
  const limpet_island *island = &c->problem->island[task];
  if (c->space) {
    limpet_contact_space *space = &c->space[task];
    limpet_contact_space_solve(space);
    keep(c, island, space->v, space->impulse, space->x, space->contact_u,
         space->x + 3 * island->contact_count);
  } else if (c->programme) {
    limpet_island_programme *p = &c->programme[task];
    limpet_island_programme_solve(p);
    keep(c, island, p->solution.x, p->impulse, p->gamma, p->velocity, p->row_gamma);
    memcpy(c->problem->torsion + island->contact, p->torsion,
           (size_t)island->contact_count * sizeof *p->torsion);
  } else {
    limpet_island_solver *s = &c->solver[task];
    choose_start(c, s, s->start);
    s->info =
        limpet_island_minimize(s, &c->settings->newton, c->settings->friction_passes, s->start);
    keep(c, island, s->start, s->impulse, s->contact_gamma, s->contact_v, s->row_gamma);
  }
}

static limpet_outcome outcome_of(limpet_newton_outcome outcome) {
  if (outcome == LIMPET_NEWTON_SOLVED) return LIMPET_OUTCOME_SOLVED;
  return outcome == LIMPET_NEWTON_ITERATION_LIMIT ? LIMPET_OUTCOME_ITERATION_LIMIT
                                                  : LIMPET_OUTCOME_NUMERICAL_FAILURE;
}

static void sum_up(const solve_context *c, int count, limpet_solve_info *info) {
  *info = (limpet_solve_info){.outcome = LIMPET_OUTCOME_SOLVED, .island_count = count};
  for (int i = 0; i < count; ++i) {
    const limpet_newton_info *one = c->space       ? &c->space[i].info
                                    : c->programme ? &c->programme[i].info
                                                   : &c->solver[i].info;
    const limpet_outcome outcome = c->space       ? c->space[i].outcome
                                   : c->programme ? c->programme[i].outcome
                                                  : outcome_of(one->outcome);
    if (outcome > info->outcome) info->outcome = outcome;
    if (one->iterations > info->worst.iterations) info->worst.iterations = one->iterations;
    if (one->residual > info->worst.residual) info->worst.residual = one->residual;
    info->worst.cost += one->cost;
    info->worst.line_search_evaluations += one->line_search_evaluations;
    info->worst.factorizations += one->factorizations;
    info->iterations_total += one->iterations;
    if (c->problem->island[i].size > info->largest_island)
      info->largest_island = c->problem->island[i].size;
  }
}

// Solvers of all islands. 0, or 1 without memory.
static int create_solvers(solve_context *c, limpet_arena *arena) {
  limpet_contact_problem *problem = c->problem;
  const int count = problem->island_count;
  if (problem->model->solve) {
    c->space = LIMPET_TAKE(arena, limpet_contact_space, count);
    if (!c->space) return 1;
    for (int i = 0; i < count; ++i)
      if (limpet_contact_space_create(&c->space[i], problem, i, arena)) return 1;
    return 0;
  }
  if (problem->model->rows) {
    problem->torsion = LIMPET_TAKE_ZERO(arena, double, problem->contact_count);
    c->programme = LIMPET_TAKE(arena, limpet_island_programme, count);
    problem->programme = c->programme;
    if (!problem->torsion || !c->programme) return 1;
    for (int i = 0; i < count; ++i)
      if (limpet_island_programme_create(&c->programme[i], problem, i, arena)) return 1;
    return 0;
  }
  c->solver = LIMPET_TAKE(arena, limpet_island_solver, count);
  if (!c->solver) return 1;
  for (int i = 0; i < count; ++i)
    if (limpet_island_solver_create(&c->solver[i], problem, i, c->settings->dense_limit, arena))
      return 1;
  return 0;
}

int limpet_problem_solve(limpet_contact_problem *problem, const limpet_solve_settings *settings,
                         struct limpet_threads *threads, limpet_arena *arena, const double *guess,
                         double *v, double *impulse, limpet_solve_info *info) {
  const int count = problem->island_count;
  problem->gamma = LIMPET_TAKE_ZERO(arena, double, 3 * problem->contact_count);
  problem->velocity = LIMPET_TAKE_ZERO(arena, double, 3 * problem->contact_count);
  problem->row_gamma = LIMPET_TAKE_ZERO(arena, double, problem->row_count);
  solve_context context = {
      .problem = problem, .settings = settings, .guess = guess, .v = v, .impulse = impulse};
  if (!problem->gamma || !problem->velocity || !problem->row_gamma ||
      create_solvers(&context, arena))
    return 1;

  // velocities that nothing touches are free
  memset(impulse, 0, (size_t)problem->nv * sizeof *impulse);
  for (int t = 0; t < problem->tree_count; ++t)
    if (problem->tree_island[t] < 0)
      memcpy(v + problem->tree_dof[t], problem->v_free + problem->tree_dof[t],
             (size_t)problem->tree_dof_count[t] * sizeof *v);

  limpet_threads_run(threads, count, solve_island, &context);
  sum_up(&context, count, info);
  for (int i = 0; i < count && settings->condition_number && context.solver; ++i) {
    const limpet_arena_mark mark = limpet_arena_mark_now(arena);
    info->condition_number =
        fmax(info->condition_number, limpet_island_condition(&context.solver[i], arena));
    limpet_arena_release(arena, mark);
  }
  return 0;
}
