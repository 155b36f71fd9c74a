/* tests/determinism: the same input gives the same bits: from run to run, with one and two threads,
 * and after a restart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "small_world.h"

enum { STEPS = 400 };

static void control_set(limpet_data *data) {
  for (int i = 0; i < data->model->nu; ++i) data->control[i] = 0.3 * (data->time - 0.2 * i);
}

// Hash of the state after each step.
static void run(const limpet_model *model, int threads, uint64_t *hash) {
  limpet_data *data = limpet_data_create(model);
  assert_non_null(data);
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.threads = threads;
  for (int i = 0; i < STEPS; ++i) {
    control_set(data);
    assert_int_equal(limpet_step(model, data, &settings), LIMPET_OUTCOME_SOLVED);
    hash[i] = limpet_data_state_hash(model, data);
  }
  assert_true(data->info.island_count > 1);  // else threads have nothing to share
  limpet_data_destroy(data);
}

static void assert_same(const uint64_t *a, const uint64_t *b) {
  for (int i = 0; i < STEPS; ++i) {
    if (a[i] != b[i]) fail_msg("the states differ after step %d", i);
  }
}

static void runs_and_threads_agree(void **state) {
  (void)state;
  static uint64_t first[STEPS], other[STEPS];
  limpet_model *model = small_world();
  run(model, 1, first);
  run(model, 1, other);
  assert_same(first, other);
  for (int threads = 2; threads <= 4; ++threads) {
    run(model, threads, other);
    assert_same(first, other);
  }
  assert_true(first[STEPS - 1] != first[STEPS - 2]);  // the hash sees the state change

  // a model that is described again is the same model
  limpet_model *again = small_world();
  assert_int_equal(again->hash, model->hash);
  run(again, 2, other);
  assert_same(first, other);
  limpet_model_destroy(again);
  limpet_model_destroy(model);
}

static void restart_goes_on_alike(void **state) {
  (void)state;
  limpet_model *model = small_world();
  const limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_data *data = limpet_data_create(model), *restarted = limpet_data_create(model);
  double *full = malloc((size_t)limpet_data_state_size(model) * sizeof *full);
  for (int i = 0; i < STEPS; ++i) {
    if (i % 50 == 0) {
      limpet_data_reset(model, restarted);
      limpet_data_state_read(model, data, full);
      limpet_data_state_write(model, restarted, full);
    }
    control_set(data);
    control_set(restarted);
    limpet_step(model, data, &settings);
    limpet_step(model, restarted, &settings);
    assert_int_equal(limpet_data_state_hash(model, data), limpet_data_state_hash(model, restarted));
  }
  free(full);
  limpet_data_destroy(restarted);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_and_threads_agree),
      cmocka_unit_test(restart_goes_on_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
