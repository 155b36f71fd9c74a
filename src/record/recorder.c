/* record/recorder.c: from steps to frames to sinks.
 *
 * Signals that are events, and the worst outcome, are kept for each sink since the frame that it
 * took last, so that sinks of different rates each see every peak. A step that no sink wants costs
 * the sum over its contacts; a frame costs the kinematics and a copy. */
#include "record/recorder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

typedef struct limpet_subscription {
  limpet_sink *sink;
  double peak[LIMPET_SIGNAL_COUNT];  // since its last frame; events only
  limpet_outcome worst;              // since its last frame
  bool failed;
} limpet_subscription;

struct limpet_recorder {
  limpet_scene *scene;
  limpet_frame *frame;
  limpet_run_facts facts;
  bool begun, ended;
  int sink_count;
  limpet_subscription sink[LIMPET_RECORDER_SINK_LIMIT];
};

limpet_recorder *limpet_recorder_create(const limpet_model *model, const char *title,
                                        const limpet_step_settings *settings,
                                        const limpet_replay_custom *custom) {
  limpet_recorder *recorder = calloc(1, sizeof *recorder);
  if (!recorder) return NULL;
  recorder->facts = limpet_run_facts_of(settings);
  recorder->scene = limpet_scene_create(model, title, custom);
  if (recorder->scene) recorder->frame = limpet_frame_create(recorder->scene);
  if (recorder->frame) return recorder;
  limpet_recorder_destroy(recorder);
  return NULL;
}

void limpet_recorder_destroy(limpet_recorder *recorder) {
  if (!recorder) return;
  limpet_recorder_end(recorder, NULL);
  limpet_frame_destroy(recorder->frame);
  limpet_scene_destroy(recorder->scene);
  free(recorder);
}

void limpet_recorder_add(limpet_recorder *recorder, limpet_sink *sink) {
  assert(!recorder->begun && recorder->sink_count < LIMPET_RECORDER_SINK_LIMIT);
  recorder->sink[recorder->sink_count++] = (limpet_subscription){.sink = sink};
}

// what one sink answered; the text of the first failure stays
static void note(limpet_subscription *subscription, limpet_status answer, limpet_status *status) {
  if (answer == LIMPET_OK) return;
  subscription->failed = true;
  if (*status == LIMPET_OK) *status = answer;
}

static limpet_status begin_sinks(limpet_recorder *recorder, limpet_data *data,
                                 limpet_error *error) {
  limpet_status status = LIMPET_OK;
  recorder->begun = true;
  limpet_kinematics(recorder->scene->model, data);
  limpet_scene_place(recorder->scene, data);
  for (int s = 0; s < recorder->sink_count; ++s) {
    limpet_subscription *own = &recorder->sink[s];
    limpet_error *place = status == LIMPET_OK ? error : NULL;
    note(own, own->sink->begin(own->sink, recorder->scene, &recorder->facts, place), &status);
  }
  return status;
}

// peaks and the worst outcome of this step; whether any sink wants a frame
static bool keep_events(limpet_recorder *recorder, const limpet_data *data,
                        const double signal[LIMPET_SIGNAL_COUNT]) {
  bool wanted = false;
  for (int s = 0; s < recorder->sink_count; ++s) {
    limpet_subscription *own = &recorder->sink[s];
    limpet_signals_keep_peaks(own->peak, signal);
    if (data->info.outcome > own->worst) own->worst = data->info.outcome;
    wanted |= !own->failed && own->sink->wants(own->sink, data->time);
  }
  return wanted;
}

// the frame as one sink sees it, with the events since its last one
static limpet_status hand_over(limpet_recorder *recorder, limpet_subscription *own,
                               const double signal[LIMPET_SIGNAL_COUNT], limpet_error *error) {
  limpet_frame *frame = recorder->frame;
  memcpy(frame->signal, signal, sizeof frame->signal);
  limpet_signals_keep_peaks(frame->signal, own->peak);
  frame->outcome = own->worst;
  memset(own->peak, 0, sizeof own->peak);
  own->worst = LIMPET_OUTCOME_SOLVED;
  return own->sink->take(own->sink, frame, error);
}

limpet_status limpet_recorder_append(limpet_recorder *recorder, limpet_data *data,
                                     limpet_error *error) {
  assert(data->model == recorder->scene->model && !recorder->ended);
  limpet_status status = LIMPET_OK;
  if (!recorder->begun) status = begin_sinks(recorder, data, error);
  double signal[LIMPET_SIGNAL_COUNT];
  limpet_signals_read(signal, data);
  if (!keep_events(recorder, data, signal)) return status;

  limpet_kinematics(recorder->scene->model, data);
  if (limpet_frame_take(recorder->frame, recorder->scene, data) != LIMPET_OK)
    return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "not enough memory for a frame");
  for (int s = 0; s < recorder->sink_count; ++s) {
    limpet_subscription *own = &recorder->sink[s];
    if (own->failed || !own->sink->wants(own->sink, data->time)) continue;
    note(own, hand_over(recorder, own, signal, status == LIMPET_OK ? error : NULL), &status);
  }
  return status;
}

limpet_status limpet_recorder_end(limpet_recorder *recorder, limpet_error *error) {
  limpet_status status = LIMPET_OK;
  if (!recorder->begun || recorder->ended) return status;
  recorder->ended = true;
  for (int s = 0; s < recorder->sink_count; ++s) {
    limpet_subscription *own = &recorder->sink[s];
    note(own, own->sink->end(own->sink, status == LIMPET_OK ? error : NULL), &status);
  }
  return status;
}
