/* tests/fem/test_fem_derivative.c: derivatives of a step against central differences of whole
 * steps, for all laws, both elements and both schemes, at random states.
 *
 * Loss: random weights times v+ and q+. Differences of half width 1e-5 of a parameter's scale err
 * by 1e-10 or so of the second derivatives and 1e-11/1e-5 of round-off: 1e-6 of the largest. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fem_bar.h"
#include "shared_data.h"

static unsigned long seed = 41;

typedef struct loss {
  fem_bar bar;
  fem_world w;
  double *dv, *dq, *force;
} loss;

static double loss_of(loss *l) {
  assert_int_equal(limpet_fem_step_begin(l->w.step, &l->w.input), LIMPET_FEM_SOLVED);
  const double *v = limpet_fem_step_free_velocity(l->w.step);
  limpet_fem_step_positions(l->w.step, v, l->w.next);
  double sum = 0.0;
  for (int i = 0; i < l->w.n; ++i) sum += l->dv[i] * v[i] + l->dq[i] * l->w.next[i];
  return sum;
}

// The loss of a body made anew from the description, from the same state.
static double loss_remade(loss *l, const limpet_fem_description *d) {
  limpet_fem_body *body = l->w.body;
  limpet_fem_step *step = l->w.step;
  l->w.body = limpet_fem_body_create(d, NULL);
  l->w.step = limpet_fem_step_create(l->w.body, NULL);
  const double value = loss_of(l);
  limpet_fem_step_destroy(l->w.step), limpet_fem_body_destroy(l->w.body);
  l->w.body = body, l->w.step = step;
  return value;
}

static double random_number(double size) { return random_uniform(&seed, -size, size); }

static loss loss_make(const limpet_elastic_law *law, int element, bool backward) {
  loss l = {.bar = fem_bar_make(3, 2, 1, 0.15, 0.1, 0.05)};
  limpet_fem_description *d = &l.bar.description;
  d->law = law;
  d->element = (limpet_fem_element)element;
  d->poissons_ratio = 0.35, d->youngs_modulus = 2e5;
  d->mass_damping = 0.4, d->stiffness_damping = 0.003;
  l.w = fem_world_make(d);
  fem_world_fix(&l.w, 0, 0.0);
  const size_t bytes = (size_t)l.w.n * sizeof(double);
  l.dv = malloc(bytes), l.dq = malloc(bytes), l.force = malloc(bytes);
  for (int i = 0; i < l.w.n; ++i) {
    const int n = i % 3, at = i - n;
    // turned and bent, and shaken a little
    if (n == 2) l.w.q[i] += 0.4 * l.w.q[at];
    l.w.q[i] += random_number(0.002);
    l.w.v[i] = random_number(0.3);
    l.dv[i] = random_number(1.0), l.dq[i] = random_number(30.0), l.force[i] = random_number(0.1);
  }
  l.w.input.gravity[2] = -9.81, l.w.input.gravity[0] = 2.0;
  l.w.input.tolerance = 1e-13;
  l.w.input.force = l.force;
  l.w.input.backward_euler = backward;
  return l;
}

static void loss_free(loss *l) {
  fem_world_free(&l->w);
  fem_bar_free(&l->bar);
  free(l->dv), free(l->dq), free(l->force);
}

// The derivative along a random change of `values`, relative to the sum of its parts.
static void state_check(loss *l, double *values, const double *gradient, double width) {
  double *d = malloc((size_t)l->w.n * sizeof *d), along = 0.0, size = 0.0;
  for (int i = 0; i < l->w.n; ++i) {
    d[i] = random_number(1.0);
    along += gradient[i] * d[i];
    size += fabs(gradient[i] * d[i]);
  }
  for (int i = 0; i < l->w.n; ++i) values[i] += width * d[i];
  const double up = loss_of(l);
  for (int i = 0; i < l->w.n; ++i) values[i] -= 2.0 * width * d[i];
  const double down = loss_of(l);
  for (int i = 0; i < l->w.n; ++i) values[i] += width * d[i];
  assert_true(fabs((up - down) / (2.0 * width) - along) < 1e-6 * size);
  free(d);
}

static void number_check(loss *l, double *number, double derivative, double width) {
  const limpet_fem_description saved = l->bar.description;
  *number += width;
  const double up = loss_remade(l, &l->bar.description);
  *number -= 2.0 * width;
  const double down = loss_remade(l, &l->bar.description);
  l->bar.description = saved;
  const double difference = (up - down) / (2.0 * width);
  // [loss]  round-off of a step over the width
  assert_true(fabs(difference - derivative) < 1e-5 * fabs(derivative) + 1e-10 / width);
}

static void derivatives(void **state) {
  (void)state;
  for (int k = 0; k < 4; ++k)
    for (const limpet_elastic_law *const *law = limpet_elastic_laws(); *law; ++law) {
      loss l = loss_make(*law, k % 2, k / 2 == 1);
      limpet_fem_description *d = &l.bar.description;
      const size_t n = (size_t)l.w.n;
      double *arrays = malloc(3 * n * sizeof *arrays), *v = malloc(n * sizeof *v);
      limpet_fem_gradient g = {.position = arrays, .velocity = arrays + n, .force = arrays + 2 * n};
      loss_of(&l);
      memcpy(v, limpet_fem_step_free_velocity(l.w.step), n * sizeof *v);
      assert_true(limpet_fem_step_derivative(l.w.step, v, l.dv, l.dq, &g));
      state_check(&l, l.w.q, g.position, 1e-7);
      state_check(&l, l.w.v, g.velocity, 1e-5);
      state_check(&l, l.force, g.force, 1e-5);
      for (int i = 0; i < 3; ++i) {
        double *gravity = &l.w.input.gravity[i];
        *gravity += 1e-3;
        const double up = loss_of(&l);
        *gravity -= 2e-3;
        const double down = loss_of(&l);
        *gravity += 1e-3;
        assert_true(fabs((up - down) / 2e-3 - g.gravity[i]) < 1e-6 * fabs(g.gravity[i]) + 1e-8);
      }
      number_check(&l, &d->youngs_modulus, g.youngs_modulus, 10.0);
      number_check(&l, &d->poissons_ratio, g.poissons_ratio, 1e-5);
      number_check(&l, &d->density, g.density, 0.05);
      number_check(&l, &d->mass_damping, g.mass_damping, 1e-3);
      number_check(&l, &d->stiffness_damping, g.stiffness_damping, 1e-6);
      free(arrays), free(v);
      loss_free(&l);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
