/* tests/step/test_verbs.c: a step in three verbs: what prepare and attempt leave alone, what can be
 * repeated and dropped, and that limpet_step is the three in turn. For every scheme but `adaptive`
 * with every contact model that it takes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "small_models.h"
#include "small_world.h"

enum { SETTLING = 40, STEPS = 60 };

static limpet_model *model;

// The small world, with an actuator that has an activation, and room for what contacts carry.
static int open_model(void **state) {
  (void)state;
  limpet_builder *builder = limpet_builder_create();
  small_world_describe(builder);
  limpet_actuator_description actuator = limpet_actuator_description_default();
  actuator.name = "slow";
  actuator.transmission = LIMPET_TRANSMISSION_JOINT;
  actuator.target = limpet_builder_find(builder, LIMPET_OBJECT_JOINT, "elbow");
  actuator.activation = LIMPET_ACTIVATION_FILTER;
  actuator.activation_time = 0.05;
  limpet_builder_add_actuator(builder, &actuator);
  model = small_compile(builder);
  if (model) model->options.anchor_count = 64;
  return !model;
}

static int close_model(void **state) {
  (void)state;
  limpet_model_destroy(model);
  return 0;
}

// Whether a step is one prepare, attempts and one commit: all but that of `adaptive`.
static bool is_one_solve(const limpet_scheme *scheme) {
  return scheme != limpet_scheme_find("adaptive");
}

// Calls `check` for every such scheme with every contact model that it takes.
static void for_all(void (*check)(const limpet_step_settings *settings)) {
  for (int s = 0; limpet_schemes()[s]; ++s)
    for (int m = 0; limpet_contact_models()[m]; ++m) {
      if (!is_one_solve(limpet_schemes()[s]) ||
          !limpet_scheme_takes(limpet_schemes()[s], limpet_contact_models()[m]))
        continue;
      limpet_step_settings settings = limpet_step_settings_default(model);
      limpet_step_settings_scheme(&settings, limpet_schemes()[s]);
      limpet_step_settings_contact_model(&settings, limpet_contact_models()[m]);
      check(&settings);
    }
}

static void fail_for(const limpet_step_settings *settings, const char *what) {
  fail_msg("%s with %s: %s", limpet_scheme_descriptor(settings->scheme)->name,
           limpet_contact_model_descriptor(settings->contact_model)->name, what);
}

static void steer(limpet_data *data) {
  for (int i = 0; i < model->nu; ++i) data->control[i] = 0.5 * sin(7.0 * data->time + i);
}

static limpet_data *settled(const limpet_step_settings *settings) {
  limpet_data *data = limpet_data_create(model);
  assert_non_null(data);
  for (int i = 0; i < SETTLING; ++i) {
    steer(data);
    assert_true(limpet_step(model, data, settings) < LIMPET_OUTCOME_NUMERICAL_FAILURE);
  }
  assert_true(data->contact_count > 3 && data->info.touching_count > 0);
  return data;
}

static double *state_of(const limpet_data *data) {
  double *state = malloc((size_t)limpet_data_state_size(model) * sizeof *state);
  limpet_data_state_read(model, data, state);
  return state;
}

static bool same(const void *a, const void *b, size_t size) { return memcmp(a, b, size) == 0; }

// What a world shows beside its state: inputs, and results of the last step.
typedef struct shown {
  double *state, *force, *velocity, *sensor, *control;
  limpet_step_info info;
  int64_t steps;
  int contacts, constraints;
} shown;

static double *copy(const double *from, int count) {
  double *to = malloc((size_t)(count + 1) * sizeof *to);
  memcpy(to, from, (size_t)count * sizeof *to);
  return to;
}

static shown look(const limpet_data *data) {
  return (shown){.state = state_of(data),
                 .force = copy(data->contact_force, 3 * data->contact_count),
                 .velocity = copy(data->contact_velocity, 3 * data->contact_count),
                 .sensor = copy(data->sensor, model->nsensor),
                 .control = copy(data->control, model->nu),
                 .info = data->info,
                 .steps = data->step_count,
                 .contacts = data->contact_count,
                 .constraints = data->constraint_count};
}

static bool looks_the_same(const limpet_data *data, const shown *before) {
  const size_t real = sizeof(double), vectors = 3 * (size_t)before->contacts * real;
  shown now = look(data);
  const bool equal = same(now.state, before->state, (size_t)limpet_data_state_size(model) * real) &&
                     now.contacts == before->contacts && now.constraints == before->constraints &&
                     now.steps == before->steps && same(now.force, before->force, vectors) &&
                     same(now.velocity, before->velocity, vectors) &&
                     same(now.sensor, before->sensor, (size_t)model->nsensor * real) &&
                     same(now.control, before->control, (size_t)model->nu * real) &&
                     now.info.cost == before->info.cost &&
                     now.info.iterations == before->info.iterations;
  free(now.state), free(now.force), free(now.velocity), free(now.sensor), free(now.control);
  return equal;
}

static void forget(shown *before) {
  free(before->state), free(before->force), free(before->velocity), free(before->sensor),
      free(before->control);
}

static void check_no_trace(const limpet_step_settings *settings) {
  limpet_data *data = settled(settings), *twin = settled(settings);
  shown before = look(data);
  for (int i = 0; i < 3; ++i) {  // prepared at three lengths, attempted twice, and dropped
    limpet_step_prepared prepared;
    limpet_step_result result;
    if (limpet_step_prepare(model, data, settings, settings->time_step * (i + 0.5), &prepared))
      fail_for(settings, "not prepared");
    if (!looks_the_same(data, &before)) fail_for(settings, "prepare left a trace");
    for (int k = 0; k < 2; ++k) {
      limpet_step_attempt(&prepared, settings, &result);
      assert_non_null(result.v);
      if (!looks_the_same(data, &before)) fail_for(settings, "an attempt left a trace");
    }
  }
  forget(&before);
  for (int i = 0; i < 3; ++i)
    limpet_step(model, data, settings), limpet_step(model, twin, settings);
  if (limpet_data_state_hash(model, data) != limpet_data_state_hash(model, twin))
    fail_for(settings, "a dropped step changed those after it");
  limpet_data_destroy(data), limpet_data_destroy(twin);
}

static void prepare_and_attempt_leave_no_trace(void **state) {
  (void)state;
  for_all(check_no_trace);
}

static void check_repeats(const limpet_step_settings *settings) {
  limpet_data *data = settled(settings), *twin = settled(settings);
  limpet_step_settings rough = *settings;
  rough.tolerance = 1e-2, rough.iteration_limit = 1, rough.warm_start = false;
  rough.threads = 2;
  limpet_step_prepared prepared;
  limpet_step_result first, other, again;
  const size_t size = (size_t)model->nv * sizeof(double);
  limpet_step_prepare(model, data, settings, settings->time_step, &prepared);
  limpet_step_attempt(&prepared, settings, &first);
  limpet_step_attempt(&prepared, &rough, &other);
  limpet_step_attempt(&prepared, settings, &again);
  assert_true(first.v != again.v);
  if (!same(first.v, again.v, size) || first.info.cost != again.info.cost ||
      first.info.iterations_total != again.info.iterations_total)
    fail_for(settings, "two attempts differ");

  // the first one is as good after the others as if it had been alone
  limpet_step_commit(model, data, &prepared, &first);
  limpet_step(model, twin, settings);
  if (limpet_data_state_hash(model, data) != limpet_data_state_hash(model, twin))
    fail_for(settings, "other attempts changed the one that was committed");
  limpet_data_destroy(data), limpet_data_destroy(twin);
}

static void attempts_repeat_to_the_bit(void **state) {
  (void)state;
  for_all(check_repeats);
}

/* Step doubling, as a scheme that controls its error does it: one whole step attempted, then two
 * halves from the same state; they are the halves of a world that only knows them. */
static void check_halves(const limpet_step_settings *settings) {
  limpet_data *data = settled(settings), *twin = settled(settings);
  limpet_step_settings half = *settings;
  half.time_step = 0.5 * settings->time_step;
  limpet_step_prepared prepared;
  limpet_step_result result;
  const double start = data->time;
  limpet_step_prepare(model, data, settings, settings->time_step, &prepared);
  limpet_step_attempt(&prepared, settings, &result);
  for (int i = 0; i < 2; ++i) {
    limpet_step_prepare(model, data, settings, half.time_step, &prepared);
    assert_true(prepared.time_step == half.time_step);
    limpet_step_attempt(&prepared, settings, &result);
    limpet_step_commit(model, data, &prepared, &result);
    limpet_step(model, twin, &half);
  }
  assert_true(fabs(data->time - start - settings->time_step) < 1e-12);
  if (limpet_data_state_hash(model, data) != limpet_data_state_hash(model, twin))
    fail_for(settings, "half steps differ from steps of half the length");
  limpet_data_destroy(data), limpet_data_destroy(twin);
}

static void a_step_can_be_prepared_at_any_length(void **state) {
  (void)state;
  for_all(check_halves);
}

static void check_three(const limpet_step_settings *settings) {
  limpet_data *data = limpet_data_create(model), *twin = limpet_data_create(model);
  for (int i = 0; i < STEPS; ++i) {
    limpet_step_prepared prepared;
    limpet_step_result result;
    steer(data), steer(twin);
    limpet_step_prepare(model, data, settings, settings->time_step, &prepared);
    limpet_step_attempt(&prepared, settings, &result);
    const limpet_outcome outcome = limpet_step_commit(model, data, &prepared, &result);
    if (outcome != limpet_step(model, twin, settings) || outcome != data->info.outcome ||
        limpet_data_state_hash(model, data) != limpet_data_state_hash(model, twin) ||
        data->step_count != twin->step_count || data->contact_count != twin->contact_count)
      fail_for(settings, "limpet_step differs from its verbs");
  }
  limpet_data_destroy(data), limpet_data_destroy(twin);
}

static void a_step_is_its_three_verbs(void **state) {
  (void)state;
  for_all(check_three);
}

/* A mass that is not positive definite fails in prepare, velocities that overflow in attempt; the
 * commit counts the step and keeps the state, its velocities too where a scheme starts from
 * rest. */
static void check_failure(const limpet_step_settings *settings) {
  limpet_data *data = settled(settings);
  data->applied_force[0] = 1e307;  // times dt over 1 g overflows nothing; squared, everything
  for (int i = 1; i < model->nv; ++i) data->applied_force[i] = i % 2 ? -1e308 : 1e308;
  double *before = state_of(data);
  const int64_t steps = data->step_count;
  const limpet_outcome outcome = limpet_step(model, data, settings);
  double *after = state_of(data);
  if (outcome < LIMPET_OUTCOME_ISLAND_FAILED) fail_for(settings, "did not fail");
  // where a method leaves one tree a finite velocity, that tree moves on: test_containment.c
  const bool all = limpet_outcome_failed(outcome);
  if (all && !same(before, after, (size_t)limpet_data_state_size(model) * sizeof *before))
    fail_for(settings, "a step that failed changed the state");
  assert_true(data->step_count == steps + 1 && data->warning_count[outcome] == 1);
  free(before), free(after);
  if (!all) {
    limpet_data_destroy(data);
    return;
  }
  assert_int_equal(data->contact_count, 0);

  // and the world goes on
  memset(data->applied_force, 0, (size_t)model->nv * sizeof *data->applied_force);
  assert_true(limpet_step(model, data, settings) < LIMPET_OUTCOME_NUMERICAL_FAILURE);
  limpet_data_destroy(data);
}

static void a_failed_step_keeps_the_state(void **state) {
  (void)state;
  for_all(check_failure);
}

static int counted[3];  // by family

// What a step counts reaches its information by family, and nothing is counted twice.
static void check_counts(const limpet_step_settings *settings) {
  limpet_data *data = settled(settings);
  int total = 0, own = 0, all = 0;
  for (int i = 0; i < STEPS; ++i) {
    steer(data);
    limpet_step(model, data, settings);
    const limpet_step_info *info = &data->info;
    const int family[] = {
        [LIMPET_CONTACT_COMPLIANT] = info->newton_iterations,
        [LIMPET_CONTACT_RIGID] = info->interior_iterations + info->active_set_changes,
        [LIMPET_CONTACT_IMPULSIVE] = info->sweeps + info->pivots + info->barrier_iterations};
    own += family[limpet_contact_model_family(settings->contact_model)];
    for (int f = 0; f < 3; ++f) all += family[f];
    total += info->iterations_total;
  }
  counted[limpet_contact_model_family(settings->contact_model)] += total;
  if (own != total || all != total)
    fail_for(settings, "counts of the family are not what the step counted");
  limpet_data_destroy(data);
}

static void families_count_their_own(void **state) {
  (void)state;
  for_all(check_counts);
  for (int f = 0; f < 3; ++f) assert_true(counted[f] > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(prepare_and_attempt_leave_no_trace),
      cmocka_unit_test(attempts_repeat_to_the_bit),
      cmocka_unit_test(a_step_can_be_prepared_at_any_length),
      cmocka_unit_test(a_step_is_its_three_verbs),
      cmocka_unit_test(a_failed_step_keeps_the_state),
      cmocka_unit_test(families_count_their_own),
  };
  return cmocka_run_group_tests(tests, open_model, close_model);
}
