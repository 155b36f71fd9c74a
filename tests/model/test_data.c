/* tests/model/test_data.c: state round trip, hash, reset, keyframes, workspace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/workspace.h"
#include "shared_data.h"
#include "small_models.h"

enum { MOST = 4096 };  // numbers of a state: 256 anchors and some more

static void disturb(const limpet_model *model, limpet_data *data, unsigned long *seed) {
  double state[MOST];
  const int size = limpet_data_state_size(model);
  for (int i = 0; i < size; ++i) state[i] = random_uniform(seed, -1.0, 1.0);
  limpet_data_state_write(model, data, state);
}

static void state_makes_the_round_trip(void **unused) {
  (void)unused;
  limpet_model *model = small_compile(small_everything());
  limpet_data *a = limpet_data_create(model), *b = limpet_data_create(model);
  assert_true(a && b);
  assert_int_equal(limpet_data_state_size(model),
                   1 + 14 + 2 * 12 + 1 + 2 * model->tree_count + 7 + 256 * LIMPET_ANCHOR_SIZE);
  unsigned long seed = 4;
  disturb(model, a, &seed);
  double one[MOST], two[MOST];
  limpet_data_state_read(model, a, one);
  limpet_data_state_write(model, b, one);
  limpet_data_state_read(model, b, two);
  assert_memory_equal(one, two, (size_t)limpet_data_state_size(model) * sizeof(double));
  assert_true(a->time == one[0] && a->q[13] == one[14] && a->v[0] == one[15]);
  assert_true(limpet_data_state_hash(model, a) == limpet_data_state_hash(model, b));

  // any part of the state changes the hash
  double *const parts[] = {&b->time,       b->q + 13,         b->v + 11,
                           b->activation,  b->warm_start + 3, b->tree_held,
                           b->tree_jammed, b->mocap_position, b->mocap_quaternion + 3};
  for (int i = 0; i < 9; ++i) {
    const double kept = *parts[i];
    *parts[i] += 1e-12;
    assert_true(limpet_data_state_hash(model, a) != limpet_data_state_hash(model, b));
    *parts[i] = kept;
  }
  limpet_data_destroy(a);
  limpet_data_destroy(b);
  limpet_model_destroy(model);
}

static void new_data_is_the_reference_pose(void **unused) {
  (void)unused;
  limpet_model *model = small_compile(small_everything());
  limpet_data *data = limpet_data_create(model);
  assert_memory_equal(data->q, model->q_reference, (size_t)model->nq * sizeof(double));
  for (int i = 0; i < model->nv; ++i) assert_true(data->v[i] == 0.0);
  assert_true(data->mocap_position[0] == 1.0 && data->mocap_quaternion[0] == 1.0);
  assert_true(data->control[0] == 0.25 &&
              data->control[1] == 0.0);  // 0 is outside of the servo's range
  assert_true(data->contact_count == 0 && data->contact_force == NULL &&
              data->constraint_count == 0);
  assert_int_equal((uintptr_t)data->mass_matrix % 64, 0);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

// After a reset nothing is left of what was: every array is that of fresh data.
static void reset_is_fresh(void **unused) {
  (void)unused;
  limpet_model *model = small_compile(small_everything());
  limpet_data *used = limpet_data_create(model), *fresh = limpet_data_create(model);
  unsigned long seed = 5;
  disturb(model, used, &seed);
  used->control[1] = 3.0;
  used->applied_force[2] = 1.0;
  used->applied_wrench[8] = 1.0;
  used->acceleration[1] = 7.0;
  used->contact_count = 3;
  used->constraint_count = 2;
  used->step_count = 9;
  used->warning_count[1] = 1;
  limpet_data_reset(model, used);
  assert_true(limpet_data_state_hash(model, used) == limpet_data_state_hash(model, fresh));
  assert_memory_equal(used->control, fresh->control, (size_t)model->nu * sizeof(double));
  assert_memory_equal(used->applied_force, fresh->applied_force,
                      (size_t)model->nv * sizeof(double));
  assert_memory_equal(used->applied_wrench, fresh->applied_wrench,
                      6 * (size_t)model->body_count * sizeof(double));
  assert_memory_equal(used->acceleration, fresh->acceleration, (size_t)model->nv * sizeof(double));
  assert_int_equal(used->contact_count + used->constraint_count + (int)used->step_count +
                       (int)used->warning_count[1],
                   0);
  limpet_data_destroy(used);
  limpet_data_destroy(fresh);
  limpet_model_destroy(model);
}

static void keyframe_fills_what_it_gives(void **unused) {
  (void)unused;
  limpet_model *model = small_compile(small_everything());
  limpet_data *data = limpet_data_create(model);
  data->v[0] = 3.0;
  limpet_data_reset_keyframe(model, data, limpet_model_find(model, LIMPET_OBJECT_KEYFRAME, "home"));
  assert_true(data->time == 0.5 && data->v[0] == 0.0 && data->control[2] == 3.0);
  assert_true(data->q[2] == 0.3 && data->q[9] == 2.0);
  assert_true(data->q[3] == 1.0 && data->q[4] == 0.0);  // given as (2, 0, 0, 0), and normalised
  assert_true(data->mocap_position[0] == 1.0);
  limpet_data_destroy(data);
  limpet_model_destroy(model);
}

static void object_destroyed(void *object) { ++*(int *)object; }

static void workspace_turns_and_frees(void **unused) {
  (void)unused;
  limpet_model *model = small_compile(small_everything());
  limpet_data *data = limpet_data_create(model);
  limpet_arena *first = limpet_workspace_turn(data->workspace);
  int *kept = LIMPET_TAKE(first, int, 4);
  kept[3] = 42;
  limpet_arena *second = limpet_workspace_turn(data->workspace);
  assert_true(first != second && second == limpet_workspace_arena(data->workspace));
  memset(limpet_arena_take(second, 4096), 0, 4096);
  assert_int_equal(kept[3], 42);  // readable until the next but one
  assert_true(limpet_workspace_turn(data->workspace) == first && limpet_arena_taken(first) == 0);

  int destroyed = 0;
  data->workspace->object[LIMPET_SLOT_STEP] = &destroyed;
  data->workspace->destroy[LIMPET_SLOT_STEP] = object_destroyed;
  limpet_data_destroy(data);
  assert_int_equal(destroyed, 1);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(state_makes_the_round_trip),
      cmocka_unit_test(new_data_is_the_reference_pose),
      cmocka_unit_test(reset_is_fresh),
      cmocka_unit_test(keyframe_fills_what_it_gives),
      cmocka_unit_test(workspace_turns_and_frees),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
