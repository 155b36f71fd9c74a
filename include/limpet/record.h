/* limpet/record.h: logs (HDF5) and replays (HTML). Floor 8. docs/log.md describes the layout. */
#ifndef LIMPET_RECORD_H
#define LIMPET_RECORD_H

#include "limpet/step.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limpet_log limpet_log;

typedef struct limpet_log_options {
  const char *model_path;  // for limpet run --from; may be NULL
  const char *command;     // command line that made it; may be NULL
  const char *model_text;  // source text of the model file, stored; may be NULL
  double interval;         // [s]  between records; 0: every step
  int chunk;               // records per chunk and flush; 64
} limpet_log_options;

LIMPET_API limpet_log_options limpet_log_options_default(void);

/* Creates the file and writes what is needed to run it again: model hash and path, version, settings, full start state. NULL on
 * failure. */
LIMPET_API limpet_log *limpet_log_create(const char *path, const limpet_model *model, const limpet_data *data,
                                         const limpet_step_settings *settings, const limpet_log_options *options,
                                         limpet_error *error);
// Records the state and the results of the last step, if `interval` has passed since the last record.
LIMPET_API limpet_status limpet_log_append(limpet_log *log, const limpet_model *model, const limpet_data *data,
                                           limpet_error *error);
// Flushes and closes. Without it (a killed process) the file holds all whole chunks.
LIMPET_API limpet_status limpet_log_close(limpet_log *log, limpet_error *error);

typedef struct limpet_replay limpet_replay;

typedef struct limpet_replay_options {
  const char *title;      // may be NULL: the model's name
  double frame_interval;  // [s]  between frames; 1/60
  int frame_limit;        // frames are thinned to at most this many; 3000
} limpet_replay_options;

LIMPET_API limpet_replay_options limpet_replay_options_default(void);

/* Collects frames while a simulation runs and writes one self-contained HTML page at the end; nothing is written before. */
LIMPET_API limpet_replay *limpet_replay_create(const limpet_model *model, const limpet_replay_options *options);
LIMPET_API limpet_status limpet_replay_append(limpet_replay *replay, const limpet_model *model, limpet_data *data);
LIMPET_API limpet_status limpet_replay_write(const limpet_replay *replay, const limpet_model *model, const char *path,
                                             limpet_error *error);
LIMPET_API void limpet_replay_destroy(limpet_replay *replay);

#ifdef __cplusplus
}
#endif
#endif
