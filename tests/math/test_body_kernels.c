// tests/math/test_body_kernels.c: the dense kernels for bodies of six velocities agree with loops,
// for every instruction set of this machine.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "math/dense_table.h"
#include "shared_data.h"

enum { CONTACTS = 7, SIDES = 2, BODY = 6, STRIDE = 9, GUARD = 2, TRIALS = 300 };

typedef struct patch {
  int count, sides;
  double J[CONTACTS * SIDES * 3 * BODY], gamma[3 * CONTACTS], G[6 * CONTACTS];
  double v[SIDES][BODY + GUARD];
} patch;

static void draw(double *x, int count, unsigned long *seed) {
  for (int i = 0; i < count; ++i) x[i] = random_uniform(seed, -1.0, 1.0);
}

static patch draw_patch(int trial, unsigned long *seed) {
  patch p = {.count = trial % (CONTACTS + 1), .sides = 1 + trial % SIDES};
  draw(p.J, CONTACTS * SIDES * 3 * BODY, seed);
  draw(p.gamma, 3 * CONTACTS, seed);
  draw(p.G, 6 * CONTACTS, seed);
  for (int s = 0; s < SIDES; ++s) draw(p.v[s], BODY + GUARD, seed);
  // a contact that is open adds nothing
  if (trial % 5 == 0) memset(p.G, 0, 6 * sizeof *p.G);
  return p;
}

static double entry(const patch *p, int contact, int side, int e, int i) {
  return p->J[((contact * p->sides + side) * 3 + e) * BODY + i];
}

static void expect_near(double a, double b) {
  if (!(fabs(a - b) <= 1e-13)) fail_msg("%.17g is not %.17g", a, b);
}

static void speeds_agree(const limpet_dense_table *table, const patch *p) {
  double u[3 * CONTACTS + 1];
  u[3 * p->count] = 7.0;
  table->body_speeds(p->count, p->sides, p->J, (const double *const[]){p->v[0], p->v[1]}, u);
  for (int c = 0; c < p->count; ++c)
    for (int e = 0; e < 3; ++e) {
      double sum = 0.0;
      for (int s = 0; s < p->sides; ++s)
        for (int i = 0; i < BODY; ++i) sum += entry(p, c, s, e, i) * p->v[s][i];
      expect_near(u[3 * c + e], sum);
    }
  assert_true(u[3 * p->count] == 7.0);
}

static void pushes_agree(const limpet_dense_table *table, const patch *p) {
  double f[SIDES][BODY + GUARD];
  memcpy(f, p->v, sizeof f);
  table->body_push(p->count, p->sides, p->J, p->gamma, (double *const[]){f[0], f[1]});
  for (int s = 0; s < SIDES; ++s)
    for (int i = 0; i < BODY + GUARD; ++i) {
      double sum = p->v[s][i];
      for (int c = 0; c < p->count && s < p->sides && i < BODY; ++c)
        for (int e = 0; e < 3; ++e) sum += entry(p, c, s, e, i) * p->gamma[3 * c + e];
      expect_near(f[s][i], sum);
    }
}

// Contacts of one side alone are rows that one body has.
static void contacts_agree(const limpet_dense_table *table, const patch *p) {
  double u[3 * CONTACTS + 1], F[BODY + 1];
  u[3 * p->count] = F[BODY] = 7.0;
  table->contact_speeds(p->count, p->J, p->v[0], u);
  table->contact_push(p->count, p->J, p->gamma, F);
  for (int r = 0; r < 3 * p->count; ++r) {
    double sum = 0.0;
    for (int i = 0; i < BODY; ++i) sum += p->J[BODY * r + i] * p->v[0][i];
    expect_near(u[r], sum);
  }
  for (int i = 0; i < BODY; ++i) {
    double sum = 0.0;
    for (int r = 0; r < 3 * p->count; ++r) sum += p->J[BODY * r + i] * p->gamma[r];
    expect_near(F[i], sum);
  }
  assert_true(u[3 * p->count] == 7.0 && F[BODY] == 7.0);
}

// J_a' G J_b at (i, j) of all contacts.
static double stiffness(const patch *p, int a, int b, int i, int j) {
  static const int place[3][3] = {{0, 1, 3}, {1, 2, 4}, {3, 4, 5}};
  double sum = 0.0;
  for (int c = 0; c < p->count; ++c)
    for (int e = 0; e < 3; ++e)
      for (int f = 0; f < 3; ++f)
        sum += entry(p, c, a, e, i) * p->G[6 * c + place[e][f]] * entry(p, c, b, f, j);
  return sum;
}

static void stiffnesses_agree(const limpet_dense_table *table, const patch *p, int r) {
  double H[3][BODY * STRIDE];
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < BODY * STRIDE; ++i) H[k][i] = k + 1;
  table->body_stiffness(p->count, p->sides, r, p->J, p->G, (double *const[]){H[0], H[1], H[2]},
                        (const int[]){STRIDE, STRIDE, STRIDE});
  const int rows[3] = {0, r, 1}, columns[3] = {0, 1 - r, 1};
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < BODY; ++i)
      for (int j = 0; j < STRIDE; ++j) {
        const bool changes = j < BODY && (k == 0 || p->sides == 2);
        expect_near(H[k][i * STRIDE + j],
                    k + 1 + (changes ? stiffness(p, rows[k], columns[k], i, j) : 0.0));
      }
}

static void kernels_agree_with_loops(void **state) {
  (void)state;
  const limpet_dense_table *tables[] = {&limpet_dense_baseline, limpet_dense()};
  unsigned long seed = 5;
  for (int trial = 0; trial < TRIALS; ++trial) {
    const patch p = draw_patch(trial, &seed);
    for (int t = 0; t < 2; ++t) {
      speeds_agree(tables[t], &p);
      pushes_agree(tables[t], &p);
      contacts_agree(tables[t], &p);
      for (int r = 0; r < p.sides; ++r) stiffnesses_agree(tables[t], &p, r);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_agree_with_loops)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
