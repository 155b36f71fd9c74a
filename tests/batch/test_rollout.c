/* tests/batch: a rollout is what one world after the other would do, at any number of threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "small_world.h"

enum { WORLDS = 7, STEPS = 120, INTERVAL = 5, ROWS = STEPS / INTERVAL };

static double *doubles(size_t count) {
  double *array = calloc(count ? count : 1, sizeof *array);
  assert_non_null(array);
  return array;
}

// Start states that differ, and controls that differ between worlds and steps.
typedef struct inputs {
  double *state, *control;
} inputs;

static inputs inputs_make(const limpet_model *model) {
  const size_t size = (size_t)limpet_data_state_size(model), nu = (size_t)model->nu;
  inputs in = {doubles(WORLDS * size), doubles(WORLDS * STEPS * nu)};
  limpet_data *data = limpet_data_create(model);
  const limpet_step_settings settings = limpet_step_settings_default(model);
  for (size_t world = 0; world < WORLDS; ++world) {
    for (int i = 0; i < 9; ++i) limpet_step(model, data, &settings);
    limpet_data_state_read(model, data, in.state + world * size);
  }
  for (size_t i = 0; i < WORLDS * STEPS * nu; ++i) in.control[i] = 1e-3 * (double)(i % 311);
  limpet_data_destroy(data);
  return in;
}

static void inputs_free(inputs in) {
  free(in.state);
  free(in.control);
}

static limpet_rollout rollout_make(const limpet_model *model, const limpet_step_settings *settings,
                                   inputs in) {
  const size_t size = (size_t)limpet_data_state_size(model);
  return (limpet_rollout){
      .settings = settings,
      .world_count = WORLDS,
      .step_count = STEPS,
      .interval = INTERVAL,
      .start_state = in.state,
      .control = in.control,
      .q = doubles(WORLDS * ROWS * (size_t)model->nq),
      .v = doubles(WORLDS * ROWS * (size_t)model->nv),
      .end_state = doubles(WORLDS * size),
      .outcome = calloc(WORLDS, sizeof(limpet_outcome)),
  };
}

static void rollout_free(limpet_rollout rollout) {
  free(rollout.q);
  free(rollout.v);
  free(rollout.end_state);
  free(rollout.outcome);
}

static void assert_equal_bits(const double *a, const double *b, size_t count) {
  assert_memory_equal(a, b, count * sizeof *a);
}

// One world after the other, by limpet_step alone.
static void rows_by_steps_agree(void **state) {
  (void)state;
  limpet_model *model = small_world();
  const limpet_step_settings settings = limpet_step_settings_default(model);
  const inputs in = inputs_make(model);
  limpet_rollout rollout = rollout_make(model, &settings, in);
  limpet_batch *batch = limpet_batch_create(model, 1);
  limpet_batch_rollout(batch, &rollout);

  const size_t size = (size_t)limpet_data_state_size(model), nq = (size_t)model->nq,
               nu = (size_t)model->nu;
  double *end = doubles(size);
  for (size_t world = 0; world < WORLDS; ++world) {
    limpet_data *data = limpet_data_create(model);
    limpet_data_state_write(model, data, in.state + world * size);
    for (size_t step = 0; step < STEPS; ++step) {
      memcpy(data->control, in.control + (world * STEPS + step) * nu, nu * sizeof(double));
      limpet_step(model, data, &settings);
      if ((step + 1) % INTERVAL == 0) {
        assert_equal_bits(rollout.q + (world * ROWS + step / INTERVAL) * nq, data->q, nq);
      }
    }
    limpet_data_state_read(model, data, end);
    assert_equal_bits(rollout.end_state + world * size, end, size);
    assert_int_equal(rollout.outcome[world], LIMPET_OUTCOME_SOLVED);
    limpet_data_destroy(data);
  }
  free(end);
  limpet_batch_destroy(batch);
  rollout_free(rollout);
  inputs_free(in);
  limpet_model_destroy(model);
}

static void threads_agree(void **state) {
  (void)state;
  limpet_model *model = small_world();
  const limpet_step_settings settings = limpet_step_settings_default(model);
  const inputs in = inputs_make(model);
  const size_t size = (size_t)limpet_data_state_size(model);
  limpet_rollout one = rollout_make(model, &settings, in);
  limpet_batch *batch = limpet_batch_create(model, 1);
  limpet_batch_rollout(batch, &one);
  limpet_batch_destroy(batch);
  for (int threads = 2; threads <= 4; ++threads) {
    limpet_rollout other = rollout_make(model, &settings, in);
    batch = limpet_batch_create(model, threads);
    limpet_batch_rollout(batch, &other);
    limpet_batch_rollout(batch, &other);  // worlds that were used before change nothing
    assert_equal_bits(one.end_state, other.end_state, WORLDS * size);
    assert_equal_bits(one.v, other.v, WORLDS * ROWS * (size_t)model->nv);
    limpet_batch_destroy(batch);
    rollout_free(other);
  }
  rollout_free(one);
  inputs_free(in);
  limpet_model_destroy(model);
}

// The small world with another friction and mass of its bodies.
static limpet_model *other_world(int variant) {
  limpet_builder *builder = limpet_builder_create();
  small_world_describe(builder);
  for (int geom = 0; geom < limpet_builder_count(builder, LIMPET_OBJECT_GEOM); ++geom) {
    limpet_geom_description *d = limpet_builder_geom(builder, geom);
    d->material.friction = 0.2 + 0.1 * variant;
    d->density *= 1.0 + 0.3 * variant;
  }
  limpet_error error;
  limpet_model *model = limpet_builder_compile(builder, &error);
  limpet_builder_destroy(builder);
  assert_non_null(model);
  return model;
}

// Worlds of models of their own move as each model's world alone, at any number of threads.
static void worlds_have_models_of_their_own(void **state) {
  (void)state;
  limpet_model *model[WORLDS];
  for (int i = 0; i < WORLDS; ++i) model[i] = other_world(i % 3);
  const limpet_step_settings settings = limpet_step_settings_default(model[0]);
  const inputs in = inputs_make(model[0]);
  const size_t size = (size_t)limpet_data_state_size(model[0]);
  limpet_rollout all = rollout_make(model[0], &settings, in);
  for (int threads = 1; threads <= 3; ++threads) {
    limpet_batch *batch =
        limpet_batch_create_each((const limpet_model *const *)model, WORLDS, threads);
    assert_non_null(batch);
    limpet_batch_rollout(batch, &all);
    for (size_t i = 0; i < 3; ++i) {
      limpet_rollout alone = rollout_make(model[i], &settings, in);
      limpet_batch *single = limpet_batch_create(model[i], 1);
      limpet_batch_rollout(single, &alone);
      for (size_t world = i; world < WORLDS; world += 3)
        assert_equal_bits(all.end_state + world * size, alone.end_state + world * size, size);
      assert_memory_not_equal(all.end_state + (i + 1) * size, alone.end_state + (i + 1) * size,
                              size * sizeof(double));
      limpet_batch_destroy(single);
      rollout_free(alone);
    }
    limpet_batch_destroy(batch);
  }
  rollout_free(all);
  inputs_free(in);
  for (int i = 0; i < WORLDS; ++i) limpet_model_destroy(model[i]);
}

static void models_of_other_sizes_are_refused(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  limpet_model *model[] = {small_world(), limpet_builder_compile(builder, NULL)};
  limpet_builder_destroy(builder);
  assert_non_null(model[1]);
  assert_null(limpet_batch_create_each((const limpet_model *const *)model, 2, 1));
  for (int i = 0; i < 2; ++i) limpet_model_destroy(model[i]);
}

typedef struct calls {
  int count[WORLDS];
} calls;

static void count_and_push(void *context, int world, const limpet_model *model, limpet_data *data) {
  (void)model;
  calls *c = context;
  ++c->count[world];
  if (world == 3 && c->count[world] == 10) data->applied_force[0] = NAN;
}

// The callback sees every step of every world; a step that fails is told, and of its world alone.
static void controllers_and_failures_are_told(void **state) {
  (void)state;
  limpet_model *model = small_world();
  const limpet_step_settings settings = limpet_step_settings_default(model);
  calls c = {{0}};
  limpet_outcome outcome[WORLDS];
  const limpet_rollout rollout = {.settings = &settings,
                                  .world_count = WORLDS,
                                  .step_count = STEPS,
                                  .interval = 1,
                                  .call = count_and_push,
                                  .context = &c,
                                  .outcome = outcome};
  limpet_batch *batch = limpet_batch_create(model, 2);
  limpet_batch_rollout(batch, &rollout);
  for (int world = 0; world < WORLDS; ++world) {
    assert_int_equal(c.count[world], STEPS);
    assert_int_equal(outcome[world], world == 3 ? LIMPET_OUTCOME_BAD_INPUT : LIMPET_OUTCOME_SOLVED);
  }
  limpet_batch_destroy(batch);
  limpet_model_destroy(model);
}

enum { ASKED = 3, MANY = 1 << 30 };

static bool go_on_twice(void *context) {
  atomic_int *asked = context;
  return atomic_fetch_add(asked, 1) + 1 < ASKED;
}

// A rollout that would last for days ends at the third question, in the middle of its worlds.
static void rollouts_end_when_they_are_told(void **state) {
  (void)state;
  limpet_model *model = small_world();
  const limpet_step_settings settings = limpet_step_settings_default(model);
  for (int threads = 1; threads <= 3; ++threads) {
    atomic_int asked = 0;
    double *q = doubles((size_t)model->nq * 2);
    const limpet_rollout rollout = {.settings = &settings,
                                    .world_count = 2,
                                    .step_count = MANY,
                                    .interval = MANY,
                                    .q = q,
                                    .context = &asked,
                                    .go_on = go_on_twice};
    limpet_batch *batch = limpet_batch_create(model, threads);
    limpet_batch_rollout(batch, &rollout);
    assert_in_range(atomic_load(&asked), ASKED, ASKED + 1);  // another world may be asking, too
    for (int i = 0; i < 2 * model->nq; ++i) assert_true(q[i] == 0.0);  // no row was reached
    limpet_batch_destroy(batch);
    free(q);
  }
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_by_steps_agree),
      cmocka_unit_test(threads_agree),
      cmocka_unit_test(worlds_have_models_of_their_own),
      cmocka_unit_test(models_of_other_sizes_are_refused),
      cmocka_unit_test(controllers_and_failures_are_told),
      cmocka_unit_test(rollouts_end_when_they_are_told),
  };
  return cmocka_run_group_tests_name("rollout", tests, NULL, NULL);
}
