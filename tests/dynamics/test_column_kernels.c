/* tests/dynamics/test_column_kernels.c: columns of a point and sums over them are those that are
 * written out here number by number, to the bit, with every instruction set of this machine. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dynamics/column_kernels.h"
#include "math/vec3.h"
#include "shared_data.h"

enum { DRAWS = 300, MOST = 12, VELOCITIES = 3 * MOST };

typedef struct drawn {
  int parent[VELOCITIES], dof[MOST], count;
  double axis[6 * VELOCITIES], column[6 * MOST], inverse[VELOCITIES], v[3][VELOCITIES];
} drawn;

static double number_from(unsigned long *seed) {
  const double size = pow(10.0, random_uniform(seed, -6.0, 6.0));
  return random_uniform(seed, -size, size);
}

// A path that leaves velocities out, up to `count` long.
static void draw_path(unsigned long *seed, int count, drawn *d) {
  d->count = count;
  for (int i = 0; i < VELOCITIES; ++i) {
    d->parent[i] = i - 1 - (int)random_uniform(seed, 0.0, 2.999);
    d->inverse[i] = fabs(number_from(seed));
    for (int m = 0; m < 3; ++m) d->v[m][i] = number_from(seed);
  }
  for (int i = 0; i < 6 * VELOCITIES; ++i) d->axis[i] = number_from(seed);
}

static void columns_are_those_of_one(const limpet_column_kernels *kernels, unsigned long *seed,
                                     drawn *d) {
  const double sign = random_uniform(seed, -1.0, 1.0) < 0.0 ? -1.0 : 1.0;
  double lever[3], after[6 * MOST + 1];
  for (int i = 0; i < 3; ++i) lever[i] = number_from(seed);
  after[6 * d->count] = 7.0;
  kernels->columns(d->parent, d->axis, VELOCITIES - 1, d->count, lever, sign, d->dof, after);
  assert_true(after[6 * d->count] == 7.0);
  for (int k = d->count - 1, dof = VELOCITIES - 1; k >= 0; dof = d->parent[dof], --k) {
    const double *S = d->axis + 6 * dof;
    double turn[3], *to = d->column + 6 * k;
    limpet_vec3_cross(turn, S, lever);
    for (int i = 0; i < 3; ++i) to[i] = sign * S[i], to[3 + i] = sign * (S[3 + i] + turn[i]);
    assert_int_equal(d->dof[k], dof);
    assert_memory_equal(after + 6 * k, to, 6 * sizeof *to);
  }
}

static void outer_is_that_of_one(const limpet_column_kernels *kernels, unsigned long *seed,
                                 const drawn *d) {
  double D[36], sum[36];
  for (int i = 0; i < 36; ++i) D[i] = sum[i] = number_from(seed);
  for (int k = 0; k < d->count; ++k) {
    const double *S = d->column + 6 * k, factor = d->inverse[d->dof[k]];
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j <= i; ++j) sum[6 * i + j] += factor * S[i] * S[j];
  }
  kernels->add_outer(d->count, d->column, d->inverse, d->dof, D);
  for (int i = 0; i < 6; ++i)
    assert_memory_equal(D + 6 * i, sum + 6 * i, (size_t)(i + 1) * sizeof *D);
}

static void motions_are_those_of_one(const limpet_column_kernels *kernels, unsigned long *seed,
                                     const drawn *d) {
  const double *const v[3] = {d->v[0], d->v[1], d->v[2]};
  for (int motions = 2; motions <= 3; ++motions) {
    double V[3][6], sum[3][6], *const to[3] = {V[0], V[1], V[2]};
    for (int m = 0; m < 3; ++m)
      for (int i = 0; i < 6; ++i) V[m][i] = sum[m][i] = number_from(seed);
    for (int m = 0; m < motions; ++m)
      for (int k = 0; k < d->count; ++k)
        for (int i = 0; i < 6; ++i) sum[m][i] += v[m][d->dof[k]] * d->column[6 * k + i];
    (motions == 3 ? kernels->add_three : kernels->add_two)(d->count, d->dof, d->column, v, to);
    assert_memory_equal(V, sum, sizeof sum);
  }
}

static void lanes_are_as_one_number(void **state) {
  (void)state;
  const limpet_column_kernels *tables[2] = {&limpet_column_kernels_baseline,
                                            limpet_column_kernels_here()};
  unsigned long seed = 11;
  for (int draw = 0; draw < DRAWS; ++draw) {
    drawn d;
    draw_path(&seed, draw % (MOST + 1), &d);
    for (int t = 0; t < 2; ++t) {
      columns_are_those_of_one(tables[t], &seed, &d);
      outer_is_that_of_one(tables[t], &seed, &d);
      motions_are_those_of_one(tables[t], &seed, &d);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_are_as_one_number)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
