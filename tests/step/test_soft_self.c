/* tests/step/test_soft_self.c: a body that meets itself does not pass through itself: sheets that
 * fall on their edge and fold, and rings that a heavy plate crushes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "crossing_scenes.h"
#include "effort.h"
#include "random_models.h"
#include "soft_crossing.h"

/* Shares of the longest edge at rest. Edges of solids that hardly turn leave contact to their ends:
 * a crushed wall is inside by a little. */
static const double through_ring = 0.01;    // [-]  edges do not stick farther through a face
static const double through_folded = 0.06;  // [-]  nor of rings whose elements invert
static const double deepest = 0.15;         // [-]  contacts of a body with itself are not deeper
// [-]  of the energy at the start, that a step of rings may gain; in all they gain nothing
static const double gained = 1e-3;

typedef struct self_result {
  double through, deep, edge;  // [m]
  double energy, first;        // [J]  most and first of all bodies; 0 without settings.energy
  double gain;                 // [J]  of the step that gains most
  int inverted, unsolved, met;
} self_result;

static self_result run(mjcf_world *w, double time) {
  self_result r = {.edge = soft_longest_edge(w, 0)};
  const int steps = (int)(time / w->settings.time_step);
  double before = 0.0;
  for (int i = 0; i < steps; ++i) {
    r.unsolved += limpet_step(w->model, w->data, &w->settings) != LIMPET_OUTCOME_SOLVED;
    r.inverted += w->data->deformable_inverted[0] > 0;
    const double energy = w->data->info.kinetic_energy + w->data->info.potential_energy;
    if (i == 0) r.first = before = energy;
    r.gain = fmax(r.gain, energy - before);
    before = energy;
    r.energy = fmax(r.energy, energy);
    bool meets = false;
    for (int k = 0; k < w->data->contact_count; ++k) {
      if (w->data->contact_geom[2 * k] != w->data->contact_geom[2 * k + 1]) continue;
      r.deep = fmax(r.deep, -w->data->contact_distance[k]);
      meets = meets || w->data->contact_force[3 * k + 2] > 0.0;
    }
    r.met += meets;
    r.through = fmax(r.through, soft_crossing(w));
  }
  return r;
}

static void sheets_fold_on_themselves(void **state) {
  (void)state;
  unsigned long seed = 151;
  static crossing_scene s;
  // where less runs, one that meets itself in few steps
  const int first = test_effort(0, 3), end = test_effort(12, 4), sheets = end - first;
  int met = 0, unsolved = 0;
  for (int i = 0; i < end; ++i) {
    const double cell = random_log(&seed, .005, .03), speed = random_log(&seed, .1, 5.0),
                 dt = random_log(&seed, 1e-3, 1e-2);
    crossing_sheet(&seed, dt, speed, cell, &s);
    if (i < first) continue;
    mjcf_world w = crossing_world(&s, NULL);
    const self_result r = run(&w, 0.4);
    mjcf_world_destroy(&w);
    if (r.through > 0.0)
      fail_msg("sheet %d (cells of %g m, %g m/s, steps of %g s): %g m through itself", i, cell,
               speed, dt, r.through);
    met += r.met > 0;
    unsolved += r.unsolved;
  }
  if (2 * met < sheets) fail_msg("only %d sheets met themselves", met);
  assert_int_equal(unsolved, 0);
}

// A surface of elements that are inside out is folded already.
static void rings_are_crushed(void **state) {
  (void)state;
  unsigned long seed = 152;
  static crossing_scene s;
  // where less runs, one that is crushed flat and one that stays whole, both in few steps
  const int first = test_effort(3, 5), end = 7, rings = end - first;
  const double time = TEST_WATCHED ? 0.25 : 0.4;  // [s]
  int met = 0, whole = 0;
  double unsolved = 0.0, steps = 0.0;
  for (int i = 0; i < end; ++i) {
    const double speed = random_log(&seed, .1, 3.0), dt = random_log(&seed, 1e-3, 8e-3);
    crossing_ring(&seed, dt, speed, &s);
    if (i < first) continue;
    mjcf_world w = crossing_world(&s, NULL);
    w.settings.energy = true;  // counts inverted elements
    const self_result r = run(&w, time);
    mjcf_world_destroy(&w);
    met += r.met > 0;
    unsolved += r.unsolved, steps += time / dt;
    if (!(r.through < through_folded * r.edge))
      fail_msg("ring %d (%g m/s, steps of %g s): %g m through itself", i, speed, dt, r.through);
    if (!(r.energy <= r.first))
      fail_msg("ring %d (%g m/s, steps of %g s): %g J of %g J", i, speed, dt, r.energy, r.first);
    if (!(r.gain <= gained * r.first))
      fail_msg("ring %d (%g m/s, steps of %g s): gains %g J of %g J", i, speed, dt, r.gain,
               r.first);
    if (r.inverted) continue;
    ++whole;
    if (!(r.through < through_ring * r.edge))
      fail_msg("ring %d (%g m/s, steps of %g s): %g m through itself", i, speed, dt, r.through);
    if (!(r.deep < deepest * r.edge))
      fail_msg("ring %d (%g m/s, steps of %g s): a contact %g m deep", i, speed, dt, r.deep);
  }
  print_message("crushed rings: %g of %.0f steps unsolved\n", unsolved, steps);
  if (unsolved > 0.05 * steps) fail_msg("%g of %.0f steps unsolved", unsolved, steps);
  if (3 * met < rings) fail_msg("only %d rings met themselves", met);
  if (4 * whole < rings) fail_msg("only %d rings stayed whole", whole);
}

/* A ring that is crushed flat: the matrix of its elements, some of them inside out, has to be
 * projected in every round, and a round leaves three quarters of the residual. Where rounds were
 * not combined 9 of these steps stayed unsolved. */
static void inverted_rings_are_solved(void **state) {
  (void)state;
  unsigned long seed = 152;
  static crossing_scene s;
  for (int i = 0; i < 10; ++i) {
    const double speed = random_log(&seed, .1, 3.0), dt = random_log(&seed, 1e-3, 8e-3);
    crossing_ring(&seed, dt, speed, &s);
  }
  mjcf_world w = crossing_world(&s, NULL);
  const int steps = test_effort(90, 66);
  int unsolved = 0, rounds = 0, inverted = 0;
  w.settings.energy = true;
  for (int i = 0; i < steps; ++i) {
    unsolved += limpet_step(w.model, w.data, &w.settings) != LIMPET_OUTCOME_SOLVED;
    rounds += w.data->info.elastic_rounds;
    inverted += w.data->deformable_inverted[0] > 0;
  }
  mjcf_world_destroy(&w);
  print_message("a flat ring: %d rounds of %d steps, %d with inverted elements\n", rounds, steps,
                inverted);
  assert_int_equal(unsolved, 0);
  assert_true(inverted > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sheets_fold_on_themselves),
                                     cmocka_unit_test(rings_are_crushed),
                                     cmocka_unit_test(inverted_rings_are_solved)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
