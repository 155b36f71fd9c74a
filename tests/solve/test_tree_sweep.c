/* tests/solve/test_tree_sweep.c: the kernels for contacts and scalar rows of trees do what their
 * laws say, for trees of any size, alone and beside another one whose velocities follow at once:
 * the normal impulse is that of the contact alone, friction sticks or is at its bound against the
 * slip, rows are within bounds, and velocities follow the impulses. For every instruction set. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shared_data.h"
#include "solve/tree_sweep.h"
#include "sweep_laws.h"

// velocities at most, of both trees; room for padding; three unknowns
enum { MOST = 48, SIZE = 2 * MOST + 3, E = 3, TRIALS = 4000 };

static unsigned long seed = 12;

static double uniform(double low, double high) { return random_uniform(&seed, low, high); }
static double log_uniform(double low, double high) { return random_log_uniform(&seed, low, high); }

static const limpet_tree_sweep_kernels *const kernels[] = {&limpet_tree_sweep_baseline, NULL};

static const limpet_tree_sweep_kernels *kernels_at(int k) {
  return kernels[k] ? kernels[k] : limpet_tree_sweep_here();
}

// J and Y of an island of `size` velocities, row by row, and the same as kernels take them.
typedef struct island {
  int size;
  double J[E][SIZE], Y[E][SIZE], v[SIZE];
  limpet_tree_side side[2];
  double numbers[2][2 * E * (MOST + 3)];
} island;

static double *lay(int unknowns, double rows[E][SIZE], int from, int count, double *to) {
  for (int i = 0; i < count; i += 4)
    for (int e = 0; e < unknowns; ++e)
      for (int k = 0; k < 4; ++k) *to++ = i + k < count ? rows[e][from + i + k] : 0.0;
  return to;
}

// Trees one after the other; J of each acts on some velocities in a row.
static void draw_island(island *of, int unknowns, int sides) {
  *of = (island){.size = 0};
  for (int s = 0; s < sides; ++s) {
    const int count = 1 + (int)uniform(0.0, MOST - 1e-9), first = of->size;
    const int from = (int)uniform(0.0, count - 1e-9),
              width = 1 + (int)uniform(0.0, count - from - 1e-9);
    const double inverse = log_uniform(1e-2, 1e2);
    for (int e = 0; e < unknowns; ++e)
      for (int i = 0; i < count; ++i) {
        const bool acts = i >= from && i < from + width;
        if (acts) of->J[e][first + i] = uniform(-1.0, 1.0);
        of->Y[e][first + i] = inverse * (of->J[e][first + i] + 0.1 * uniform(-1.0, 1.0));
      }
    of->side[s] = (limpet_tree_side){first + from,    (width + 3) / 4, first,
                                     (count + 3) / 4, of->numbers[s],  NULL};
    of->side[s].Y = lay(unknowns, of->J, first + from, width, of->numbers[s]);
    lay(unknowns, of->Y, first, count, of->numbers[s] + (of->side[s].Y - of->numbers[s]));
    of->size += count;
  }
  for (int i = 0; i < of->size; ++i) of->v[i] = uniform(-1.0, 1.0);
}

static double product(const island *of, const double *a, const double *b) {
  double sum = 0.0;
  for (int i = 0; i < of->size; ++i) sum += a[i] * b[i];
  return sum;
}

// Whether v is what the changes dx make of the island's; what is beyond is zero.
static void velocities_follow(const island *of, int unknowns, const double *dx, const double *v) {
  for (int i = 0; i < SIZE; ++i) {
    double expected = of->v[i], size = fabs(of->v[i]);
    for (int e = 0; e < unknowns; ++e)
      expected += of->Y[e][i] * dx[e], size += fabs(of->Y[e][i] * dx[e]);
    assert_true(fabs(v[i] - expected) <= 1e-14 * size);
  }
}

// ----------------------------------------------------------------------------------- contacts

typedef struct single {
  island island;
  limpet_contact_constants constants;
  limpet_tree_contact contact;
  double x[E];
} single;

static void draw_contact(single *one, int sides) {
  island *of = &one->island;
  draw_island(of, E, sides);
  one->contact = (limpet_tree_contact){.sides = sides, .side = of->side, .has_law = true};
  limpet_sweep_law *c = &one->contact.law;
  for (int e = 0; e < E; ++e) c->bias[e] = uniform(-0.1, 0.1);
  for (int e = 0; e < E; ++e) c->w[e] = fabs(product(of, of->J[e], of->Y[e])) + 1e-3;
  for (int e = 0; e < 2; ++e) c->slant[e] = product(of, of->J[e], of->Y[2]);
  sweep_law_draw(c, &one->constants, &seed);
  for (int e = 0; e < E; ++e) one->x[e] = uniform(-1.0, 1.0) / c->w[e];
  one->x[2] = fabs(one->x[2]);
}

// By how much the impulses x miss the law, over what they are made of.
static double missed(const single *one, const double *x) {
  const limpet_sweep_law *law = &one->contact.law;
  const double *w = law->w, *old = one->x;
  double u[E], sizes[E];
  for (int e = 0; e < E; ++e) {
    u[e] = law->bias[e] + product(&one->island, one->island.J[e], one->island.v);
    sizes[e] = fabs(law->bias[e]) + w[e] * fabs(old[e]);
    for (int i = 0; i < one->island.size; ++i)
      sizes[e] += fabs(one->island.J[e][i] * one->island.v[i]);
  }
  return sweep_law_missed(law, &one->constants, u, sizes, old, x);
}

static bool relax_meets_the_law(const limpet_tree_sweep_kernels *k, const single *one) {
  double x[E], v[SIZE], dx[E], moved = 0.0;
  memcpy(x, one->x, sizeof x), memcpy(v, one->island.v, sizeof v);
  const double told = k->relax(&one->contact, one->constants.friction, x, v);
  assert_true(missed(one, x) <= 1e-11);
  assert_true(x[2] >= 0.0);
  for (int e = 0; e < E; ++e) {
    dx[e] = x[e] - one->x[e];
    moved += one->contact.law.w[e] * dx[e] * dx[e];
  }
  assert_true(fabs(told - moved) <= 1e-9 * moved);
  // x rounds the changes
  for (int i = 0; i < SIZE; ++i) {
    double expected = one->island.v[i], size = fabs(expected);
    for (int e = 0; e < E; ++e) {
      const double y = one->island.Y[e][i];
      expected += y * dx[e], size += fabs(y) * (fabs(dx[e]) + fabs(one->x[e]));
    }
    assert_true(fabs(v[i] - expected) <= 1e-14 * size);
  }
  return x[2] > 0.0;
}

static void contacts_meet_their_law(void **state) {
  (void)state;
  int pushing = 0;
  for (int trial = 0; trial < TRIALS; ++trial) {
    single one;
    draw_contact(&one, 1 + trial % 2);
    for (int k = 0; k < 2; ++k) pushing += relax_meets_the_law(kernels_at(k), &one);
  }
  assert_true(pushing > TRIALS / 2 && pushing < 2 * TRIALS - TRIALS / 10);
}

// A contact that is open, and stays so, moves nothing.
static void open_contacts_stay(void **state) {
  (void)state;
  for (int trial = 0; trial < 100; ++trial) {
    single one;
    draw_contact(&one, 2);
    one.contact.law.force = -1e9 * one.contact.law.give;
    double x[E] = {0.0}, v[SIZE];
    memcpy(v, one.island.v, sizeof v);
    assert_true(kernels_at(trial % 2)->relax(&one.contact, one.constants.friction, x, v) == 0.0);
    assert_memory_equal(v, one.island.v, sizeof v);
  }
}

// --------------------------------------------------------------------------------------- rows

// Returns whether the row ends within its bounds.
static bool row_meets_its_law(const limpet_tree_sweep_kernels *k, int sides) {
  island of;
  draw_island(&of, 1, sides);
  const double w = fabs(product(&of, of.J[0], of.Y[0])), R = w * log_uniform(1e-6, 1e2) + 1e-9;
  const double most = log_uniform(1e-2, 1e2) / (w + R), old = most * uniform(-1.0, 1.0);
  limpet_tree_row row = {.alone = -1,
                         .sides = sides,
                         .side = of.side,
                         .wanted = uniform(-1.0, 1.0),
                         .R = R,
                         .share = 1.0 / (R + w),
                         .w = w,
                         .lower = -most,
                         .upper = uniform(0.0, 1.0) < 0.3 ? INFINITY : most};
  // one velocity alone, in the way of its own
  int acts = 0;
  for (int i = 0; i < of.size; ++i) acts += of.J[0][i] != 0.0;
  if (acts == 1) row.alone = of.side[0].from, row.value = of.J[0][of.side[0].from];

  const double u = product(&of, of.J[0], of.v);
  const double y = old + (row.wanted - u - R * old) / (R + w);
  const double expected = fmax(row.lower, fmin(row.upper, y));
  double x[1] = {old}, v[SIZE], size = fabs(old) + most * (expected == y ? 0.0 : 1.0);
  for (int i = 0; i < of.size; ++i) size += fabs(of.J[0][i] * of.v[i]) / (R + w);
  size += fabs(row.wanted) / (R + w);
  memcpy(v, of.v, sizeof v);
  const double moved = k->relax_rows(1, &row, x, v), dx = x[0] - old;
  assert_true(fabs(x[0] - expected) <= 1e-13 * size);
  assert_true(x[0] >= row.lower && x[0] <= row.upper);
  assert_true(fabs(moved - w * dx * dx) <= 1e-12 * moved);
  velocities_follow(&of, 1, &dx, v);

  // f += J' x
  double f[SIZE];
  memcpy(f, of.v, sizeof f);
  k->push_rows(1, &row, x, f);
  for (int i = 0; i < SIZE; ++i)
    assert_true(fabs(f[i] - of.v[i] - of.J[0][i] * x[0]) <=
                1e-14 * (fabs(of.v[i]) + fabs(of.J[0][i] * x[0])));
  return x[0] > row.lower && x[0] < row.upper;
}

static void rows_meet_their_law(void **state) {
  (void)state;
  int within = 0;
  for (int trial = 0; trial < TRIALS; ++trial)
    within += row_meets_its_law(kernels_at(trial % 2), 1 + trial / 2 % 2);
  assert_true(within > TRIALS / 10 && within < TRIALS - TRIALS / 10);
}

// Rows in a row are the same as one after the other, alone or with numbers of a side.
static void rows_follow_each_other(void **state) {
  (void)state;
  enum { ROWS = 7 };
  for (int trial = 0; trial < 100; ++trial) {
    const limpet_tree_sweep_kernels *k = kernels_at(trial % 2);
    island of;
    draw_island(&of, 1, 1);
    limpet_tree_row row[ROWS];
    double single_J[ROWS][4] = {{0.0}}, x[2][ROWS], v[2][SIZE];
    limpet_tree_side side[ROWS];
    for (int r = 0; r < ROWS; ++r) {
      const int at = (int)uniform(0.0, of.size - 1e-9);
      single_J[r][0] = uniform(0.5, 2.0);
      side[r] = of.side[0];
      side[r].from = at, side[r].J_groups = 1, side[r].J = single_J[r];
      row[r] = (limpet_tree_row){at,  single_J[r][0], 1,  &side[r], uniform(-1.0, 1.0), 0.1, 0.5,
                                 1.9, -0.3,           0.2};
      x[0][r] = x[1][r] = uniform(-0.2, 0.2);
    }
    for (int s = 0; s < 2; ++s) memcpy(v[s], of.v, sizeof of.v);
    k->relax_rows(ROWS, row, x[0], v[0]);
    for (int r = 0; r < ROWS; ++r) {
      row[r].alone = -1;
      k->relax_rows(1, &row[r], &x[1][r], v[1]);
    }
    for (int r = 0; r < ROWS; ++r) assert_true(fabs(x[0][r] - x[1][r]) <= 1e-12);
  }
}

// ----------------------------------------------------------------------------- impulses, sums

static void impulses_and_squares(void **state) {
  (void)state;
  for (int trial = 0; trial < 1000; ++trial) {
    const limpet_tree_sweep_kernels *k = kernels_at(trial % 2);
    single one;
    draw_contact(&one, 1 + trial / 2 % 2);
    double f[SIZE] = {0.0};
    k->push(&one.contact, one.x, f);
    for (int i = 0; i < SIZE; ++i) {
      double sum = 0.0, size = 0.0;
      for (int e = 0; e < E; ++e)
        sum += one.island.J[e][i] * one.x[e], size += fabs(one.island.J[e][i] * one.x[e]);
      assert_true(fabs(f[i] - sum) <= 1e-14 * size);
    }
    double sum = 0.0;
    for (int i = 0; i < one.island.size; ++i)
      sum += fabs(one.island.Y[0][i]) * one.island.v[i] * one.island.v[i];
    double w[SIZE];
    for (int i = 0; i < SIZE; ++i) w[i] = fabs(one.island.Y[0][i]);
    assert_true(fabs(k->square(one.island.size, w, one.island.v) - sum) <= 1e-13 * sum);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contacts_meet_their_law), cmocka_unit_test(open_contacts_stay),
      cmocka_unit_test(rows_meet_their_law), cmocka_unit_test(rows_follow_each_other),
      cmocka_unit_test(impulses_and_squares)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
