/* tests/optim/test_qp_cones.c: second-order cones: their algebra, projections in closed form,
 * golden problems with round friction, infeasibility, warm starts. Residuals are measured in long
 * double apart from the library. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "optim/cone.h"
#include "qp_cases.h"
#include "shared_data.h"

static qp_case problem;
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

// Inside the cone of dimension d, `depth` from its boundary.
static void random_inside(unsigned long *seed, int d, double depth, double *u) {
  double square = 0.0;
  for (int i = 1; i < d; ++i) u[i] = random_uniform(seed, -1.0, 1.0), square += u[i] * u[i];
  u[0] = sqrt(square) + depth;
}

static void test_cone_algebra(void **state) {
  (void)state;
  unsigned long seed = 1;
  for (int trial = 0; trial < 400; ++trial) {
    const int d = 1 + trial % LIMPET_QP_LARGEST_CONE;
    double s[8], lambda[8], w[8], a[8], b[8], eta;
    random_inside(&seed, d, pow(10.0, random_uniform(&seed, -6.0, 0.0)), s);
    random_inside(&seed, d, pow(10.0, random_uniform(&seed, -6.0, 0.0)), lambda);
    // W lambda = W^-1 s; the digits lost are those of the condition of W, up to eps / depth
    limpet_cone_scaling(d, s, lambda, w, &eta);
    limpet_cone_scale(d, w, eta, lambda, a);
    limpet_cone_unscale(d, w, eta, s, b);
    assert_true(qp_difference(d, a, b) <= 1e-8);
    limpet_cone_unscale(d, w, eta, a, a);
    assert_true(qp_difference(d, a, lambda) <= 1e-8);
    // u o (u \ p) = p
    double p[8], q[8];
    for (int i = 0; i < d; ++i) p[i] = random_uniform(&seed, -1.0, 1.0);
    limpet_cone_divide(d, s, p, q);
    limpet_cone_product(d, s, q, a);
    assert_true(qp_difference(d, a, p) <= 1e-8);
    limpet_cone_inverse(d, s, q);
    limpet_cone_product(d, s, q, a);
    for (int i = 0; i < d; ++i) assert_true(fabs(a[i] - (i == 0)) <= 1e-8);
    // the reach ends on the boundary, and there is none inside
    const double reach = limpet_cone_reach(d, s, p);
    for (int i = 0; i < d; ++i) a[i] = s[i] + (isfinite(reach) ? reach : 1e6) * p[i];
    if (isfinite(reach))
      assert_true(fabs(limpet_cone_depth(d, a)) <= 1e-9 * (1.0 + a[0]) && reach > 0.0);
    else assert_true(limpet_cone_depth(d, a) >= 0.0);
    for (int i = 0; i < d; ++i) a[i] = s[i] + 0.999 * (isfinite(reach) ? reach : 1e3) * p[i];
    assert_true(limpet_cone_depth(d, a) > 0.0);
  }
}

/* A ray through the apex: it leaves the cone there, though round-off may see no crossing. What
 * rests without sliding has such steps: its tangents are zero. */
static void test_reach_of_the_apex(void **state) {
  (void)state;
  unsigned long seed = 7;
  for (int trial = 0; trial < 10000; ++trial) {
    const int d = 2 + trial % 4;
    double s[5] = {random_uniform(&seed, 0.1, 10.0)}, p[5];
    for (int i = 1; i < d; ++i) s[i] = trial % 2 ? random_uniform(&seed, -0.4, 0.4) * s[0] : 0.0;
    const double speed = random_uniform(&seed, 0.1, 10.0);
    for (int i = 0; i < d; ++i) p[i] = -speed * s[i];
    const double reach = limpet_cone_reach(d, s, p);
    assert_true(fabs(reach * speed - 1.0) < 1e-6);  // a double root: half the digits
  }
}

/* The point of the cone closest to p: p inside; zero where -p is inside; else ((p0 + r) / 2) (1, p_
 * / r), r = ||p_||. */
static void test_projection(void **state) {
  (void)state;
  unsigned long seed = 2;
  for (int trial = 0; trial < 300; ++trial) {
    const int d = 2 + trial % 3;
    double G[16] = {0.0}, h[4] = {0.0}, p[4], r = 0.0;
    for (int i = 0; i < d; ++i) G[i * d + i] = 1.0;
    for (int i = 1; i < d; ++i) p[i] = random_uniform(&seed, -1.0, 1.0), r += p[i] * p[i];
    r = sqrt(r);
    p[0] = (trial % 3 == 0   ? 1.0
            : trial % 3 == 1 ? -1.0
                             : 0.0) *
               (r + 0.1) +
           0.9 * random_uniform(&seed, -0.1, 0.1);
    qp_case_reset(&problem, d);
    for (int i = 0; i < d; ++i) problem.c[i] = -p[i];
    qp_case_cone(&problem, d, G, h);
    for (int i = 0; i < d; ++i)
      problem.x[i] = p[0] >= r    ? p[i]
                     : p[0] <= -r ? 0.0
                                  : 0.5 * (p[0] + r) * (i == 0 ? 1.0 : p[i] / r);
    qp_run_solve(&run, &problem, LIMPET_QP_METHOD_AUTOMATIC, false);
    assert_int_equal(run.info.outcome, LIMPET_QP_SOLVED);
    for (int i = 0; i < d; ++i)
      if (!(fabs(run.x[i] - problem.x[i]) <= 1e-12))
        fail_msg("trial %d: x[%d] %.17g, not %.17g", trial, i, run.x[i], problem.x[i]);
    if (p[0] > -r) assert_true(qp_optimality(&problem, run.x, run.multipliers) <= 1e-12);
  }
}

// In two dimensions s0 >= |s1| is two rows: both methods, the same x.
static void test_two_dimensions_are_two_rows(void **state) {
  (void)state;
  unsigned long seed = 3;
  static qp_case rows;
  for (int trial = 0; trial < 60; ++trial) {
    const int n = 2 + trial % 8;
    qp_case_random(&problem, &seed, n, 3, 1, 0);
    rows = problem;
    rows.problem.Q = rows.Q, rows.problem.c = rows.c, rows.problem.G = rows.G,
    rows.problem.h = rows.h;
    for (int k = 0; k < n + 2; ++k) {
      double G[2 * QP_MOST_VARIABLES], h[2], plus[QP_MOST_VARIABLES], minus[QP_MOST_VARIABLES];
      for (int j = 0; j < 2 * n; ++j) G[j] = random_uniform(&seed, -1.0, 1.0);
      h[0] = random_uniform(&seed, 0.6, 1.0), h[1] = random_uniform(&seed, -0.5, 0.5);
      for (int j = 0; j < n; ++j) plus[j] = G[j] + G[n + j], minus[j] = G[j] - G[n + j];
      qp_case_cone(&problem, 2, G, h);
      qp_case_row(&rows, plus, h[0] + h[1]);
      qp_case_row(&rows, minus, h[0] - h[1]);
    }
    qp_run_solve(&run, &rows, LIMPET_QP_METHOD_ACTIVE_SET, false);
    const bool feasible = run.info.outcome == LIMPET_QP_SOLVED;
    double x[QP_MOST_VARIABLES];
    memcpy(x, run.x, sizeof x);
    qp_run_solve(&run, &problem, LIMPET_QP_METHOD_AUTOMATIC, false);
    if (feasible) {
      assert_int_equal(run.info.outcome, LIMPET_QP_SOLVED);
      assert_true(qp_optimality(&problem, run.x, run.multipliers) <= 1e-12);
      if (!(qp_difference(n, run.x, x) <= 1e-9))
        fail_msg("trial %d: off by %g", trial, qp_difference(n, run.x, x));
    } else {
      assert_int_equal(run.info.outcome, LIMPET_QP_INFEASIBLE);
      assert_true(qp_certificate(&problem, run.multipliers) <= 1e-12);
    }
  }
}

/* How far the golden x can be from the true one, from its own residuals alone: with lambda in K and
 * dx = x_golden - x,
 *   dx'Q dx = (lambda_golden - lambda)'(s_golden - s) + r'dx <= gap + r'dx + lambda[0] violation,
 * so that |dx|_Q <= sqrt(gap + ...) + |r| / sqrt(least Q_jj). */
static double golden_error(void) {
  const int n = problem.problem.n, total = limpet_qp_row_total(&problem.problem);
  double gap = 0.0, residual = 0.0, least = INFINITY, violation = 0.0, multipliers = 0.0;
  for (int i = 0; i < n; ++i) {
    double r = problem.c[i];
    for (int j = 0; j < n; ++j) r += problem.Q[i * n + j] * problem.x[j];
    for (int i2 = 0; i2 < total; ++i2) r -= problem.G[i2 * n + i] * problem.multipliers[i2];
    residual += r * r;
    least = fmin(least, problem.Q[i * n + i]);
  }
  for (int k = 0, i = 0; k < problem.problem.cone_count; i += problem.cone_dimension[k], ++k) {
    double s[8];
    for (int l = 0; l < problem.cone_dimension[k]; ++l) {
      s[l] = problem.h[i + l];
      for (int j = 0; j < n; ++j) s[l] += problem.G[(i + l) * n + j] * problem.x[j];
      gap += s[l] * problem.multipliers[i + l];
    }
    violation = fmax(violation, -limpet_cone_depth(problem.cone_dimension[k], s));
    multipliers += problem.multipliers[i];
  }
  return (sqrt(fabs(gap) + 2.0 * multipliers * violation) + sqrt(residual / least)) / sqrt(least);
}

/* The README gives 1e-6 max |x|. Clarabel stopped at a gap of 1e-13, which leaves x open by up to
 * golden_error (1e-5 max |x|), and some golden x are further than 1e-6 from the x whose residuals
 * are 1e-16: those must be within that error. */
static void test_golden(void **state) {
  (void)state;
  if (!shared_exists("golden/qp/round_cone.json")) skip();
  json_t *root = json_read(shared_path("golden/qp/round_cone.json"));
  assert_non_null(root);
  int closer = 0;
  for (size_t i = 0; i < json_array_size(root); ++i) {
    assert_true(qp_case_read(&problem, json_array_get(root, i)));
    const int n = problem.problem.n;
    qp_run_solve(&run, &problem, LIMPET_QP_METHOD_AUTOMATIC, false);
    assert_int_equal(run.info.outcome, LIMPET_QP_SOLVED);
    assert_true(run.info.polished);
    const double ours = qp_optimality(&problem, run.x, run.multipliers);
    const double golden = qp_optimality(&problem, problem.x, problem.multipliers);
    const double difference = qp_difference(n, run.x, problem.x);
    double most = 0.0;
    for (int j = 0; j < n; ++j) most = fmax(most, fabs(problem.x[j]));
    assert_true(ours <= 1e-14 && ours < golden);
    closer += difference <= 1e-6;
    if (!(difference <= 1e-6 || difference * most <= golden_error()) || !(difference <= 3e-6))
      fail_msg("%zu: off by %g of max |x|; golden error up to %g", i, difference,
               golden_error() / most);
  }
  assert_true(closer >= 12);
  json_decref(root);
}

// A cone above a ceiling: x0 >= 1 + ||x_||, x0 <= 1 - margin.
static void test_infeasible(void **state) {
  (void)state;
  static const double margin[] = {10.0, 1.0, 1e-3};
  for (int d = 3; d <= 4; ++d)
    for (size_t e = 0; e < sizeof margin / sizeof *margin; ++e) {
      double G[16] = {0.0}, h[4] = {-1.0}, ceiling[4] = {-1.0};
      for (int i = 0; i < d; ++i) G[i * d + i] = 1.0;
      qp_case_reset(&problem, d);
      for (int i = 0; i < d; ++i) problem.c[i] = 0.1 * i;
      qp_case_row(&problem, ceiling, 1.0 - margin[e]);
      qp_case_cone(&problem, d, G, h);
      qp_run_solve(&run, &problem, LIMPET_QP_METHOD_AUTOMATIC, false);
      assert_int_equal(run.info.outcome, LIMPET_QP_INFEASIBLE);
      if (!(qp_certificate(&problem, run.multipliers) <= 1e-12))
        fail_msg("certificate %g", qp_certificate(&problem, run.multipliers));
    }
}

// Close by, the faces of the last solution do without any iteration, and give the same x; a wrong
// guess does no harm.
static void test_warm_start(void **state) {
  (void)state;
  if (!shared_exists("golden/qp/round_cone.json")) skip();
  json_t *root = json_read(shared_path("golden/qp/round_cone.json"));
  int without = 0;
  for (size_t i = 0; i < json_array_size(root); ++i) {
    double x[QP_MOST_VARIABLES];
    assert_true(qp_case_read(&problem, json_array_get(root, i)));
    const int n = problem.problem.n;
    qp_run_solve(&run, &problem, LIMPET_QP_METHOD_AUTOMATIC, false);
    for (int j = 0; j < n; ++j) problem.c[j] *= 1.0 + 1e-4 * (j % 3);
    qp_run_solve(&run, &problem, LIMPET_QP_METHOD_AUTOMATIC, true);
    assert_int_equal(run.info.outcome, LIMPET_QP_SOLVED);
    without += run.info.iterations == 0;
    memcpy(x, run.x, sizeof x);
    qp_run_solve(&run, &problem, LIMPET_QP_METHOD_AUTOMATIC, false);
    assert_true(qp_difference(n, x, run.x) <= 1e-9);
    for (int k = 0; k < limpet_qp_row_total(&problem.problem); ++k)
      run.multipliers[k] = k % 3 - 1.0;
    qp_run_solve(&run, &problem, LIMPET_QP_METHOD_AUTOMATIC, true);
    assert_int_equal(run.info.outcome, LIMPET_QP_SOLVED);
    assert_true(qp_difference(n, x, run.x) <= 1e-9);
  }
  assert_true(without >= 12);
  json_decref(root);
}

/* Cones of all dimensions beside rows: with room, all at rest (h = 0), and shifted so that some
 * have no point in common. Each is solved or proven infeasible. */
static void test_random_cones(void **state) {
  (void)state;
  unsigned long seed = 61;
  int count[4] = {0}, polished = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const int n = 2 + trial % 13, kind = trial % 3,
              cones = 1 + (int)random_uniform(&seed, 0.0, 19.9);
    qp_case_random(&problem, &seed, n, 0, 0, 0);
    for (int j = 0; j < n; ++j) problem.c[j] = random_uniform(&seed, -0.5, 0.5);
    for (int i = 0; i < trial % 7; ++i) {
      double g[QP_MOST_VARIABLES];
      for (int j = 0; j < n; ++j) g[j] = random_uniform(&seed, -0.5, 0.5);
      qp_case_row(&problem, g, kind == 1 ? 0.0 : random_uniform(&seed, 0.0, 1.0));
    }
    for (int k = 0; k < cones; ++k) {
      double G[5 * QP_MOST_VARIABLES], h[5] = {0.0};
      const int d = 2 + (trial + k) % 4;
      for (int j = 0; j < d * n; ++j) G[j] = random_uniform(&seed, -0.5, 0.5);
      if (kind != 1) h[0] = random_uniform(&seed, 0.0, 1.0);
      for (int l = 1; l < d && kind == 2; ++l) h[l] = random_uniform(&seed, -0.25, 0.25);
      qp_case_cone(&problem, d, G, h);
    }
    qp_run_solve(&run, &problem, LIMPET_QP_METHOD_AUTOMATIC, false);
    const double proof =
        run.info.outcome == LIMPET_QP_SOLVED       ? qp_optimality(&problem, run.x, run.multipliers)
        : run.info.outcome == LIMPET_QP_INFEASIBLE ? qp_certificate(&problem, run.multipliers)
                                                   : INFINITY;
    if (!(proof <= 1e-12))
      fail_msg("trial %d: %s, proof %g, residuals %g %g %g", trial,
               limpet_qp_outcome_name(run.info.outcome), proof, run.info.stationarity,
               run.info.infeasibility, run.info.complementarity);
    ++count[run.info.outcome];
    polished += run.info.polished;
  }
  assert_true(count[LIMPET_QP_INFEASIBLE] >= 30 && polished >= 900);
}

/* A guess whose equations hold but whose multipliers pull: the free minimum p = (2, 0.5, 0) is
 * inside the cone and above the row, yet the guess says apex, boundary, or tight row. */
static void test_wrong_faces_are_refused(void **state) {
  (void)state;
  static const double guess[3][4] = {
      {0.0, 50.0, 0.0, 0.0}, {0.0, 50.0, -50.0, 0.0}, {50.0, 0.0, 0.0, 0.0}};
  const double p[3] = {2.0, 0.5, 0.0}, G[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0},
               h[3] = {0.0};
  for (int k = 0; k < 3; ++k) {
    qp_case_reset(&problem, 3);
    for (int j = 0; j < 3; ++j) problem.c[j] = -p[j];
    qp_case_row(&problem, (double[]){1.0, 0.0, 0.0}, k == 2 ? -1.0 : 1.0);  // x0 >= 1 or x0 >= -1
    qp_case_cone(&problem, 3, G, h);
    memcpy(run.x, (double[]){1.0, 1.0, 0.0}, sizeof p);
    memcpy(run.multipliers, guess[k], sizeof guess[k]);
    qp_run_solve(&run, &problem, LIMPET_QP_METHOD_AUTOMATIC, true);
    assert_int_equal(run.info.outcome, LIMPET_QP_SOLVED);
    for (int j = 0; j < 3; ++j)
      if (!(fabs(run.x[j] - p[j]) <= 1e-12)) fail_msg("guess %d: x[%d] = %.17g", k, j, run.x[j]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cone_algebra),
      cmocka_unit_test(test_reach_of_the_apex),
      cmocka_unit_test(test_projection),
      cmocka_unit_test(test_two_dimensions_are_two_rows),
      cmocka_unit_test(test_golden),
      cmocka_unit_test(test_infeasible),
      cmocka_unit_test(test_warm_start),
      cmocka_unit_test(test_random_cones),
      cmocka_unit_test(test_wrong_faces_are_refused),
  };
  return cmocka_run_group_tests(tests, create, destroy);
}
