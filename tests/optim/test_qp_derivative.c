/* tests/optim/test_qp_derivative.c: derivatives of solutions of quadratic programmes: golden dx/dc,
 * central differences in every part of the problem, adjoint against forward, kinks.
 *
 * Tolerances: the golden ones are exact to round-off times the condition of Z'QZ: 1e-9. Central
 * differences with a step e of 1e-6 have an error of e^2 times third derivatives and eps / e =
 * 1e-10 from round-off, both times the condition: 1e-5 of the largest. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "optim/qp_derivative.h"
#include "qp_cases.h"
#include "shared_data.h"

enum { N = QP_MOST_VARIABLES, ROWS = QP_MOST_ROWS };

static qp_case problem, moved;
static qp_run run, other;
static limpet_qp_derivative derivative;

static int create(void **state) {
  (void)state;
  qp_run_create(&run);
  qp_run_create(&other);
  return 0;
}

static int destroy(void **state) {
  (void)state;
  qp_run_destroy(&run);
  qp_run_destroy(&other);
  return 0;
}

static void solve_and_begin(void) {
  qp_run_solve(&run, &problem, LIMPET_QP_METHOD_AUTOMATIC, false);
  assert_int_equal(run.info.outcome, LIMPET_QP_SOLVED);
  assert_true(
      limpet_qp_derivative_begin(&derivative, &problem.problem, &run.solution, &run.workspace));
}

static void test_golden(void **state) {
  (void)state;
  static const char *const files[] = {"golden/qp/random.json", "golden/qp/sequence_13x80.json",
                                      "golden/qp/sequence_13x120_torsion.json"};
  int compared = 0;
  for (size_t f = 0; f < sizeof files / sizeof *files; ++f) {
    if (!shared_exists(files[f])) skip();
    json_t *root = json_read(shared_path(files[f]));
    for (size_t i = 0; i < json_array_size(root); ++i) {
      const json_t *item = json_array_get(root, i), *expected = json_object_get(item, "dx_dc");
      if (!qp_case_read(&problem, item) || !json_is_array(expected)) continue;
      static double golden[N * N], ours[N * N];
      const int n = problem.problem.n;
      assert_int_equal(json_numbers(expected, golden, N * N), n * n);
      solve_and_begin();
      limpet_qp_derivative_matrix(&derivative, ours);
      // a vertex has dx/dc = 0, of which golden and ours hold round-off: compared on the scale of
      // Q^-1
      double scale = 0.0;
      for (int j = 0; j < n; ++j) scale = fmax(scale, 1.0 / problem.Q[j * n + j]);
      for (int j = 0; j < n * n; ++j)
        if (!(fabs(ours[j] - golden[j]) <= 1e-9 * scale))
          fail_msg("%s: dx_dc[%d] %.15g, not %.15g",
                   json_string_value(json_object_get(item, "name")), j, ours[j], golden[j]);
      assert_int_equal(derivative.weak_count, 0);
      ++compared;
    }
    json_decref(root);
  }
  assert_int_equal(compared, 110);
}

static double change_Q[N * N], change_c[N], change_G[ROWS * N], change_h[ROWS];

static void random_change(unsigned long *seed) {
  const int n = problem.problem.n, total = limpet_qp_row_total(&problem.problem);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      change_Q[i * n + j] = change_Q[j * n + i] =
          random_uniform(seed, -1.0, 1.0) * problem.Q[i * n + i];
  for (int j = 0; j < n; ++j)
    change_c[j] = random_uniform(seed, -1.0, 1.0) * (0.01 + fabs(problem.c[j]));
  for (int i = 0; i < total * n; ++i) change_G[i] = random_uniform(seed, -1.0, 1.0);
  for (int i = 0; i < total; ++i)
    change_h[i] = random_uniform(seed, -1.0, 1.0) * fabs(problem.h[i]);
}

// The problem moved by e along the parts of the change that are not NULL.
static void move(const limpet_qp_change *change, double e) {
  const int n = problem.problem.n, total = limpet_qp_row_total(&problem.problem);
  moved = problem;
  moved.problem.Q = moved.Q, moved.problem.c = moved.c, moved.problem.G = moved.G,
  moved.problem.h = moved.h;
  for (int i = 0; change->Q && i < n * n; ++i) moved.Q[i] += e * change->Q[i];
  for (int i = 0; change->c && i < n; ++i) moved.c[i] += e * change->c[i];
  for (int i = 0; change->G && i < total * n; ++i) moved.G[i] += e * change->G[i];
  for (int i = 0; change->h && i < total; ++i) moved.h[i] += e * change->h[i];
}

static double greatest(int n, const double *a) {
  double most = 0.0;
  for (int i = 0; i < n; ++i) most = fmax(most, fabs(a[i]));
  return most;
}

// Forward against central differences of x and lambda, adjoint against forward, for each part
// alone.
static void check_derivative(const char *what, unsigned long *seed, bool multipliers,
                             double tolerance) {
  const int n = problem.problem.n, total = limpet_qp_row_total(&problem.problem);
  static double plus[ROWS], minus[ROWS], dx[N], dlambda[ROWS], gx[N], gQ[N * N], gc[N],
      gG[ROWS * N], gh[ROWS];
  solve_and_begin();
  assert_int_equal(derivative.weak_count, 0);
  random_change(seed);
  for (int j = 0; j < n; ++j) gx[j] = random_uniform(seed, -1.0, 1.0);
  limpet_qp_derivative_adjoint(&derivative, gx, &(limpet_qp_gradient){gQ, gc, gG, gh});
  for (int part = 0; part < 4; ++part) {
    const limpet_qp_change change = {part == 0 ? change_Q : NULL, part == 1 ? change_c : NULL,
                                     part == 2 ? change_G : NULL, part == 3 ? change_h : NULL};
    limpet_qp_derivative_along(&derivative, &change, dx, dlambda);
    const double e = 1e-6;
    double worst = 0.0, worst_lambda = 0.0, difference[ROWS], forward = 0.0, backward = 0.0;
    move(&change, e);
    qp_run_solve(&other, &moved, LIMPET_QP_METHOD_AUTOMATIC, false);
    memcpy(plus, other.x, sizeof other.x), memcpy(difference, other.multipliers, sizeof difference);
    move(&change, -e);
    qp_run_solve(&other, &moved, LIMPET_QP_METHOD_AUTOMATIC, false);
    memcpy(minus, other.x, sizeof other.x);
    for (int j = 0; j < n; ++j) worst = fmax(worst, fabs((plus[j] - minus[j]) / (2.0 * e) - dx[j]));
    for (int i = 0; i < total; ++i)
      worst_lambda =
          fmax(worst_lambda, fabs((difference[i] - other.multipliers[i]) / (2.0 * e) - dlambda[i]));
    if (!(worst <= tolerance * (greatest(n, dx) + 1e-3)))
      fail_msg("%s, part %d: dx off by %g of %g", what, part, worst, greatest(n, dx));
    if (multipliers && !(worst_lambda <= tolerance * (greatest(total, dlambda) + 1e-3)))
      fail_msg("%s, part %d: dlambda off by %g of %g", what, part, worst_lambda,
               greatest(total, dlambda));

    for (int j = 0; j < n; ++j) forward += gx[j] * dx[j];
    for (int i = 0; change.Q && i < n * n; ++i) backward += gQ[i] * change_Q[i];
    for (int i = 0; change.c && i < n; ++i) backward += gc[i] * change_c[i];
    for (int i = 0; change.G && i < total * n; ++i) backward += gG[i] * change_G[i];
    for (int i = 0; change.h && i < total; ++i) backward += gh[i] * change_h[i];
    if (!(fabs(forward - backward) <= 1e-9 * (fabs(forward) + greatest(n, dx)) + 1e-14))
      fail_msg("%s, part %d: adjoint %.15g, forward %.15g", what, part, backward, forward);
  }
}

static void test_differences_rows(void **state) {
  (void)state;
  unsigned long seed = 21;
  for (int trial = 0; trial < 60; ++trial) {
    const int n = 1 + trial % 12;
    qp_case_random(&problem, &seed, n, n + 20, trial % (n + 1), 0);
    check_derivative("rows", &seed, true, 1e-5);
  }
}

// All faces: the apex (a corner of the cone sticks), the boundary, and free ones.
static void test_differences_cones(void **state) {
  (void)state;
  unsigned long seed = 22;
  int boundaries = 0, apexes = 0;
  for (int trial = 0; trial < 80; ++trial) {
    const int d = 2 + trial % 3, n = d + trial % 5;
    qp_case_random(&problem, &seed, n, 4, 0, 0);
    for (int k = 0; k < 3; ++k) {
      double G[4 * QP_MOST_VARIABLES], h[4];
      for (int i = 0; i < d * n; ++i) G[i] = random_uniform(&seed, -1.0, 1.0);
      for (int l = 0; l < d; ++l) {
        h[l] = l == 0 ? (k == 0 ? -1.0 : 2.0) : 0.1 * l;
        for (int j = 0; j < n; ++j) h[l] -= G[l * n + j] * problem.x[j];
      }
      qp_case_cone(&problem, d, G, h);
    }
    qp_run_solve(&run, &problem, LIMPET_QP_METHOD_AUTOMATIC, false);
    if (run.info.outcome == LIMPET_QP_INFEASIBLE) continue;
    const double *s = run.slack + problem.problem.row_count;
    if (fabs(s[0]) < 1e-12) ++apexes;
    else ++boundaries;
    if (s[0] > 1e-12 && s[0] < 1e-2) continue;  // differences do not stay on the face
    check_derivative("cones", &seed, true, 1e-4);
  }
  assert_true(boundaries >= 20 && apexes >= 5);
}

static void test_differences_golden_cones(void **state) {
  (void)state;
  if (!shared_exists("golden/qp/round_cone.json")) skip();
  unsigned long seed = 23;
  json_t *root = json_read(shared_path("golden/qp/round_cone.json"));
  for (size_t i = 0; i < json_array_size(root); ++i) {
    assert_true(qp_case_read(&problem, json_array_get(root, i)));
    solve_and_begin();
    static double matrix[N * N], dx[N];
    const int n = problem.problem.n;
    limpet_qp_derivative_matrix(&derivative, matrix);
    for (int j = 0; j < n; ++j) {  // the matrix is the forward derivative, column by column
      double unit[N] = {0.0}, column[N];
      unit[j] = 1.0;
      limpet_qp_derivative_along(&derivative, &(limpet_qp_change){.c = unit}, dx, NULL);
      for (int r = 0; r < n; ++r) column[r] = matrix[r * n + j];
      assert_true(qp_difference(n, dx, column) <= 1e-9 || greatest(n, column) < 1e-12);
    }
    random_change(&seed);
    limpet_qp_derivative_along(&derivative, &(limpet_qp_change){.c = change_c}, dx, NULL);
    double plus[N];
    const double e = 1e-6;
    move(&(limpet_qp_change){.c = change_c}, e);
    qp_run_solve(&other, &moved, LIMPET_QP_METHOD_AUTOMATIC, false);
    memcpy(plus, other.x, sizeof plus);
    move(&(limpet_qp_change){.c = change_c}, -e);
    qp_run_solve(&other, &moved, LIMPET_QP_METHOD_AUTOMATIC, false);
    double slope[N];
    for (int j = 0; j < n; ++j) slope[j] = (plus[j] - other.x[j]) / (2.0 * e);
    if (derivative.weak_count == 0 && !(qp_difference(n, slope, dx) <= 1e-3))
      fail_msg("%zu: off by %g", i, qp_difference(n, slope, dx));
  }
  json_decref(root);
}

/* x = max(-c, 0) in one variable with row x >= 0 at c = 0: tight without multiplier. dx/dc is 0 on
 * one side and -1 on the other; the row let go gives -1. */
static void test_kink_is_named(void **state) {
  (void)state;
  double dx_dc;
  qp_case_reset(&problem, 1);
  qp_case_row(&problem, (double[]){1.0}, 0.0);
  solve_and_begin();
  assert_int_equal(derivative.weak_count, 1);
  limpet_qp_derivative_matrix(&derivative, &dx_dc);
  assert_true(fabs(dx_dc + 1.0) <= 1e-14);
  problem.c[0] = 1.0;
  solve_and_begin();
  assert_int_equal(derivative.weak_count, 0);
  limpet_qp_derivative_matrix(&derivative, &dx_dc);
  assert_true(fabs(dx_dc) <= 1e-14);
}

// The projection on a cone has kinks where the point is on the cone or on its negative, and none at
// other places.
static void test_kinks_of_a_cone_are_named(void **state) {
  (void)state;
  static const struct {
    double p[3];
    int weak;
  } cases[] = {{{1.0, 1.0, 0.0}, 1},
               {{-1.0, 0.6, 0.8}, 1},
               {{2.0, 1.0, 0.0}, 0},
               {{0.0, 1.0, 0.0}, 0},
               {{-2.0, 1.0, 0.0}, 0}};
  const double G[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, h[3] = {0.0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    qp_case_reset(&problem, 3);
    for (int j = 0; j < 3; ++j) problem.c[j] = -cases[i].p[j];
    qp_case_cone(&problem, 3, G, h);
    solve_and_begin();
    if (derivative.weak_count != cases[i].weak)
      fail_msg("case %zu: %d kinks", i, derivative.weak_count);
  }
}

/* Weakly tight rows in many variables: the matrix returned is the derivative in a direction in
 * which those rows open. */
static void test_kink_is_one_of_the_pieces(void **state) {
  (void)state;
  unsigned long seed = 31;
  for (int trial = 0; trial < 40; ++trial) {
    const int n = 4 + trial % 6, weak = 1 + trial % 3;
    qp_case_random(&problem, &seed, n, 20, 1, weak);
    solve_and_begin();
    assert_int_equal(derivative.weak_count, weak);
    static double matrix[N * N];
    limpet_qp_derivative_matrix(&derivative, matrix);
    double dc[N], dx[N] = {0.0};
    for (int j = 0; j < n; ++j) {  // the change of c that pushes x along the sum of the weak rows
      dc[j] = 0.0;
      for (int i = 1; i <= weak; ++i) dc[j] -= problem.G[i * n + j];
    }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) dx[i] += matrix[i * n + j] * dc[j];
    bool opens = true;
    for (int i = 1; i <= weak; ++i) {
      double change = 0.0;
      for (int j = 0; j < n; ++j) change += problem.G[i * n + j] * dx[j];
      opens = opens && change > 1e-3;
    }
    if (!opens) continue;  // this direction closes one of them
    move(&(limpet_qp_change){.c = dc}, 1e-7);
    qp_run_solve(&other, &moved, LIMPET_QP_METHOD_AUTOMATIC, false);
    for (int j = 0; j < n; ++j)
      assert_true(fabs((other.x[j] - run.x[j]) / 1e-7 - dx[j]) <= 1e-5 * (1.0 + greatest(n, dx)));
  }
}

// A row twice: differentiable in c, and said to depend.
static void test_dependent_rows_are_named(void **state) {
  (void)state;
  unsigned long seed = 41;
  static double with[N * N], without[N * N];
  qp_case_random(&problem, &seed, 6, 20, 3, 0);
  solve_and_begin();
  assert_int_equal(derivative.dependent_count, 0);
  limpet_qp_derivative_matrix(&derivative, without);
  qp_case_row(&problem, problem.G, problem.h[0]);
  solve_and_begin();
  assert_int_equal(derivative.dependent_count, 1);
  assert_int_equal(derivative.weak_count, 0);
  limpet_qp_derivative_matrix(&derivative, with);
  assert_true(qp_difference(36, with, without) <= 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_golden),
      cmocka_unit_test(test_differences_rows),
      cmocka_unit_test(test_differences_cones),
      cmocka_unit_test(test_differences_golden_cones),
      cmocka_unit_test(test_kink_is_named),
      cmocka_unit_test(test_kinks_of_a_cone_are_named),
      cmocka_unit_test(test_kink_is_one_of_the_pieces),
      cmocka_unit_test(test_dependent_rows_are_named),
  };
  return cmocka_run_group_tests(tests, create, destroy);
}
