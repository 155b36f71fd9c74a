/* solve/solve.c: all islands of a contact problem, each by the method of the model's family; in
 * parallel where threads are given.
 *
 * Without threads one island is solved after the other, and each takes its workspace where that of
 * the one before was; with threads all workspaces are taken before the tasks start. Sums over
 * islands are formed in their order. So the result does not depend on the number of threads.
 * Workspaces of the rigid family are a part of the solution, and stay; others where derivatives
 * follow. */
#include "solve/solve.h"

#include <math.h>
#include <string.h>

#include "base/threads.h"
#include "solve/containment.h"
#include "solve/island.h"
#include "solve/island_programme.h"
#include "solve/method.h"

static const limpet_island_method *const methods[] = {
    [LIMPET_CONTACT_COMPLIANT] = &limpet_compliant_method,
    [LIMPET_CONTACT_RIGID] = &limpet_rigid_method,
    [LIMPET_CONTACT_IMPULSIVE] = &limpet_impulsive_method,
};

typedef struct solve_context {
  const limpet_contact_problem *problem;
  const limpet_solve_settings *settings;
  const limpet_solve_start *start;
  const limpet_island_method *method;
  char *solvers;  // (island_count x method->size)
  limpet_contact_solution *solution;
} solve_context;

static void *solver_of(const solve_context *c, int island) {
  return c->solvers + c->method->size * (size_t)island;
}

void limpet_solution_keep(const limpet_contact_problem *problem, const limpet_island *island,
                          const double *v, const double *impulse, const double *gamma,
                          const double *velocity, const double *row_gamma,
                          limpet_contact_solution *solution) {
  const size_t contacts = (size_t)island->contact_count, rows = (size_t)island->row_count;
  limpet_island_scatter(problem, island, v, solution->v);
  limpet_island_scatter(problem, island, impulse, solution->impulse);
  memcpy(solution->gamma + 3 * island->contact, gamma, 3 * contacts * sizeof *gamma);
  memcpy(solution->velocity + 3 * island->contact, velocity, 3 * contacts * sizeof *velocity);
  memcpy(solution->row_gamma + island->row, row_gamma, rows * sizeof *row_gamma);
}

// Where an island was solved already; LIMPET_NONE: it was not.
static int solved_before(const solve_context *c, int island) {
  return c->start->solved ? c->start->solved->island[island] : LIMPET_NONE;
}

static void solve_island(void *context, int task, int thread) {
  (void)thread;
  const solve_context *c = context;
  if (solved_before(c, task) != LIMPET_NONE) return;
  void *solver = solver_of(c, task);
  c->method->solve(solver, c->settings, c->start);
  c->method->results(solver, c->solution);
}

static void copy_numbers(double *to, int at, const double *from, int first, int count) {
  if (to && from) memcpy(to + at, from + first, (size_t)count * sizeof *to);
}

// An island as it was solved before.
static void take_over(const solve_context *c, int index) {
  const limpet_solved_islands *solved = c->start->solved;
  const limpet_contact_problem *problem = c->problem;
  const limpet_contact_solution *from = solved->solution;
  limpet_contact_solution *to = c->solution;
  limpet_solve_info *info = &to->info;
  const int before = solved->island[index];
  const limpet_island *island = &problem->island[index], *old = &solved->problem->island[before];
  const int contacts = island->contact_count, at = island->contact, first = old->contact;
  for (int i = 0; i < island->block_count; ++i) {
    const limpet_block *block = limpet_island_block(problem, island, i);
    copy_numbers(to->v, block->dof, from->v, block->dof, block->size);
    copy_numbers(to->impulse, block->dof, from->impulse, block->dof, block->size);
  }
  copy_numbers(to->gamma, 3 * at, from->gamma, 3 * first, 3 * contacts);
  copy_numbers(to->velocity, 3 * at, from->velocity, 3 * first, 3 * contacts);
  copy_numbers(to->torsion, at, from->torsion, first, contacts);
  copy_numbers(to->rolling, 2 * at, from->rolling, 2 * first, 2 * contacts);
  copy_numbers(to->carried, 3 * at, from->carried, 3 * first, 3 * contacts);
  copy_numbers(to->row_gamma, island->row, from->row_gamma, old->row, island->row_count);
  memcpy(to->constants + at, from->constants + first, (size_t)contacts * sizeof *to->constants);
  to->outcome[index] = from->outcome[before];
  to->residual[index] = from->residual[before];
  to->cost[index] = from->cost[before];
  if (to->solver) to->solver[index] = NULL;  // its workspace is that of another problem
  if (island->size > info->largest_island) info->largest_island = island->size;
  if (to->outcome[index] > info->outcome) info->outcome = to->outcome[index];
  if (to->residual[index] > info->residual) info->residual = to->residual[index];
  info->cost += to->cost[index];
}

// Counts of an island that was solved, and what holds it where it was not.
static void add_island(const solve_context *c, int island, limpet_arena *arena) {
  limpet_solve_info *info = &c->solution->info;
  if (solved_before(c, island) != LIMPET_NONE) {
    take_over(c, island);
    return;
  }
  const limpet_island_report one =
      c->method->statistics(solver_of(c, island), c->settings, arena, info);
  c->solution->outcome[island] = one.outcome;
  c->solution->residual[island] = one.residual;
  c->solution->cost[island] = one.cost;
  if (c->problem->island[island].size > info->largest_island)
    info->largest_island = c->problem->island[island].size;
  if (c->solution->solver) c->solution->solver[island] = c->method->whole(solver_of(c, island));
  if (limpet_island_hold_failed(c->problem, island, one.outcome, c->start->v, c->solution)) return;
  if (one.outcome > info->outcome) info->outcome = one.outcome;
  if (one.iterations > info->iterations) info->iterations = one.iterations;
  if (one.residual > info->residual) info->residual = one.residual;
  info->cost += one.cost;
  info->iterations_total += one.iterations;
}

// Memory of the solution. Velocities that nothing touches are free.
static limpet_status begin_solution(const limpet_contact_problem *problem, limpet_arena *arena,
                                    limpet_contact_solution *solution) {
  const size_t nv = (size_t)problem->nv, contacts = (size_t)problem->contact_count,
               rows = (size_t)problem->row_count, carried = problem->carried ? 3 * contacts : 0;
  const size_t islands = (size_t)problem->island_count;
  double *all =
      LIMPET_TAKE_ZERO(arena, double, 2 * nv + 9 * contacts + rows + carried + 2 * islands);
  *solution = (limpet_contact_solution){
      .constants = LIMPET_TAKE(arena, limpet_contact_constants, contacts),
      .outcome = LIMPET_TAKE_ZERO(arena, limpet_outcome, problem->island_count),
      .held = LIMPET_TAKE_ZERO(arena, bool, problem->block_count)};
  if (!all || !solution->constants || !solution->outcome || !solution->held)
    return LIMPET_ERROR_MEMORY;
  solution->v = all, all += nv;
  solution->impulse = all, all += nv;
  solution->gamma = all, all += 3 * contacts;
  solution->torsion = all, all += contacts;
  solution->rolling = all, all += 2 * contacts;
  solution->velocity = all, all += 3 * contacts;
  solution->row_gamma = all, all += rows;
  solution->residual = all, all += islands;
  solution->cost = all, all += islands;
  solution->carried = problem->carried ? all : NULL;
  for (int i = 0; i < problem->block_count; ++i) {
    const limpet_block *block = &problem->block[i];
    if (block->island < 0)
      memcpy(solution->v + block->dof, problem->v_free + block->dof,
             (size_t)block->size * sizeof *solution->v);
  }
  return LIMPET_OK;
}

static limpet_status create(const solve_context *c, int island, limpet_arena *arena) {
  if (solved_before(c, island) != LIMPET_NONE) return LIMPET_OK;
  return c->method->create(solver_of(c, island), c->problem, island, c->settings, arena);
}

// Whether workspaces are a part of the solution.
static bool stays(const limpet_contact_solution *solution) {
  return solution->programme || solution->solver;
}

// One island after the other, each in the memory of the one before.
static limpet_status solve_in_turn(solve_context *c, limpet_arena *arena) {
  for (int i = 0; i < c->problem->island_count; ++i) {
    const limpet_arena_mark mark = limpet_arena_mark_now(arena);
    if (create(c, i, arena) != LIMPET_OK) return LIMPET_ERROR_MEMORY;
    solve_island(c, i, 0);
    if (arena->failed) return LIMPET_ERROR_MEMORY;
    add_island(c, i, arena);
    if (!stays(c->solution)) limpet_arena_release(arena, mark);
  }
  return LIMPET_OK;
}

static limpet_status solve_at_once(solve_context *c, struct limpet_threads *threads,
                                   limpet_arena *arena) {
  for (int i = 0; i < c->problem->island_count; ++i)
    if (create(c, i, arena) != LIMPET_OK) return LIMPET_ERROR_MEMORY;
  limpet_threads_run(threads, c->problem->island_count, solve_island, c);
  for (int i = 0; i < c->problem->island_count; ++i) add_island(c, i, arena);
  return LIMPET_OK;
}

limpet_status limpet_problem_solve(const limpet_contact_problem *problem,
                                   const limpet_solve_settings *settings,
                                   const limpet_solve_start *start, struct limpet_threads *threads,
                                   limpet_arena *arena, limpet_contact_solution *solution) {
  const limpet_island_method *method = methods[problem->model->family];
  limpet_solve_settings own = *settings;
  own.takes_later = !threads;
  if (begin_solution(problem, arena, solution) != LIMPET_OK) return LIMPET_ERROR_MEMORY;
  solution->info =
      (limpet_solve_info){.outcome = LIMPET_OUTCOME_SOLVED, .island_count = problem->island_count};
  const limpet_arena_mark mark = limpet_arena_mark_now(arena);
  solve_context context = {
      .problem = problem,
      .settings = &own,
      .start = start,
      .method = method,
      .solvers = limpet_arena_take(arena, method->size * (size_t)problem->island_count),
      .solution = solution};
  if (!context.solvers) return LIMPET_ERROR_MEMORY;
  if (problem->model->family == LIMPET_CONTACT_RIGID)
    solution->programme = (limpet_island_programme *)(void *)context.solvers;
  if (settings->keeps_solvers && method->whole) {
    solution->solver =
        LIMPET_TAKE(arena, const struct limpet_island_solver *, problem->island_count);
    if (!solution->solver) return LIMPET_ERROR_MEMORY;
  }

  if ((threads ? solve_at_once(&context, threads, arena) : solve_in_turn(&context, arena)) !=
      LIMPET_OK)
    return LIMPET_ERROR_MEMORY;
  limpet_blocks_hold_failed(problem, start->v, solution);
  if (!stays(solution)) limpet_arena_release(arena, mark);
  for (int i = 0; problem->pull && i < problem->nv; ++i) solution->impulse[i] += problem->pull[i];
  return LIMPET_OK;
}
