/* solve/solve.h: all islands of a contact problem solved, each by the method of its contact model's
 * family. The problem stays as it was assembled; what comes out is the solution. */
#ifndef LIMPET_SOLVE_SOLVE_H
#define LIMPET_SOLVE_SOLVE_H

#include "contact/problem.h"
#include "optim/newton.h"

typedef struct limpet_solve_settings {
  limpet_newton_settings newton;
  bool plain_hessian;     // exact, not primal-dual: not of `coulomb`
  int dense_limit;        // islands up to this many velocities are factored dense
  bool condition_number;  // fill info.condition_number
  // islands are solved one after the other, and take memory when they need it: limpet_problem_solve
  // says so where it has no threads
  bool takes_later;
  bool keeps_solvers;  // solution->solver: their memory stays
} limpet_solve_settings;

struct limpet_contact_solution;

// Islands that another solve of the same blocks has solved.
typedef struct limpet_solved_islands {
  const limpet_contact_problem *problem;
  const struct limpet_contact_solution *solution;  // of it
  const int *island;  // (islands of the problem to solve)  of `problem`; LIMPET_NONE: not solved
} limpet_solved_islands;

// Where the solvers of compliant islands start; (nv) each.
typedef struct limpet_solve_start {
  const double *v;
  const double *guess;  // a second start, used for an island where its cost is lower; NULL: none
  // (contact_count)  of contacts that were there when the guess was found: an island of these alone
  // is the one that it solved; NULL: the guess solved nothing
  const bool *known;
  const limpet_solved_islands *solved;  // islands that are taken over as they are; NULL: none
} limpet_solve_start;

// What each family counts, summed over islands.
typedef struct limpet_compliant_counts {
  int newton_iterations, line_search_evaluations, factorizations;
} limpet_compliant_counts;

typedef struct limpet_rigid_counts {
  int interior_iterations;  // each with a factorisation
  int active_set_changes;
} limpet_rigid_counts;

typedef struct limpet_impulsive_counts {
  int sweeps;  // over all contacts or rows
  int pivots;
  int barrier_iterations, line_search_evaluations, factorizations;  // of phase two
} limpet_impulsive_counts;

typedef struct limpet_solve_info {
  limpet_outcome outcome;  // the worst of all islands; numerical failure: no block is left to move
  double residual;         // [-]  the worst of all islands
  double cost;             // [J]  summed
  int iterations;          // of whatever kind the family has: the most of an island
  int iterations_total;
  int island_count, largest_island;
  int failed_islands;                 // see containment.h
  double condition_number;            // [-]  largest of the islands' Hessians; 0 unless asked for
  limpet_compliant_counts compliant;  // zero but for the model's family
  limpet_rigid_counts rigid;
  limpet_impulsive_counts impulsive;
} limpet_solve_info;

struct limpet_island_programme;
struct limpet_island_solver;

// All arrays from the arena of the solve, in the order of the problem.
typedef struct limpet_contact_solution {
  double *v;          // (nv)
  double *impulse;    // (nv)  J' gamma
  double *gamma;      // (contact_count x 3)  [N s]
  double *torsion;    // (contact_count)  [N m s]  angular impulse about the normal, on B
  double *rolling;    // (contact_count x 2)  [N m s]  about the two tangents, on B
  double *velocity;   // (contact_count x 3)  [m/s]
  double *row_gamma;  // (row_count)  [N s, N m s]
  double *carried;    // (contact_count x 3) [N]  W  force on B to keep for the next step; NULL: the
                      // problem carries none
  limpet_contact_constants *constants;  // (contact_count)  as the solve left them: bounds of
                                        // friction, gains of springs
  limpet_outcome *outcome;              // (island_count)
  double *residual, *cost;              // (island_count)  [-], [J]
  bool *held;  // (block_count)  of an island that failed: v is that of the start, all impulses 0
  struct limpet_island_programme *programme;  // (island_count)  as solved; NULL: not rigid
  // (island_count)  workspace of each, NULL: not of the whole island, or taken over; NULL: not kept
  const struct limpet_island_solver **solver;
  limpet_solve_info info;
} limpet_contact_solution;

struct limpet_threads;

/* Solves all islands. LIMPET_ERROR_MEMORY without memory; how well they were solved is
 * solution->info.outcome. */
limpet_status limpet_problem_solve(const limpet_contact_problem *problem,
                                   const limpet_solve_settings *settings,
                                   const limpet_solve_start *start, struct limpet_threads *threads,
                                   limpet_arena *arena, limpet_contact_solution *solution);

#endif
