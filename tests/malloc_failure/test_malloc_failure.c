/* tests/malloc_failure: each allocation of a whole life of a model is refused once, and nothing
 * worse than a clean error comes of it.
 *
 * A life: describe, compile, create data, step. It is first lived undisturbed, which gives the hash
 * of the end state; then with the call number n refused, for n = 0, 1, ... until a life needs no
 * n-th call. Each time it either ends in an error that says "out of memory", or goes on to the same
 * end state: a fall-back without memory must not change results. Leaks and accesses to freed memory
 * show up in the build with the address sanitizer. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "allocator.h"
#include "limpet/limpet.h"
#include "small_models.h"
#include "small_world.h"

enum { STEPS = 40 };

static int growth;  // of the memory for steps, in the last life

typedef enum ending { ENDED_WELL, ENDED_IN_ERROR, ENDED_BADLY } ending;
typedef limpet_model *model_maker(limpet_error *error);

static limpet_model *model_from_builder(limpet_error *error) {
  limpet_builder *builder = limpet_builder_create();
  if (!builder) {
    error->status = LIMPET_ERROR_MEMORY;
    return NULL;
  }
  small_world_describe(builder);
  limpet_model *model = limpet_builder_compile(builder, error);
  limpet_builder_destroy(builder);
  return model;
}

/* Steps to the end. A step that had no memory leaves the state as it was, and is taken again: only
 * one call is refused. */
static ending world_run(const limpet_model *model, limpet_data *data, uint64_t *hash) {
  limpet_step_settings settings = limpet_step_settings_default(model);
  settings.threads = 2;
  ending result = ENDED_WELL;
  for (int i = 0; i < STEPS; ++i) {
    const uint64_t before = limpet_data_state_hash(model, data);
    limpet_outcome outcome = limpet_step(model, data, &settings);
    if (outcome == LIMPET_OUTCOME_OUT_OF_MEMORY) {
      if (limpet_data_state_hash(model, data) != before) {
        printf("step %d had no memory and changed the state\n", i);
        return ENDED_BADLY;
      }
      result = ENDED_IN_ERROR;
      outcome = limpet_step(model, data, &settings);
    }
    if (outcome != LIMPET_OUTCOME_SOLVED) {
      printf("step %d: %s\n", i, limpet_outcome_word(outcome));
      return ENDED_BADLY;
    }
  }
  *hash = limpet_data_state_hash(model, data);
  growth = data->info.arena_growth;
  return result;
}

static ending live(model_maker *make, uint64_t *hash) {
  limpet_error error = {0};
  limpet_model *model = make(&error);
  if (!model) {
    if (error.status == LIMPET_ERROR_MEMORY) return ENDED_IN_ERROR;
    printf("no model, and the error is: %s (%s)\n", limpet_status_name(error.status),
           error.message);
    return ENDED_BADLY;
  }
  limpet_data *data = limpet_data_create(model);
  const ending result = data ? world_run(model, data, hash) : ENDED_IN_ERROR;
  limpet_data_destroy(data);
  limpet_model_destroy(model);
  return result;
}

static void every_call_refused_once(model_maker *make) {
  uint64_t expected = 0;
  allocator_reset(-1);
  assert_int_equal(live(make, &expected), ENDED_WELL);
  const long calls = allocator_calls();
  assert_true(calls > 10);  // model, world, arenas that grow: fewer would be no run

  long errors = 0;
  for (long n = 0; n < calls; ++n) {
    uint64_t hash = 0;
    allocator_reset(n);
    const ending result = live(make, &hash);
    const bool model_lived = hash != 0;
    if (result == ENDED_BADLY || (model_lived && hash != expected))
      printf("call %ld of %ld was refused\n", n, calls);
    assert_int_not_equal(result, ENDED_BADLY);
    if (model_lived) assert_int_equal(hash, expected);
    errors += result == ENDED_IN_ERROR;
  }
  printf("%ld allocations, each refused once: %ld clean errors, the rest did without\n", calls,
         errors);
  assert_true(errors > 0);
}

static void builder_model_data_step(void **state) {
  (void)state;
  every_call_refused_once(model_from_builder);
}

// More contacts than the memory that data begins with has room for, so that steps allocate.
static limpet_model *model_of_a_crowd(limpet_error *error) {
  limpet_builder *builder = limpet_builder_create();
  if (!builder) {
    error->status = LIMPET_ERROR_MEMORY;
    return NULL;
  }
  limpet_geom_description floor = limpet_geom_description_default();
  floor.kind = LIMPET_SHAPE_PLANE;
  limpet_builder_add_geom(builder, &floor);
  for (int i = 0; i < 80; ++i) {
    const int body = small_body(builder, NULL, 0, 0.3 * (i / 4), 0, 0.1 + 0.2 * (i % 4));
    small_joint(builder, NULL, body, LIMPET_JOINT_FREE, 0, 0, 1);
    small_box(builder, body, 1, 0.1, 0.1, 0.1);
  }
  limpet_model *model = limpet_builder_compile(builder, error);
  limpet_builder_destroy(builder);
  return model;
}

static void steps_that_need_more_memory(void **state) {
  (void)state;
  every_call_refused_once(model_of_a_crowd);
  assert_true(growth > 0);
}

static limpet_model *model_from_file(limpet_error *error) {
  return limpet_load(LIMPET_SOURCE_DIR "/scenes/falling_boxes.xml", NULL, error);
}

static void reading_a_file(void **state) {
  (void)state;
  every_call_refused_once(model_from_file);
}

static limpet_model *model_with_loops(limpet_error *error) {
  return limpet_load(LIMPET_SOURCE_DIR "/scenes/linkage.xml", NULL, error);
}

static void reading_and_stepping_loops(void **state) {
  (void)state;
  every_call_refused_once(model_with_loops);
}

static limpet_model *model_with_a_cloud(limpet_error *error) {
  return limpet_load(LIMPET_SOURCE_DIR "/scenes/blob/blob.xml", NULL, error);
}

static void reading_a_point_cloud(void **state) {
  (void)state;
  every_call_refused_once(model_with_a_cloud);
}

enum { CHAIN = 300 };  // links: their articulated inertias alone are 115 kB

static limpet_model *model_of_a_chain(void) {
  limpet_builder *builder = limpet_builder_create();
  limpet_actuator_description motor = limpet_actuator_description_default();
  int parent = 0;
  for (int i = 0; i < CHAIN; ++i) {
    parent = small_body(builder, NULL, parent, 0.1, 0.0, 0.0);
    motor.target = small_joint(builder, NULL, parent, LIMPET_JOINT_REVOLUTE, 0.0, i % 2, 1.0);
    small_box(builder, parent, 0.1, 0.02, 0.02, 0.02);
    limpet_builder_add_actuator(builder, &motor);
  }
  return small_compile(builder);
}

/* None of the functions of dynamics.h asks for memory, in a world that has never stepped and of any
 * size: they have no way to say that there was none. */
static void dynamics_needs_no_memory(void **state) {
  (void)state;
  limpet_model *model = model_of_a_chain();
  limpet_data *data = limpet_data_create(model);
  static double x[CHAIN], y[CHAIN], z[CHAIN], momentum[CHAIN], J[6 * CHAIN];
  const double point[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < CHAIN; ++i) data->v[i] = x[i] = 0.01 * i;
  allocator_reset(0);
  limpet_forward_dynamics(model, data);
  limpet_geom_kinematics(model, data, true);
  limpet_rnea(model, data, x, y);
  limpet_aba(model, data, y, NULL, y);
  limpet_mass_mul(model, data, x, momentum);
  limpet_mass_solve(model, data, momentum, y);
  limpet_jacobian(model, data, CHAIN, point, J);
  limpet_sensors_evaluate(model, data);
  limpet_mass_mul(model, data, y, z);
  assert_int_equal(allocator_calls(), 0);

  // and they did their work: M M^-1 (M x) = M x, to the round-off of the largest entry
  double largest = 0.0;
  for (int i = 0; i < CHAIN; ++i) largest = fmax(largest, fabs(momentum[i]));
  for (int i = 0; i < CHAIN; ++i) assert_true(fabs(z[i] - momentum[i]) < 1e-9 * largest);
  allocator_reset(-1);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(builder_model_data_step), cmocka_unit_test(steps_that_need_more_memory),
      cmocka_unit_test(reading_a_file),          cmocka_unit_test(reading_and_stepping_loops),
      cmocka_unit_test(reading_a_point_cloud),   cmocka_unit_test(dynamics_needs_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
