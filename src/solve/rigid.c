/* solve/rigid.c: the method of islands of rigid contacts: a quadratic or cone programme
 * (island_programme.h). */
#include <string.h>

#include "solve/island_programme.h"
#include "solve/method.h"

static limpet_status create(void *solver, const limpet_contact_problem *problem, int island,
                            const limpet_solve_settings *settings, limpet_arena *arena) {
  (void)settings;
  return limpet_island_programme_create(solver, problem, island, arena);
}

static void solve(void *solver, const limpet_solve_settings *settings,
                  const limpet_solve_start *start) {
  (void)settings, (void)start;
  limpet_island_programme_solve(solver);
}

static void results(const void *solver, limpet_contact_solution *solution) {
  const limpet_island_programme *p = solver;
  const int first = p->island->contact;
  const size_t contacts = (size_t)p->island->contact_count;
  limpet_solution_keep(p->problem, p->island, p->solution.x, p->impulse, p->gamma, p->velocity,
                       p->row_gamma, solution);
  memcpy(solution->torsion + first, p->torsion, contacts * sizeof *p->torsion);
  memcpy(solution->constants + first, p->problem->constants + first,
         contacts * sizeof *solution->constants);
}

static limpet_island_report statistics(void *solver, const limpet_solve_settings *settings,
                                       limpet_arena *arena, limpet_solve_info *info) {
  (void)settings, (void)arena;
  const limpet_island_programme *p = solver;
  info->rigid.interior_iterations += p->counts.interior_iterations;
  info->rigid.active_set_changes += p->counts.active_set_changes;
  return (limpet_island_report){
      .outcome = p->outcome,
      .residual = p->residual,
      .cost = p->cost,
      .iterations = p->counts.interior_iterations + p->counts.active_set_changes};
}

const limpet_island_method limpet_rigid_method = {.size = sizeof(limpet_island_programme),
                                                  .create = create,
                                                  .solve = solve,
                                                  .results = results,
                                                  .statistics = statistics};
