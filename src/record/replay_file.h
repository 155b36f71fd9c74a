/* record/replay_file.h: the sink that keeps a run for an HTML page. */
#ifndef LIMPET_RECORD_REPLAY_FILE_H
#define LIMPET_RECORD_REPLAY_FILE_H

#include "record/frame_store.h"
#include "record/page_template.h"
#include "record/sink.h"
#include "record/thinning.h"

typedef struct limpet_replay_file {
  limpet_sink sink;
  const limpet_scene *scene;  // NULL before the first frame
  const char *name;           // of the run; NULL: none of its own
  limpet_run_facts facts;
  limpet_thinning thinning;
  limpet_frame_store store;
  // events of frames that were dropped, for the one to come
  double peak[LIMPET_SIGNAL_COUNT];
  limpet_outcome worst;
} limpet_replay_file;

// Frames every `interval` seconds, at most `limit`; see record/thinning.h.
void limpet_replay_file_open(limpet_replay_file *file, double interval, int limit);
void limpet_replay_file_close(limpet_replay_file *file);

/* One page with the runs of several files, which have the same model; the scene is that of the
 * first. The page appears when it is complete; on failure what had its name stays. */
limpet_status limpet_replay_files_write(const limpet_replay_file *const *files, int count,
                                        const char *path, limpet_error *error);

#endif
