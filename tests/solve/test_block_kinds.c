/* tests/solve/test_block_kinds.c: solvers do not ask which kind a block is: blocks whose kind keeps
 * its matrix packed and reversed give the solution of the trees that they were made from, with
 * every contact model. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "math/dense.h"
#include "mjcf_world.h"
#include "step/prepared.h"

enum { MOST_BLOCKS = 8, MOST_SIZE = 8, ENTRIES = MOST_SIZE * (MOST_SIZE + 1) / 2 };

// -------------------------------------------------- a second kind: the lower triangle, last row
// first

static double entry(const limpet_block *block, int row, int column) {
  if (column > row) return entry(block, column, row);
  const int from_end = block->size - 1 - row, before = from_end * block->size;
  return block->matrix[before - from_end * (from_end - 1) / 2 + row - column];
}

static void pack(const limpet_block *tree, double *to) {
  for (int row = tree->size - 1; row >= 0; --row)
    for (int column = row; column >= 0; --column) *to++ = tree->matrix[row * tree->size + column];
}

static void packed_apply(const limpet_block *block, const double *x, double *y) {
  for (int i = 0; i < block->size; ++i)
    for (int k = 0; k < block->size; ++k) y[i] += entry(block, i, k) * x[k];
}

static void packed_diagonal(const limpet_block *block, double *diagonal) {
  for (int i = 0; i < block->size; ++i) diagonal[i] = entry(block, i, i);
}

static void packed_copy(const limpet_block *block, bool lower, double *to, size_t stride) {
  for (int i = 0; i < block->size; ++i)
    for (int k = 0; k < (lower ? i + 1 : block->size); ++k)
      to[(size_t)i * stride + (size_t)k] = entry(block, i, k);
}

// A = U U' with U upper triangular: of the reversed matrix, so that nothing is as in a tree.
static size_t packed_factor_size(const limpet_block *block) {
  return (size_t)block->size * (size_t)block->size + 3;
}

static bool packed_factor(const limpet_block *block, double *factor) {
  const int n = block->size;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) factor[3 + i * n + k] = entry(block, n - 1 - i, n - 1 - k);
  return limpet_cholesky(n, factor + 3, n) == 0;
}

static void packed_solve(const limpet_block *block, const double *factor, double *x) {
  const int n = block->size;
  double reversed[MOST_SIZE];
  for (int i = 0; i < n; ++i) reversed[i] = x[n - 1 - i];
  limpet_cholesky_solve(n, factor + 3, n, reversed);
  for (int i = 0; i < n; ++i) x[i] = reversed[n - 1 - i];
}

static const limpet_block_kind packed = {.name = "packed",
                                         .apply = packed_apply,
                                         .diagonal = packed_diagonal,
                                         .copy = packed_copy,
                                         .factor_size = packed_factor_size,
                                         .factor = packed_factor,
                                         .solve = packed_solve};

// --------------------------------------------------------------------------------------- the test

// Islands of one and of several trees; an arm with a limit.
static const char *const scene =
    "<mujoco><option timestep='0.002'/><worldbody>"
    "<geom type='plane' size='5 5 1' friction='0.5'/>"
    "<body pos='3 0 0.5'><joint type='hinge' axis='0 1 0' range='-10 10' limited='true' "
    "frictionloss='0.1'/><geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.02' mass='1'/>"
    "<body pos='.3 0 0'><joint axis='1 0 0'/><geom type='capsule' fromto='0 0 0 0 .3 0' "
    "size='.02'/>"
    "</body></body>"
    "<body pos='0 0 0.0999'><freejoint/><geom type='sphere' size='0.1' mass='1'/></body>"
    "<body pos='1 0 0.0999'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='2'/></body>"
    "<body pos='1 0.05 0.2997'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='1'/></body>"
    "</worldbody></mujoco>";

static double far_apart(const double *a, const double *b, int count) {
  double worst = 0.0, size = 1e-9;
  for (int i = 0; i < count; ++i) {
    worst = fmax(worst, fabs(a[i] - b[i]));
    size = fmax(size, fabs(a[i]));
  }
  return worst / size;
}

// The problem with other blocks.
static limpet_contact_problem in_packed_blocks(const limpet_contact_problem *problem,
                                               limpet_block *block, double *matrix) {
  limpet_contact_problem other = *problem;
  assert_true(problem->block_count <= MOST_BLOCKS);
  for (int b = 0; b < problem->block_count; ++b, matrix += ENTRIES) {
    assert_true(problem->block[b].size <= MOST_SIZE);
    pack(&problem->block[b], matrix);
    block[b] = problem->block[b];
    block[b].kind = &packed, block[b].matrix = matrix;
  }
  other.block = block;
  return other;
}

static void solved_alike(const limpet_contact_model *contact) {
  mjcf_world w = mjcf_world_of(scene, NULL);
  if (contact->family == LIMPET_CONTACT_IMPULSIVE)
    limpet_step_settings_scheme(&w.settings, limpet_scheme_find("impulse"));
  limpet_step_settings_contact_model(&w.settings, contact);
  w.settings.tolerance = 1e-12;
  w.data->v[2] = 2.0, w.data->v[4] = -3.0;
  limpet_arena arena;
  assert_int_equal(limpet_arena_create(&arena, 1 << 16), 0);
  limpet_step_prepared prepared;
  assert_int_equal(limpet_step_prepare(w.model, w.data, &w.settings, 2e-3, &prepared),
                   LIMPET_OUTCOME_SOLVED);
  limpet_block block[MOST_BLOCKS];
  double matrix[MOST_BLOCKS * ENTRIES];
  const limpet_contact_problem *problem = &prepared.work->problem;
  const limpet_contact_problem other = in_packed_blocks(problem, block, matrix);
  limpet_solve_settings settings = {.newton = limpet_newton_settings_default(),
                                    .dense_limit = 1000};
  settings.newton.tolerance = w.settings.tolerance;
  const limpet_solve_start start = {.v = prepared.work->v_start};
  limpet_contact_solution one, two;
  assert_int_equal(limpet_problem_solve(problem, &settings, &start, NULL, &arena, &one), LIMPET_OK);
  assert_int_equal(limpet_problem_solve(&other, &settings, &start, NULL, &arena, &two), LIMPET_OK);
  assert_true(problem->contact_count > 8 && problem->row_count > 0);
  assert_int_equal(one.info.outcome, two.info.outcome);

  // sums in another order: 1e-16, times the condition of the problem, 1e6 at most
  const double v = far_apart(one.v, two.v, problem->nv),
               impulse = far_apart(one.impulse, two.impulse, problem->nv);
  if (v > 1e-7 || impulse > 1e-6) fail_msg("%s: %g %g", contact->descriptor.name, v, impulse);
  limpet_arena_destroy(&arena);
  mjcf_world_destroy(&w);
}

static void any_kind_is_solved(void **state) {
  (void)state;
  for (int m = 0; limpet_contact_models()[m]; ++m) solved_alike(limpet_contact_models()[m]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_kind_is_solved)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
