/* tests/solve/test_body_sweep.c: the kernel for contacts between bodies that float alone does what
 * its law says: the normal impulse is that of the contact alone, friction sticks or is at its
 * bound against the slip, and velocities follow the impulses. For every instruction set. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shared_data.h"
#include "solve/body_sweep.h"
#include "sweep_laws.h"

enum { BODY = 6, SIZE = 20, TRIALS = 20000 };

static unsigned long seed = 11;

static double uniform(double low, double high) { return random_uniform(&seed, low, high); }
static double log_uniform(double low, double high) { return random_log_uniform(&seed, low, high); }

typedef struct single {
  limpet_contact_constants constants;
  limpet_body_contact contact;
  double J[2][3 * BODY], Y[2][3 * BODY];
  double v[SIZE], x[3];
} single;

// W_ef = J_e Y_f, as far as the two bodies go.
static double coupling(const single *one, int e, int f) {
  double sum = 0.0;
  for (int s = 0; s < one->contact.sides; ++s)
    for (int i = 0; i < BODY; ++i) sum += one->J[s][BODY * e + i] * one->Y[s][BODY * f + i];
  return sum;
}

static void draw(single *one, int sides) {
  *one = (single){.contact = {.sides = sides, .first = {1, 12}}};
  limpet_body_contact *c = &one->contact;
  for (int s = 0; s < 2; ++s) {
    const double inverse = log_uniform(1e-2, 1e2);
    for (int i = 0; i < 3 * BODY; ++i) {
      one->J[s][i] = uniform(-1.0, 1.0);
      one->Y[s][i] = inverse * one->J[s][i];
    }
    c->J[s] = one->J[s], c->Y[s] = one->Y[s];
  }
  for (int e = 0; e < 3; ++e)
    c->law.bias[e] = uniform(-0.1, 0.1), c->law.w[e] = coupling(one, e, e);
  for (int e = 0; e < 2; ++e) c->law.slant[e] = coupling(one, e, 2);
  for (int i = 0; i < SIZE; ++i) one->v[i] = uniform(-1.0, 1.0);
  sweep_law_draw(&c->law, &one->constants, &seed);
  for (int e = 0; e < 3; ++e) one->x[e] = uniform(-1.0, 1.0) / c->law.w[e];
  one->x[2] = fabs(one->x[2]);
}

// By how much the impulses x miss the law, over what they are made of.
static double missed(const single *one, const double *x) {
  const limpet_body_contact *c = &one->contact;
  double u[3], sizes[3];
  for (int e = 0; e < 3; ++e) {
    u[e] = c->law.bias[e];
    for (int s = 0; s < c->sides; ++s)
      for (int i = 0; i < BODY; ++i) u[e] += one->J[s][BODY * e + i] * one->v[c->first[s] + i];
    sizes[e] = fabs(u[e]) + c->law.w[e] * fabs(one->x[e]);
  }
  return sweep_law_missed(&c->law, &one->constants, u, sizes, one->x, x);
}

// Returns whether the contact pushes.
static bool relax_meets_the_law(limpet_body_relax *relax, const single *one) {
  double x[3], v[SIZE], moved = 0.0;
  memcpy(x, one->x, sizeof x), memcpy(v, one->v, sizeof v);
  const double told = relax(&one->contact, one->constants.friction, x, v);
  assert_true(missed(one, x) <= 1e-11);
  assert_true(x[2] >= 0.0);
  for (int e = 0; e < 3; ++e)
    moved += one->contact.law.w[e] * (x[e] - one->x[e]) * (x[e] - one->x[e]);
  assert_true(fabs(told - moved) <= 1e-9 * moved);

  // velocities follow, and no others
  double expected[SIZE], most = 0.0;
  memcpy(expected, one->v, sizeof expected);
  for (int s = 0; s < one->contact.sides; ++s)
    for (int i = 0; i < BODY; ++i)
      for (int e = 0; e < 3; ++e) {
        const double step = one->Y[s][BODY * e + i] * (x[e] - one->x[e]);
        expected[one->contact.first[s] + i] += step;
        most = fmax(most, fabs(step));
      }
  for (int i = 0; i < SIZE; ++i)
    assert_true(fabs(v[i] - expected[i]) <= 1e-13 * (1.0 + most) &&
                (v[i] != one->v[i] || expected[i] == v[i] || fabs(expected[i] - v[i]) < 1e-13));
  return x[2] > 0.0;
}

static void contacts_meet_their_law(void **state) {
  (void)state;
  limpet_body_relax *const kernels[] = {limpet_body_relax_baseline, limpet_body_relax_here()};
  int pushing = 0;
  for (int trial = 0; trial < TRIALS; ++trial) {
    single one;
    draw(&one, 1 + trial % 2);
    for (int k = 0; k < 2; ++k) pushing += relax_meets_the_law(kernels[k], &one);
  }
  assert_true(pushing > TRIALS / 2 && pushing < 2 * TRIALS - TRIALS / 10);
}

// A contact that is open, and stays so, moves nothing.
static void open_contacts_stay(void **state) {
  (void)state;
  for (int trial = 0; trial < 100; ++trial) {
    single one;
    draw(&one, 2);
    one.contact.law.force = -1e9 * one.contact.law.give;
    for (int e = 0; e < 3; ++e) one.x[e] = 0.0;
    double x[3] = {0.0}, v[SIZE];
    memcpy(v, one.v, sizeof v);
    assert_true(limpet_body_relax_here()(&one.contact, one.constants.friction, x, v) == 0.0);
    assert_memory_equal(v, one.v, sizeof v);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(contacts_meet_their_law),
                                     cmocka_unit_test(open_contacts_stay)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
