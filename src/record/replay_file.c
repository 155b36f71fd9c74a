/* record/replay_file.c: keeps the frames that are due, and half of them when there are too many. */
#include "record/replay_file.h"

#include <string.h>

#include "base/error.h"

static limpet_status begin(limpet_sink *sink, const limpet_scene *scene,
                           const limpet_run_facts *facts, limpet_error *error) {
  limpet_replay_file *file = (limpet_replay_file *)sink;
  (void)error;
  file->scene = scene;
  file->facts = *facts;
  file->facts.name = file->name;
  file->store.moving_count = scene->moving_count;
  file->store.skin_count = scene->skin->vertex_count;
  file->store.channel_count = scene->channels->count;
  return LIMPET_OK;
}

static bool wants(const limpet_sink *sink, double time) {
  return limpet_thinning_wants(&((const limpet_replay_file *)sink)->thinning, time);
}

static limpet_status take(limpet_sink *sink, const limpet_frame *frame, limpet_error *error) {
  limpet_replay_file *file = (limpet_replay_file *)sink;
  if (file->store.frame_count == file->thinning.limit) {
    limpet_frame_store_halve(&file->store, file->peak, &file->worst);
    limpet_thinning_halved(&file->thinning);
  }
  limpet_frame kept = *frame;
  limpet_signals_keep_peaks(kept.signal, file->peak);
  if (file->worst > kept.outcome) kept.outcome = file->worst;
  if (limpet_frame_store_append(&file->store, &kept) != LIMPET_OK)
    return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "not enough memory for the replay");
  memset(file->peak, 0, sizeof file->peak);
  file->worst = LIMPET_OUTCOME_SOLVED;
  limpet_thinning_kept(&file->thinning, frame->time);
  return LIMPET_OK;
}

// nothing is held back: the page is written by limpet_replay_files_write, which knows its name
static limpet_status end(limpet_sink *sink, limpet_error *error) {
  (void)sink, (void)error;
  return LIMPET_OK;
}

void limpet_replay_file_open(limpet_replay_file *file, double interval, int limit) {
  *file = (limpet_replay_file){
      .sink = {.begin = begin, .wants = wants, .take = take, .end = end},
      .thinning = limpet_thinning_begin(interval, limit),
  };
}

void limpet_replay_file_close(limpet_replay_file *file) { limpet_frame_store_free(&file->store); }
