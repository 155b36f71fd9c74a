/* tests/laws/test_random_scenery.c: random worlds with meshes, height fields, mocap bodies and
 * gravity compensation keep the laws, and no world loses its numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "effort.h"
#include "random_worlds.h"

static bool has_numbers(const mjcf_world *w) {
  for (int i = 0; i < w->model->nq; ++i)
    if (!isfinite(w->data->q[i])) return false;
  for (int i = 0; i < w->model->nv; ++i)
    if (!isfinite(w->data->v[i])) return false;
  return true;
}

/* A motor whips a light link until its tree turns by 100 rad in a step: the parts that the step is
 * taken in go astray beyond all numbers, and leave none where the tree ends. */
static void what_goes_astray_keeps_its_numbers(void **state) {
  (void)state;
  static random_world world;
  random_world_draw(&world, 1120);
  mjcf_world w = random_world_make(&world);
  for (int k = 0; k < 60; ++k) {
    assert_int_equal(limpet_step(w.model, w.data, &w.settings), LIMPET_OUTCOME_SOLVED);
    assert_true(has_numbers(&w));
  }
  mjcf_world_destroy(&w);
}

/* Meshes, height fields, a mocap body that sweeps through the trees, and gravity compensation: all
 * steps are solved, with Coulomb's friction. */
static void scenery_keeps_the_laws(void **state) {
  (void)state;
  static random_world world;
  for (unsigned long seed = 6001; seed <= 6012; seed += (unsigned long)test_effort(1, 5)) {
    random_world_draw_scenery(&world, seed);
    mjcf_world w = random_world_make(&world);
    double kinetic = 0.0, risen = 0.0;
    for (int k = 0; k < 100; ++k) {
      random_world_sweep(&world, &w);
      assert_int_equal(limpet_step(w.model, w.data, &w.settings), LIMPET_OUTCOME_SOLVED);
      assert_true(has_numbers(&w) && w.data->info.friction_departure < 1e-5);
      kinetic = fmax(kinetic, w.data->info.kinetic_energy), risen += w.data->info.energy_rise;
    }
    assert_true(risen < 0.1 * kinetic + 1e-12);
    mjcf_world_destroy(&w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_goes_astray_keeps_its_numbers),
                                     cmocka_unit_test(scenery_keeps_the_laws)};
  return cmocka_run_group_tests_name("random_scenery", tests, NULL, NULL);
}
