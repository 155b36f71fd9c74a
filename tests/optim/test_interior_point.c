/* tests/optim/test_interior_point.c: quadratic programmes with linear rows, by both methods: golden
 * problems, problems with a known solution, degenerate, redundant, badly scaled, infeasible and
 * broken ones.
 *
 * Tolerances: residuals are asked for to 1e-12 of their terms (the default) and measured in long
 * double. x may then differ from the true one by 1e-12 times the condition of Q and of the tight
 * rows, which is below 1e3 for the made problems; the golden README asks for 1e-9 max |x|. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "allocator.h"
#include "qp_cases.h"
#include "shared_data.h"

static const limpet_qp_method methods[] = {LIMPET_QP_METHOD_AUTOMATIC, LIMPET_QP_METHOD_ACTIVE_SET,
                                           LIMPET_QP_METHOD_INTERIOR_POINT};
static const char *const names[] = {"automatic", "active set", "interior point"};
static qp_case problem;  // large, and one at a time
static qp_run run;

static int create(void **state) {
  (void)state;
  qp_run_create(&run);
  return 0;
}

static int destroy(void **state) {
  (void)state;
  qp_run_destroy(&run);
  return 0;
}

// Solves by one method and compares with the known x.
static void expect_solved(const char *what, limpet_qp_method method, double tolerance) {
  qp_run_solve(&run, &problem, method, false);
  const double optimality = qp_optimality(&problem, run.x, run.multipliers);
  const double difference = qp_difference(problem.problem.n, run.x, problem.x);
  if (run.info.outcome != LIMPET_QP_SOLVED || !(optimality <= 1e-12) || !(difference <= tolerance))
    fail_msg("%s, %s: %s, optimality %g, x off by %g", what, names[method],
             limpet_qp_outcome_name(run.info.outcome), optimality, difference);
}

static void expect_infeasible(const char *what, limpet_qp_method method) {
  qp_run_solve(&run, &problem, method, false);
  const double certificate = qp_certificate(&problem, run.multipliers);
  if (run.info.outcome != LIMPET_QP_INFEASIBLE || !(certificate <= 1e-12))
    fail_msg("%s, %s: %s, certificate %g", what, names[method],
             limpet_qp_outcome_name(run.info.outcome), certificate);
}

static void test_golden(void **state) {
  (void)state;
  static const char *const files[] = {"golden/qp/random.json", "golden/qp/sequence_13x80.json",
                                      "golden/qp/sequence_13x120_torsion.json"};
  for (size_t f = 0; f < sizeof files / sizeof *files; ++f) {
    if (!shared_exists(files[f])) skip();
    json_t *root = json_read(shared_path(files[f]));
    assert_non_null(root);
    int iterations = 0;
    double worst = 0.0;
    for (size_t i = 0; i < json_array_size(root); ++i) {
      const json_t *item = json_array_get(root, i);
      const char *name = json_string_value(json_object_get(item, "name"));
      const bool feasible = qp_case_read(&problem, item);
      for (size_t k = 0; k < 3; ++k) {
        if (feasible) expect_solved(name, methods[k], 1e-9);
        else expect_infeasible(name, methods[k]);
        iterations += run.info.iterations;
        // the correction leaves what x and lambda cannot hold
        if (feasible && f > 0) worst = fmax(worst, qp_optimality(&problem, run.x, run.multipliers));
      }
    }
    assert_true(worst <= 3.5e-16);
    // Mehrotra's rule: 11 and 12 iterations on average, 30 with a fixed centring of one half
    assert_true(iterations <= 14 * (int)json_array_size(root));
    json_decref(root);
  }
}

// n unknowns, any number of tight rows with and without multipliers, some rows twice and some
// scaled.
static void test_known_solutions(void **state) {
  (void)state;
  unsigned long seed = 1;
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 1 + trial % 24, active = (int)random_uniform(&seed, 0.0, n + 0.99);
    const int weak = trial % 3 == 0 ? (int)random_uniform(&seed, 0.0, n - active + 0.99) : 0;
    const int m = active + weak + (int)random_uniform(&seed, 0.0, 60.0);
    qp_case_random(&problem, &seed, n, m, active, weak);
    if (trial % 2)  // redundant: twice the same row, and sums of two
      for (int i = 0; i + 1 < m && i < 20; ++i) {
        double sum[QP_MOST_VARIABLES];
        for (int j = 0; j < n; ++j) sum[j] = problem.G[i * n + j] + problem.G[(i + 1) * n + j];
        qp_case_row(&problem, problem.G + i * n, problem.h[i]);
        qp_case_row(&problem, sum, problem.h[i] + problem.h[i + 1]);
      }
    // the weakly active rows leave x where it is, but 1e-12 of the gap there is 1e-6 of x for the
    // method that stops short of it
    for (size_t k = 0; k < 3; ++k) expect_solved("known solution", methods[k], 1e-9);
  }
}

// Rows and variables in units from 1e-6 to 1e6 have the same solution in those units.
static void test_scales(void **state) {
  (void)state;
  unsigned long seed = 5;
  for (int trial = 0; trial < 100; ++trial) {
    const int n = 2 + trial % 12, m = 5 * n;
    qp_case_random(&problem, &seed, n, m, n / 2, 0);
    double unit[QP_MOST_VARIABLES], x[QP_MOST_VARIABLES], scaled[QP_MOST_VARIABLES];
    for (int j = 0; j < n; ++j)
      unit[j] = pow(10.0, random_uniform(&seed, -6.0, 6.0)), x[j] = problem.x[j];
    for (int i = 0; i < n; ++i) {
      problem.c[i] *= unit[i];
      for (int j = 0; j < n; ++j) problem.Q[i * n + j] *= unit[i] * unit[j];
    }
    for (int i = 0; i < m; ++i) {
      const double row = pow(10.0, random_uniform(&seed, -6.0, 6.0));
      problem.h[i] *= row;
      for (int j = 0; j < n; ++j) problem.G[i * n + j] *= row * unit[j];
    }
    for (size_t k = 0; k < 3; ++k) {
      qp_run_solve(&run, &problem, methods[k], false);
      for (int j = 0; j < n; ++j) scaled[j] = run.x[j] * unit[j];
      assert_int_equal(run.info.outcome, LIMPET_QP_SOLVED);
      if (!(qp_difference(n, scaled, x) <= 1e-8))
        fail_msg("%s: x off by %g", names[k], qp_difference(n, scaled, x));
    }
  }
}

static void test_small_closed_forms(void **state) {
  (void)state;
  for (size_t k = 0; k < 3; ++k) {
    // no rows: x = -c
    qp_case_reset(&problem, 3);
    for (int j = 0; j < 3; ++j) problem.c[j] = 1.0 + j, problem.x[j] = -1.0 - j;
    expect_solved("no rows", methods[k], 1e-14);
    // one row: the projection of -c on sum x >= 3
    qp_case_row(&problem, (double[]){1.0, 1.0, 1.0}, -3.0);
    for (int j = 0; j < 3; ++j) problem.x[j] = 2.0 - j;
    expect_solved("one row", methods[k], 1e-14);
    assert_true(fabs(run.multipliers[0] - 3.0) <= 1e-12);
    // the same row thrice, in other units, and one without entries that says nothing
    qp_case_row(&problem, (double[]){1e6, 1e6, 1e6}, -3e6);
    qp_case_row(&problem, (double[]){1e-6, 1e-6, 1e-6}, -3e-6);
    qp_case_row(&problem, (double[]){0.0, 0.0, 0.0}, 1.0);
    expect_solved("the same row thrice", methods[k], 1e-12);
    // a corner: x = y = 1 from rows x <= 1, y <= 1, x + y <= 2
    qp_case_reset(&problem, 2);
    problem.c[0] = problem.c[1] = -5.0, problem.x[0] = problem.x[1] = 1.0;
    qp_case_row(&problem, (double[]){-1.0, 0.0}, 1.0);
    qp_case_row(&problem, (double[]){0.0, -1.0}, 1.0);
    qp_case_row(&problem, (double[]){-1.0, -1.0}, 2.0);
    expect_solved("three rows in a corner", methods[k], 1e-12);
    // two rows at an angle of 1e-5, both needed: x = y = 1, multipliers 2 and 2
    qp_case_reset(&problem, 2);
    problem.c[0] = 3.0, problem.c[1] = -1.0 + 2e-5, problem.x[0] = problem.x[1] = 1.0;
    qp_case_row(&problem, (double[]){1.0, 0.0}, -1.0);
    qp_case_row(&problem, (double[]){1.0, 1e-5}, -1.0 - 1e-5);
    expect_solved("nearly parallel", methods[k], 1e-9);
    // an equality as two rows: x = 2
    qp_case_reset(&problem, 1);
    problem.x[0] = 2.0;
    qp_case_row(&problem, (double[]){1.0}, -2.0);
    qp_case_row(&problem, (double[]){-1.0}, 2.0);
    expect_solved("equality", methods[k], 1e-9);
  }
}

/* Small whole numbers everywhere: ties, vertices of many rows, empty rows, sets of feasible points
 * without inside. All methods say the same, with a proof each. */
static void test_ties(void **state) {
  (void)state;
  unsigned long seed = 25;
  int count[4] = {0};
  for (int trial = 0; trial < 3000; ++trial) {
    const int n = 1 + trial % 20, m = (int)random_uniform(&seed, 0.0, 150.0), kind = trial % 3;
    qp_case_reset(&problem, n);
    for (int j = 0; j < n; ++j) problem.c[j] = floor(random_uniform(&seed, -3.0, 4.0));
    for (int i = 0; i < m; ++i) {
      double g[QP_MOST_VARIABLES];
      for (int j = 0; j < n; ++j)
        g[j] = floor(random_uniform(&seed, -1.0, 1.99)) * (random_uniform(&seed, 0.0, 1.0) < 0.4);
      qp_case_row(&problem, g,
                  kind == 0 ? 0.0 : floor(random_uniform(&seed, kind == 1 ? 0.0 : -1.0, 3.99)));
    }
    double x[QP_MOST_VARIABLES];
    for (size_t k = 0; k < 3; ++k) {
      qp_run_solve(&run, &problem, methods[k], false);
      if (k == 0) memcpy(x, run.x, sizeof x), ++count[run.info.outcome];
      const double proof =
          run.info.outcome == LIMPET_QP_SOLVED ? qp_optimality(&problem, run.x, run.multipliers)
          : run.info.outcome == LIMPET_QP_INFEASIBLE ? qp_certificate(&problem, run.multipliers)
                                                     : INFINITY;
      double apart = 0.0;
      for (int j = 0; j < n && run.info.outcome == LIMPET_QP_SOLVED; ++j)
        apart = fmax(apart, fabs(run.x[j] - x[j]));
      if (!(proof <= 1e-12) || !(apart <= 1e-9))
        fail_msg("trial %d, %s: %s, proof %g, x apart by %g", trial, names[k],
                 limpet_qp_outcome_name(run.info.outcome), proof, apart);
    }
  }
  assert_true(count[LIMPET_QP_SOLVED] > 2000 && count[LIMPET_QP_INFEASIBLE] > 200);
}

/* What rests on something touches it (h = 0) and stays (x = 0): nothing to be relative to but the
 * free minimum, of which x, slack and gap are round-off. */
static void test_at_rest(void **state) {
  (void)state;
  unsigned long seed = 15;
  for (int trial = 0; trial < 60; ++trial) {
    const int n = 1 + trial % 13, m = n + 2 * (trial % 5);
    qp_case_random(&problem, &seed, n, m, 0, 0);
    double free = 0.0;
    memset(problem.h, 0, sizeof problem.h), memset(problem.c, 0, sizeof problem.c),
        memset(problem.x, 0, sizeof problem.x);
    for (int i = 0; i < m; ++i) {
      const double lambda = i % 4 == 3 ? 0.0 : random_uniform(&seed, 0.1, 1.0);
      for (int j = 0; j < n; ++j) problem.c[j] += problem.G[i * n + j] * lambda;
    }
    for (int i = 0; i + 3 < m; i += 3) {  // the pyramid's: dependent rows that are all tight
      double g[QP_MOST_VARIABLES];
      for (int j = 0; j < n; ++j)
        g[j] = problem.G[i * n + j] + problem.G[(i + 1) * n + j] - 0.5 * problem.G[(i + 2) * n + j];
      qp_case_row(&problem, g, 0.0);
    }
    for (int j = 0; j < n; ++j) free = fmax(free, fabs(problem.c[j] / problem.Q[j * n + j]));
    for (size_t k = 0; k < 3; ++k) {
      qp_run_solve(&run, &problem, methods[k], false);
      double most = 0.0;
      for (int j = 0; j < n; ++j) most = fmax(most, fabs(run.x[j]));
      if (run.info.outcome != LIMPET_QP_SOLVED || !(most <= 1e-11 * free))
        fail_msg("trial %d, %s: %s, x %g of %g; residuals %g %g %g", trial, names[k],
                 limpet_qp_outcome_name(run.info.outcome), most, free, run.info.stationarity,
                 run.info.infeasibility, run.info.complementarity);
    }
  }
}

/* Rows g_i with sum w_i g_i = 0, w > 0: feasible exactly if sum w_i h_i >= 0. */
static void test_infeasible_and_nearly(void **state) {
  (void)state;
  unsigned long seed = 9;
  static const double margin[] = {1.0, 1e-3, 1e-6, 1e-8};
  for (int trial = 0; trial < 120; ++trial) {
    const int n = 1 + trial % 10, rows = 2 + trial % n, others = trial % 7;
    double w[QP_MOST_ROWS], last[QP_MOST_VARIABLES] = {0.0}, offset = 0.0;
    qp_case_random(&problem, &seed, n, 0, 0, 0);
    for (int i = 0; i < rows; ++i) {
      double g[QP_MOST_VARIABLES];
      w[i] = random_uniform(&seed, 0.5, 2.0);
      for (int j = 0; j < n; ++j) {
        g[j] = i < rows - 1 ? random_uniform(&seed, -1.0, 1.0) : -last[j] / w[i];
        last[j] += w[i] * g[j];
      }
      qp_case_row(&problem, g, i < rows - 1 ? random_uniform(&seed, -1.0, 1.0) : 0.0);
      offset += w[i] * problem.h[i];
    }
    for (int i = 0; i < others; ++i) {  // implied by those: sums of two
      double g[QP_MOST_VARIABLES];
      const int a = i % (rows - 1), b = (i + 1) % (rows - 1);
      for (int j = 0; j < n; ++j) g[j] = problem.G[a * n + j] + problem.G[b * n + j];
      qp_case_row(&problem, g, problem.h[a] + problem.h[b] + (i % 2));
    }
    for (size_t e = 0; e < sizeof margin / sizeof *margin; ++e)
      for (size_t k = 0; k < 3; ++k) {
        problem.h[rows - 1] = (-offset - margin[e]) / w[rows - 1];
        // the interior-point method alone loses its factorisation on the way to the ray: it is
        // asked down to 1e-3
        if (methods[k] != LIMPET_QP_METHOD_INTERIOR_POINT || margin[e] >= 1e-3)
          expect_infeasible("infeasible by a margin", methods[k]);
        problem.h[rows - 1] = (-offset + margin[e]) / w[rows - 1];
        qp_run_solve(&run, &problem, methods[k], false);
        if (run.info.outcome != LIMPET_QP_SOLVED ||
            !(qp_optimality(&problem, run.x, run.multipliers) <= 1e-12))
          fail_msg("feasible by %g, %s: %s, optimality %g", margin[e], names[k],
                   limpet_qp_outcome_name(run.info.outcome),
                   qp_optimality(&problem, run.x, run.multipliers));
      }
  }
  // a row without entries that cannot hold
  for (size_t k = 0; k < 3; ++k) {
    qp_case_reset(&problem, 2);
    qp_case_row(&problem, (double[]){0.0, 0.0}, -1.0);
    expect_infeasible("0 >= 1", methods[k]);
  }
}

// From the solution before, from every row and from a random set: the same solution.
static void test_warm_is_cold(void **state) {
  (void)state;
  unsigned long seed = 3;
  double last[QP_MOST_ROWS] = {0.0}, cold[QP_MOST_VARIABLES];
  double drift[QP_MOST_VARIABLES] = {0.0};
  int changes_cold = 0, changes_warm = 0;
  for (int trial = 0; trial < 60; ++trial) {
    unsigned long same = 77;
    qp_case_random(&problem, &same, 13, 80, 8, 0);
    for (int j = 0; j < 13; ++j) problem.c[j] += drift[j] += random_uniform(&seed, -0.02, 0.02);
    qp_run_solve(&run, &problem, LIMPET_QP_METHOD_AUTOMATIC, false);
    changes_cold += run.info.changes;
    memcpy(cold, run.x, sizeof cold);
    for (int guess = 0; guess < 3; ++guess) {
      for (int i = 0; i < 80; ++i)
        run.multipliers[i] = guess == 0   ? last[i]
                             : guess == 1 ? 1.0
                                          : fmax(0.0, random_uniform(&seed, -1.0, 1.0));
      qp_run_solve(&run, &problem, LIMPET_QP_METHOD_ACTIVE_SET, true);
      assert_int_equal(run.info.outcome, LIMPET_QP_SOLVED);
      assert_true(qp_optimality(&problem, run.x, run.multipliers) <= 1e-12);
      assert_true(qp_difference(13, run.x, cold) <= 1e-12);
      if (guess == 0) changes_warm += run.info.changes, memcpy(last, run.multipliers, sizeof last);
    }
  }
  assert_true(2 * changes_warm < changes_cold);  // it pays
}

static void test_no_allocation(void **state) {
  (void)state;
  unsigned long seed = 4;
  qp_case_random(&problem, &seed, 13, 80, 8, 2);
  allocator_reset(-1);
  for (size_t k = 0; k < 3; ++k)
    for (int warm = 0; warm < 2; ++warm) qp_run_solve(&run, &problem, methods[k], warm);
  assert_int_equal(allocator_calls(), 0);
}

static void test_broken_problems(void **state) {
  (void)state;
  unsigned long seed = 6;
  for (size_t k = 0; k < 3; ++k)
    for (int what = 0; what < 6; ++what) {
      qp_case_random(&problem, &seed, 6, 20, 3, 0);
      if (what == 0) problem.Q[0] = -1.0;
      if (what == 1) problem.Q[7] = NAN;
      if (what == 2) problem.c[2] = NAN;
      if (what == 3) problem.G[11] = NAN;
      if (what == 4) problem.h[5] = NAN;
      if (what == 5)  // positive diagonal, yet indefinite
        problem.Q[1] = problem.Q[6] = 2.0 * sqrt(problem.Q[0] * problem.Q[7]);
      qp_run_solve(&run, &problem, methods[k], false);
      if (run.info.outcome == LIMPET_QP_SOLVED || run.info.outcome == LIMPET_QP_INFEASIBLE)
        fail_msg("broken problem %d, %s: %s", what, names[k],
                 limpet_qp_outcome_name(run.info.outcome));
    }
  // the limit of iterations
  qp_case_random(&problem, &seed, 6, 20, 3, 0);
  limpet_qp_settings settings = limpet_qp_settings_default();
  settings.method = LIMPET_QP_METHOD_INTERIOR_POINT, settings.iteration_limit = 1,
  settings.polish = false;
  run.info = limpet_qp_solve(&problem.problem, &settings, &run.workspace, &run.solution);
  assert_int_equal(run.info.outcome, LIMPET_QP_ITERATION_LIMIT);
  assert_int_equal(run.info.iterations, 1);
  assert_true(run.info.stationarity > 1e-12 || run.info.infeasibility > 1e-12 ||
              run.info.complementarity > 1e-12);
  // cones are nothing for the active-set method
  const double cone[12] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0}, offset[2] = {0.0, 0.0};
  qp_case_cone(&problem, 2, cone, offset);
  qp_run_solve(&run, &problem, LIMPET_QP_METHOD_ACTIVE_SET, false);
  assert_int_equal(run.info.outcome, LIMPET_QP_FAILURE);
}

// Without polish the interior-point method alone reaches the tolerance, and a looser one in fewer
// iterations.
static void test_settings_act(void **state) {
  (void)state;
  unsigned long seed = 8;
  limpet_qp_settings settings;
  memset(&settings, 0x5a, sizeof settings);
  settings = limpet_qp_settings_default();
  assert_int_equal(settings.method, LIMPET_QP_METHOD_AUTOMATIC);
  assert_true(settings.tolerance == 1e-12 && settings.iteration_limit == 100 && settings.polish &&
              !settings.warm_start);
  settings.method = LIMPET_QP_METHOD_INTERIOR_POINT, settings.polish = false;
  for (int trial = 0; trial < 20; ++trial) {
    qp_case_random(&problem, &seed, 8, 40, 5, 0);
    int iterations[2];
    for (int loose = 0; loose < 2; ++loose) {
      settings.tolerance = loose ? 1e-4 : 1e-12;
      run.info = limpet_qp_solve(&problem.problem, &settings, &run.workspace, &run.solution);
      assert_int_equal(run.info.outcome, LIMPET_QP_SOLVED);
      assert_false(run.info.polished);
      assert_true(qp_optimality(&problem, run.x, run.multipliers) <= 1.01 * settings.tolerance);
      iterations[loose] = run.info.iterations;
    }
    assert_true(iterations[1] < iterations[0]);
  }
}

// What the info says is what the conditions of optimality say; and those notice a wrong multiplier
// and a wrong x.
static void test_residuals_are_honest(void **state) {
  (void)state;
  unsigned long seed = 12;
  qp_case_random(&problem, &seed, 7, 30, 4, 0);
  qp_run_solve(&run, &problem, LIMPET_QP_METHOD_AUTOMATIC, false);
  for (int what = 0; what < 3; ++what) {
    const double x = run.x[1], lambda = run.multipliers[2];
    if (what == 1) run.x[1] += 1e-6;
    if (what == 2) run.multipliers[2] *= 1.0 + 1e-6;
    for (int i = 0; i < 30; ++i) {
      run.slack[i] = problem.h[i];
      for (int j = 0; j < 7; ++j) run.slack[i] += problem.G[i * 7 + j] * run.x[j];
    }
    limpet_qp_residuals(&problem.problem, &run.solution, &run.workspace, &run.info);
    const double ours =
        fmax(run.info.stationarity, fmax(run.info.infeasibility, run.info.complementarity));
    const double apart = qp_optimality(&problem, run.x, run.multipliers);
    if (what == 0) assert_true(ours <= 1e-14 && apart <= 1e-14);
    else assert_true(ours > 1e-9 && fabs(ours - apart) <= 1e-6 * apart);
    run.x[1] = x, run.multipliers[2] = lambda;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_golden),
      cmocka_unit_test(test_known_solutions),
      cmocka_unit_test(test_scales),
      cmocka_unit_test(test_small_closed_forms),
      cmocka_unit_test(test_infeasible_and_nearly),
      cmocka_unit_test(test_at_rest),
      cmocka_unit_test(test_ties),
      cmocka_unit_test(test_warm_is_cold),
      cmocka_unit_test(test_no_allocation),
      cmocka_unit_test(test_broken_problems),
      cmocka_unit_test(test_settings_act),
      cmocka_unit_test(test_residuals_are_honest),
  };
  return cmocka_run_group_tests(tests, create, destroy);
}
