/* tests/solve/test_hard_contacts.c: contacts of 1e12 N/m are solved in few iterations, with every
 * compliant model.
 *
 * Three boxes and a sphere fall on each other and on the ground, with friction 1 and 10 ms steps,
 * so that dt^2 k w is 1e8. `similar` holds what slides to a surface that is curved in the
 * velocities; without the help of softer contacts a quarter of its steps ended at 100 iterations.
 * The worst step takes 33 with it, so the bound below has some room for other compilers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "mjcf_text.h"

#define BOX(place, turn)               \
  "<body pos='" place "' euler='" turn \
  "'><freejoint/><geom type='box' size='.05 .05 .05' mass='1'/></body>"

// clang-format off
static const char *const heap = MODEL(
    "<default><geom limpet:stiffness='1e12' limpet:dissipation='10' friction='1'/></default>"
    "<worldbody><geom type='plane' size='5 5 .1'/>"
    BOX("0 0 .2", "10 20 30") BOX(".02 .01 .4", "40 20 30") BOX("-.02 .01 .6", "70 20 10")
    "<body pos='0 -.02 .8'><freejoint/><geom size='.05' mass='.5'/></body></worldbody>");
// clang-format on

static void hard_contacts_are_solved(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(heap);
  static const char *const models[] = {"lagged", "similar", "sap"};
  for (int k = 0; k < 3; ++k) {
    limpet_data *data = limpet_data_create(model);
    limpet_step_settings settings = limpet_step_settings_default(model);
    limpet_step_settings_contact_model(&settings, limpet_contact_model_find(models[k]));
    settings.time_step = 1e-2;
    settings.stiction_speed = 1e-4;
    settings.near_rigid_ratio = 0.0;
    settings.tolerance = 1e-5;
    int worst = 0, touching = 0;
    for (int i = 0; i < 100; ++i) {
      assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
      // a direction for each iteration, whatever it was for: hard laws are eased first, then
      // solved. An end of a descent where nothing is left to gain has one direction more
      const int more = data->info.factorizations - data->info.newton_iterations;
      assert_true(more >= 0 && more <= 2 * data->info.island_count);
      if (data->info.iterations > worst) worst = data->info.iterations;
      if (data->info.touching_count > touching) touching = data->info.touching_count;
    }
    print_message("%s: at most %d iterations, %d contacts\n", models[k], worst, touching);
    assert_true(touching >= 8);  // two faces and more
    assert_true(worst <= 60);
    limpet_data_destroy(data);
  }
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(hard_contacts_are_solved)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
