/* solve/method.h: the solver of one island, as a table: one for each family of contact models. */
#ifndef LIMPET_SOLVE_METHOD_H
#define LIMPET_SOLVE_METHOD_H

#include "solve/solve.h"

// What every family says of one solved island.
typedef struct limpet_island_report {
  limpet_outcome outcome;
  double residual;  // [-]
  double cost;      // [J]
  int iterations;
} limpet_island_report;

typedef struct limpet_island_method {
  size_t size;  // [bytes]  of the solver of one island
  // takes the solver's workspace from the arena
  limpet_status (*create)(void *solver, const limpet_contact_problem *problem, int island,
                          const limpet_solve_settings *settings, limpet_arena *arena);
  // solves the island; other threads solve others, and nothing is allocated, unless
  // settings->takes_later
  void (*solve)(void *solver, const limpet_solve_settings *settings,
                const limpet_solve_start *start);
  // writes the island's part of the solution, in the same thread
  void (*results)(const void *solver, limpet_contact_solution *solution);
  // reports on the island and adds its counts to `info`; after all islands, in their order. What it
  // takes from the arena is given back.
  limpet_island_report (*statistics)(void *solver, const limpet_solve_settings *settings,
                                     limpet_arena *arena, limpet_solve_info *info);
  // Newton's workspace of the whole island; NULL: there is none
  const struct limpet_island_solver *(*whole)(const void *solver);
} limpet_island_method;

extern const limpet_island_method limpet_compliant_method, limpet_rigid_method,
    limpet_impulsive_method;

// v, impulse, gamma, velocity and row_gamma of one island, in its order, into the solution.
void limpet_solution_keep(const limpet_contact_problem *problem, const limpet_island *island,
                          const double *v, const double *impulse, const double *gamma,
                          const double *velocity, const double *row_gamma,
                          limpet_contact_solution *solution);

#endif
