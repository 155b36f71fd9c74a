/* limpet/record.h: logs (HDF5) and replays (HTML). Floor 10. docs/log.md describes the layout. */
#ifndef LIMPET_RECORD_H
#define LIMPET_RECORD_H

#include "limpet/step.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct limpet_log limpet_log;

typedef struct limpet_log_options {
  const char *model_path;  // so that `limpet run --from LOG` finds it; may be NULL
  /* command line that made it, without what does not decide the results (names of outputs,
   * threads), so that equal runs give equal files; may be NULL */
  const char *command;
  const char *model_text;       // source text of the model file, stored; may be NULL
  const char *controller_text;  // JSON of the controller, to repeat the run; may be NULL
  double interval;              // [s]  between records; 0: every step
  // records per chunk and flush; 0: as many as a MiB holds without contacts, 64 to 256
  int chunk;
  // records from one with the vertices of deformable bodies to the next: 1; 0: none has them
  int vertex_stride;
  bool stage_time;  // record info.stage_time: then logs of equal runs differ; false
} limpet_log_options;

LIMPET_API limpet_log_options limpet_log_options_default(void);

/* Creates the file and writes what is needed to run it again: model hash and path, version,
 * settings, full start state. Others may read the file at any time. NULL on failure, also where a
 * process is writing a log of that name. */
LIMPET_API limpet_log *limpet_log_create(const char *path, const limpet_model *model,
                                         const limpet_data *data,
                                         const limpet_step_settings *settings,
                                         const limpet_log_options *options, limpet_error *error);
/* Call after every step: records its control, and state and results if `interval` has passed since
 * the last record. Poses are computed from q, whatever data holds. Rows are gathered in memory;
 * each `options->chunk` of them are written and flushed, and what there is after 4 steps for each
 * record of a chunk. */
LIMPET_API limpet_status limpet_log_append(limpet_log *log, const limpet_model *model,
                                           const limpet_data *data, limpet_error *error);
// Whether a step that ends at `time` [s] makes a record: what only records need can wait for it.
LIMPET_API bool limpet_log_is_due(const limpet_log *log, double time);
// Writes what is left, closes and frees, on failure too. Without it (a killed process) the file
// holds all whole chunks.
LIMPET_API limpet_status limpet_log_close(limpet_log *log, limpet_error *error);

/* Whether a process is writing the log of that name now. Those who read it do not count, but for
 * those who began before that process was killed. False on file systems without locks. */
LIMPET_API bool limpet_log_is_being_written(const char *path);

enum { LIMPET_LOG_SETTING_NAME = 48 };  // characters of a setting's name, at most

typedef struct limpet_log_setting {
  // field of limpet_step_settings without its group; element 2 of an array: "normal_parameter_2"
  char name[LIMPET_LOG_SETTING_NAME];
  double value;      // booleans: 0 or 1
  const char *word;  // of a scheme, contact model or normal law: its name; NULL: a number
} limpet_log_setting;

typedef enum limpet_log_state {
  LIMPET_LOG_CLOSED,   // all of the run; also a log from before this was recorded
  LIMPET_LOG_GROWING,  // a process is writing it: what there is so far
  LIMPET_LOG_CUT  // the process was killed, or the disk was full: what there was when it last wrote
} limpet_log_state;

// What a log says about its run: all that is needed to do it again. Pointers live until
// limpet_log_info_destroy.
typedef struct limpet_log_info {
  const char *version;  // of the library that wrote it
  const char *command;  // "": not recorded, here and below
  const char *model_name, *model_path, *model_text;
  const char *controller_text;  // JSON
  uint64_t model_hash;          // model->hash
  int setting_count;
  const limpet_log_setting *setting;  // (setting_count)
  int state_size;                     // limpet_data_state_size of the model
  const double *start_state;          // (state_size)  what limpet_data_state_write takes
  limpet_log_state state;
  int record_count;
  const double *time;           // (record_count)  [s]
  const double *end_q, *end_v;  // (nq), (nv)  of the last record; NULL where there is none
  int nq, nv, nu;
  int step_count;  // steps whose control is known: all, up to the last chunk that was written
  const double *step_time;     // (step_count)  [s]  at the end of the step
  const double *step_control;  // (step_count x nu)  control of that step
} limpet_log_info;

// NULL on failure: no such file, not a log, a layout that is newer than this library.
LIMPET_API limpet_log_info *limpet_log_read(const char *path, limpet_error *error);
LIMPET_API void limpet_log_info_destroy(limpet_log_info *info);
/* The settings of the run. Fields that do not decide results (threads, profile) keep their
 * defaults. Fails, naming it, on a scheme, contact model or setting that this library does not
 * have, and on a value out of its range. */
LIMPET_API limpet_status limpet_log_settings(const limpet_log_info *info, const limpet_model *model,
                                             limpet_step_settings *settings, limpet_error *error);

typedef struct limpet_replay limpet_replay;

/* Numbers of a program's own that the page plots beside those of the run: `values` writes `count`
 * of them for each frame. Zero: none. */
typedef struct limpet_replay_custom {
  int count;
  const char *const *name;  // (count)  copied by create
  void (*values)(void *context, const limpet_data *data, double *value);
  void *context;
} limpet_replay_custom;

typedef struct limpet_replay_options {
  const char *title;                     // may be NULL: the model's name
  const char *name;                      // of the run among others; NULL: its contact model
  const limpet_step_settings *settings;  // for the summary; copied by create; may be NULL
  double frame_interval;                 // [s]  between frames; 1/60
  int frame_limit;                       // frames are thinned to at most this many; 3000
  limpet_replay_custom custom;           // none
} limpet_replay_options;

LIMPET_API limpet_replay_options limpet_replay_options_default(void);

/* Collects frames while a simulation runs and writes one self-contained HTML page at the end;
 * nothing is written before. */
LIMPET_API limpet_replay *limpet_replay_create(const limpet_model *model,
                                               const limpet_replay_options *options);
/* Call after every step (and before the first one, for a frame of the start): takes a frame when it
 * is due, and keeps the largest penetration, force and iterations between frames for the plots.
 * Runs the kinematics for a frame. */
LIMPET_API limpet_status limpet_replay_append(limpet_replay *replay, const limpet_model *model,
                                              limpet_data *data);
// Whether the library was built with the viewer: without it no replay can be written.
LIMPET_API bool limpet_replay_available(void);
/* LIMPET_ERROR_UNSUPPORTED when the library was built without the viewer. The file appears when it
 * is complete. */
LIMPET_API limpet_status limpet_replay_write(const limpet_replay *replay, const limpet_model *model,
                                             const char *path, limpet_error *error);
/* Several runs of one model over each other in one page: the first in the colours of the model, the
 * others tinted. Each has the name of its options, or that of its contact model. Conditions and
 * errors as for one. */
LIMPET_API limpet_status limpet_replays_write(const limpet_replay *const *replays, int count,
                                              const limpet_model *model, const char *path,
                                              limpet_error *error);
LIMPET_API void limpet_replay_destroy(limpet_replay *replay);

typedef struct limpet_picture_options {
  int width, height;         // [pixels]  1280 x 720
  double time;               // [s]  of a picture; NAN: the end of the replay
  double start, end;         // [s]  of a video; NAN: those of the replay
  double frames_per_second;  // of a video; 30
  double speed;              // simulated over shown time of a video; 1
  const double *camera;      // (6)  [m]  where it is, what it looks at; NULL: all that moves
  bool dark;                 // false
  bool page;                 // with the cards, plots and buttons of the page; false
  const char *words;         // more words of the address, joined by &: docs/replay.md; may be NULL
  // told how many pictures are done after each of a video, and several times a second while the
  // browser is waited for (0 of 0 before the first); false ends it, with LIMPET_ERROR_STATE; may be
  // NULL
  bool (*progress)(void *context, int done, int count);
  void *context;
} limpet_picture_options;

LIMPET_API limpet_picture_options limpet_picture_options_default(void);

/* Whether a picture or video of that name can be made on this machine, for a caller that asks
 * before a long run. LIMPET_ERROR_INPUT for another ending, LIMPET_ERROR_UNSUPPORTED, with what to
 * install, where Chromium or ffmpeg is missing. */
LIMPET_API limpet_status limpet_picture_possible(const char *path, limpet_error *error);

/* Draws a replay page without a screen, by Chromium in the background ($LIMPET_CHROMIUM, chromium,
 * chromium-browser, google-chrome, chrome): a picture where `path` ends in .png, a video where it
 * ends in .mp4, .webm or .gif, which ffmpeg writes ($LIMPET_FFMPEG, ffmpeg). `options` NULL: the
 * defaults. LIMPET_ERROR_UNSUPPORTED, with what to install, where a program is missing;
 * LIMPET_ERROR_FILE where a file cannot be read or written, or is no replay. */
LIMPET_API limpet_status limpet_picture_write(const char *page, const char *path,
                                              const limpet_picture_options *options,
                                              limpet_error *error);

#ifdef __cplusplus
}
#endif
#endif
