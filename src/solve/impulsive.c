/* solve/impulsive.c: the method of islands of impulsive contacts: the model's own, in the space of
 * contacts (island_contact_space.h). */
#include <string.h>

#include "solve/island_contact_space.h"
#include "solve/method.h"

static limpet_status create(void *solver, const limpet_contact_problem *problem, int island,
                            const limpet_solve_settings *settings, limpet_arena *arena) {
  (void)settings;
  return limpet_contact_space_create(solver, problem, island, arena);
}

static void solve(void *solver, const limpet_solve_settings *settings,
                  const limpet_solve_start *start) {
  (void)settings, (void)start;
  limpet_contact_space_solve(solver);
}

static void results(const void *solver, limpet_contact_solution *solution) {
  const limpet_contact_space *s = solver;
  const int first = s->island->contact;
  const size_t contacts = (size_t)s->contacts;
  limpet_solution_keep(s->problem, s->island, s->v, s->impulse, s->x, s->contact_u,
                       s->x + 3 * s->contacts, solution);
  memcpy(solution->constants + first, s->constants, contacts * sizeof *s->constants);
  if (solution->carried)
    memcpy(solution->carried + 3 * first, s->carried, 3 * contacts * sizeof *s->carried);
}

static limpet_island_report statistics(void *solver, const limpet_solve_settings *settings,
                                       limpet_arena *arena, limpet_solve_info *info) {
  (void)settings, (void)arena;
  const limpet_contact_space *s = solver;
  const limpet_impulsive_counts *counts = &s->counts;
  info->impulsive.sweeps += counts->sweeps;
  info->impulsive.pivots += counts->pivots;
  info->impulsive.barrier_iterations += counts->barrier_iterations;
  info->impulsive.line_search_evaluations += counts->line_search_evaluations;
  info->impulsive.factorizations += counts->factorizations;
  return (limpet_island_report){
      .outcome = s->outcome,
      .residual = s->residual,
      .iterations = counts->sweeps + counts->pivots + counts->barrier_iterations};
}

const limpet_island_method limpet_impulsive_method = {.size = sizeof(limpet_contact_space),
                                                      .create = create,
                                                      .solve = solve,
                                                      .results = results,
                                                      .statistics = statistics};
