/* tests/record: frames go to every sink alike: the sink of a page and one in memory see the same
 * run; a sink that fails is named and hinders nobody; frames are made without allocation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "allocator.h"
#include "base/error.h"
#include "puppet.h"
#include "record/recorder.h"
#include "record/replay_file.h"

enum { FRAMES = 4000, CONTACTS = 8, MOVING = 3, LAST_STEP = 1500 };

typedef struct memory_frame {
  limpet_frame frame;  // its pointers are not used
  double position[3 * MOVING], quaternion[4 * MOVING];
  limpet_frame_contact contact[CONTACTS];
} memory_frame;

// A sink that copies what it is given, at a rate of its own; it can be told to fail.
typedef struct memory_sink {
  limpet_sink sink;
  limpet_thinning thinning;
  int begin_count, end_count, frame_count;
  int fail_at;  // this frame is refused; -1: none
  bool asked_after_failure;
  memory_frame *frame;  // (FRAMES)
} memory_sink;

static limpet_status memory_begin(limpet_sink *sink, const limpet_scene *scene,
                                  const limpet_run_facts *facts, limpet_error *error) {
  memory_sink *memory = (memory_sink *)sink;
  (void)error;
  ++memory->begin_count;
  assert_int_equal(scene->moving_count, MOVING);
  assert_string_equal(facts->scheme, "discrete");
  return LIMPET_OK;
}

static bool memory_wants(const limpet_sink *sink, double time) {
  const memory_sink *memory = (const memory_sink *)sink;
  if (memory->fail_at >= 0 && memory->frame_count > memory->fail_at)
    ((memory_sink *)(uintptr_t)sink)->asked_after_failure = true;
  return limpet_thinning_wants(&memory->thinning, time);
}

static limpet_status memory_take(limpet_sink *sink, const limpet_frame *frame,
                                 limpet_error *error) {
  memory_sink *memory = (memory_sink *)sink;
  assert_in_range(memory->frame_count, 0, FRAMES - 1);
  assert_in_range(frame->contact_count, 0, CONTACTS);
  memory_frame *kept = &memory->frame[memory->frame_count++];
  if (memory->frame_count - 1 == memory->fail_at)
    return limpet_error_fill(error, LIMPET_ERROR_FILE, "disk full");
  kept->frame = *frame;
  memcpy(kept->position, frame->position, sizeof kept->position);
  memcpy(kept->quaternion, frame->quaternion, sizeof kept->quaternion);
  if (frame->contact_count > 0)
    memcpy(kept->contact, frame->contact, (size_t)frame->contact_count * sizeof *kept->contact);
  limpet_thinning_kept(&memory->thinning, frame->time);
  return LIMPET_OK;
}

static limpet_status memory_end(limpet_sink *sink, limpet_error *error) {
  (void)error;
  ++((memory_sink *)sink)->end_count;
  return LIMPET_OK;
}

// interval 0: every step
static memory_sink *memory_create(double interval) {
  memory_sink *memory = calloc(1, sizeof *memory);
  memory->sink = (limpet_sink){
      .begin = memory_begin, .wants = memory_wants, .take = memory_take, .end = memory_end};
  memory->thinning = limpet_thinning_begin(interval, FRAMES);
  memory->fail_at = -1;
  memory->frame = calloc(FRAMES, sizeof *memory->frame);
  return memory;
}

static void memory_free(memory_sink *memory) {
  free(memory->frame);
  free(memory);
}

// What is put into the results of a step: deep contacts, less deep from one to the next, and steps
// that are not solved.
static double depth_of(int step) { return step % 100 == 37 ? 1e-3 * (2000 - step) : 1e-6; }

static limpet_outcome outcome_of(int step) {
  return step % 70 == 33 ? LIMPET_OUTCOME_ITERATION_LIMIT : LIMPET_OUTCOME_SOLVED;
}

// The puppet's run until LAST_STEP with these events.
static limpet_status play(limpet_recorder *recorder, const limpet_model *model, int *failures,
                          limpet_error *error) {
  limpet_data *data = limpet_data_create(model);
  limpet_status first = LIMPET_OK;
  for (int step = 0; step <= LAST_STEP; ++step) {
    puppet_move(model, data, step);
    data->info.deepest_penetration = depth_of(step);
    data->info.outcome = outcome_of(step);
    limpet_error here = {0};
    const limpet_status status = limpet_recorder_append(recorder, data, &here);
    if (status == LIMPET_OK) continue;
    if (first == LIMPET_OK) first = status, *error = here;
    ++*failures;
  }
  limpet_data_destroy(data);
  return first;
}

static limpet_recorder *recorder_with(const limpet_model *model, limpet_sink *a, limpet_sink *b) {
  const limpet_step_settings settings = puppet_settings(model);
  limpet_recorder *recorder = limpet_recorder_create(model, NULL, &settings, NULL);
  assert_non_null(recorder);
  limpet_recorder_add(recorder, a);
  limpet_recorder_add(recorder, b);
  return recorder;
}

// A position is rounded to a float, a part of a quaternion to 1/32767.
static void expect_same_frame(const limpet_frame_store *store, int f, const memory_frame *memory) {
  const limpet_stored_frame *stored = &store->frame[f];
  const limpet_frame *frame = &memory->frame;
  assert_true(stored->time == frame->time);
  assert_int_equal(stored->outcome, frame->outcome);
  for (int s = 0; s < LIMPET_SIGNAL_COUNT; ++s) {
    const float signal = (float)frame->signal[s];
    assert_true(stored->signal[s] == signal ||
                (stored->signal[s] != stored->signal[s] && signal != signal));
  }
  for (int k = 0; k < 3 * MOVING; ++k)
    assert_true(store->position[3 * MOVING * f + k] == (float)memory->position[k]);
  for (int k = 0; k < 4 * MOVING; ++k) {
    const double rounding = store->quaternion[4 * MOVING * f + k] / 32767.0 - memory->quaternion[k];
    assert_true(rounding < 0.51 / 32767.0 && rounding > -0.51 / 32767.0);
  }
  assert_int_equal(stored->contact_count, frame->contact_count);
  for (int i = 0; i < frame->contact_count; ++i) {
    const limpet_stored_contact *contact = &store->contact[stored->contact_begin + i];
    for (int k = 0; k < 3; ++k) {
      assert_true(contact->position[k] == (float)memory->contact[i].position[k]);
      assert_true(contact->force[k] == (float)memory->contact[i].force[k]);
    }
    assert_int_equal(contact->geom[0], memory->contact[i].geom[0]);
    assert_int_equal(contact->geom[1], memory->contact[i].geom[1]);
  }
}

static void file_and_memory_take_the_same_frames(void **state) {
  const limpet_model *model = *state;
  const double interval = 1.0 / 60.0;
  limpet_replay_file file;
  limpet_replay_file_open(&file, interval, FRAMES);
  memory_sink *memory = memory_create(interval);
  limpet_recorder *recorder = recorder_with(model, &file.sink, &memory->sink);
  limpet_error error = {0};
  int failures = 0, contacts = 0, events = 0;
  assert_int_equal(play(recorder, model, &failures, &error), LIMPET_OK);
  assert_int_equal(limpet_recorder_end(recorder, &error), LIMPET_OK);
  assert_int_equal(memory->begin_count, 1);
  assert_int_equal(memory->end_count, 1);

  assert_int_equal(memory->frame_count, 181);  // 3 s at 60 a second, and the start
  assert_int_equal(file.store.frame_count, memory->frame_count);
  for (int f = 0; f < memory->frame_count; ++f) {
    expect_same_frame(&file.store, f, &memory->frame[f]);
    contacts += memory->frame[f].frame.contact_count;
    events += memory->frame[f].frame.outcome == LIMPET_OUTCOME_ITERATION_LIMIT;
  }
  assert_true(contacts > 0);
  assert_int_equal(events, 21);  // steps 33, 103, ..., 1433: each in one frame
  limpet_recorder_destroy(recorder);
  limpet_replay_file_close(&file);
  memory_free(memory);
}

// Each sees every event: the file's peaks are the largest of all steps since its frame before.
static void sinks_of_different_rates_see_every_event(void **state) {
  const limpet_model *model = *state;
  limpet_replay_file file;
  limpet_replay_file_open(&file, 0.0501, 40);  // halved once: 3 s are 60 frames
  memory_sink *every = memory_create(0.0);
  limpet_recorder *recorder = recorder_with(model, &file.sink, &every->sink);
  limpet_error error = {0};
  int failures = 0;
  assert_int_equal(play(recorder, model, &failures, &error), LIMPET_OK);
  assert_int_equal(every->frame_count, LAST_STEP + 1);
  assert_in_range(file.store.frame_count, 20, 40);
  for (int f = 1, step = 1; f < file.store.frame_count; ++f) {
    const limpet_stored_frame *stored = &file.store.frame[f];
    float deepest = 0.0f;
    limpet_outcome worst = LIMPET_OUTCOME_SOLVED;
    for (; step <= LAST_STEP && every->frame[step].frame.time <= stored->time; ++step) {
      const limpet_frame *frame = &every->frame[step].frame;
      assert_true(frame->signal[LIMPET_SIGNAL_PENETRATION] == depth_of(step));
      assert_int_equal(frame->outcome, outcome_of(step));
      if ((float)depth_of(step) > deepest) deepest = (float)depth_of(step);
      if (outcome_of(step) > worst) worst = outcome_of(step);
    }
    assert_true(stored->signal[LIMPET_SIGNAL_PENETRATION] == deepest);
    assert_int_equal(stored->outcome, worst);
  }
  limpet_recorder_destroy(recorder);
  limpet_replay_file_close(&file);
  memory_free(every);
}

static void a_sink_that_fails_hinders_nobody(void **state) {
  const limpet_model *model = *state;
  limpet_replay_file file;
  limpet_replay_file_open(&file, 1.0 / 60.0, FRAMES);
  memory_sink *memory = memory_create(0.0);
  memory->fail_at = 500;
  limpet_recorder *recorder = recorder_with(model, &memory->sink, &file.sink);
  limpet_error error = {0};
  int failures = 0;
  assert_int_equal(play(recorder, model, &failures, &error), LIMPET_ERROR_FILE);
  assert_int_equal(failures, 1);  // it is said once
  assert_string_equal(error.message, "disk full");
  assert_false(memory->asked_after_failure);
  assert_int_equal(memory->frame_count, 501);
  assert_int_equal(file.store.frame_count, 181);
  limpet_recorder_destroy(recorder);  // which ends the sinks
  assert_int_equal(memory->end_count, 1);
  limpet_replay_file_close(&file);
  memory_free(memory);
}

static void frames_allocate_nothing(void **state) {
  const limpet_model *model = *state;
  limpet_data *data = limpet_data_create(model);
  memory_sink *a = memory_create(0.0), *b = memory_create(0.01);
  limpet_recorder *recorder = recorder_with(model, &a->sink, &b->sink);
  long calls = 0;
  for (int step = 0; step <= LAST_STEP; ++step) {
    puppet_move(model, data, step);
    allocator_reset(-1);
    assert_int_equal(limpet_recorder_append(recorder, data, NULL), LIMPET_OK);
    if (step > 10) calls += allocator_calls();  // contacts have had their room by then
  }
  assert_int_equal(a->frame_count, LAST_STEP + 1);
  assert_int_equal(calls, 0);
  limpet_recorder_destroy(recorder);
  limpet_data_destroy(data);
  memory_free(a);
  memory_free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(file_and_memory_take_the_same_frames),
      cmocka_unit_test(sinks_of_different_rates_see_every_event),
      cmocka_unit_test(a_sink_that_fails_hinders_nobody),
      cmocka_unit_test(frames_allocate_nothing),
  };
  return cmocka_run_group_tests(tests, puppet_create, puppet_destroy);
}
