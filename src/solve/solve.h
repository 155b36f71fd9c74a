/* solve/solve.h: all islands of a contact problem solved, each by the method of its contact
 * model. */
#ifndef LIMPET_SOLVE_SOLVE_H
#define LIMPET_SOLVE_SOLVE_H

#include "contact/problem.h"
#include "optim/newton.h"

typedef struct limpet_solve_settings {
  limpet_newton_settings newton;
  int friction_passes;    // see limpet_step_settings
  int dense_limit;        // islands up to this many velocities are factored dense
  bool condition_number;  // fill info.condition_number
} limpet_solve_settings;

typedef struct limpet_solve_info {
  limpet_newton_info worst;  // worst residual, most iterations; the other counts are sums
  limpet_outcome outcome;    // the worst of all islands
  int iterations_total, island_count, largest_island;
  double condition_number;  // [-]  largest of the islands' Hessians; 0 unless asked for
} limpet_solve_info;

struct limpet_threads;

/* Solves all islands. v (nv) holds the start on entry and the solution on return; impulse (nv)
 * receives J' gamma. `guess` (nv, may be NULL): a second start, used for an island where its cost
 * is lower. gamma, velocity, row_gamma of the problem are filled. 0, or 1 without memory. */
int limpet_problem_solve(limpet_contact_problem *problem, const limpet_solve_settings *settings,
                         struct limpet_threads *threads, limpet_arena *arena, const double *guess,
                         double *v, double *impulse, limpet_solve_info *info);

#endif
