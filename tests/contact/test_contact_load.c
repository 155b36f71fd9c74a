/* tests/contact/test_contact_load.c: loads of contacts of random worlds against their definition:
 * what a contact carries hangs on it where taking out one body cuts it off from the ground. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contact/load.h"
#include "limpet/limpet.h"

enum { WORLDS = 400, BODIES = 9, PATCHES = 12, HEAP = 16 };

static unsigned long seed = 3;

static double uniform(double lower, double upper) {
  seed = (seed * 1103515245UL + 12345UL) & 0x7fffffffUL;
  return lower + (upper - lower) * (double)seed / 0x7fffffff;
}

typedef struct load_world {
  limpet_model *model;
  int bodies, patches, ends[2 * (HEAP + 2 + BODIES)], edges;  // 0: the world; of bodies from 1 on
  double mass[BODIES + 1];
} load_world;

// Free bodies, and some on slides; the world's body has the number 0.
static load_world random_world(int patches, double slides) {
  load_world w = {.bodies = 1 + (int)uniform(0.0, BODIES - 0.001),
                  .patches = (int)uniform(0.0, patches + 0.999)};
  limpet_builder *builder = limpet_builder_create();
  bool fixed[BODIES + 1] = {false};
  for (int i = 1; i <= w.bodies; ++i) {
    limpet_body_description body = limpet_body_description_default();
    limpet_joint_description joint = limpet_joint_description_default();
    fixed[i] = uniform(0.0, 1.0) < slides;
    joint.kind = fixed[i] ? LIMPET_JOINT_PRISMATIC : LIMPET_JOINT_FREE;
    joint.body = limpet_builder_add_body(builder, &body);
    limpet_builder_add_joint(builder, &joint);
    limpet_geom_description geom = limpet_geom_description_default();
    geom.body = joint.body;
    geom.size[0] = 0.1;
    geom.mass = w.mass[i] = uniform(0.1, 10.0);
    limpet_builder_add_geom(builder, &geom);
  }
  limpet_error error;
  w.model = limpet_builder_compile(builder, &error);
  limpet_builder_destroy(builder);
  assert_non_null(w.model);
  const double ground = uniform(0.0, 0.6);
  for (int p = 0; p < w.patches; ++p) {
    w.ends[2 * p] = 1 + (int)uniform(0.0, w.bodies - 0.001);
    w.ends[2 * p + 1] = uniform(0.0, 1.0) < ground ? 0 : 1 + (int)uniform(0.0, w.bodies - 0.001);
  }
  w.edges = w.patches;
  for (int i = 1; i <= w.bodies; ++i)
    if (fixed[i]) w.ends[2 * w.edges] = i, w.ends[2 * w.edges++ + 1] = 0;
  return w;
}

// Marks what hangs together with a body where `out` is taken away.
static void mark(const load_world *w, int body, int out, bool *marked) {
  marked[body] = true;
  for (int e = 0; e < w->edges; ++e)
    for (int side = 0; side < 2; ++side) {
      const int other = w->ends[2 * e + 1 - side];
      if (w->ends[2 * e + side] == body && other != out && !marked[other])
        mark(w, other, out, marked);
    }
}

// The ground of what hangs together with a body.
static int ground_of(const load_world *w, int body) {
  bool marked[BODIES + 1] = {false};
  mark(w, body, -1, marked);
  if (marked[0]) return 0;
  int best = body;
  for (int i = 1; i <= w->bodies; ++i)
    if (marked[i] && w->mass[i] > w->mass[best]) best = i;
  return best;
}

// The least mass that a body cuts off from the ground together with the patch, over the patches
// that it has with that body.
static double load_of(const load_world *w, int patch) {
  const int *end = w->ends + 2 * patch, ground = ground_of(w, end[0]);
  double least = 1e9, share = 0.0;
  if (end[0] == end[1]) return 0.0;
  for (int out = 0; out <= w->bodies; ++out)
    for (int side = 0; side < 2; ++side) {
      bool marked[BODIES + 1] = {false};
      if (end[side] == out) continue;
      mark(w, end[side], out, marked);
      if (marked[ground] && ground != out) continue;
      if (!marked[end[1 - side]] && end[1 - side] != out) continue;
      double sum = 0.0;
      for (int i = 1; i <= w->bodies; ++i) sum += marked[i] ? w->mass[i] : 0.0;
      if (!(sum < least)) continue;
      least = sum;
      int ways = 0;
      for (int p = 0; p < w->patches; ++p) {
        const int *e = w->ends + 2 * p;
        ways += (e[0] == out && marked[e[1]]) || (e[1] == out && marked[e[0]]);
      }
      share = least / (ways > 1 ? ways : 1);
    }
  return share;
}

// Fills load (patches of the world) [kg].
static void find_loads(const load_world *w, double *load) {
  limpet_arena arena;
  assert_int_equal(limpet_arena_create(&arena, 1 << 20), LIMPET_OK);
  limpet_block block[BODIES];
  memset(block, 0, sizeof block);
  const limpet_contact_problem problem = {.block = block, .block_count = w->bodies};
  const limpet_contact_records records = {0};
  const limpet_patch_grouping grouping = {.patch_count = w->patches, .unit = (int *)w->ends};
  limpet_contact_load found;
  limpet_contact_load_begin(w->model, &problem, &records, &grouping, &found);
  assert_int_equal(limpet_contact_load_find(w->model, &arena, &found), LIMPET_OK);
  memcpy(load, found.of, (size_t)w->patches * sizeof *load);
  limpet_arena_destroy(&arena);
}

static void loads_are_what_is_cut_off(void **state) {
  (void)state;
  int checked = 0;
  for (int k = 0; k < WORLDS; ++k) {
    load_world w = random_world(PATCHES, 0.15);
    double load[PATCHES];
    find_loads(&w, load);
    for (int p = 0; p < w.patches && w.edges <= HEAP; ++p, ++checked) {
      const double expected = load_of(&w, p);
      if (!(load[p] > expected - 1e-9 && load[p] < expected + 1e-9))
        fail_msg("world %d, patch %d: %g kg, not %g kg", k, p, load[p], expected);
    }
    limpet_model_destroy(w.model);
  }
  printf("%d loads\n", checked);
  assert_true(checked > 5 * WORLDS);
}

// Two bodies with more patches than a part has that is no heap, and one that lies on them.
static void heaps_have_no_load(void **state) {
  (void)state;
  for (int ways = HEAP - 1; ways <= HEAP + 1; ++ways) {
    load_world w = random_world(0, 0.0);
    while (w.bodies < 3) {
      limpet_model_destroy(w.model);
      w = random_world(0, 0.0);
    }
    double load[HEAP + 2];
    w.patches = w.edges = ways + 1;
    for (int p = 0; p < ways; ++p) w.ends[2 * p] = 1, w.ends[2 * p + 1] = p == 0 ? 0 : 2;
    w.ends[2] = 2, w.ends[3] = 0;
    w.ends[2 * ways] = 3, w.ends[2 * ways + 1] = 2;
    find_loads(&w, load);
    if (ways > HEAP) assert_true(load[0] == 0.0 && load[ways - 1] == 0.0);
    else assert_true(fabs(load[0] - 0.5 * (w.mass[1] + w.mass[2] + w.mass[3])) < 1e-9);
    assert_true(fabs(load[ways] - w.mass[3]) < 1e-9);
    limpet_model_destroy(w.model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(loads_are_what_is_cut_off),
                                     cmocka_unit_test(heaps_have_no_load)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
