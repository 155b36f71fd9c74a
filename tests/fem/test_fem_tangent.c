/* tests/fem/test_fem_tangent.c: the step's equations as linear functions of what they start from:
 * both directions against each other (round-off), the forward one against differences of the
 * residual, the gradient of the stiffness against differences of products, the turn of a free body
 * against differences of whole steps. Laws, elements and schemes all, at random states. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fem/tangent.h"
#include "fem_bar.h"
#include "shared_data.h"

static unsigned long seed = 77;

static double random_number(double size) { return random_uniform(&seed, -size, size); }

static double *random_values(int n, double size) {
  return random_array((size_t)(unsigned)n, size, &seed);
}

static double dot(int n, const double *x, const double *y) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

typedef struct body {
  fem_bar bar;
  fem_world w;
  double *v;     // velocity that is held
  bool follows;  // laws that are linear in a step are taken at its end
} body;

// E in 1e4 .. 1e7 Pa, nu to 0.49, steps of 0.2 to 5 ms.
static body body_make(const limpet_elastic_law *law, int kind, bool fixed) {
  body b = {.bar = fem_bar_make(3, 1, 1, 0.15, 0.05, 0.05)};
  limpet_fem_description *d = &b.bar.description;
  d->law = law;
  d->element = (limpet_fem_element)(kind % 2);
  // Drake's rubber blows itself up below 1/8
  d->poissons_ratio = random_uniform(&seed, 0.13, 0.49);
  d->youngs_modulus = pow(10.0, random_uniform(&seed, 4.0, 7.0));
  d->mass_damping = 0.4, d->stiffness_damping = kind % 3 == 0 ? 0.0 : 0.003;
  b.w = fem_world_make(d);
  if (fixed) fem_world_fix(&b.w, 0, 0.0);
  // turned, and bent by a per cent
  const double turn = law->frozen && !law->rotates ? 0.01 : 0.4;
  for (int i = 0; i < b.w.n; i += 3) {
    const double x = b.w.q[i], z = b.w.q[i + 2] + 0.05 * x * x;
    b.w.q[i] = cos(turn) * x - sin(turn) * z, b.w.q[i + 2] = sin(turn) * x + cos(turn) * z;
  }
  for (int i = 0; i < b.w.n; ++i) {
    b.w.q[i] += random_number(4e-5);
    b.w.v[i] = random_number(5e-3);
  }
  b.w.input.gravity[2] = -9.81;
  b.w.input.dt = 2e-4 * pow(25.0, random_uniform(&seed, 0.0, 1.0));
  b.w.input.tolerance = 1e-13;
  b.w.input.backward_euler = kind / 2 % 2 == 1;
  b.follows = kind >= 4;
  b.v = random_values(b.w.n, 5e-3);
  assert_true(limpet_fem_step_linearise(b.w.step, &b.w.input, b.v, b.follows, true));
  return b;
}

static void body_free(body *b) {
  fem_world_free(&b->w);
  fem_bar_free(&b->bar);
  free(b->v);
}

typedef void use_body(body *b);

static void each_body(bool fixed, use_body *use) {
  for (int kind = 0; kind < 8; ++kind)
    for (const limpet_elastic_law *const *law = limpet_elastic_laws(); *law; ++law) {
      body b = body_make(*law, kind, fixed);
      use(&b);
      body_free(&b);
    }
}

// R at a state moved by s of a change
static void residual_moved(body *b, const double *dq, const double *dv, double s, double *R) {
  const int n = b->w.n;
  double *q = calloc((size_t)n, sizeof *q), *v0 = calloc((size_t)n, sizeof *v0);
  for (int i = 0; i < n; ++i) q[i] = b->w.q[i] + s * dq[i], v0[i] = b->w.v[i] + s * dv[i];
  limpet_fem_input input = b->w.input;
  input.position = q, input.velocity = v0;
  limpet_fem_step_linearise(b->w.step, &input, b->v, b->follows, true);
  limpet_fem_step_residual(b->w.step, b->v, R);
  free(q), free(v0);
}

static void check_tangent(body *b) {
  const int n = b->w.n;
  double *dq = random_values(n, 1e-3), *dv = random_values(n, 0.1), *l = random_values(n, 1.0);
  double *R = random_values(n, 1.0), *up = random_values(n, 1.0), *down = random_values(n, 1.0);
  double *by_q = random_values(n, 1.0), *by_v = random_values(n, 1.0);
  limpet_fem_change change = {.position = dq, .velocity = dv};
  limpet_fem_tangent_forward(b->w.step, b->v, &change, R);

  // differences: 1e-4 of a change of 2 % of the edges errs by 1e-12 of the third derivatives and
  // 1e-12 of round-off, 1e-7 of the largest is asked for
  const double width = 1e-3;
  residual_moved(b, dq, dv, width, up);
  residual_moved(b, dq, dv, -width, down);
  double worst = 0.0, most = 0.0;
  for (int i = 0; i < n; ++i) {
    worst = fmax(worst, fabs((up[i] - down[i]) / (2.0 * width) - R[i]));
    most = fmax(most, fabs(R[i]));
  }
  assert_true(worst < 1e-7 * most);

  // both directions, numbers of the body included
  assert_true(limpet_fem_step_linearise(b->w.step, &b->w.input, b->v, b->follows, true));
  change.gravity[0] = random_number(1.0), change.gravity[2] = random_number(1.0);
  change.youngs_modulus = random_number(1e4), change.poissons_ratio = random_number(1e-2);
  change.density = random_number(10.0), change.mass_damping = random_number(0.1);
  change.stiffness_damping = random_number(1e-4);
  limpet_fem_tangent_forward(b->w.step, b->v, &change, R);
  limpet_fem_gradient g = {.position = by_q, .velocity = by_v};
  limpet_fem_tangent_adjoint(b->w.step, b->v, l, &g);
  const double parts[] = {dot(n, by_q, dq),
                          dot(n, by_v, dv),
                          dot(3, g.gravity, change.gravity),
                          g.youngs_modulus * change.youngs_modulus,
                          g.poissons_ratio * change.poissons_ratio,
                          g.density * change.density,
                          g.mass_damping * change.mass_damping,
                          g.stiffness_damping * change.stiffness_damping};
  double sum = 0.0, size = 0.0;
  for (int i = 0; i < n; ++i) size += fabs(l[i] * R[i]);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) sum += parts[i], size += fabs(parts[i]);
  assert_true(fabs(sum - dot(n, l, R)) < 1e-12 * size);
  free(dq), free(dv), free(l), free(R), free(up), free(down), free(by_q), free(by_v);
}

static void tangents(void **state) {
  (void)state;
  each_body(false, check_tangent);
}

// z.H z at another state and velocity
static double work_moved(body *b, const double *dq, const double *dv, const double *dend, double s,
                         const double *z) {
  const int n = b->w.n;
  double *q = calloc((size_t)n, sizeof *q), *v0 = calloc((size_t)n, sizeof *v0),
         *end = calloc((size_t)n, sizeof *end), *y = calloc((size_t)n, sizeof *y);
  for (int i = 0; i < n; ++i) {
    q[i] = b->w.q[i] + s * dq[i], v0[i] = b->w.v[i] + s * dv[i];
    end[i] = b->v[i] + s * dend[i];
  }
  limpet_fem_input input = b->w.input;
  input.position = q, input.velocity = v0;
  limpet_fem_step_linearise(b->w.step, &input, end, b->follows, true);
  limpet_fem_step_multiply(b->w.step, z, y);
  const double sum = dot(n, z, y);
  free(q), free(v0), free(end), free(y);
  return sum;
}

static void check_stiffness(body *b) {
  const int n = b->w.n;
  double *dq = random_values(n, 1e-3), *dv = random_values(n, 0.1), *dend = random_values(n, 0.1);
  double *z = random_values(n, 1.0), *arrays = random_values(3 * n, 1.0);
  limpet_fem_stiffness_gradient g = {
      .position = arrays, .velocity = arrays + n, .end = arrays + 2 * n};
  limpet_fem_stiffness_adjoint(b->w.step, b->v, z, &g);
  const double along = dot(n, g.position, dq) + dot(n, g.velocity, dv) + dot(n, g.end, dend);
  const double width = 1e-3, size = fabs(work_moved(b, dq, dv, dend, 0.0, z));
  const double up = work_moved(b, dq, dv, dend, width, z),
               down = work_moved(b, dq, dv, dend, -width, z);
  // round-off of the sums over the width, and third derivatives
  assert_true(fabs((up - down) / (2.0 * width) - along) < 1e-6 * fabs(along) + 1e-11 * size);
  free(dq), free(dv), free(dend), free(z), free(arrays);
}

static void stiffness(void **state) {
  (void)state;
  each_body(true, check_stiffness);
}

// The end of a free step from a state moved by s of a change.
static void end_moved(body *b, const double *dq, const double *dv, double s, double *free_v,
                      double *end) {
  const int n = b->w.n;
  double *q = calloc((size_t)n, sizeof *q), *v0 = calloc((size_t)n, sizeof *v0);
  for (int i = 0; i < n; ++i) q[i] = b->w.q[i] + s * dq[i], v0[i] = b->w.v[i] + s * dv[i];
  limpet_fem_input input = b->w.input;
  input.position = q, input.velocity = v0;
  assert_int_equal(limpet_fem_step_begin(b->w.step, &input), LIMPET_FEM_SOLVED);
  memcpy(free_v, limpet_fem_step_free_velocity(b->w.step), (size_t)n * sizeof *free_v);
  memcpy(end, free_v, (size_t)n * sizeof *end);
  assert_true(limpet_fem_step_keep_spin(b->w.step, NULL, end));
  free(q), free(v0);
}

static void check_spin(body *b) {
  const int n = b->w.n;
  double *dq = random_values(n, 1e-3), *dv0 = random_values(n, 0.1),
         *weight = random_values(n, 1.0);
  double *v = random_values(n, 1.0), *end = random_values(n, 1.0), *up = random_values(2 * n, 1.0),
         *down = random_values(2 * n, 1.0), *dv = random_values(n, 1.0),
         *work = random_values(4 * n, 1.0);
  // a body that spins
  for (int i = 0; i < n; i += 3) b->w.v[i] -= 4.0 * b->w.q[i + 1], b->w.v[i + 1] += 4.0 * b->w.q[i];
  const double width = 1e-4;
  end_moved(b, dq, dv0, width, up, up + n);
  end_moved(b, dq, dv0, -width, down, down + n);
  end_moved(b, dq, dv0, 0.0, v, end);
  assert_true(limpet_fem_step_linearise(b->w.step, &b->w.input, v, false, true));
  for (int i = 0; i < n; ++i) dv[i] = (up[i] - down[i]) / (2.0 * width);
  double *dv_free = random_values(n, 1.0);
  memcpy(dv_free, dv, (size_t)n * sizeof *dv);
  limpet_fem_spin_forward(b->w.step, v, end, dq, dv0, dv);
  double worst = 0.0, most = 0.0;
  for (int i = 0; i < n; ++i) {
    worst = fmax(worst, fabs((up[n + i] - down[n + i]) / (2.0 * width) - dv[i]));
    most = fmax(most, fabs(dv[i]));
  }
  assert_true(worst < 1e-6 * most);

  // transposed
  double *by_q = work, *by_v0 = work + n;
  memset(work, 0, 2 * (size_t)n * sizeof *work);
  double sum = -dot(n, weight, dv), size = 0.0;
  for (int i = 0; i < n; ++i) size += fabs(weight[i] * dv[i]);
  limpet_fem_spin_adjoint(b->w.step, v, end, weight, by_q, by_v0, work + 2 * n);
  sum += dot(n, weight, dv_free) + dot(n, by_q, dq) + dot(n, by_v0, dv0);
  assert_true(fabs(sum) < 1e-12 * size);
  free(dq), free(dv0), free(weight), free(v), free(end), free(up), free(down), free(dv), free(work);
  free(dv_free);
}

static void spins(void **state) {
  (void)state;
  each_body(false, check_spin);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tangents), cmocka_unit_test(stiffness),
                                     cmocka_unit_test(spins)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
