/* tests/step: a steady step allocates nothing.
 *
 * Steady: the contacts have been seen before. Scenes settle first; then every call of the library
 * to the allocator counts, with one and with two threads, with profile and energies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "allocator.h"
#include "impulse_world.h"
#include "limpet/limpet.h"
#include "small_world.h"

enum { SETTLING_STEPS = 1500, STEADY_STEPS = 300 };

static long steady_calls_of(limpet_model *model, int threads, const char *scheme) {
  assert_non_null(model);
  limpet_data *data = limpet_data_create(model);
  assert_non_null(data);
  limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_step_settings_scheme(&settings, limpet_scheme_find(scheme));
  settings.threads = threads;
  settings.profile = settings.energy = true;
  for (int i = 0; i < SETTLING_STEPS; ++i) limpet_step(model, data, &settings);
  assert_true(data->info.touching_count > 0);

  allocator_reset(-1);
  for (int i = 0; i < STEADY_STEPS; ++i)
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
  const long calls = allocator_calls();
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return calls;
}

static long steady_calls(limpet_model *model, int threads) {
  return steady_calls_of(model, threads, "discrete");
}

static limpet_model *scene(const char *path) {
  limpet_error error;
  limpet_model *model = limpet_load(path, NULL, &error);
  if (!model) printf("%s\n", error.message);
  return model;
}

static void small_world_one_thread(void **state) {
  (void)state;
  assert_int_equal(steady_calls(small_world(), 1), 0);
}

static void small_world_two_threads(void **state) {
  (void)state;
  assert_int_equal(steady_calls(small_world(), 2), 0);
}

static void pile_in_a_tray(void **state) {
  (void)state;
  assert_int_equal(steady_calls(scene(LIMPET_SOURCE_DIR "/scenes/falling_boxes.xml"), 1), 0);
}

static void point_cloud(void **state) {
  (void)state;
  assert_int_equal(steady_calls(scene(LIMPET_SOURCE_DIR "/scenes/blob/blob.xml"), 1), 0);
}

static void loops_of_a_linkage(void **state) {
  (void)state;
  assert_int_equal(steady_calls(scene(LIMPET_SOURCE_DIR "/scenes/linkage.xml"), 1), 0);
}

static void contact_surfaces(void **state) {
  (void)state;
  assert_int_equal(steady_calls(scene(LIMPET_SOURCE_DIR "/scenes/pressure_pads.xml"), 1), 0);
}

static void substeps(void **state) {
  (void)state;
  limpet_model *model = scene(LIMPET_SOURCE_DIR "/scenes/falling_boxes.xml");
  assert_int_equal(steady_calls_of(model, 1, "adaptive"), 0);
}

// every method of the scheme `impulse`
static void impulsive_models(void **state) {
  (void)state;
  for (int m = 0; limpet_contact_models()[m]; ++m) {
    const limpet_contact_model *contact = limpet_contact_models()[m];
    if (limpet_contact_model_family(contact) != LIMPET_CONTACT_IMPULSIVE) continue;
    for (int euler = 0; euler < 2; ++euler) {
      impulse_world w = impulse_world_open(
          impulse_boxes(3, 10.0), limpet_contact_model_descriptor(contact)->name, 1e-3, euler);
      impulse_world_run(&w, 0.2);
      allocator_reset(-1);
      for (int i = 0; i < 50; ++i) limpet_step(w.model, w.data, &w.settings);
      assert_int_equal(allocator_calls(), 0);
      impulse_world_close(&w);
    }
  }
}

// the negative control: the counter sees what the program allocates
static void counter_counts(void **state) {
  (void)state;
  allocator_reset(-1);
  void *volatile memory = malloc(16);
  free(memory);
  assert_int_equal(allocator_calls(), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counter_counts),
      cmocka_unit_test(small_world_one_thread),
      cmocka_unit_test(small_world_two_threads),
      cmocka_unit_test(pile_in_a_tray),
      cmocka_unit_test(loops_of_a_linkage),
      cmocka_unit_test(point_cloud),
      cmocka_unit_test(contact_surfaces),
      cmocka_unit_test(impulsive_models),
      cmocka_unit_test(substeps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
