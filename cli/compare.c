/* cli/compare.c: `limpet compare`: the same scene by several methods, from one start state, under
 * the same controls.
 *
 * A method is a stepping scheme with a contact model. Each has a world of its own; they take turns
 * every few steps, in an order that goes round, so that a machine that is busy for a while is busy
 * for all of them. Results do not depend on who takes part. */
#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "motion.h"
#include "output.h"
#include "progress.h"
#include "signals.h"

// ------------------------------------------------------------------------------------ options

// The text of --help: what the command does, and its quantities as the table of rows tells them.
static const char *help_text(const limpet_command *command, char *text, size_t size) {
  size_t length = (size_t)snprintf(text, size, "%s\nQuantities:\n", command->text);
  for (int i = 0; i < LIMPET_COMPARE_ROW_COUNT && length < size; ++i) {
    const limpet_compare_row *row = &limpet_compare_rows[i];
    length += (size_t)snprintf(text + length, size - length, "  %-25s %s\n", row->label, row->text);
  }
  return text;
}

static int options_read(const limpet_command *command, int argc, char **argv,
                        limpet_compare_options *options) {
  const limpet_option own[] = {
      {"--contact", LIMPET_OPTION_REPEATED, &options->contact, "MODEL,...",
       "contact models, or SCHEME/MODEL, or MODEL@points: no pressure fields; the first is the "
       "reference; all",
       0, 0, 0},
      {"--html", LIMPET_OPTION_TEXT, &options->html, "FILE.html",
       "write a replay of all runs over each other", 0, 0, 0},
      {"--motion", LIMPET_OPTION_REPEATED, &options->motion, "[NAME=]FILE.csv",
       "with --html: a motion of the model that was recorded elsewhere, over the runs: lines of "
       "time [s] and the coordinates q",
       0, 0, 0},
      {"--json", LIMPET_OPTION_FLAG, &options->json, NULL, "the table as JSON on stdout", 0, 0, 0},
      {"--strict", LIMPET_OPTION_FLAG, &options->loading.strict, NULL,
       "what the file asks and Limpet does not simulate is an error", 0, 0, 0},
      {"--quiet", LIMPET_OPTION_FLAG, &options->quiet, NULL,
       "no progress bar, no warnings, no table in words", 0, 0, 0},
  };
  enum { OWN_COUNT = (int)(sizeof own / sizeof *own) };
  enum {
    CAPACITY =
        LIMPET_START_OPTION_COUNT + LIMPET_LOADING_OPTION_COUNT + OWN_COUNT + LIMPET_SETTING_LIMIT
  };
  limpet_option table[CAPACITY];
  *options = (limpet_compare_options){0};
  int count = limpet_start_options_begin(&options->start, table);
  count += limpet_loading_options(&options->loading, table + count);
  memcpy(table + count, own, sizeof own);
  count = limpet_settings_options(&options->start.settings, table, count + OWN_COUNT, CAPACITY);

  char text[4096];
  limpet_command told = *command;
  told.text = help_text(command, text, sizeof text);
  const int code = limpet_options_parse(&told, table, count, argc, argv, &options->arguments);
  if (code != LIMPET_OPTIONS_GO || options->arguments.count == 1) return code;
  if (options->arguments.count == 0)
    limpet_complain(
        "no model file given\n  try 'limpet compare scene.xml', or see 'limpet compare --help'");
  else
    limpet_complain("one model file at a time, but there are '%s' and '%s'",
                    options->arguments.text[0], options->arguments.text[1]);
  return LIMPET_EXIT_USAGE;
}

// ------------------------------------------------------------------------------------ methods

static const char points_suffix[] = "@points";

static int method_add(limpet_comparison *comparison, const limpet_scheme *scheme,
                      const limpet_contact_model *contact, bool points) {
  limpet_method method = {.scheme = scheme, .contact = contact, .points = points};
  snprintf(method.name, sizeof method.name, "%s%s%s%s",
           scheme ? limpet_scheme_descriptor(scheme)->name : "", scheme ? "/" : "",
           limpet_contact_model_descriptor(contact)->name, points ? points_suffix : "");
  for (int i = 0; i < comparison->method_count; ++i) {
    if (strcmp(comparison->method[i].name, method.name) != 0) continue;
    limpet_complain("--contact: '%s' is named twice", method.name);
    return LIMPET_EXIT_USAGE;
  }
  if (comparison->method_count == LIMPET_METHOD_LIMIT) {
    limpet_complain("--contact: at most %d methods at a time", LIMPET_METHOD_LIMIT);
    return LIMPET_EXIT_USAGE;
  }
  comparison->method[comparison->method_count++] = method;
  return LIMPET_OPTIONS_GO;
}

// A method by its name: "model" with the scheme of the settings, or "scheme/model", and "@points"
// behind it where pressure fields are not to count.
static int method_choose(limpet_comparison *comparison, char *name) {
  const limpet_scheme *scheme;
  const limpet_contact_model *contact;
  char *slash = strchr(name, '/'), *at = strchr(name, '@');
  const bool points = at && strcmp(at, points_suffix) == 0;
  if (points) *at = '\0';
  if (slash) *slash = '\0';
  int code = limpet_scheme_choose(slash ? name : NULL, &scheme);
  if (code == LIMPET_OPTIONS_GO)
    code = limpet_contact_model_choose(slash ? slash + 1 : name, &contact);
  return code == LIMPET_OPTIONS_GO ? method_add(comparison, scheme, contact, points) : code;
}

// Methods of --contact, whose words may hold several names with commas; of all contact models
// without it.
static int methods_choose(limpet_comparison *comparison) {
  const limpet_text_list *words = &comparison->options->contact;
  int code = LIMPET_OPTIONS_GO;
  for (int i = 0; !words->count && limpet_contact_models()[i] && code == LIMPET_OPTIONS_GO; ++i)
    if (limpet_contact_model_family(limpet_contact_models()[i]) != LIMPET_CONTACT_IMPULSIVE)
      code = method_add(comparison, NULL, limpet_contact_models()[i], false);
  for (int i = 0; i < words->count; ++i) {
    const char *at = words->text[i];
    while (at && code == LIMPET_OPTIONS_GO) {
      char name[256];
      snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
      code = method_choose(comparison, name);
      at = strchr(at, ',');
      if (at) ++at;
    }
  }
  return code;
}

/* Settings of a method. A normal law that was asked for is for the contact models that take one;
 * others go without it, unless there are none that take it. */
static int settings_open(const limpet_comparison *comparison, limpet_method *method) {
  limpet_start_options start = comparison->options->start;
  bool some_take = false;
  for (int i = 0; i < comparison->method_count; ++i)
    some_take |= limpet_start_takes_law(comparison->method[i].contact);
  if (some_take && !limpet_start_takes_law(method->contact)) {
    start.normal_law = NULL;
    start.normal_parameter.count = 0;
  }
  const int code = limpet_start_settings(&start, comparison->model, method->scheme, method->contact,
                                         &method->settings);
  if (method->points) method->settings.pressure_fields = false;
  return code;
}

// Start state, controls, length and energy of all runs, in the world of the first method.
static int start_open(limpet_comparison *comparison, limpet_method *method) {
  const limpet_start_options *start = &comparison->options->start;
  const int code = limpet_start_state(start, comparison->model, comparison->path, method->data,
                                      &comparison->controls);
  if (code != LIMPET_OPTIONS_GO) return code;
  double energy[2];
  limpet_summary_energies(comparison->model, method->data, energy);
  comparison->energy_start = energy[0] + energy[1];
  comparison->start_time = method->data->time;
  comparison->step_count = limpet_start_step_count(start, method->settings.time_step);
  return LIMPET_OPTIONS_GO;
}

// Each method has a controller of its own, from the same file.
static int controller_open(const limpet_comparison *comparison, limpet_method *method) {
  char *text;
  const int code = limpet_start_controller(&comparison->options->start, comparison->model,
                                           &comparison->controls, &method->controller, &text);
  free(text);
  return code;
}

// Settings of each method, and its world; those of the first one make the start state.
static int methods_open(limpet_comparison *comparison) {
  const limpet_model *model = comparison->model;
  double *state = calloc((size_t)limpet_data_state_size(model) + 1, sizeof *state);
  int code = LIMPET_OPTIONS_GO;
  for (int i = 0; i < comparison->method_count && code == LIMPET_OPTIONS_GO; ++i) {
    limpet_method *method = &comparison->method[i];
    code = settings_open(comparison, method);
    if (code != LIMPET_OPTIONS_GO) break;
    method->data = state ? limpet_data_create(model) : NULL;
    if (!method->data) {
      limpet_complain("%s: not enough memory for this model", comparison->path);
      code = LIMPET_EXIT_SIMULATION;
    } else if (i == 0) {
      code = start_open(comparison, method);
      limpet_data_state_read(model, method->data, state);
    } else {
      limpet_data_state_write(model, method->data, state);
      memcpy(method->data->control, comparison->method[0].data->control,
             (size_t)model->nu * sizeof *method->data->control);
    }
    if (code == LIMPET_OPTIONS_GO) code = controller_open(comparison, method);
    if (code == LIMPET_OPTIONS_GO) code = limpet_method_open(comparison, method);
  }
  free(state);
  return code;
}

// --------------------------------------------------------------------------------- simulating

// Motions that were recorded elsewhere, each in a world that is used for its poses alone.
static int motions_open(limpet_comparison *comparison) {
  const limpet_text_list *words = &comparison->options->motion;
  const int runs = comparison->method_count + words->count;
  for (int i = 0; i < words->count; ++i) {
    limpet_data *data = limpet_data_create(comparison->model);
    limpet_replay *replay =
        data ? limpet_motion_read(words->text[i], comparison->model, data, runs) : NULL;
    limpet_data_destroy(data);
    if (!replay) return LIMPET_EXIT_INPUT;
    comparison->motion[comparison->motion_count++] = replay;
  }
  return LIMPET_OPTIONS_GO;
}

static int comparison_open(limpet_comparison *comparison) {
  const limpet_compare_options *options = comparison->options;
  if (options->motion.count > 0 &&
      (!options->html || options->motion.count > LIMPET_MOTION_LIMIT)) {
    limpet_complain(
        options->html
            ? "--motion: at most %d of them"
            : "--motion: give --html FILE.html, too: motions are shown there; at most %d of them",
        LIMPET_MOTION_LIMIT);
    return LIMPET_EXIT_USAGE;
  }
  const char *inputs[] = {comparison->path, options->start.controls, options->start.controller};
  int code = methods_choose(comparison);
  if (code != LIMPET_OPTIONS_GO) return code;
  if (options->html && !limpet_output_possible("--html", options->html, inputs, 3))
    return LIMPET_EXIT_INPUT;
  comparison->model =
      limpet_model_open(comparison->path, &options->loading, !options->quiet, &code);
  if (!comparison->model) return code;
  code = methods_open(comparison);
  if (code == LIMPET_OPTIONS_GO) code = motions_open(comparison);
  if (code != LIMPET_OPTIONS_GO) return code;
  if (!options->quiet)
    limpet_start_warn(&options->start, comparison->model, comparison->method[0].data,
                      comparison->method[0].settings.time_step, comparison->method[0].controller);
  return LIMPET_OPTIONS_GO;
}

static void comparison_close(limpet_comparison *comparison) {
  for (int i = 0; i < comparison->method_count; ++i) limpet_method_close(&comparison->method[i]);
  for (int i = 0; i < comparison->motion_count; ++i) limpet_replay_destroy(comparison->motion[i]);
  limpet_controls_free(&comparison->controls);
  if (comparison->model) limpet_model_destroy(comparison->model);
}

// Steps [first, end) of all methods, one after the other; false when there is no memory.
static bool block_step(limpet_comparison *comparison, int64_t first, int64_t end, int turn) {
  const int count = comparison->method_count;
  for (int k = 0; k < count; ++k) {
    limpet_method *method = &comparison->method[(k + turn) % count];
    for (int64_t step = first; step < end; ++step) {
      if (!limpet_method_step(comparison, method)) return false;
    }
  }
  return true;
}

static int simulate(limpet_comparison *comparison) {
  enum { BLOCK = 10 };  // steps of one method in a row: enough that its memory is in the cache
  const int64_t count = comparison->step_count;
  const double dt = comparison->method[0].settings.time_step;
  limpet_progress progress = limpet_progress_begin((double)count * dt, comparison->options->quiet);
  int code = LIMPET_EXIT_FINE, turn = 0;
  limpet_signals_listen();
  for (int64_t step = 0; step < count && code == LIMPET_EXIT_FINE; step += BLOCK) {
    const int64_t end = step + BLOCK < count ? step + BLOCK : count;
    if (!block_step(comparison, step, end, turn++ % comparison->method_count))
      code = LIMPET_EXIT_INPUT;
    if (limpet_signal_caught()) code = LIMPET_EXIT_SIGNAL + limpet_signal_caught();
    limpet_progress_show(&progress, (double)end * dt);
  }
  limpet_progress_end(&progress);
  if (code > LIMPET_EXIT_SIGNAL)
    limpet_complain("interrupted at %.9g s", comparison->method[0].data->time);
  for (int i = 0; i < comparison->method_count; ++i) {
    limpet_method_end(comparison, &comparison->method[i], &comparison->method[0]);
    if (comparison->method[i].stopped && code == LIMPET_EXIT_FINE) code = LIMPET_EXIT_SIMULATION;
  }
  return code;
}

static int replay_write(const limpet_comparison *comparison) {
  limpet_error error;
  const limpet_replay *replay[LIMPET_METHOD_LIMIT + LIMPET_MOTION_LIMIT];
  const int count = comparison->method_count + comparison->motion_count;
  for (int i = 0; i < comparison->method_count; ++i) replay[i] = comparison->method[i].replay;
  for (int i = 0; i < comparison->motion_count; ++i)
    replay[comparison->method_count + i] = comparison->motion[i];
  if (limpet_replays_write(replay, count, comparison->model, comparison->options->html, &error) ==
      LIMPET_OK)
    return LIMPET_EXIT_FINE;
  limpet_complain("%s", error.message);
  return LIMPET_EXIT_INPUT;
}

static void tell(const limpet_comparison *comparison, int code) {
  if (comparison->options->json) {
    const char *ending = code == LIMPET_EXIT_SIMULATION ? "stopped"
                         : code > LIMPET_EXIT_SIGNAL    ? "interrupted"
                                                        : "finished";
    json_t *root = limpet_compare_json(comparison, ending);
    limpet_json_print(root, stdout, false);
    json_decref(root);
  } else if (!comparison->options->quiet) {
    limpet_compare_print(comparison);
  }
}

static int run(const limpet_command *command, int argc, char **argv) {
  limpet_compare_options options;
  int code = options_read(command, argc, argv, &options);
  if (code != LIMPET_OPTIONS_GO) return code;
  limpet_comparison comparison = {.options = &options, .path = options.arguments.text[0]};
  code = comparison_open(&comparison);
  if (code == LIMPET_OPTIONS_GO) {
    code = simulate(&comparison);
    const int written =
        options.html && code != LIMPET_EXIT_INPUT ? replay_write(&comparison) : LIMPET_EXIT_FINE;
    if (written != LIMPET_EXIT_FINE) code = written;
    if (code != LIMPET_EXIT_INPUT) tell(&comparison, code);
  }
  comparison_close(&comparison);
  return code;
}

const limpet_command limpet_command_compare = {
    .name = "compare",
    .synopsis = "compare FILE [options]",
    .summary = "one scene by every contact model, side by side",
    .text =
        "Simulates a model once for each contact model, from the same start state and under the "
        "same controls, and\n"
        "prints one table: what is better where, and what it costs. Time, controls and settings "
        "are given as to\n"
        "'limpet run', and each run is bit for bit the one that 'limpet run --contact MODEL' "
        "makes.\n",
    .examples =
        "  limpet compare scene.xml                                   all contact models, 3 s\n"
        "  limpet compare scene.xml --contact sap,lagged --time 10s   two of them; differences are "
        "from sap\n"
        "  limpet compare robot.xml --controls pick.csv --html o.html a replay with all runs over "
        "each other\n"
        "  limpet compare scene.xml --contact coulomb --motion mujoco=qpos.csv --html o.html   "
        "beside "
        "another simulator\n"
        "  limpet compare pad.xml --contact coulomb,coulomb@points    pressure fields beside "
        "points\n"
        "  limpet compare scene.xml --json                            the numbers for a program\n",
    .run = run,
};
