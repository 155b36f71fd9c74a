/* tests/fem/test_fem_damping.c: damping by the rate of strain brakes no body that turns as if
 * rigid, and gives back no more than the strain of a chord. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fem_bar.h"
#include "math/vec3.h"
#include "random_models.h"

static const char *const laws[] = {"corotated", "neo-hookean", "neo-hookean-drake",
                                   "neo-hookean-log"};

// A strained bar that nothing holds, at rest.
static fem_world bar_of(unsigned long *seed, int trial, limpet_fem_damping damping, double beta) {
  fem_bar bar = fem_bar_make(3, 2, 2, 0.15, 0.1, 0.08);
  bar.description.law = limpet_elastic_law_find(laws[trial % 4]);
  bar.description.element = (limpet_fem_element)(trial / 4 % 2);
  bar.description.youngs_modulus = 1e6, bar.description.poissons_ratio = 0.3;
  bar.description.damping = damping, bar.description.stiffness_damping = beta;
  fem_world w = fem_world_make(&bar.description);
  for (int i = 0; i < w.n; ++i) w.q[i] += random_uniform(seed, -0.005, 0.005);
  w.input.dt = random_log(seed, 1e-4, 1e-2);
  w.input.backward_euler = true;
  fem_bar_free(&bar);
  return w;
}

// The same body without damping, at the same state.
static void bar_without(fem_world *w, int trial) {
  unsigned long any = 1;
  fem_world other = bar_of(&any, trial, LIMPET_FEM_DAMPING_STRAIN, 0.0);
  const size_t size = (size_t)w->n * sizeof *w->q;
  memcpy(other.q, w->q, size), memcpy(other.v, w->v, size);
  other.input.dt = w->input.dt;
  fem_world_free(w);
  *w = other;
}

// What damping is of R at v, to `part`: R less that of a step without it.
static void damping_part(unsigned long seed, int trial, limpet_fem_damping damping, double beta,
                         const double *v, double *part) {
  unsigned long same = seed;
  fem_world damped = bar_of(&seed, trial, damping, beta),
            plain = bar_of(&same, trial, damping, 0.0);
  limpet_fem_step_begin(damped.step, &damped.input);
  limpet_fem_step_begin(plain.step, &plain.input);
  limpet_fem_step_residual(damped.step, v, part);
  limpet_fem_step_residual(plain.step, v, plain.next);
  for (int i = 0; i < damped.n; ++i) part[i] -= plain.next[i];
  fem_world_free(&damped), fem_world_free(&plain);
}

/* A rigid turn by up to half a revolution within the step makes no force, whatever the strains are.
 * With the stiffness turned as at the start it makes one: the check can fail. */
static void rigid_turns_are_not_braked(void **state) {
  (void)state;
  const double beta = 0.003, size = beta * 1e6 * 0.1 * 0.08;  // [N s]  of E on a face
  for (int trial = 0; trial < 16; ++trial) {
    unsigned long seed = 40 + (unsigned long)trial, same = seed;
    fem_world w = bar_of(&same, trial, LIMPET_FEM_DAMPING_STRAIN, beta);
    double R[9], shift[3], *part = malloc((size_t)w.n * sizeof *part), most[2] = {0.0, 0.0};
    random_turn(&same, R, 1.8), random_vector(&same, shift, 3, 0.2);
    for (int i = 0; i < w.n; i += 3) {
      double to[3];
      limpet_mat3_mul_vec(to, R, w.q + i);
      for (int k = 0; k < 3; ++k) w.v[i + k] = (to[k] + shift[k] - w.q[i + k]) / w.input.dt;
    }
    for (int kind = 0; kind < 2; ++kind) {
      damping_part(seed, trial, kind ? LIMPET_FEM_DAMPING_TURNED : LIMPET_FEM_DAMPING_STRAIN, beta,
                   w.v, part);
      for (int i = 0; i < w.n; ++i) most[kind] = fmax(most[kind], fabs(part[i]));
    }
    assert_true(most[0] < 1e-12 * size);
    assert_true(most[1] > 1e-4 * size);
    free(part), fem_world_free(&w);
  }
}

// 2 mu a:b + lambda tr(a) tr(b) of E = 1e6 Pa, nu = 0.3, both symmetric.
static double lame_product(const double a[9], const double b[9]) {
  const double mu = 1e6 / 2.6, lambda = 1e6 * 0.3 / (1.3 * 0.4);
  double sum = lambda * (a[0] + a[4] + a[8]) * (b[0] + b[4] + b[8]);
  for (int i = 0; i < 9; ++i) sum += 2.0 * mu * a[i] * b[i];
  return sum;
}

// e <- sym(A'B)
static void symmetric_product(const double A[9], const double B[9], double e[9]) {
  double T[9];
  limpet_mat3_tmul(T, A, B);
  for (int i = 0; i < 9; ++i) e[i] = 0.5 * (T[i] + T[3 * (i % 3) + i / 3]);
}

// Work of the damping in a step, of a bar at F X that moves with L F X, a turn and a little strain:
// with the mean F_m of F at start and end, the rate r = sym(F_m'L F) and D = dt/2 (L F)'L F it is
//   beta dt V (C r:r + C r:D), at least -beta dt V C D:D/4.
// Some of these bars are given a little back, and most are not.
static void work_is_that_of_the_strain(void **state) {
  (void)state;
  const double beta = 0.003, V = 0.15 * 0.1 * 0.08;
  int back = 0;
  for (int trial = 0; trial < 64; ++trial) {
    unsigned long seed = 90 + (unsigned long)trial, same = seed;
    fem_world w = bar_of(&same, trial, LIMPET_FEM_DAMPING_STRAIN, beta);
    const double dt = w.input.dt;
    double F[9], L[9], Q[9], G[9], mean[9], r[9], D[9];
    random_turn(&same, Q, random_log(&same, 1e-3, 1.0));
    random_vector(&same, F, 9, 0.2), random_vector(&same, L, 9, 1e-3 / dt);
    for (int i = 0; i < 9; ++i) L[i] += (Q[i] - (i % 4 == 0 ? 1.0 : 0.0)) / dt;
    for (int i = 0; i < 9; i += 4) F[i] += 1.0;
    limpet_mat3_mul(G, L, F);
    for (int i = 0; i < 9; ++i) mean[i] = F[i] + 0.5 * dt * G[i];
    symmetric_product(mean, G, r), symmetric_product(G, G, D);
    for (int i = 0; i < 9; ++i) D[i] *= 0.5 * dt;
    const double *X = limpet_fem_body_rest(w.body);
    for (int i = 0; i < w.n; i += 3)
      limpet_mat3_mul_vec(w.q + i, F, X + i), limpet_mat3_mul_vec(w.v + i, G, X + i);
    double *R = malloc((size_t)w.n * sizeof *R), work = 0.0;
    limpet_fem_step_begin(w.step, &w.input);
    limpet_fem_step_residual(w.step, w.v, R);
    for (int i = 0; i < w.n; ++i) work += w.v[i] * R[i];
    bar_without(&w, trial);
    limpet_fem_step_begin(w.step, &w.input);
    limpet_fem_step_residual(w.step, w.v, R);
    for (int i = 0; i < w.n; ++i) work -= w.v[i] * R[i];
    const double size = beta * dt * V * (lame_product(r, r) + lame_product(D, D));
    const double exact = beta * dt * V * (lame_product(r, r) + lame_product(r, D));
    if (!(fabs(work - exact) < 1e-9 * size)) fail_msg("%g J, not %g J", work, exact);
    assert_true(work >= -0.25 * beta * dt * V * lame_product(D, D) - 1e-9 * size);
    back += work < 0.0;
    free(R), fem_world_free(&w);
  }
  assert_true(back > 4 && back < 60);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rigid_turns_are_not_braked),
                                     cmocka_unit_test(work_is_that_of_the_strain)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
