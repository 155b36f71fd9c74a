// tests/solve/test_patch_rows.c: an island whose patches have six rows of J, or rows of contacts,
// beside each other: speeds and impulses are those by patches, to round-off.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "mjcf_world.h"
#include "shared_data.h"
#include "solve/island.h"
#include "solve/island_jacobian.h"
#include "step/prepared.h"

enum { CONTACTS = 64, MOST = 3 * CONTACTS, TRIALS = 20 };

// A foot of `boxes` boxes at the end of a chain, and two balls on a branch of it, with torsion.
static mjcf_world standing(int boxes) {
  static char text[4096];
  int n = snprintf(text, sizeof text,
                   "<mujoco><option timestep='0.002'/><worldbody>"
                   "<geom type='plane' size='5 5 1' condim='4'/><body pos='0 0 .5'>"
                   "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"
                   "<joint type='slide' axis='0 0 1'/><joint axis='1 0 0'/><joint axis='0 1 0'/>"
                   "<geom type='sphere' size='.05'/><body pos='.3 0 0'><joint axis='0 1 0'/>"
                   "<geom type='sphere' size='.05' pos='0 .1 -.451'/>"
                   "<geom type='sphere' size='.05' pos='0 -.1 -.451'/></body>"
                   "<body><joint axis='0 0 1'/><joint axis='1 0 0'/>");
  for (int i = 0; i < boxes; ++i)
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "<geom type='box' size='.02 .02 .02' pos='%g 0 -.481' condim='4'/>",
                  0.05 * (i - 2));
  snprintf(text + n, sizeof text - (size_t)n, "</body></body></worldbody></mujoco>");
  return mjcf_world_of(text, "coulomb");
}

static void compare(const limpet_island_solver *s, unsigned long *seed) {
  double x[CONTACTS], contact[2][MOST], row[2][MOST], impulse[2][MOST];
  const int n = s->n, m = 3 * s->island->contact_count, r = s->island->row_count;
  assert_true(n <= CONTACTS && m <= MOST && r <= MOST);
  for (int i = 0; i < n; ++i) x[i] = random_uniform(seed, -1.0, 1.0);
  limpet_island_speeds(s->problem, s->island, x, contact[0], row[0]);
  limpet_island_solver_speeds(s, x, contact[1], row[1]);
  for (int i = 0; i < m; ++i) assert_true(fabs(contact[1][i] - contact[0][i]) < 1e-13 * n);
  for (int i = 0; i < m; ++i) contact[0][i] = random_uniform(seed, -1.0, 1.0);
  limpet_island_impulse(s->problem, s->island, contact[0], row[0], impulse[0]);
  limpet_island_solver_impulse(s, contact[0], row[0], impulse[1]);
  for (int i = 0; i < n; ++i) assert_true(fabs(impulse[1][i] - impulse[0][i]) < 1e-13 * m);
}

// Patches of the island that have six rows, of `boxes` boxes with four contacts each.
static int six_rows(int boxes) {
  mjcf_world w = standing(boxes);
  limpet_arena arena;
  assert_int_equal(limpet_arena_create(&arena, 1 << 16), 0);
  limpet_step_prepared prepared;
  assert_int_equal(limpet_step_prepare(w.model, w.data, &w.settings, 2e-3, &prepared),
                   LIMPET_OUTCOME_SOLVED);
  limpet_island_solver s;
  assert_int_equal(limpet_island_solver_create(&s, &prepared.work->problem, 0, 60, &arena),
                   LIMPET_OK);
  assert_true(s.J && s.island->patch_count == 2 && s.island->spin_count > 0);
  unsigned long seed = 3;
  for (int k = 0; k < TRIALS; ++k) compare(&s, &seed);
  int by_columns = 0;
  for (int i = 0; i < s.island->patch_count; ++i) by_columns += s.patch_rows[i].by_columns;
  limpet_arena_destroy(&arena);
  mjcf_world_destroy(&w);
  return by_columns;
}

static void products_agree_with_those_by_patches(void **state) {
  (void)state;
  assert_int_equal(six_rows(1), 0);
  assert_int_equal(six_rows(5), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(products_agree_with_those_by_patches)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
