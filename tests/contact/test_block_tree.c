/* tests/contact/test_block_tree.c: the functions of a block of unknowns say the same of one matrix,
 * whatever its size: small ones and those that go through kernels; patches come by islands. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "contact/block.h"
#include "contact/problem.h"
#include "shared_data.h"

enum { MOST = 30, STRIDE = MOST + 3 };

// A random positive definite matrix L L' + 1.
static void fill(int n, unsigned long *seed, double *A) {
  double L[MOST * MOST];
  for (int i = 0; i < n * n; ++i) L[i] = random_uniform(seed, -1.0, 1.0);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      A[i * n + k] = i == k;
      for (int j = 0; j < n; ++j) A[i * n + k] += L[i * n + j] * L[k * n + j];
    }
}

static void functions_agree(void **state) {
  (void)state;
  unsigned long seed = 7;
  for (int n = 1; n <= MOST; ++n) {
    double A[MOST * MOST], x[MOST], y[MOST], diagonal[MOST], whole[MOST * STRIDE],
        lower[MOST * STRIDE], factor[(MOST + 4) * (MOST + 4)];  // rows of four
    fill(n, &seed, A);
    const limpet_block block = {.kind = &limpet_block_tree, .size = n, .matrix = A};
    for (int i = 0; i < n; ++i) x[i] = random_uniform(&seed, -1.0, 1.0), y[i] = i;
    for (int i = 0; i < MOST * STRIDE; ++i) whole[i] = lower[i] = -7.0;
    block.kind->apply(&block, x, y);
    block.kind->diagonal(&block, diagonal);
    block.kind->copy(&block, false, whole, STRIDE);
    block.kind->copy(&block, true, lower, STRIDE);

    // y += A x; entries outside the triangle, or the matrix, stay. Sums of n products below 40 n
    for (int i = 0; i < n; ++i) {
      double sum = i;
      for (int k = 0; k < n; ++k) {
        sum += A[i * n + k] * x[k];
        assert_true(whole[i * STRIDE + k] == A[i * n + k]);
        assert_true(lower[i * STRIDE + k] == (k <= i ? A[i * n + k] : -7.0));
      }
      assert_true(fabs(y[i] - sum) < 1e-12);
      assert_true(diagonal[i] == A[i * n + i] && whole[i * STRIDE + n] == -7.0);
    }

    // A^-1 A x = x; the eigenvalues lie between 1 and 3 n^2
    assert_true(block.kind->factor_size(&block) <= sizeof factor / sizeof *factor);
    assert_true(block.kind->factor(&block, factor));
    memset(y, 0, sizeof y);
    block.kind->apply(&block, x, y);
    block.kind->solve(&block, factor, y);
    for (int i = 0; i < n; ++i) assert_true(fabs(y[i] - x[i]) < 1e-11);
    A[0] = -1.0;
    assert_false(block.kind->factor(&block, factor));
  }
}

enum { BLOCKS = 40, PATCHES = 60 };

// label (BLOCKS): the lowest block of the island, found by passing it on until nothing changes.
static void label_islands(const int *block, int count, int *label) {
  for (int t = 0; t < BLOCKS; ++t) label[t] = t;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < count; ++i) {
      const int a = block[2 * i], b = block[2 * i + 1];
      if (a < 0 || b < 0 || label[a] == label[b]) continue;
      const int least = label[a] < label[b] ? label[a] : label[b];
      label[a] = label[b] = least;
      changed = true;
    }
  }
}

// Islands ascend by their lowest block, those that nothing moves come last, and the order in which
// patches of an island came stays.
static void patches_come_by_islands(void **state) {
  (void)state;
  unsigned long seed = 11;
  limpet_arena arena;
  assert_int_equal(limpet_arena_create(&arena, 4096), LIMPET_OK);
  const limpet_contact_problem problem = {.block_count = BLOCKS};
  for (int draw = 0; draw < 200; ++draw) {
    int block[2 * PATCHES], place[PATCHES], at[PATCHES], label[BLOCKS];
    const int count = (int)random_uniform(&seed, 0.0, PATCHES + 0.999);
    for (int i = 0; i < 2 * count; ++i) block[i] = (int)random_uniform(&seed, -8.0, BLOCKS - 0.001);
    for (int i = 0; i < 2 * count; ++i) block[i] = block[i] < 0 ? LIMPET_NONE : block[i];
    assert_int_equal(limpet_problem_place_patches(&problem, block, count, &arena, place),
                     LIMPET_OK);
    for (int i = 0; i < count; ++i) at[i] = -1;
    for (int i = 0; i < count; ++i) {
      assert_in_range(place[i], 0, count - 1);
      at[place[i]] = i;
    }
    label_islands(block, count, label);
    int last = -1, before = -1;
    for (int k = 0; k < count; ++k) {
      const int i = at[k], first = block[2 * i] >= 0 ? block[2 * i] : block[2 * i + 1];
      assert_true(i >= 0);
      const int island = first >= 0 ? label[first] : BLOCKS;
      assert_true(island > last || (island == last && i > before));
      last = island, before = i;
    }
    limpet_arena_reset(&arena);
  }
  limpet_arena_destroy(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(functions_agree),
                                     cmocka_unit_test(patches_come_by_islands)};
  return cmocka_run_group_tests_name("block_tree", tests, NULL, NULL);
}
