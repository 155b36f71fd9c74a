/* cli/run.c: `limpet run`: reads the options, opens everything, simulates, tells what happened.
 *
 * Order matters here: whatever can be wrong with the input is found before any file is created. The
 * log grows while the simulation runs; the replay appears whole at the end. The loop itself is in
 * simulate.c, running a log again in rerun.c. */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "output.h"

// ------------------------------------------------------------------------------------ options

static int options_read(const limpet_command *command, int argc, char **argv,
                        limpet_run_options *run) {
  const limpet_option own[] = {
      {"--contact", LIMPET_OPTION_TEXT, &run->contact, "MODEL",
       "contact model; coulomb ('limpet list models')", 0, 0, 0},
      {"--scheme", LIMPET_OPTION_TEXT, &run->scheme, "SCHEME",
       "stepping scheme; discrete ('limpet list schemes')", 0, 0, 0},
      {"--threads", LIMPET_OPTION_COUNT, &run->threads, "N",
       "threads; the result does not depend on it; 1", 0, 1, 1024},
      {"--log", LIMPET_OPTION_TEXT, &run->log, "FILE.h5", "record every step in an HDF5 file", 0, 0,
       0},
      {"--log-period", LIMPET_OPTION_QUANTITY, &run->log_period, "TIME",
       "record one step in each period; 0: every step", "s", 0.0, 1e9},
      {"--log-vertices", LIMPET_OPTION_COUNT, &run->log_vertices, "N",
       "vertices of soft bodies in each N-th record, compressed; 0: none; 1", 0, 0, 1e9},
      {"--html", LIMPET_OPTION_TEXT, &run->html, "FILE.html", "write a replay for any browser", 0,
       0, 0},
      {"--from", LIMPET_OPTION_TEXT, &run->from, "FILE.h5",
       "run a log again and compare the final state bit by bit", 0, 0, 0},
      {"--profile", LIMPET_OPTION_FLAG, &run->profile, NULL, "time of each stage of a step", 0, 0,
       0},
      {"--json", LIMPET_OPTION_FLAG, &run->json, NULL, "the summary as JSON on stdout", 0, 0, 0},
      {"--strict", LIMPET_OPTION_FLAG, &run->loading.strict, NULL,
       "what the file asks and Limpet does not simulate is an error; so is an island that fails", 0,
       0, 0},
      {"--quiet", LIMPET_OPTION_FLAG, &run->quiet, NULL,
       "no progress bar, no warnings, no summary in words", 0, 0, 0},
  };
  enum { OWN_COUNT = (int)(sizeof own / sizeof *own) };
  enum {
    CAPACITY =
        LIMPET_START_OPTION_COUNT + LIMPET_LOADING_OPTION_COUNT + OWN_COUNT + LIMPET_SETTING_LIMIT
  };

  // how it starts, what it does, and how it steps
  limpet_option options[CAPACITY];
  *run = (limpet_run_options){.log_vertices = 1};
  int count = limpet_start_options_begin(&run->start, options);
  count += limpet_loading_options(&run->loading, options + count);
  memcpy(options + count, own, sizeof own);
  count = limpet_settings_options(&run->start.settings, options, count + OWN_COUNT, CAPACITY);
  return limpet_options_parse(command, options, count, argc, argv, &run->arguments);
}

// With --from the log decides; an option that would change the run is a mistake.
static const char *option_against_log(const limpet_run_options *run) {
  if (run->contact) return "--contact";
  return run->scheme ? "--scheme" : limpet_start_option_given(&run->start);
}

static int options_check(const limpet_run_options *run) {
  if (run->arguments.count > 1) {
    limpet_complain("one model file at a time, but there are '%s' and '%s'", run->arguments.text[0],
                    run->arguments.text[1]);
    return LIMPET_EXIT_USAGE;
  }
  if (run->arguments.count == 0 && !run->from) {
    limpet_complain(
        "no model file given\n  try 'limpet run scene.xml', or see 'limpet run --help'");
    return LIMPET_EXIT_USAGE;
  }
  const char *against = run->from ? option_against_log(run) : NULL;
  if (against) {
    limpet_complain("%s: not together with --from, which takes it from the log", against);
    return LIMPET_EXIT_USAGE;
  }
  const char *of_log = run->log_period > 0.0    ? "--log-period"
                       : run->log_vertices != 1 ? "--log-vertices"
                                                : NULL;
  if (of_log && !run->log) {
    limpet_complain("%s: there is no log; name one with --log FILE.h5", of_log);
    return LIMPET_EXIT_USAGE;
  }
  if (run->log && run->html && strcmp(run->log, run->html) == 0) {
    limpet_complain("--log and --html: both name '%s'", run->log);
    return LIMPET_EXIT_USAGE;
  }
  return LIMPET_OPTIONS_GO;
}

// ------------------------------------------------------------------------------------ opening

static int settings_choose(limpet_session *session) {
  const limpet_run_options *run = session->options;
  const limpet_scheme *scheme;
  const limpet_contact_model *contact;
  int code = limpet_scheme_choose(run->scheme, &scheme);
  if (code == LIMPET_OPTIONS_GO) code = limpet_contact_model_choose(run->contact, &contact);
  if (code != LIMPET_OPTIONS_GO) return code;
  return limpet_start_settings(&run->start, session->model, scheme, contact, &session->settings);
}

static int start_open(limpet_session *session) {
  const limpet_start_options *start = &session->options->start;
  int code = settings_choose(session);
  if (code == LIMPET_OPTIONS_GO)
    code =
        limpet_start_state(start, session->model, session->path, session->data, &session->controls);
  if (code == LIMPET_OPTIONS_GO)
    code = limpet_start_controller(start, session->model, &session->controls, &session->controller,
                                   &session->controller_text);
  if (code != LIMPET_OPTIONS_GO) return code;
  session->step_count = limpet_start_step_count(start, session->settings.time_step);
  if (!session->options->quiet) limpet_start_settings_warn(start, &session->settings);
  if (!session->options->quiet)
    limpet_start_warn(start, session->model, session->data, session->settings.time_step,
                      session->controller);
  return LIMPET_OPTIONS_GO;
}

static int outputs_check(const limpet_session *session) {
  const limpet_run_options *run = session->options;
  const char *inputs[] = {session->path, run->start.controls, run->start.controller, run->from};
  if (run->log && !limpet_output_possible("--log", run->log, inputs, 4)) return LIMPET_EXIT_INPUT;
  if (run->html && !limpet_output_possible("--html", run->html, inputs, 4))
    return LIMPET_EXIT_INPUT;
  return LIMPET_OPTIONS_GO;
}

static int session_open(limpet_session *session) {
  const limpet_run_options *run = session->options;
  limpet_error error;
  if (run->from) {
    if (!limpet_rerun_readable(run->from)) return LIMPET_EXIT_INPUT;
    session->from = limpet_log_read(run->from, &error);
    if (!session->from) {
      limpet_complain("%s", error.message);
      return LIMPET_EXIT_INPUT;
    }
  }
  session->path = run->arguments.count ? run->arguments.text[0] : session->from->model_path;
  if (run->from && !*session->path) {
    limpet_complain(
        "%s: the log does not say which file its model is from\n  give it: limpet run FILE --from "
        "%s",
        run->from, run->from);
    return LIMPET_EXIT_INPUT;
  }
  int code = outputs_check(session);
  if (code != LIMPET_OPTIONS_GO) return code;
  session->model = limpet_model_open(session->path, &run->loading, !run->quiet, &code);
  if (!session->model) return code;
  session->data = limpet_data_create(session->model);
  if (!session->data) {
    limpet_complain("%s: not enough memory for this model", session->path);
    return LIMPET_EXIT_SIMULATION;
  }
  code = run->from ? limpet_rerun_open(session) : start_open(session);
  if (run->threads) session->settings.threads = run->threads;
  session->settings.profile = run->profile;
  session->settings.energy = run->log || run->html;
  return code;
}

static void session_close(limpet_session *session) {
  limpet_controls_free(&session->controls);
  limpet_controller_destroy(session->controller);
  free(session->controller_text);
  if (session->from) limpet_log_info_destroy(session->from);
  if (session->data) limpet_data_destroy(session->data);
  if (session->model) limpet_model_destroy(session->model);
}

// ------------------------------------------------------------------------------------- telling

static void json_tell(const limpet_session *session, int code) {
  json_t *root =
      limpet_summary_json(&session->summary, session->model, session->data, &session->settings);
  const char *ending = code == LIMPET_EXIT_SIMULATION ? "stopped"
                       : code > LIMPET_EXIT_SIGNAL    ? "interrupted"
                                                      : "finished";
  json_object_set_new(root, "file", limpet_json_text(session->path));
  json_object_set_new(root, "ending", json_string(ending));
  json_object_set_new(root, "log", limpet_json_text(session->options->log));
  json_object_set_new(root, "html", limpet_json_text(session->options->html));
  if (session->controller) json_object_set_new(root, "controller", limpet_controller_json(session));
  if (session->from) json_object_set_new(root, "rerun", limpet_rerun_json(session));
  limpet_json_print(root, stdout, false);
  json_decref(root);
}

static void words_tell(const limpet_session *session) {
  limpet_summary_print(&session->summary, session->model, session->data, &session->settings);
  if (session->controller) limpet_controller_print(session);
  if (session->from) limpet_rerun_print(session);
  if (session->options->log) printf("log          %s\n", session->options->log);
  if (session->options->html) printf("replay       %s\n", session->options->html);
}

static int run(const limpet_command *command, int argc, char **argv) {
  limpet_run_options options;
  int code = options_read(command, argc, argv, &options);
  if (code == LIMPET_OPTIONS_GO) code = options_check(&options);
  if (code != LIMPET_OPTIONS_GO) return code;
  limpet_session session = {.options = &options, .argc = argc, .argv = argv};
  code = session_open(&session);
  if (code == LIMPET_OPTIONS_GO) {
    code = limpet_simulate(&session);
    const bool written =
        code != LIMPET_EXIT_INPUT;  // otherwise it was said already that a log or replay failed
    if (written && options.json) json_tell(&session, code);
    else if (written && !options.quiet) words_tell(&session);
  }
  session_close(&session);

  // HDF5 1.10 crashes in its exit handler after a file that it could not write
  if (session.log_failed) {
    fflush(NULL);
    _exit(code);
  }
  return code;
}

const limpet_command limpet_command_run = {
    .name = "run",
    .synopsis = "run FILE [options]",
    .summary = "simulate a file and say what happened",
    .text =
        "Reads a model (MJCF, URDF, SDFormat), simulates it, and ends with a summary: time, "
        "contacts, solver, energy, deepest\n"
        "penetration, creep in stiction, warnings. Controls come from the keyframe, then "
        "--controls, then --set.\n"
        "A controls file is CSV: a header with 'time' [s] and names of actuators, then rows of "
        "numbers; between\n"
        "rows a control is linear in time, before the first and after the last row it stays. A "
        "controller file is\n"
        "JSON: computed torque, commands to position servos, or a Cartesian path; docs/control.md "
        "describes it.\n",
    .examples =
        "  limpet run scene.xml                                       3 s with the file's time "
        "step\n"
        "  limpet run scene.xml --time 10s --dt 1ms --html out.html   a replay for the browser\n"
        "  limpet run robot.xml --keyframe home --set gripper=20mm    start pose and a constant "
        "control\n"
        "  limpet run robot.xml --controls pick.csv --log out.h5      controls over time, "
        "everything recorded\n"
        "  limpet run arm.xml --controller sway.json                  joints follow a trajectory "
        "in closed loop\n"
        "  limpet run --from out.h5                                   the same again: are the bits "
        "equal?\n",
    .run = run,
};
