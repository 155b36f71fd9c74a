// solve/containment.c: see containment.h. Cost: one multiplication and addition a number.
#include "solve/containment.h"

#include <math.h>
#include <string.h>

#include "math/pairs.h"
#include "solve/island.h"

// Impulses that are numbers, and velocities whose square is one: a rotation is integrated by it.
static bool block_finite(const limpet_block *block, const limpet_contact_solution *solution) {
  const double *v = solution->v + block->dof;
  return isfinite(limpet_pairs_square(block->size, v)) &&
         limpet_pairs_finite(block->size, solution->impulse + block->dof);
}

static bool island_finite(const limpet_contact_problem *problem, const limpet_island *island,
                          const limpet_contact_solution *solution) {
  for (int i = 0; i < island->block_count; ++i)
    if (!block_finite(limpet_island_block(problem, island, i), solution)) return false;
  return limpet_pairs_finite(3 * island->contact_count, solution->gamma + 3 * island->contact) &&
         limpet_pairs_finite(3 * island->contact_count, solution->velocity + 3 * island->contact) &&
         limpet_pairs_finite(island->row_count, solution->row_gamma + island->row);
}

static void hold_block(const limpet_contact_problem *problem, int block, const double *v_start,
                       limpet_contact_solution *solution) {
  const limpet_block *held = &problem->block[block];
  const size_t size = (size_t)held->size * sizeof *solution->v;
  memcpy(solution->v + held->dof, v_start + held->dof, size);
  memset(solution->impulse + held->dof, 0, size);
  solution->held[block] = true;
}

bool limpet_island_hold_failed(const limpet_contact_problem *problem, int index,
                               limpet_outcome outcome, const double *v_start,
                               limpet_contact_solution *solution) {
  const limpet_island *island = &problem->island[index];
  if (outcome < LIMPET_OUTCOME_ISLAND_FAILED && island_finite(problem, island, solution))
    return false;
  for (int i = 0; i < island->block_count; ++i)
    hold_block(problem, problem->island_block[island->block + i], v_start, solution);

  // nothing acts within it
  const size_t contacts = (size_t)island->contact_count, first = (size_t)island->contact;
  memset(solution->gamma + 3 * first, 0, 3 * contacts * sizeof *solution->gamma);
  memset(solution->velocity + 3 * first, 0, 3 * contacts * sizeof *solution->velocity);
  memset(solution->torsion + first, 0, contacts * sizeof *solution->torsion);
  memset(solution->rolling + 2 * first, 0, 2 * contacts * sizeof *solution->rolling);
  memset(solution->row_gamma + island->row, 0,
         (size_t)island->row_count * sizeof *solution->row_gamma);
  if (solution->carried)
    memset(solution->carried + 3 * first, 0, 3 * contacts * sizeof *solution->carried);
  ++solution->info.failed_islands;
  return true;
}

void limpet_blocks_hold_failed(const limpet_contact_problem *problem, const double *v_start,
                               limpet_contact_solution *solution) {
  limpet_solve_info *info = &solution->info;
  int held = 0;
  for (int i = 0; i < problem->block_count; ++i) {
    if (problem->block[i].island < 0 && !block_finite(&problem->block[i], solution)) {
      hold_block(problem, i, v_start, solution);
      ++info->failed_islands;
    }
    held += solution->held[i];
  }
  if (info->failed_islands > 0)
    info->outcome = held == problem->block_count ? LIMPET_OUTCOME_NUMERICAL_FAILURE
                                                 : LIMPET_OUTCOME_ISLAND_FAILED;
}
