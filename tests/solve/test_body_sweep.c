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
  *one = (single){.contact = {.sides = sides, .has_law = true, .first = {1, 12}}};
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
  c->friction = one->constants.friction;
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
static bool relax_meets_the_law(const limpet_body_sweep_kernels *kernels, const single *one) {
  double x[3], v[SIZE], moved = 0.0;
  memcpy(x, one->x, sizeof x), memcpy(v, one->v, sizeof v);
  const double told = kernels->relax(&one->contact, x, v);
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
  const limpet_body_sweep_kernels *const kernels[] = {&limpet_body_sweep_baseline,
                                                      limpet_body_sweep_here()};
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
    assert_true(limpet_body_sweep_here()->relax(&one.contact, x, v) == 0.0);
    assert_memory_equal(v, one.v, sizeof v);
  }
}

// A sweep is one contact after the other, in the order that is given.
static void sweeps_go_one_by_one(void **state) {
  (void)state;
  enum { CONTACTS = 3 };
  static const int order[] = {2, 0};
  const limpet_body_sweep_kernels *kernels = limpet_body_sweep_here();
  for (int trial = 0; trial < 200; ++trial) {
    single one[CONTACTS];
    limpet_body_contact contact[CONTACTS];
    double x[3 * CONTACTS], expected_x[3 * CONTACTS], v[SIZE], expected_v[SIZE],
        change[CONTACTS] = {-1.0, -1.0, -1.0}, moved = 0.0;
    for (int i = 0; i < CONTACTS; ++i) {
      draw(&one[i], 1 + (trial + i) % 2);
      contact[i] = one[i].contact;
      memcpy(x + 3 * i, one[i].x, sizeof one[i].x);
    }
    memcpy(v, one[0].v, sizeof v);
    memcpy(expected_x, x, sizeof x), memcpy(expected_v, v, sizeof v);
    for (int k = 0; k < 2; ++k)
      moved += kernels->relax(&contact[order[k]], expected_x + 3 * order[k], expected_v);
    assert_true(kernels->sweep(2, order, contact, x, v, change) == moved);
    assert_memory_equal(x, expected_x, sizeof x);
    assert_memory_equal(v, expected_v, sizeof v);
    assert_true(change[1] == -1.0 && change[0] + change[2] == moved);
  }
}

// v + sum of Y x, for every instruction set.
static void pushes_add_up(void **state) {
  (void)state;
  enum { CONTACTS = 3 };
  const limpet_body_sweep_kernels *const kernels[] = {&limpet_body_sweep_baseline,
                                                      limpet_body_sweep_here()};
  for (int trial = 0; trial < 200; ++trial) {
    single one[CONTACTS];
    limpet_body_contact contact[CONTACTS];
    double x[3 * CONTACTS], expected[SIZE], size = 1.0;
    for (int i = 0; i < CONTACTS; ++i) {
      draw(&one[i], (trial + i) % 3);
      contact[i] = one[i].contact;
      memcpy(x + 3 * i, one[i].x, sizeof one[i].x);
    }
    if (trial % 2) memset(x + 3, 0, 3 * sizeof *x);
    memcpy(expected, one[0].v, sizeof expected);
    for (int i = 0; i < CONTACTS; ++i)
      for (int s = 0; s < contact[i].sides; ++s)
        for (int k = 0; k < 3 * BODY; ++k) {
          const double step = contact[i].Y[s][k] * x[3 * i + k / BODY];
          expected[contact[i].first[s] + k % BODY] += step;
          size = fmax(size, fabs(step));
        }
    for (int k = 0; k < 2; ++k) {
      double v[SIZE];
      memcpy(v, one[0].v, sizeof v);
      kernels[k]->push(CONTACTS, contact, x, v);
      for (int i = 0; i < SIZE; ++i) assert_true(fabs(v[i] - expected[i]) <= 1e-14 * size);
    }
  }
}

/* Y = (L L')^-1 J' and W += J Y', of factors L whose diagonal and rest are of one size, for every
 * instruction set: L L' Y is J' to the round-off of L L' and Y. */
static void answers_solve(void **state) {
  (void)state;
  const limpet_body_sweep_kernels *const kernels[] = {&limpet_body_sweep_baseline,
                                                      limpet_body_sweep_here()};
  for (int trial = 0; trial < 2000; ++trial) {
    double L[BODY * BODY], inverse[BODY], J[3 * BODY], Y[3 * BODY], W[9], A[BODY * BODY] = {0.0};
    const double unit = log_uniform(1e-3, 1e3);
    for (int i = 0; i < BODY; ++i)
      for (int j = 0; j < BODY; ++j)
        L[BODY * i + j] = unit * (i == j ? uniform(1.0, 2.0) : uniform(-0.5, 0.5));
    for (int i = 0; i < BODY; ++i) inverse[i] = 1.0 / L[(BODY + 1) * i];
    for (int i = 0; i < BODY; ++i)
      for (int j = 0; j < BODY; ++j)
        for (int k = 0; k <= (i < j ? i : j); ++k)
          A[BODY * i + j] += L[BODY * i + k] * L[BODY * j + k];
    for (int i = 0; i < 3 * BODY; ++i) J[i] = uniform(-1.0, 1.0);
    for (int k = 0; k < 2; ++k) {
      for (int i = 0; i < 9; ++i) W[i] = 1.0;
      kernels[k]->answer(L, inverse, J, Y, W);
      for (int e = 0; e < 3; ++e)
        for (int i = 0; i < BODY; ++i) {
          double back = 0.0, size = 0.0;
          for (int j = 0; j < BODY; ++j) {
            back += A[BODY * i + j] * Y[BODY * e + j];
            size += fabs(A[BODY * i + j] * Y[BODY * e + j]);
          }
          assert_true(fabs(back - J[BODY * e + i]) <= 1e-12 * size);
        }
      for (int e = 0; e < 3; ++e)
        for (int f = 0; f < 3; ++f) {
          double sum = 1.0, size = 1.0;
          for (int i = 0; i < BODY; ++i) {
            sum += J[BODY * e + i] * Y[BODY * f + i];
            size += fabs(J[BODY * e + i] * Y[BODY * f + i]);
          }
          assert_true(fabs(W[3 * e + f] - sum) <= 1e-14 * size);
        }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_meet_their_law), cmocka_unit_test(open_contacts_stay),
      cmocka_unit_test(sweeps_go_one_by_one), cmocka_unit_test(pushes_add_up),
      cmocka_unit_test(answers_solve)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
