/* cli/run.h: one simulation by `limpet run`: what was asked, what is open, what came out. */
#ifndef LIMPET_CLI_RUN_H
#define LIMPET_CLI_RUN_H

#include <jansson.h>

#include "loading.h"
#include "start.h"
#include "summary.h"

typedef struct limpet_run_options {  // NAN, NULL, 0, false: not given
  limpet_start_options start;
  double log_period;  // [s]
  int threads;
  int log_vertices;  // as limpet_log_options.vertex_stride
  const char *contact, *scheme, *log, *html, *from;
  bool profile, json, quiet;
  limpet_loading loading;
  limpet_text_list arguments;
} limpet_run_options;

typedef struct limpet_session {
  const limpet_run_options *options;
  int argc;
  char **argv;
  const char *path;  // of the model
  limpet_model *model;
  limpet_data *data;
  limpet_step_settings settings;
  limpet_controls controls;
  limpet_controller *controller;  // or NULL
  char *controller_text;          // its JSON, or NULL
  int64_t step_count;             // to do
  limpet_log_info *from;          // the log that is run again, or NULL
  bool log_failed;                // the log could not be written to its end
  limpet_summary summary;
} limpet_session;

/* Steps until the end, writes log and replay, fills the summary. Returns the exit code, after a
 * complaint where it is not 0. */
int limpet_simulate(limpet_session *session);

// Whether the log can be read at all; otherwise it was said why.
bool limpet_rerun_readable(const char *path);
// Takes settings, start state and step count from session->from. Returns LIMPET_OPTIONS_GO or an
// exit code.
int limpet_rerun_open(limpet_session *session);
// What the controller of the run did, in words and as JSON; session->controller is there.
void limpet_controller_print(const limpet_session *session);
json_t *limpet_controller_json(const limpet_session *session);

// Control of that step (0, 1, ...) as the log has it.
void limpet_rerun_control(limpet_session *session, int64_t step);
// After the simulation: whether the final state is that of the log, in words and as JSON.
void limpet_rerun_print(const limpet_session *session);
json_t *limpet_rerun_json(const limpet_session *session);

#endif
