// contact/block_tree.c: kinematic trees as blocks of unknowns: see block.h.
#include <string.h>

#include "contact/problem.h"
#include "math/dense.h"

enum { SMALL_BLOCK = 12 };  // rows up to which a call of a kernel costs more than it saves

static void apply(const limpet_block *block, const double *x, double *y) {
  // by rows of the symmetric matrix
  const int n = block->size;
  const double *A = block->matrix;
  if (n > SMALL_BLOCK) {
    for (int c = 0; c < n; ++c) limpet_axpy(n, x[c], A + c * n, y);
    return;
  }
  for (int c = 0; c < n; ++c)
    for (int r = 0; r < n; ++r) y[r] += x[c] * A[c * n + r];
}

static void diagonal(const limpet_block *block, double *to) {
  for (int i = 0; i < block->size; ++i) to[i] = block->matrix[i * block->size + i];
}

static void copy(const limpet_block *block, bool lower, double *to, size_t stride) {
  const int n = block->size;
  for (int i = 0; i < n; ++i)
    memcpy(to + (size_t)i * stride, block->matrix + i * n,
           (size_t)(lower ? i + 1 : n) * sizeof *to);
}

static size_t factor_size(const limpet_block *block) {
  return (size_t)block->size * (size_t)block->size;
}

static bool factor(const limpet_block *block, double *to) {
  memcpy(to, block->matrix, factor_size(block) * sizeof *to);
  return limpet_cholesky(block->size, to, block->size) == 0;
}

static void solve(const limpet_block *block, const double *factor_of, double *x) {
  limpet_cholesky_solve(block->size, factor_of, block->size, x);
}

const limpet_block_kind limpet_block_tree = {.name = "tree",
                                             .apply = apply,
                                             .diagonal = diagonal,
                                             .copy = copy,
                                             .factor_size = factor_size,
                                             .factor = factor,
                                             .solve = solve};

limpet_status limpet_problem_take_trees(limpet_contact_problem *problem, const limpet_model *model,
                                        const double *A, limpet_arena *arena) {
  problem->A = A;
  problem->nv = model->nv;
  problem->block_count = model->tree_count;
  problem->dof_block = model->dof_tree;
  problem->block = LIMPET_TAKE(arena, limpet_block, model->tree_count);
  for (int t = 0; problem->block && t < model->tree_count; ++t)
    problem->block[t] = (limpet_block){.kind = &limpet_block_tree,
                                       .dof = model->tree_dof[t],
                                       .size = model->tree_dof_count[t],
                                       .matrix = A + model->tree_mass[t],
                                       .island = -1};
  return problem->block ? LIMPET_OK : LIMPET_ERROR_MEMORY;
}
