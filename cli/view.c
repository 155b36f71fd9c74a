/* cli/view.c: `limpet view`: a model that runs in real time in a browser, or the replay of a log.
 *
 * The browser is one of this machine: the address that is printed holds a token, and nothing beyond
 * 127.0.0.1 is listened on. The command goes on until Ctrl-C. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loading.h"
#include "signals.h"
#include "start.h"

typedef struct limpet_view_options {
  limpet_start_options start;
  limpet_loading loading;
  const char *contact, *scheme;
  int port, threads;
  double speed;
  bool paused, no_browser;
  limpet_text_list arguments;
} limpet_view_options;

typedef struct limpet_view_session {
  const limpet_view_options *options;
  const char *path;
  limpet_model *model;
  limpet_data *data;
  limpet_step_settings settings;
  limpet_controls controls;
  limpet_controller *controller;  // or NULL
  char *controller_text;
  double last;  // [s]  simulated time of the last step
} limpet_view_session;

static int options_read(const limpet_command *command, int argc, char **argv,
                        limpet_view_options *view) {
  *view = (limpet_view_options){.speed = 1.0};
  const limpet_option own[] = {
      {"--contact", LIMPET_OPTION_TEXT, &view->contact, "MODEL",
       "contact model ('limpet list models')", 0, 0, 0},
      {"--scheme", LIMPET_OPTION_TEXT, &view->scheme, "SCHEME",
       "stepping scheme ('limpet list schemes')", 0, 0, 0},
      {"--threads", LIMPET_OPTION_COUNT, &view->threads, "N", "threads of a step; 1", 0, 1, 1024},
      {"--port", LIMPET_OPTION_COUNT, &view->port, "N", "of 127.0.0.1; 0: one that is free", 0, 0,
       65535},
      {"--speed", LIMPET_OPTION_QUANTITY, &view->speed, "NUMBER",
       "simulated time over wall time; 1", "1", 1e-3, 1e3},
      {"--paused", LIMPET_OPTION_FLAG, &view->paused, NULL, "wait until someone plays", 0, 0, 0},
      {"--no-browser", LIMPET_OPTION_FLAG, &view->no_browser, NULL,
       "print the address only; open no browser", 0, 0, 0},
  };
  enum { OWN_COUNT = (int)(sizeof own / sizeof *own) };
  enum {
    CAPACITY =
        LIMPET_START_OPTION_COUNT + LIMPET_LOADING_OPTION_COUNT + OWN_COUNT + LIMPET_SETTING_LIMIT
  };
  limpet_option options[CAPACITY];
  int count = limpet_start_options_begin(&view->start, options);
  options[LIMPET_START_OPTION_TIME].text = "not of a live view, which goes on until Ctrl-C";
  count += limpet_loading_options(&view->loading, options + count);
  memcpy(options + count, own, sizeof own);
  count = limpet_settings_options(&view->start.settings, options, count + OWN_COUNT, CAPACITY);
  const int code = limpet_options_parse(command, options, count, argc, argv, &view->arguments);
  if (code != LIMPET_OPTIONS_GO) return code;
  if (view->arguments.count == 1 && isnan(view->start.time)) return LIMPET_OPTIONS_GO;
  limpet_complain(view->arguments.count == 1
                      ? "--time: a live view goes on until Ctrl-C; 'limpet run --html' ends"
                      : "give one model file or log: 'limpet view scene.xml'");
  return LIMPET_EXIT_USAGE;
}

// ------------------------------------------------------------------------------------- browser

// Opens an address or file by $BROWSER or the desktop's own; nobody waits for it.
static void browser_open(const char *address) {
  const char *program = getenv("BROWSER");
  if (!program || !*program) {
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) return;
    program = "xdg-open";
  }
  const pid_t child = fork();
  if (child != 0) return;
  // a child of a child is nobody's zombie
  if (fork() != 0) _exit(0);
  if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
  execlp(program, program, address, (char *)NULL);
  _exit(1);
}

// ---------------------------------------------------------------------------------------- a log

static bool is_log(const char *path) {
  static const char signature[] = "\x89HDF";
  char head[sizeof signature - 1] = {0};
  FILE *file = fopen(path, "rb");
  const size_t length = file ? fread(head, 1, sizeof head, file) : 0;
  if (file) fclose(file);
  return length == sizeof head && memcmp(head, signature, sizeof head) == 0;
}

// Runs the log again, bit by bit, and shows the replay.
static int log_view(const limpet_view_options *view) {
  char page[] = "/tmp/limpet-view-XXXXXX.html";
  const int file = mkstemps(page, (int)strlen(".html"));
  if (file < 0) {
    limpet_complain("%s: no file for the replay can be made in /tmp: %s", view->arguments.text[0],
                    strerror(errno));
    return LIMPET_EXIT_INPUT;
  }
  close(file);
  char words[4][16] = {"run", "--from", "--html", "--quiet"};
  char *arguments[] = {words[0], words[1], (char *)(uintptr_t)view->arguments.text[0],
                       words[2], page,     words[3],
                       NULL};
  const int code = limpet_command_run.run(&limpet_command_run, 6, arguments);
  if (code != LIMPET_EXIT_FINE) {
    remove(page);
    return code;
  }
  printf("replay       file://%s\n", page);
  fflush(stdout);
  if (!view->no_browser) browser_open(page);
  return LIMPET_EXIT_FINE;
}

// -------------------------------------------------------------------------------------- a model

static int session_open(limpet_view_session *session) {
  const limpet_view_options *view = session->options;
  const limpet_scheme *scheme;
  const limpet_contact_model *contact;
  int code;
  session->path = view->arguments.text[0];
  session->model = limpet_model_open(session->path, &view->loading, true, &code);
  if (!session->model) return code;
  session->data = limpet_data_create(session->model);
  if (!session->data) {
    limpet_complain("%s: not enough memory for this model", session->path);
    return LIMPET_EXIT_SIMULATION;
  }
  code = limpet_scheme_choose(view->scheme, &scheme);
  if (code == LIMPET_OPTIONS_GO) code = limpet_contact_model_choose(view->contact, &contact);
  if (code == LIMPET_OPTIONS_GO)
    code = limpet_start_settings(&view->start, session->model, scheme, contact, &session->settings);
  if (code == LIMPET_OPTIONS_GO)
    code = limpet_start_state(&view->start, session->model, session->path, session->data,
                              &session->controls);
  if (code == LIMPET_OPTIONS_GO)
    code = limpet_start_controller(&view->start, session->model, &session->controls,
                                   &session->controller, &session->controller_text);
  if (code == LIMPET_OPTIONS_GO) limpet_start_settings_warn(&view->start, &session->settings);
  if (view->threads) session->settings.threads = view->threads;
  session->settings.energy = true;
  return code;
}

static void session_close(limpet_view_session *session) {
  limpet_controls_free(&session->controls);
  limpet_controller_destroy(session->controller);
  free(session->controller_text);
  if (session->data) limpet_data_destroy(session->data);
  if (session->model) limpet_model_destroy(session->model);
}

// inputs of a step: the table of controls, then the controller
static void inputs_set(void *context, limpet_data *data) {
  limpet_view_session *session = context;
  if (data->time < session->last) session->controls.row = 0;  // after a reset
  session->last = data->time;
  limpet_controls_apply(&session->controls, data->time, data->control);
  if (session->controller)
    limpet_controller_update(session->controller, session->model, data,
                             session->settings.time_step);
}

static int model_view(limpet_view_session *session) {
  limpet_error error;
  limpet_live_options options = limpet_live_options_default();
  const char *slash = strrchr(session->path, '/');
  if (!session->model->name || !*session->model->name)
    options.title = slash ? slash + 1 : session->path;
  options.port = session->options->port;
  options.paused = session->options->paused;
  options.speed = session->options->speed;
  options.before_step = inputs_set;
  options.context = session;
  limpet_live *live =
      limpet_live_create(session->model, session->data, &session->settings, &options, &error);
  if (!live) {
    limpet_complain("%s", error.message);
    return LIMPET_EXIT_INPUT;
  }
  printf("live view    %s\n             Ctrl-C ends it\n", limpet_live_address(live));
  fflush(stdout);
  if (!session->options->no_browser) browser_open(limpet_live_address(live));
  limpet_signals_listen();
  static const double look = 0.1;  // [s]  between two looks for a signal
  while (!limpet_signal_caught()) limpet_live_run(live, &session->settings, look);
  limpet_live_destroy(live);
  return LIMPET_EXIT_FINE;
}

static int view(const limpet_command *command, int argc, char **argv) {
  limpet_view_options options;
  int code = options_read(command, argc, argv, &options);
  if (code != LIMPET_OPTIONS_GO) return code;
  if (is_log(options.arguments.text[0])) return log_view(&options);
  limpet_view_session session = {.options = &options};
  code = session_open(&session);
  if (code == LIMPET_OPTIONS_GO) code = model_view(&session);
  session_close(&session);
  return code;
}

const limpet_command limpet_command_view = {
    .name = "view",
    .synopsis = "view FILE [options]",
    .summary = "run a model in real time in a browser, or replay a log",
    .text =
        "Simulates a model in real time and shows it in a browser of this machine, at the address "
        "that "
        "it prints:\n"
        "play, pause, step, speed, reset; Ctrl and drag pulls a body; sliders set actuators. "
        "docs/live.md\n"
        "explains it. A log (FILE.h5) is run again and replayed.\n",
    .examples =
        "  limpet view scene.xml                         in the default browser\n"
        "  limpet view scene.xml --paused --speed 0.1    waits, then a tenth of real time\n"
        "  limpet view robot.xml --keyframe home --controller sway.json\n"
        "  limpet view out.h5                            what was recorded\n",
    .run = view,
};
