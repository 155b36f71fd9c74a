/* record/replay.c: a replay as users have it: a recorder that feeds one file. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "limpet/record.h"
#include "record/recorder.h"
#include "record/replay_file.h"

struct limpet_replay {
  limpet_recorder *recorder;
  char *name;  // or NULL
  limpet_replay_file file;
};

limpet_replay_options limpet_replay_options_default(void) {
  return (limpet_replay_options){
      .title = NULL, .settings = NULL, .frame_interval = 1.0 / 60.0, .frame_limit = 3000};
}

limpet_replay *limpet_replay_create(const limpet_model *model,
                                    const limpet_replay_options *options) {
  assert(model);
  const limpet_replay_options chosen = options ? *options : limpet_replay_options_default();
  limpet_replay *replay = calloc(1, sizeof *replay);
  if (!replay) return NULL;
  limpet_replay_file_open(&replay->file, chosen.frame_interval, chosen.frame_limit);
  replay->name = chosen.name ? strdup(chosen.name) : NULL;
  replay->file.name = replay->name;
  replay->recorder = limpet_recorder_create(model, chosen.title, chosen.settings, &chosen.custom);
  if (!replay->recorder || (chosen.name && !replay->name)) {
    limpet_recorder_destroy(replay->recorder);
    free(replay->name);
    free(replay);
    return NULL;
  }
  limpet_recorder_add(replay->recorder, &replay->file.sink);
  return replay;
}

void limpet_replay_destroy(limpet_replay *replay) {
  if (!replay) return;
  limpet_recorder_destroy(replay->recorder);
  limpet_replay_file_close(&replay->file);
  free(replay->name);
  free(replay);
}

limpet_status limpet_replay_append(limpet_replay *replay, const limpet_model *model,
                                   limpet_data *data) {
  assert(replay && data->model == model);
  (void)model;
  return limpet_recorder_append(replay->recorder, data, NULL);
}

bool limpet_replay_available(void) { return limpet_replay_template_size > 0; }

limpet_status limpet_replays_write(const limpet_replay *const *replays, int count,
                                   const limpet_model *model, const char *path,
                                   limpet_error *error) {
  assert(replays && model && path);
  assert(count > 0);
  const limpet_replay_file **files = malloc((size_t)count * sizeof *files);
  if (!files)
    return limpet_error_fill(error, LIMPET_ERROR_MEMORY, "%s: cannot be written: no memory", path);
  for (int r = 0; r < count; ++r) {
    files[r] = &replays[r]->file;
    assert(!files[r]->scene || files[r]->scene->model == model);
  }
  (void)model;
  const limpet_status status = limpet_replay_files_write(files, count, path, error);
  free(files);
  return status;
}

limpet_status limpet_replay_write(const limpet_replay *replay, const limpet_model *model,
                                  const char *path, limpet_error *error) {
  assert(replay && model && path);
  return limpet_replays_write(&replay, 1, model, path, error);
}
