/* cli/simulate.c: the loop of `limpet run`: controls, step, log, replay, summary, progress; ends
 * early on SIGINT or SIGTERM. */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "progress.h"
#include "run.h"
#include "signals.h"
#include "text_file.h"

/* The command line without what does not change results (names of outputs, threads), so that equal
 * runs give equal logs. Words are joined by blanks. */
static char *command_text(const limpet_session *session) {
  static const char *const with_value[] = {"--log", "--html", "--threads"};
  static const char *const alone[] = {"--json", "--quiet", "--profile"};
  limpet_text text = {0};
  limpet_text_append(&text, "limpet run", strlen("limpet run"));
  for (int i = 1; i < session->argc; ++i) {
    const char *word = session->argv[i];
    bool skip = false;
    for (int k = 0; k < 3; ++k) {
      const size_t length = strlen(with_value[k]);
      const bool named = strncmp(word, with_value[k], length) == 0;
      skip |= strcmp(word, alone[k]) == 0 || (named && (word[length] == '=' || !word[length]));
      if (named && !word[length]) ++i;
    }
    if (skip) continue;
    limpet_text_append(&text, " ", 1);
    limpet_text_append(&text, word, strlen(word));
  }
  return text.text;
}

static limpet_log *log_open(const limpet_session *session) {
  limpet_error error;
  limpet_log_options options = limpet_log_options_default();
  char *command = command_text(session), *text = limpet_text_read(session->path);
  options.model_path = session->path;
  options.command = command;
  options.model_text = text;
  options.controller_text = session->controller_text;
  options.interval = session->options->log_period;
  options.vertex_stride = session->options->log_vertices;
  options.stage_time = session->options->profile;
  limpet_log *log = limpet_log_create(session->options->log, session->model, session->data,
                                      &session->settings, &options, &error);
  if (!log) limpet_complain("%s", error.message);
  free(command);
  free(text);
  return log;
}

// What took the memory: the deformable body of the most vertices, whose matrix is the largest part.
static void complain_memory(const limpet_session *session, int64_t step) {
  const limpet_model *model = session->model;
  limpet_fem_body_info most = {0};
  const char *name = NULL;
  for (int d = 0; d < model->deformable_count; ++d) {
    const limpet_fem_body_info info = limpet_fem_body_information(model->deformable_body[d]);
    if (info.node_count <= most.node_count) continue;
    most = info;
    name = limpet_model_name(model, LIMPET_OBJECT_DEFORMABLE, d);
  }
  limpet_complain("the simulation stopped at %.9g s, in step %lld: out of memory",
                  session->data->time, (long long)step + 1);
  if (most.node_count > 0)
    limpet_complain(
        "the largest deformable body is '%s', of %d vertices and %d tetrahedra; give it fewer",
        name ? name : "", most.node_count, most.tetrahedron_count);
}

static void complain_stopped(const limpet_session *session, int64_t step, limpet_outcome outcome) {
  char input[LIMPET_INPUT_TEXT_SIZE];
  limpet_bad_input_text(session->data, input, sizeof input);
  if (input[0]) {
    limpet_complain("the simulation stopped at %.9g s, in step %lld: %s", session->data->time,
                    (long long)step + 1, input);
    return;
  }
  if (outcome == LIMPET_OUTCOME_OUT_OF_MEMORY) {
    complain_memory(session, step);
    return;
  }
  limpet_complain(
      "the simulation stopped at %.9g s, in step %lld: %s\n  a smaller time step (--dt) may help; "
      "'limpet check %s' "
      "shows what is odd in the model%s",
      session->data->time, (long long)step + 1, limpet_outcome_word(outcome), session->path,
      session->settings.near_rigid_ratio > 0.0 ? ""
                                               : "\n  with --near-rigid-ratio 0 each contact needs "
                                                 "a geom with a stiffness (limpet:stiffness)");
}

// The condition number stands in records alone, and takes a dense factorisation.
static limpet_step_settings settings_of_step(const limpet_session *session, const limpet_log *log) {
  limpet_step_settings settings = session->settings;
  const double end = session->data->time + settings.time_step;
  settings.energy = true;  // the summary tells of each step that made any
  if (log && !limpet_log_is_due(log, end)) settings.condition_number = false;
  return settings;
}

// One step with its records; LIMPET_EXIT_FINE, or the exit code after a complaint.
static int step_once(limpet_session *session, int64_t step, limpet_log *log,
                     limpet_replay *replay) {
  limpet_error error;
  if (session->from) limpet_rerun_control(session, step);
  else limpet_controls_apply(&session->controls, session->data->time, session->data->control);
  if (session->controller)
    limpet_controller_update(session->controller, session->model, session->data,
                             session->settings.time_step);
  const limpet_step_settings settings = settings_of_step(session, log);
  const limpet_outcome outcome = limpet_step(session->model, session->data, &settings);
  limpet_summary_add(&session->summary, session->data);
  if (log && limpet_log_append(log, session->model, session->data, &error) != LIMPET_OK) {
    limpet_complain("%s", error.message);
    session->log_failed = true;
    return LIMPET_EXIT_INPUT;
  }
  if (replay && limpet_replay_append(replay, session->model, session->data) != LIMPET_OK) {
    limpet_complain("--html: not enough memory for the replay");
    return LIMPET_EXIT_INPUT;
  }
  const bool held = outcome == LIMPET_OUTCOME_ISLAND_FAILED && session->options->loading.strict;
  if (!limpet_outcome_failed(outcome) && !held) return LIMPET_EXIT_FINE;
  complain_stopped(session, step, outcome);
  return LIMPET_EXIT_SIMULATION;
}

static int step_all(limpet_session *session, limpet_log *log, limpet_replay *replay) {
  const double duration = (double)session->step_count * session->settings.time_step,
               start = session->data->time;
  const double wall_start = limpet_wall_time(), processor_start = limpet_processor_time();
  limpet_progress progress = limpet_progress_begin(duration, session->options->quiet);
  int code = LIMPET_EXIT_FINE;
  limpet_signals_listen();
  for (int64_t step = 0; step < session->step_count && code == LIMPET_EXIT_FINE; ++step) {
    code = step_once(session, step, log, replay);
    if (limpet_signal_caught()) code = LIMPET_EXIT_SIGNAL + limpet_signal_caught();
    limpet_progress_show(&progress, session->data->time - start);
  }
  limpet_progress_end(&progress);
  limpet_summary_end(&session->summary, session->model, session->data,
                     limpet_wall_time() - wall_start, limpet_processor_time() - processor_start);
  if (code > LIMPET_EXIT_SIGNAL) limpet_complain("interrupted at %.9g s", session->data->time);
  return code;
}

int limpet_simulate(limpet_session *session) {
  limpet_error error;
  limpet_log *log = NULL;
  limpet_replay *replay = NULL;
  limpet_summary_begin(&session->summary, session->model, session->data);
  if (session->options->html &&
      !(replay = limpet_replay_open(session->model, session->path, &session->settings, 1)))
    return LIMPET_EXIT_INPUT;
  if (replay) limpet_replay_append(replay, session->model, session->data);
  if (session->options->log && !(log = log_open(session))) {
    limpet_replay_destroy(replay);
    return LIMPET_EXIT_INPUT;
  }

  // what was simulated is kept, however the run ended
  int code = step_all(session, log, replay);
  if (log && limpet_log_close(log, &error) != LIMPET_OK) {
    if (!session->log_failed) limpet_complain("%s", error.message);
    session->log_failed = true;
    code = LIMPET_EXIT_INPUT;
  }
  if (replay &&
      limpet_replay_write(replay, session->model, session->options->html, &error) != LIMPET_OK) {
    limpet_complain("%s", error.message);
    code = LIMPET_EXIT_INPUT;
  }
  limpet_replay_destroy(replay);
  return code;
}
