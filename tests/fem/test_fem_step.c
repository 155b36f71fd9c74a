/* tests/fem/test_fem_step.c: what a step offers to a contact problem, against dense algebra: H as
 * the derivative of the residual, condensation as a Schur complement, the response of all nodes,
 * fixed nodes, relinearisation, hard starts of Newton's method. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fem/step.h"
#include "fem_bar.h"
#include "math/dense.h"
#include "shared_data.h"

static unsigned long seed = 31;

static fem_world world_of(const char *law, limpet_fem_element element) {
  fem_bar bar = fem_bar_make(3, 2, 2, 0.15, 0.1, 0.08);
  bar.description.law = limpet_elastic_law_find(law);
  bar.description.element = element;
  bar.description.poissons_ratio = 0.4;
  bar.description.mass_damping = 0.3;
  bar.description.stiffness_damping = 0.002;
  fem_world w = fem_world_make(&bar.description);
  fem_world_fix(&w, 0, 0.0);
  for (int i = 0; i < w.n; ++i) {
    if (limpet_fem_body_rest(w.body)[i - i % 3] < 1e-9) continue;
    w.q[i] += random_uniform(&seed, -0.003, 0.003);
    w.v[i] += random_uniform(&seed, -0.3, 0.3);
  }
  w.input.gravity[2] = -9.81;
  w.input.tolerance = 1e-13;
  fem_bar_free(&bar);
  return w;
}

static double largest(const double *x, int count) {
  double most = 0.0;
  for (int i = 0; i < count; ++i) most = fmax(most, fabs(x[i]));
  return most;
}

static bool is_fixed(const fem_world *w, int node) {
  for (int k = 0; k < w->input.fixed_count; ++k)
    if (w->fixed[k] == node) return true;
  return false;
}

// H (n x n) dense, fixed rows and columns as they are.
static double *dense_matrix(const fem_world *w) {
  const size_t n = (size_t)w->n;
  double *H = malloc(n * n * sizeof *H), *x = calloc(n, sizeof *x), *y = malloc(n * sizeof *y);
  for (size_t j = 0; j < n; ++j) {
    x[j] = 1.0;
    limpet_fem_step_multiply(w->step, x, y);
    for (size_t i = 0; i < n; ++i) H[i * n + j] = y[i];
    x[j] = 0.0;
  }
  free(x), free(y);
  return H;
}

static const char *const laws[] = {"linear", "linear-corotated", "corotated", "neo-hookean"};

// The free motion leaves no residual, and H is the derivative of the residual there.
static void tangent(void **state) {
  (void)state;
  for (int element = 0; element < 2; ++element)
    for (int trial = 0; trial < 8; ++trial) {
      fem_world w = world_of(laws[trial % 4], (limpet_fem_element)element);
      w.input.backward_euler = trial > 3;
      assert_int_equal(limpet_fem_step_begin(w.step, &w.input), LIMPET_FEM_SOLVED);
      const size_t bytes = (size_t)w.n * sizeof(double);
      double *v = malloc(bytes), *R = malloc(bytes), *d = malloc(bytes), *Hd = malloc(bytes),
             *up = malloc(bytes), *down = malloc(bytes);
      memcpy(v, limpet_fem_step_free_velocity(w.step), bytes);
      limpet_fem_step_residual(w.step, v, R);
      for (int i = 0; i < w.n; ++i) {
        d[i] = random_uniform(&seed, -1.0, 1.0);
        if (!is_fixed(&w, i / 3)) assert_true(fabs(R[i]) < 1e-12);  // [N s]  of 0.1
        else assert_true(v[i] == 0.0);
      }
      limpet_fem_step_multiply(w.step, d, Hd);
      const double h = 1e-5;
      for (int i = 0; i < w.n; ++i) w.next[i] = v[i] + h * d[i];
      limpet_fem_step_residual(w.step, w.next, up);
      for (int i = 0; i < w.n; ++i) w.next[i] = v[i] - h * d[i];
      limpet_fem_step_residual(w.step, w.next, down);
      const double size = largest(Hd, w.n);
      for (int i = 0; i < w.n; ++i)
        assert_true(fabs((up[i] - down[i]) / (2.0 * h) - Hd[i]) < 1e-7 * size);
      free(v), free(R), free(d), free(Hd), free(up), free(down);
      fem_world_free(&w);
    }
}

// Schur complement and response by dense elimination of everything but the nodes in contact.
static void condensation(void **state) {
  (void)state;
  for (int element = 0; element < 2; ++element)
    for (int trial = 0; trial < 8; ++trial) {
      fem_world w = world_of(laws[trial % 4], (limpet_fem_element)element);
      assert_int_equal(limpet_fem_step_begin(w.step, &w.input), LIMPET_FEM_SOLVED);
      const int nodes = w.n / 3;
      int *list = malloc((size_t)nodes * sizeof *list), count = 0;
      for (int i = nodes - 1; i >= 0; --i)
        if (!is_fixed(&w, i) && random_uniform(&seed, 0.0, 1.0) < (trial < 4   ? 0.1
                                                                   : trial < 6 ? 0.7
                                                                               : 1.0))
          list[count++] = i;
      const int m = 3 * count;
      double *A = malloc((size_t)(m * m) * sizeof *A), *W = malloc((size_t)(m * m) * sizeof *W);
      assert_int_equal(limpet_fem_step_condense(w.step, count, list, A, m, W), LIMPET_OK);

      // the inverse of all of H, fixed nodes left out, gives W column by column
      double *H = dense_matrix(&w), *x = malloc((size_t)w.n * sizeof *x),
             *v = malloc((size_t)w.n * sizeof *v), *impulse = calloc((size_t)m, sizeof *impulse);
      for (int i = 0; i < w.n; ++i)
        for (int j = 0; j < w.n; ++j)
          if (is_fixed(&w, i / 3) || is_fixed(&w, j / 3)) H[i * w.n + j] = i == j;
      assert_int_equal(limpet_cholesky(w.n, H, w.n), 0);
      const double *free_velocity = limpet_fem_step_free_velocity(w.step);
      for (int c = 0; c < m; c += 7) {
        memset(x, 0, (size_t)w.n * sizeof *x);
        x[3 * list[c / 3] + c % 3] = 1.0;
        limpet_cholesky_solve(w.n, H, w.n, x);
        impulse[c] = 1.0;
        limpet_fem_step_follow_impulse(w.step, impulse, v);
        const double size = largest(x, w.n);
        for (int i = 0; i < w.n; ++i)
          assert_true(fabs(v[i] - free_velocity[i] - x[i]) < 1e-11 * size);
        for (int r = 0; r < m; ++r)
          assert_true(fabs(W[r * m + c] - x[3 * list[r / 3] + r % 3]) < 1e-11 * size);
        impulse[c] = 0.0;

        // A is the inverse of W: A W e_c = e_c, and following W e_c gives the same motion
        for (int r = 0; r < m; ++r) {
          double sum = 0.0;
          for (int k = 0; k < m; ++k) sum += A[r * m + k] * W[k * m + c];
          assert_true(fabs(sum - (r == c)) < 1e-9);
        }
        double *dv = malloc((size_t)m * sizeof *dv);
        for (int r = 0; r < m; ++r) dv[r] = W[r * m + c];
        limpet_fem_step_follow(w.step, dv, v);
        for (int i = 0; i < w.n; ++i)
          assert_true(fabs(v[i] - free_velocity[i] - x[i]) < 1e-9 * size);
        free(dv);
      }
      free(H), free(x), free(v), free(impulse), free(A), free(W), free(list);
      fem_world_free(&w);
    }
}

/* A step of a nonlinear law with given impulses on some nodes, by relinearising at the velocity
 * that the last model gives: the residual comes to equal the impulses, quadratically. */
static void relinearisation(void **state) {
  (void)state;
  for (int law = 0; law < 4; ++law) {
    fem_world w = world_of(laws[law], LIMPET_FEM_LINEAR);
    assert_int_equal(limpet_fem_step_begin(w.step, &w.input), LIMPET_FEM_SOLVED);
    const int list[2] = {w.n / 3 - 1, w.n / 3 - 4};
    const double impulse[6] = {-0.05, 0.02, 0.1, -0.03, 0.0, 0.08};  // [N s]
    double A[36], *v = malloc((size_t)w.n * sizeof *v), *R = malloc((size_t)w.n * sizeof *R);
    double gap = INFINITY;
    for (int k = 0; k < 12; ++k) {
      assert_int_equal(limpet_fem_step_condense(w.step, 2, list, A, 6, NULL), LIMPET_OK);
      limpet_fem_step_follow_impulse(w.step, impulse, v);
      limpet_fem_step_residual(w.step, v, R);
      gap = 0.0;
      for (int i = 0; i < w.n; ++i) {
        double given = 0.0;
        for (int n = 0; n < 2; ++n)
          if (i / 3 == list[n]) given = impulse[3 * n + i % 3];
        if (!is_fixed(&w, i / 3)) gap = fmax(gap, fabs(R[i] - given));
      }
      assert_int_equal(limpet_fem_step_relinearise(w.step, v), LIMPET_FEM_SOLVED);
    }
    assert_true(gap < 1e-12);
    free(v), free(R);
    fem_world_free(&w);
  }
}

// A long bar that swings about its clamped end so far in a step that its law has to follow.
static fem_world swinging(const char *law) {
  fem_bar bar = fem_bar_make(8, 3, 3, 0.3, 0.06, 0.06);
  bar.description.law = limpet_elastic_law_find(law);
  bar.description.youngs_modulus = 1e7;
  bar.description.poissons_ratio = 0.45;
  fem_world w = fem_world_make(&bar.description);
  fem_world_fix(&w, 0, 0.0);
  for (int i = 2; i < w.n; i += 3) w.v[i] = 0.7 * w.q[i - 2] * w.q[i - 2] / 0.09;
  w.input.dt = 0.01;
  fem_bar_free(&bar);
  return w;
}

/* Newton's directions are found by earlier factors of a step where that costs less; of laws that
 * follow also by that of the linear step. H of the end is factored when it is wanted. */
static void earlier_factor(void **state) {
  (void)state;
  for (int law = 1; law < 4; ++law) {
    fem_world w = swinging(laws[law]);
    assert_int_equal(limpet_fem_begin_or_follow(w.step, &w.input), LIMPET_FEM_SOLVED);
    limpet_fem_info info = limpet_fem_step_info(w.step);
    if (law == 1) assert_true(limpet_fem_follows(w.step));
    assert_true(info.iterations >= 2 && info.solves >= 2);
    assert_true(info.factorizations < info.iterations && info.projected == 0);
    double *R = malloc((size_t)w.n * sizeof *R), *x = malloc((size_t)w.n * sizeof *x),
           *y = malloc((size_t)w.n * sizeof *y);
    limpet_fem_step_residual(w.step, w.v, R);
    double first = 0.0, last = 0.0, off = 0.0;
    for (int i = 0; i < w.n; ++i) first = fmax(first, is_fixed(&w, i / 3) ? 0.0 : fabs(R[i]));
    limpet_fem_step_residual(w.step, limpet_fem_step_free_velocity(w.step), R);
    for (int i = 0; i < w.n; ++i) last = fmax(last, is_fixed(&w, i / 3) ? 0.0 : fabs(R[i]));
    assert_true(last < 1e-9 * first);

    // H of the end and its factor
    assert_true(limpet_fem_complete(w.step, false));
    assert_int_equal(limpet_fem_step_info(w.step).factorizations, info.factorizations + 1);
    for (int i = 0; i < w.n; ++i)
      x[i] = y[i] = is_fixed(&w, i / 3) ? 0.0 : random_uniform(&seed, -1.0, 1.0);
    limpet_fem_step_solve(w.step, x);
    limpet_fem_step_multiply(w.step, x, R);
    for (int i = 0; i < w.n; ++i)
      if (!is_fixed(&w, i / 3)) off = fmax(off, fabs(R[i] - y[i]));
    assert_true(off < 1e-10);
    free(R), free(x), free(y);
    fem_world_free(&w);
  }
}

// Reaction of fixed nodes: a hanging body at rest pulls with its weight.
static void reaction(void **state) {
  (void)state;
  for (int law = 0; law < 4; ++law) {
    fem_world w = world_of(laws[law], LIMPET_FEM_LINEAR);
    memcpy(w.q, limpet_fem_body_rest(w.body), (size_t)w.n * sizeof *w.q);
    memset(w.v, 0, (size_t)w.n * sizeof *w.v);
    assert_int_equal(limpet_fem_step_equilibrium(w.step, &w.input, w.q), LIMPET_FEM_SOLVED);
    // linear-corotated keeps the rotations of the start, which are those of rest
    assert_int_equal(limpet_fem_step_begin(w.step, &w.input), LIMPET_FEM_SOLVED);
    const double *v = limpet_fem_step_free_velocity(w.step);
    assert_true(largest(v, w.n) < 1e-8);  // [m/s]
    double *R = malloc((size_t)w.n * sizeof *R), sum[3] = {0.0};
    limpet_fem_step_residual(w.step, v, R);
    for (int k = 0; k < w.input.fixed_count; ++k)
      for (int i = 0; i < 3; ++i) sum[i] += R[3 * w.fixed[k] + i] / w.input.dt;
    const double weight = limpet_fem_body_information(w.body).mass * 9.81;
    assert_true(fabs(sum[0]) < 1e-6 * weight && fabs(sum[1]) < 1e-6 * weight);
    assert_true(fabs(sum[2] - weight) < 1e-6 * weight);
    free(R);
    fem_world_free(&w);
  }
}

// Fixed nodes move as prescribed; a rigid motion of all of them carries the body along.
static void prescribed(void **state) {
  (void)state;
  fem_world w = world_of("neo-hookean", LIMPET_FEM_LINEAR);
  double *speed = malloc((size_t)w.input.fixed_count * 3 * sizeof *speed);
  for (int k = 0; k < 3 * w.input.fixed_count; ++k) speed[k] = k % 3 == 1 ? 0.4 : 0.0;
  w.input.fixed_velocity = speed;
  for (int k = 0; k < 300; ++k) fem_world_step(&w);
  const double *rest = limpet_fem_body_rest(w.body);
  for (int k = 0; k < w.input.fixed_count; ++k) {
    const int i = 3 * w.fixed[k] + 1;
    // the first step begins at rest: half of it is missing
    assert_true(fabs(w.q[i] - rest[i] - 0.4 * (299.5 * w.input.dt)) < 1e-12);
    assert_true(w.v[i] == 0.4);
  }
  for (int i = 1; i < w.n; i += 3) assert_true(fabs(w.v[i] - 0.4) < 0.02);
  free(speed);
  fem_world_free(&w);
}

/* Newton's method from states no body should be in: all nodes thrown about by its whole size, or
 * turned inside out. Every step is solved, and the body comes back to its shape. */
static void inverted(void **state) {
  (void)state;
  static const char *const nonlinear[] = {"corotated", "neo-hookean", "neo-hookean-drake"};
  for (int law = 0; law < 3; ++law)
    for (int start = 0; start < 4; ++start) {
      fem_world w = world_of(nonlinear[law], LIMPET_FEM_LINEAR);
      for (int i = 0; i < w.n; ++i) {
        if (is_fixed(&w, i / 3)) continue;
        if (start < 3) w.q[i] += random_uniform(&seed, -0.1, 0.1);
        else w.q[i] = -w.q[i];
        w.v[i] = 0.0;
      }
      w.input.tolerance = 1e-8;
      w.input.gravity[2] = 0.0;
      const int before = limpet_fem_body_state(w.body, w.q, NULL, NULL).inverted;
      assert_true(before > 10);
      for (int k = 0; k < 400; ++k) fem_world_step(&w);
      const limpet_fem_state after = limpet_fem_body_state(w.body, w.q, w.v, NULL);
      if (start < 3) assert_int_equal(after.inverted, 0);
      else assert_true(after.inverted < before);
      fem_world_free(&w);
    }
}

// The kernels of both instruction sets agree to round-off.
static void kernels(void **state) {
  (void)state;
  fem_world w = world_of("neo-hookean", LIMPET_FEM_QUADRATIC);
  const limpet_fem_body *body = w.body;
  const limpet_fem_kernels *tables[2] = {&limpet_fem_kernels_baseline, limpet_fem()};
  double *f[2], *H[2];
  for (int t = 0; t < 2; ++t) {
    const size_t points = (size_t)(body->batch_count * body->element_points * LIMPET_FEM_LANES);
    double *point = aligned_alloc(64, (LIMPET_FEM_POINT * points * sizeof *point + 63) & ~63ul);
    f[t] = calloc((size_t)w.n, sizeof *f[t]);
    H[t] = calloc((size_t)body->block_count * 9, sizeof *H[t]);
    tables[t]->points(body, w.q, point);
    tables[t]->force(body, point, f[t]);
    tables[t]->product(body, point, 0.01, w.v, f[t]);
    tables[t]->stiffness(body, point, true, 1.0, H[t]);
    free(point);
  }
  const double force = largest(f[0], w.n), stiff = largest(H[0], 9 * body->block_count);
  for (int i = 0; i < w.n; ++i) assert_true(fabs(f[0][i] - f[1][i]) < 1e-12 * force);
  for (int i = 0; i < 9 * body->block_count; ++i)
    assert_true(fabs(H[0][i] - H[1][i]) < 1e-12 * stiff);
  for (int t = 0; t < 2; ++t) free(f[t]), free(H[t]);
  fem_world_free(&w);
}

static void not_finite(void **state) {
  (void)state;
  fem_world w = world_of("linear-corotated", LIMPET_FEM_LINEAR);
  w.q[20] = NAN;
  assert_int_equal(limpet_fem_step_begin(w.step, &w.input), LIMPET_FEM_NOT_FINITE);
  assert_string_equal(limpet_fem_outcome_name(LIMPET_FEM_NOT_FINITE), "not finite");
  w.q[20] = limpet_fem_body_rest(w.body)[20];
  assert_int_equal(limpet_fem_step_begin(w.step, &w.input), LIMPET_FEM_SOLVED);
  fem_world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tangent),  cmocka_unit_test(condensation), cmocka_unit_test(relinearisation),
      cmocka_unit_test(reaction), cmocka_unit_test(prescribed),   cmocka_unit_test(inverted),
      cmocka_unit_test(kernels),  cmocka_unit_test(not_finite),   cmocka_unit_test(earlier_factor)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
