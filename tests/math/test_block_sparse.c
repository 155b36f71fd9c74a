/* tests/math/test_block_sparse.c: block-sparse Cholesky against the dense textbook on random
 * patterns and block sizes.
 *
 * Matrices are diagonally dominant with entries of order 1, so solutions agree to a few n eps;
 * 1e-12 leaves room for n = 400. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "math/block_dissect.h"
#include "math/block_fill.h"
#include "math/block_inverse.h"
#include "math/block_symbolic.h"
#include "shared_data.h"

enum { BLOCKS = 40, ROWS = 400 };

typedef struct problem {
  int n, rows, pair_count;
  int size[BLOCKS], first[BLOCKS], pairs[2 * BLOCKS * BLOCKS];
  double H[ROWS * ROWS], x[ROWS], b[ROWS];
} problem;

static unsigned long seed = 3;
static problem the;
static const int *given_order;  // NULL: by minimum degree
static limpet_arena arena;

static int random_int(int low, int high) {
  return (int)floor(random_uniform(&seed, low, high + 1));
}  // both included

static void problem_size(int n, int kind) {
  the = (problem){.n = n};
  for (int i = 0; i < n; ++i) {
    the.size[i] = kind == 0    ? 6
                  : kind == 1  ? random_int(1, 9)
                  : kind == 3  ? 1
                  : i == n / 2 ? 30
                               : random_int(1, 2) * 3;
    the.first[i] = the.rows;
    the.rows += the.size[i];
  }
}

static void problem_pair(int i, int j) {
  the.pairs[2 * the.pair_count] = i;
  the.pairs[2 * the.pair_count++ + 1] = j;
  for (int r = 0; r < the.size[i]; ++r)
    for (int c = 0; c < the.size[j]; ++c) {
      const double y = random_uniform(&seed, -1.0, 1.0);
      const int p = the.first[i] + r, q = the.first[j] + c;
      if (i != j || c <= r) the.H[p * ROWS + q] = the.H[q * ROWS + p] = y;
    }
}

static void problem_finish(void) {
  for (int i = 0; i < the.n; ++i) {
    problem_pair(i, i);
    --the.pair_count;  // the diagonal is implied
  }
  for (int p = 0; p < the.rows; ++p) {
    the.x[p] = random_uniform(&seed, -1.0, 1.0);
    double sum = 1.0;
    for (int q = 0; q < the.rows; ++q) sum += fabs(the.H[p * ROWS + q]);
    the.H[p * ROWS + p] = sum;
  }
  for (int p = 0; p < the.rows; ++p) {
    the.b[p] = 0.0;
    for (int q = 0; q < the.rows; ++q) the.b[p] += the.H[p * ROWS + q] * the.x[q];
  }
}

// Random pattern: each pair with probability `density`, some of them twice and in the other
// triangle.
static void problem_random(int n, int kind, double density) {
  problem_size(n, kind);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      if (random_uniform(&seed, 0.0, 1.0) < density) {
        if (random_int(0, 3) == 0) problem_pair(i, j);
        problem_pair(j, i);
      }
  problem_finish();
}

// Adds block (i, j) of H through the block interface.
static void block_write(limpet_block_cholesky *factor, int i, int j) {
  int stride, transposed;
  double *block = limpet_block_cholesky_block(factor, i, j, &stride, &transposed);
  for (int r = 0; r < the.size[i]; ++r)
    for (int c = 0; c < the.size[j]; ++c)
      if (i != j || c <= r)
        block[transposed ? c * stride + r : r * stride + c] +=
            the.H[(the.first[i] + r) * ROWS + the.first[j] + c];
}

static limpet_block_cholesky *problem_write(void) {
  limpet_block_cholesky *factor =
      given_order || the.n % 2
          ? limpet_block_cholesky_create_in(&arena, the.n, the.size, the.pair_count, the.pairs,
                                            given_order)
          : limpet_block_cholesky_create(&arena, the.n, the.size, the.pair_count, the.pairs);
  assert_non_null(factor);
  assert_int_equal(limpet_block_cholesky_rows(factor), the.rows);
  limpet_block_cholesky_zero(factor);
  int seen[BLOCKS][BLOCKS] = {{0}};
  for (int i = 0; i < the.n; ++i) block_write(factor, i, i);
  for (int k = 0; k < the.pair_count; ++k) {
    const int i = the.pairs[2 * k], j = the.pairs[2 * k + 1];
    if (i == j || seen[i][j] || seen[j][i]) continue;
    seen[i][j] = 1;
    if (random_int(0, 1)) block_write(factor, i, j);
    else block_write(factor, j, i);
  }
  return factor;
}

static void expect_solution(const limpet_block_cholesky *factor) {
  double y[ROWS];
  memcpy(y, the.b, sizeof y);
  limpet_block_cholesky_solve(factor, y);
  for (int p = 0; p < the.rows; ++p)
    if (!(fabs(y[p] - the.x[p]) <= 1e-12))
      fail_msg("row %d of %d: %.17g, expected %.17g", p, the.rows, y[p], the.x[p]);
}

// The diagonal of the inverse, against solves for some columns of it.
static void expect_inverse(const limpet_block_cholesky *factor) {
  enum { TRIED = 4 };
  double diagonal[ROWS], y[ROWS];
  double *work = LIMPET_TAKE(&arena, double, limpet_block_inverse_diagonal_doubles(factor));
  assert_non_null(work);
  limpet_block_inverse_diagonal(factor, diagonal, work);
  for (int k = 0; k < TRIED; ++k) {
    const int p = random_int(0, the.rows - 1);
    memset(y, 0, sizeof y);
    y[p] = 1.0;
    limpet_block_cholesky_solve(factor, y);
    if (!(fabs(diagonal[p] - y[p]) <= 1e-13 * y[p]))
      fail_msg("row %d of %d: %.17g, expected %.17g", p, the.rows, diagonal[p], y[p]);
  }
}

static void random_patterns_are_solved(void **state) {
  (void)state;
  for (int round = 0; round < 1000; ++round) {
    const int n = random_int(1, BLOCKS - 1);
    problem_random(n, round % 4, (round % 7 == 0 ? 0.6 : 2.0 / n));
    limpet_arena_reset(&arena);
    limpet_block_cholesky *factor = problem_write();
    assert_int_equal(limpet_block_cholesky_factor(factor), 0);
    expect_solution(factor);
    expect_inverse(factor);
  }
}

static void chains_stars_and_grids_are_solved(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; ++kind)
    for (int shape = 0; shape < 4; ++shape) {
      const int n = BLOCKS - 4;
      problem_size(n, kind);
      for (int i = 1; i < n; ++i) {
        if (shape == 0) problem_pair(i, i - 1);                   // chain
        if (shape == 1) problem_pair(i, n / 2 == i ? 0 : n / 2);  // star
        if (shape == 2) problem_pair((i - 1) / 2, i);             // tree
        if (shape == 3) {                                         // 6 x 6 grid
          if (i % 6) problem_pair(i, i - 1);
          if (i >= 6) problem_pair(i - 6, i);
        }
      }
      problem_finish();
      limpet_arena_reset(&arena);
      limpet_block_cholesky *factor = problem_write();
      assert_int_equal(limpet_block_cholesky_factor(factor), 0);
      expect_solution(factor);
      expect_inverse(factor);

      // a chain, a star and a tree have no fill: at most a few zeros from merging, and from
      // rounding places up to eight
      long needed = 0;
      for (int i = 0; i < n; ++i) needed += the.size[i] * the.size[i];
      for (int k = 0; k < the.pair_count; ++k)
        needed += the.size[the.pairs[2 * k]] * the.size[the.pairs[2 * k + 1]];
      if (shape < 3) assert_true(limpet_block_cholesky_doubles(factor) < 3 * needed + 16 * n);
    }
}

static void indefinite_matrices_are_found(void **state) {
  (void)state;
  for (int round = 0; round < 200; ++round) {
    problem_random(random_int(1, BLOCKS - 1), round % 3, 0.1);
    const int block = random_int(0, the.n - 1),
              row = the.first[block] + random_int(0, the.size[block] - 1);
    the.H[row * ROWS + row] = round % 2 ? NAN : -1e6;
    limpet_arena_reset(&arena);
    limpet_block_cholesky *factor = problem_write();
    const int failed = limpet_block_cholesky_factor(factor);
    assert_in_range(failed, 1, the.n);
    if (round % 2 == 0) assert_int_equal(failed, 1 + block);
  }
}

static void offsets_point_to_blocks_and_bits_repeat(void **state) {
  (void)state;
  problem_random(30, 1, 0.1);
  limpet_arena_reset(&arena);
  limpet_block_cholesky *first = problem_write(), *second = problem_write();
  for (int k = 0; k < the.pair_count; ++k) {
    int stride, transposed, stride2, transposed2;
    const int i = the.pairs[2 * k], j = the.pairs[2 * k + 1];
    const double *block = limpet_block_cholesky_block(first, i, j, &stride, &transposed);
    const long offset = limpet_block_cholesky_offset(first, i, j, &stride2, &transposed2);
    assert_ptr_equal(block, limpet_block_cholesky_values(first) + offset);
    assert_int_equal(stride, stride2);
    assert_int_equal(transposed, transposed2);
    assert_in_range(offset, 0, limpet_block_cholesky_doubles(first) - 1);
  }
  assert_int_equal(limpet_block_cholesky_factor(first), 0);
  assert_int_equal(limpet_block_cholesky_factor(second), 0);
  double x[ROWS], y[ROWS];
  memcpy(x, the.b, sizeof x);
  memcpy(y, the.b, sizeof y);
  limpet_block_cholesky_solve(first, x);
  limpet_block_cholesky_solve(second, y);
  assert_memory_equal(x, y, (size_t)the.rows * sizeof *x);

  // factored again from the same matrix, the same bits again
  limpet_block_cholesky_zero(first);
  limpet_block_cholesky *third = problem_write();
  memcpy(limpet_block_cholesky_values(first), limpet_block_cholesky_values(third),
         (size_t)limpet_block_cholesky_doubles(first) * sizeof(double));
  assert_int_equal(limpet_block_cholesky_factor(first), 0);
  memcpy(x, the.b, sizeof x);
  limpet_block_cholesky_solve(first, x);
  assert_memory_equal(x, y, (size_t)the.rows * sizeof *x);
}

// An order has all blocks once, and its factor solves the problem.
static void expect_order(int *order) {
  int seen[BLOCKS] = {0};
  for (int i = 0; i < the.n; ++i) {
    assert_in_range(order[i], 0, the.n - 1);
    assert_int_equal(seen[order[i]]++, 0);
  }
  given_order = order;
  limpet_block_cholesky *factor = problem_write();
  given_order = NULL;
  assert_int_equal(limpet_block_cholesky_factor(factor), 0);
  expect_solution(factor);
}

// Nested dissection at random places, too, is an order, and solves; and so is minimum fill.
static void orders_solve(void **state) {
  (void)state;
  for (int round = 0; round < 300; ++round) {
    problem_random(random_int(1, BLOCKS - 1), round % 4, round % 7 == 0 ? 0.6 : 0.1);
    limpet_arena_reset(&arena);
    double place[3 * BLOCKS];
    int order[BLOCKS];
    for (int i = 0; i < 3 * the.n; ++i) place[i] = round % 3 ? random_uniform(&seed, -1, 1) : i % 2;
    limpet_block_graph graph;
    assert_int_equal(limpet_block_graph_create(&graph, &arena, the.n, the.pair_count, the.pairs),
                     LIMPET_OK);
    assert_int_equal(limpet_block_dissect(&graph, place, &arena, order), LIMPET_OK);
    expect_order(order);
    assert_int_equal(limpet_block_minimum_fill(&graph, round % 4 - 1.0, &arena, order), LIMPET_OK);
    expect_order(order);
  }
}

// Links that an order adds to a graph, and the one that is next by definition: all pairs counted.
typedef struct plain_graph {
  int n;
  bool linked[BLOCKS][BLOCKS], done[BLOCKS];
} plain_graph;

static double mean_fill(const plain_graph *g, int node, double offset) {
  int degree = 0, fill = 0;
  for (int i = 0; i < g->n; ++i) {
    if (!g->linked[node][i]) continue;
    ++degree;
    for (int j = 0; j < i; ++j) fill += g->linked[node][j] && !g->linked[i][j];
  }
  return fill > 0 ? fill / (degree + offset) : 0.0;
}

static void eliminate(plain_graph *g, int node) {
  for (int i = 0; i < g->n; ++i)
    for (int j = 0; j < g->n; ++j)
      if (i != j && g->linked[node][i] && g->linked[node][j]) g->linked[i][j] = true;
  for (int i = 0; i < g->n; ++i) g->linked[node][i] = g->linked[i][node] = false;
  g->done[node] = true;
}

// Each node has the least mean fill of those that are left; a star's middle comes at the end.
static void fill_is_least(void **state) {
  (void)state;
  for (int round = 0; round < 100; ++round) {
    problem_random(random_int(1, BLOCKS - 1), round % 4, round % 7 == 0 ? 0.6 : 0.1);
    limpet_arena_reset(&arena);
    const double offset = round % 4 - 1.0;
    limpet_block_graph graph;
    int order[BLOCKS];
    assert_int_equal(limpet_block_graph_create(&graph, &arena, the.n, the.pair_count, the.pairs),
                     LIMPET_OK);
    assert_int_equal(limpet_block_minimum_fill(&graph, offset, &arena, order), LIMPET_OK);
    plain_graph g = {.n = the.n};
    for (int k = 0; k < the.pair_count; ++k) {
      const int i = the.pairs[2 * k], j = the.pairs[2 * k + 1];
      g.linked[i][j] = g.linked[j][i] = i != j;
    }
    for (int p = 0; p < the.n; ++p) {
      const double own = mean_fill(&g, order[p], offset);
      for (int i = 0; i < the.n; ++i)
        if (!g.done[i]) assert_true(own <= mean_fill(&g, i, offset));
      eliminate(&g, order[p]);
    }
  }
}

/* A lattice of 10 x 10 x 10 nodes whose neighbours are those of a cube: 5.9e7 multiply-adds in
 * blocks of three, 9.5e7 by minimum degree, whatever the size of a cell along each axis. */
static int products_count(const limpet_block_cholesky *factor) {
  int count = 0;
  for (int k = 0; k < factor->supernode_count; ++k) count += factor->supernode[k].update_count;
  return count;
}

static int narrow_count(const limpet_block_cholesky *factor) {
  int count = 0;
  for (int k = 0; k < factor->supernode_count; ++k) count += factor->supernode[k].width < 12;
  return count;
}

static void lattices_cost_less_ordered(void **state) {
  (void)state;
  enum { N = 10, NODES = N * N * N, MOST = 7 * NODES };
  int *pairs = malloc(2 * MOST * sizeof *pairs), *order = malloc(NODES * sizeof *order), count = 0;
  int *size = malloc(NODES * sizeof *size);
  double *place = malloc(3 * NODES * sizeof *place);
  for (int i = 0; i < NODES; ++i) {
    const int at[3] = {i / (N * N), i / N % N, i % N};
    size[i] = 3;
    for (int k = 0; k < 3; ++k) place[3 * i + k] = at[k] * (k == 0 ? 3.0 : 1.0);
    for (int d = 1; d < 8; ++d)
      if (at[0] + d / 4 < N && at[1] + d / 2 % 2 < N && at[2] + d % 2 < N)
        pairs[2 * count] = i, pairs[2 * count++ + 1] = i + d / 4 * N * N + d / 2 % 2 * N + d % 2;
  }
  limpet_arena_reset(&arena);
  limpet_block_graph graph;
  assert_int_equal(limpet_block_graph_create(&graph, &arena, NODES, count, pairs), LIMPET_OK);
  assert_int_equal(limpet_block_dissect(&graph, place, &arena, order), LIMPET_OK);
  const double plain = limpet_block_cholesky_flops(
                   limpet_block_cholesky_create(&arena, NODES, size, count, pairs)),
               cut = limpet_block_cholesky_flops(
                   limpet_block_cholesky_create_in(&arena, NODES, size, count, pairs, order));
  const limpet_block_cholesky *longer =
      limpet_block_cholesky_create_in(&arena, NODES, size, count, pairs, NULL);
  assert_true(limpet_block_cholesky_flops(longer) == plain);
  const int products =
                products_count(limpet_block_cholesky_create(&arena, NODES, size, count, pairs)),
            fewer = products_count(longer);
  print_message("outer products of a lattice: %d, with long runs %d\n", products, fewer);
  assert_true(fewer < 0.8 * products);
  const int narrow = narrow_count(longer);
  print_message("supernodes of a lattice: %d, narrower than four nodes %d\n",
                longer->supernode_count, narrow);
  assert_true(5 * narrow < 4 * longer->supernode_count);
  assert_int_equal(limpet_block_minimum_fill(&graph, 0.0, &arena, order), LIMPET_OK);
  const double filled = limpet_block_cholesky_flops(
      limpet_block_cholesky_create_in(&arena, NODES, size, count, pairs, order));
  print_message(
      "multiply-adds of a lattice: %.3g by minimum degree, %.3g dissected, %.3g by fill\n", plain,
      cut, filled);
  assert_true(cut < 6.5e7 && cut < 0.75 * plain && filled < 0.9 * plain);
  free(pairs), free(order), free(size), free(place);
}

static void work_is_counted(void **state) {
  (void)state;
  // one block of 12: n^3/6; two of 6 without contact: twice 36
  problem_size(1, 0);
  the.size[0] = 12;
  limpet_arena_reset(&arena);
  const limpet_block_cholesky *one = limpet_block_cholesky_create(&arena, 1, the.size, 0, NULL);
  assert_true(fabs(limpet_block_cholesky_flops(one) - 288.0) < 1e-9);
  problem_size(2, 0);
  const limpet_block_cholesky *two = limpet_block_cholesky_create(&arena, 2, the.size, 0, NULL);
  assert_true(fabs(limpet_block_cholesky_flops(two) - 72.0) < 1e-9);
}

int main(void) {
  if (limpet_arena_create(&arena, 1 << 20)) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_patterns_are_solved),
      cmocka_unit_test(chains_stars_and_grids_are_solved),
      cmocka_unit_test(indefinite_matrices_are_found),
      cmocka_unit_test(offsets_point_to_blocks_and_bits_repeat),
      cmocka_unit_test(orders_solve),
      cmocka_unit_test(fill_is_least),
      cmocka_unit_test(lattices_cost_less_ordered),
      cmocka_unit_test(work_is_counted),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  limpet_arena_destroy(&arena);
  return failed;
}
