/* tests/step/test_impulse_state.c: methods of the scheme `impulse` are functions of state and
 * input: the same bits from run to run, over threads and after a restart, what contacts carry from
 * step to step included: tangential springs of the penalty method, forces from which pgs starts.
 * And what those are for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "impulse_world.h"
#include "mjcf_text.h"
#include "small_world.h"

enum { STEPS = 200 };

static limpet_step_settings settings_of(const limpet_model *model,
                                        const limpet_contact_model *contact, int threads) {
  limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_step_settings_scheme(&settings, limpet_scheme_find("impulse"));
  limpet_step_settings_contact_model(&settings, contact);
  settings.threads = threads;
  return settings;
}

static void control(limpet_data *data) {
  for (int i = 0; i < data->model->nu; ++i) data->control[i] = 0.3 * (data->time - 0.2 * i);
}

static void same_bits_over_threads_and_after_a_restart(void **state) {
  (void)state;
  limpet_model *model = small_world();
  model->options.anchor_count = 32;
  double *full = malloc((size_t)limpet_data_state_size(model) * sizeof *full);
  for (int m = 0; limpet_contact_models()[m]; ++m) {
    const limpet_contact_model *contact = limpet_contact_models()[m];
    if (limpet_contact_model_family(contact) != LIMPET_CONTACT_IMPULSIVE) continue;
    const char *name = limpet_contact_model_descriptor(contact)->name;
    limpet_data *one = limpet_data_create(model), *many = limpet_data_create(model),
                *restarted = limpet_data_create(model);
    const limpet_step_settings alone = settings_of(model, contact, 1),
                               shared = settings_of(model, contact, 3);
    bool sprung = false;
    for (int i = 0; i < STEPS; ++i) {
      if (i % 20 == 0) {
        limpet_data_reset(model, restarted);
        limpet_data_state_read(model, one, full);
        limpet_data_state_write(model, restarted, full);
      }
      control(one), control(many), control(restarted);
      if (limpet_step(model, one, &alone) >= LIMPET_OUTCOME_NUMERICAL_FAILURE)
        fail_msg("%s failed in step %d", name, i);
      limpet_step(model, many, &shared);
      limpet_step(model, restarted, &alone);
      const uint64_t hash = limpet_data_state_hash(model, one);
      if (hash != limpet_data_state_hash(model, many))
        fail_msg("%s: threads differ after step %d", name, i);
      if (hash != limpet_data_state_hash(model, restarted))
        fail_msg("%s: restart differs after step %d", name, i);
      sprung |= one->anchor[0] > 0.0;
    }
    assert_true(sprung == (strcmp(name, "penalty") == 0 || strcmp(name, "pgs") == 0));
    limpet_data_destroy(one), limpet_data_destroy(many), limpet_data_destroy(restarted);
  }
  free(full);
  limpet_model_destroy(model);
}

/* On a slope of 20 degrees the springs hold to round-off; without room for them dampers creep with
 * m g sin a/(4 c). The hash sees springs in use, and not the room for others. */
static void springs_hold(void **state) {
  (void)state;
  double speed[2];
  for (int springs = 0; springs < 2; ++springs) {
    impulse_world w = impulse_world_open(impulse_boxes(1, 20.0), "penalty", 1e-3, false);
    limpet_data_destroy(w.data);
    w.model->options.anchor_count = springs ? 16 : 0;
    w.data = limpet_data_create(w.model);
    impulse_world_run(&w, 2.0);
    speed[springs] = fabs(w.data->v[0]);
    if (springs) {
      const uint64_t hash = limpet_data_state_hash(w.model, w.data);
      w.data->anchor[4] += 1e-6;
      assert_true(hash != limpet_data_state_hash(w.model, w.data));
    }
    impulse_world_close(&w);
  }
  printf("penalty on a slope: %.2g m/s with springs, %.2g m/s without\n", speed[1], speed[0]);
  assert_true(speed[1] < 1e-9 && speed[0] > 1e-4);
}

/* A box that slides drags its springs along: it stops where Coulomb's law has it, v^2/(2 mu g),
 * within the sinking of its springs, and is not pulled back to where it touched first. */
static void springs_slip(void **state) {
  (void)state;
  impulse_world w = impulse_world_open(impulse_boxes(1, 0.0), "penalty", 1e-3, false);
  impulse_world_run(&w, 1.0);
  const double start = w.data->q[0], expected = 1.0 / (2.0 * 0.5 * 9.81);
  w.data->v[0] = 1.0;
  impulse_world_run(&w, 2.0);
  printf("penalty: slides by %.4f m, not %.4f m\n", w.data->q[0] - start, expected);
  assert_true(fabs(w.data->q[0] - start - expected) < 2e-3 && fabs(w.data->v[0]) < 1e-9);
  impulse_world_close(&w);
}

// Contacts are found by what they are, so that the order in which their forces are kept does not
// matter.
static void turn_around(double *anchors, int room) {
  for (int i = 0, k = room - 1; i < k; ++i, --k)
    for (int e = 0; e < LIMPET_ANCHOR_SIZE; ++e) {
      const double kept = anchors[LIMPET_ANCHOR_SIZE * i + e];
      anchors[LIMPET_ANCHOR_SIZE * i + e] = anchors[LIMPET_ANCHOR_SIZE * k + e];
      anchors[LIMPET_ANCHOR_SIZE * k + e] = kept;
    }
}

// Most sweeps in 50 steps of `dt`, after two boxes on a slope, which have eight contacts, have come
// to rest.
static int sweeps_at_rest(int room, bool warm_start, double dt) {
  impulse_world w = impulse_world_open(impulse_boxes(2, 20.0), "pgs", 2e-3, false);
  limpet_data_destroy(w.data);
  w.model->options.anchor_count = room;
  w.data = limpet_data_create(w.model);
  w.settings.warm_start = warm_start;
  impulse_world_run(&w, 0.5);
  w.settings.time_step = dt;
  turn_around(w.data->anchor, room < 8 ? room : 8);
  int most = 0;
  for (int i = 0; i < 50; ++i) {
    impulse_world_run(&w, dt);
    most = w.data->info.iterations > most ? w.data->info.iterations : most;
  }
  impulse_world_close(&w);
  return most;
}

/* Sweeps of pgs start from the forces of the last step: at rest one or two suffice, and no more
 * after the step has changed, as forces are kept and not impulses. Without room for them, with room
 * for some, or where settings say so, every step sweeps. */
static void sweeps_resume(void **state) {
  (void)state;
  const int warm = sweeps_at_rest(8, true, 2e-3), changed = sweeps_at_rest(8, true, 1e-3);
  const int cold = sweeps_at_rest(8, false, 2e-3), no_room = sweeps_at_rest(0, true, 2e-3);
  const int some_room = sweeps_at_rest(5, true, 2e-3);
  printf(
      "pgs at rest: %d sweeps, after a change of the step %d; cold %d, without room %d, with room "
      "for 5 %d\n",
      warm, changed, cold, no_room, some_room);
  assert_true(warm <= 3 && changed <= 3);
  assert_true(cold > 10 && no_room == cold && some_room > 10);
}

static void room_is_read_from_a_file(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(
      "<mujoco><option limpet:anchors='12'/><worldbody><geom size='1'/></worldbody></mujoco>");
  assert_int_equal(model->options.anchor_count, 12);
  assert_int_equal(limpet_data_state_size(model), 1 + 12 * LIMPET_ANCHOR_SIZE);
  limpet_model_destroy(model);
  model = mjcf_load("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>");
  assert_int_equal(model->options.anchor_count, 256);
  limpet_model_destroy(model);
  assert_true(
      mjcf_refused("<mujoco><option limpet:anchors='-2'/></mujoco>",
                   "robot.xml:1:17: 'limpet:anchors' is -2; it must be from 0 to 1048576, or -1"));
}

static void schemes_take_their_models(void **state) {
  (void)state;
  const limpet_scheme *impulse = limpet_scheme_find("impulse"),
                      *discrete = limpet_scheme_find("discrete");
  assert_true(limpet_scheme_takes(impulse, limpet_contact_model_find("two-phase")));
  assert_false(limpet_scheme_takes(discrete, limpet_contact_model_find("two-phase")));
  assert_true(limpet_scheme_takes(discrete, limpet_contact_model_find("lagged")));
  assert_false(limpet_scheme_takes(impulse, limpet_contact_model_find("anitescu")));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_bits_over_threads_and_after_a_restart),
      cmocka_unit_test(springs_hold),
      cmocka_unit_test(springs_slip),
      cmocka_unit_test(sweeps_resume),
      cmocka_unit_test(room_is_read_from_a_file),
      cmocka_unit_test(schemes_take_their_models),
  };
  return cmocka_run_group_tests_name("impulse_state", tests, NULL, NULL);
}
