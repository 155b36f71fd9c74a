/* cli/run.c: `limpet run`: reads the options, opens everything, simulates, tells what happened.
 *
 * Order matters here: whatever can be wrong with the input is found before any file is created. The log grows while the
 * simulation runs; the replay appears whole at the end. The loop itself is in simulate.c, running a log again in rerun.c. */
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "descriptor.h"
#include "json.h"
#include "output.h"
#include "suggest.h"

// ---------------------------------------------------------------------------------------------------------------- options

static int options_read(const limpet_command *command, int argc, char **argv, limpet_run_options *run) {
  *run = (limpet_run_options){.time = NAN, .dt = NAN};
  const limpet_option table[] = {
      {"--time", LIMPET_OPTION_QUANTITY, &run->time, "TIME", "how long to simulate; 3s", "s", 0.0, 1e9},
      {"--dt", LIMPET_OPTION_QUANTITY, &run->dt, "TIME", "time step; the file's, or 2ms", "s", 1e-9, 10.0},
      {"--keyframe", LIMPET_OPTION_TEXT, &run->keyframe, "NAME", "start state and controls; the file's pose", 0, 0, 0},
      {"--controls", LIMPET_OPTION_TEXT, &run->controls, "FILE.csv", "controls over time: columns time [s] and actuators", 0, 0,
       0},
      {"--set", LIMPET_OPTION_REPEATED, &run->set, "NAME=VALUE", "constant control of an actuator; may be repeated", 0, 0, 0},
      {"--contact", LIMPET_OPTION_TEXT, &run->contact, "MODEL", "contact model; lagged ('limpet list models')", 0, 0, 0},
      {"--normal-law", LIMPET_OPTION_TEXT, &run->normal_law, "LAW", "of lagged, similar; hunt-crossley ('limpet list laws')", 0,
       0, 0},
      {"--normal-parameter", LIMPET_OPTION_REPEATED, &run->normal_parameter, "NAME=VALUE", "of that law; may be repeated", 0, 0,
       0},
      {"--scheme", LIMPET_OPTION_TEXT, &run->scheme, "SCHEME", "stepping scheme; discrete ('limpet list schemes')", 0, 0, 0},
      {"--preset", LIMPET_OPTION_TEXT, &run->preset, "NAME", "settings to start from: limpet or drake", 0, 0, 0},
      {"--threads", LIMPET_OPTION_COUNT, &run->threads, "N", "threads; the result does not depend on it; 1", 0, 1, 1024},
      {"--log", LIMPET_OPTION_TEXT, &run->log, "FILE.h5", "record every step in an HDF5 file", 0, 0, 0},
      {"--log-period", LIMPET_OPTION_QUANTITY, &run->log_period, "TIME", "record one step in each period; 0: every step", "s",
       0.0, 1e9},
      {"--html", LIMPET_OPTION_TEXT, &run->html, "FILE.html", "write a replay for any browser", 0, 0, 0},
      {"--from", LIMPET_OPTION_TEXT, &run->from, "FILE.h5", "run a log again and compare the final state bit by bit", 0, 0, 0},
      {"--profile", LIMPET_OPTION_FLAG, &run->profile, NULL, "time of each stage of a step", 0, 0, 0},
      {"--json", LIMPET_OPTION_FLAG, &run->json, NULL, "the summary as JSON on stdout", 0, 0, 0},
      {"--strict", LIMPET_OPTION_FLAG, &run->strict, NULL, "what the file asks and Limpet does not simulate is an error", 0, 0,
       0},
      {"--quiet", LIMPET_OPTION_FLAG, &run->quiet, NULL, "no progress bar, no warnings, no summary in words", 0, 0, 0},
  };
  enum { TABLE_COUNT = (int)(sizeof table / sizeof *table) };

  // those of the run, then those of the step
  limpet_option options[TABLE_COUNT + LIMPET_SETTING_LIMIT];
  memcpy(options, table, sizeof table);
  const int count = limpet_settings_options(&run->settings, options, TABLE_COUNT, TABLE_COUNT + LIMPET_SETTING_LIMIT);
  return limpet_options_parse(command, options, count, argc, argv, &run->arguments);
}

// With --from the log decides; an option that would change the run is a mistake.
static const char *option_against_log(const limpet_run_options *run) {
  if (!isnan(run->time)) return "--time";
  if (!isnan(run->dt)) return "--dt";
  if (run->keyframe) return "--keyframe";
  if (run->controls) return "--controls";
  if (run->set.count) return "--set";
  if (run->contact) return "--contact";
  if (run->normal_law) return "--normal-law";
  if (run->normal_parameter.count) return "--normal-parameter";
  if (run->scheme) return "--scheme";
  if (run->preset) return "--preset";
  return limpet_settings_given(&run->settings);
}

static int options_check(const limpet_run_options *run) {
  if (run->arguments.count > 1) {
    limpet_complain("one model file at a time, but there are '%s' and '%s'", run->arguments.text[0], run->arguments.text[1]);
    return LIMPET_EXIT_USAGE;
  }
  if (run->arguments.count == 0 && !run->from) {
    limpet_complain("no model file given\n  try 'limpet run scene.xml', or see 'limpet run --help'");
    return LIMPET_EXIT_USAGE;
  }
  const char *against = run->from ? option_against_log(run) : NULL;
  if (against) {
    limpet_complain("%s: not together with --from, which takes it from the log", against);
    return LIMPET_EXIT_USAGE;
  }
  if (run->log_period > 0.0 && !run->log) {
    limpet_complain("--log-period: there is no log; name one with --log FILE.h5");
    return LIMPET_EXIT_USAGE;
  }
  if (run->log && run->html && strcmp(run->log, run->html) == 0) {
    limpet_complain("--log and --html: both name '%s'", run->log);
    return LIMPET_EXIT_USAGE;
  }
  return LIMPET_OPTIONS_GO;
}

// --------------------------------------------------------------------------------------------------------------- settings

// Complains that a table has no entry of that name, and which there are.
static int name_unknown(const char *option, const char *name, const char *list, const char *const *names, int count) {
  limpet_suggestion best = {0};
  char hint[160];
  for (int i = 0; i < count; ++i) limpet_suggest(&best, name, names[i]);
  limpet_complain("%s: there is no '%s'%s; %s", option, name, limpet_suggestion_text(hint, sizeof hint, &best), list);
  return LIMPET_EXIT_USAGE;
}

enum { NAME_LIMIT = 64 };

// Sets scheme, contact model and preset by name; these can be wrong before any file is read.
static int methods_find(const limpet_run_options *run, const limpet_scheme **scheme, const limpet_contact_model **contact) {
  const char *names[NAME_LIMIT];
  int count = 0;
  *scheme = run->scheme ? limpet_scheme_find(run->scheme) : NULL;
  if (run->scheme && !*scheme) {
    const limpet_scheme *const *all = limpet_schemes();
    for (; all[count] && count < NAME_LIMIT; ++count) names[count] = limpet_scheme_descriptor(all[count])->name;
    return name_unknown("--scheme", run->scheme, "'limpet list schemes' shows all", names, count);
  }
  *contact = run->contact ? limpet_contact_model_find(run->contact) : NULL;
  if (run->contact && !*contact) {
    const limpet_contact_model *const *all = limpet_contact_models();
    for (; all[count] && count < NAME_LIMIT; ++count) names[count] = limpet_contact_model_descriptor(all[count])->name;
    return name_unknown("--contact", run->contact, "'limpet list models' shows all", names, count);
  }
  return LIMPET_OPTIONS_GO;
}

// Law and its parameters, after the contact model.
static int normal_law_choose(const limpet_run_options *run, limpet_step_settings *settings) {
  const limpet_normal_law *built_in = limpet_contact_model_normal_law(settings->contact_model);
  if (built_in && (run->normal_law || run->normal_parameter.count)) {
    limpet_complain("--normal-law: the contact model '%s' has the law %s built in; lagged and similar take any",
                    limpet_contact_model_descriptor(settings->contact_model)->name, built_in->descriptor.name);
    return LIMPET_EXIT_USAGE;
  }
  if (run->normal_law) {
    const char *names[NAME_LIMIT];
    int count = 0;
    const limpet_normal_law *const *all = limpet_normal_laws(), *law = limpet_normal_law_find(run->normal_law);
    for (; all[count] && count < NAME_LIMIT; ++count) names[count] = all[count]->descriptor.name;
    if (!law) return name_unknown("--normal-law", run->normal_law, "'limpet list laws' shows all", names, count);
    limpet_step_settings_normal_law(settings, law);
  }
  for (int i = 0; i < run->normal_parameter.count; ++i)
    if (!limpet_descriptor_assign("--normal-parameter", &settings->normal_law->descriptor, run->normal_parameter.text[i],
                                  settings->normal_parameter))
      return LIMPET_EXIT_USAGE;
  return LIMPET_OPTIONS_GO;
}

static int settings_choose(limpet_session *session) {
  const limpet_run_options *run = session->options;
  limpet_step_settings *settings = &session->settings;
  const limpet_scheme *scheme;
  const limpet_contact_model *contact;
  const int code = methods_find(run, &scheme, &contact);
  if (code != LIMPET_OPTIONS_GO) return code;
  *settings = limpet_step_settings_default(session->model);
  if (run->preset && !limpet_step_settings_preset(settings, session->model, run->preset)) {
    static const char *const presets[] = {"limpet", "drake"};
    return name_unknown("--preset", run->preset, "there are: limpet, drake", presets, 2);
  }
  if (scheme) settings->scheme = scheme;
  if (contact && !run->preset) limpet_step_settings_contact_model(settings, contact);
  else if (contact) settings->contact_model = contact;
  const int law_code = normal_law_choose(run, settings);
  if (law_code != LIMPET_OPTIONS_GO) return law_code;
  if (!isnan(run->dt)) settings->time_step = run->dt;
  limpet_settings_apply(&run->settings, settings);
  return LIMPET_OPTIONS_GO;
}

// ---------------------------------------------------------------------------------------------------------------- opening

// Whether an earlier --set names the actuator of this one.
static bool set_twice(const limpet_text_list *set, int index) {
  const char *assignment = set->text[index], *equals = strrchr(assignment, '=');
  const size_t length = equals ? (size_t)(equals - assignment) + 1 : 0;
  for (int i = 0; i < index && equals; ++i) {
    const char *end = strrchr(set->text[i], '=');
    if (end && (size_t)(end - set->text[i]) + 1 == length && strncmp(set->text[i], assignment, length) == 0) return true;
  }
  return false;
}

// Start state and controls: the file's pose or a keyframe, then --controls, then --set.
static int controls_open(limpet_session *session) {
  const limpet_run_options *run = session->options;
  const limpet_model *model = session->model;
  if (run->keyframe) {
    const int keyframe = limpet_keyframe_open(model, session->path, run->keyframe);
    if (keyframe == LIMPET_NONE) return LIMPET_EXIT_USAGE;
    limpet_data_reset_keyframe(model, session->data, keyframe);
  }
  if (run->controls && !limpet_controls_read(&session->controls, run->controls, model)) return LIMPET_EXIT_INPUT;
  for (int i = 0; i < run->set.count; ++i) {
    const int actuator = limpet_control_set(model, run->set.text[i], session->data->control);
    if (actuator == LIMPET_NONE) return LIMPET_EXIT_USAGE;
    if (set_twice(&run->set, i)) {
      limpet_complain("--set %s: this actuator is set twice; choose one", run->set.text[i]);
      return LIMPET_EXIT_USAGE;
    }
    if (limpet_controls_has(&session->controls, actuator)) {
      limpet_complain("--set %s: this actuator has a column in %s too; choose one", run->set.text[i], run->controls);
      return LIMPET_EXIT_USAGE;
    }
  }
  const double duration = isnan(run->time) ? 3.0 : run->time;
  session->step_count = (int64_t)ceil(duration / session->settings.time_step - 1e-6);
  return LIMPET_OPTIONS_GO;
}

/* A limit is near-rigid: what starts beyond it is pushed back, at the return speed where it is far outside. That
 * surprises, so it is said. */
static void limits_warn(const limpet_session *session) {
  const limpet_model *model = session->model;
  const double tolerance = 1e-3;  // [m, rad]  far above round-off and resting violations
  double worst = tolerance;
  int worst_joint = LIMPET_NONE, count = 0;
  if (model->options.disabled & LIMPET_DISABLE_LIMIT) return;
  for (int j = 0; j < model->joint_count; ++j) {
    const bool scalar = model->joint_kind[j] == LIMPET_JOINT_PRISMATIC || model->joint_kind[j] == LIMPET_JOINT_REVOLUTE;
    if (!scalar || !model->joint_limited[j] || model->joint_has_limit_impedance[j]) continue;
    const double q = session->data->q[model->joint_q[j]], *range = model->joint_range + 2 * j;
    const double outside = fmax(range[0] - q, q - range[1]);
    count += outside > tolerance;
    if (outside > worst) worst = outside, worst_joint = j;
  }
  if (count == 0) return;
  char label[300];
  limpet_object_label(label, sizeof label, model, LIMPET_OBJECT_JOINT, worst_joint);
  const char *unit = model->joint_kind[worst_joint] == LIMPET_JOINT_PRISMATIC ? "m" : "rad";
  limpet_complain("warning: %d joint%s outside the limits at the start, %s by %.3g %s; it will be pushed back%s", count,
                  count == 1 ? " is" : "s are", label, worst, unit,
                  model->keyframe_count && !session->options->keyframe ? "; start from a keyframe (--keyframe)?" : "");
}

static int outputs_check(const limpet_session *session) {
  const limpet_run_options *run = session->options;
  const char *inputs[] = {session->path, run->controls, run->from};
  if (run->log && !limpet_output_possible("--log", run->log, inputs, 3)) return LIMPET_EXIT_INPUT;
  if (run->html && !limpet_output_possible("--html", run->html, inputs, 3)) return LIMPET_EXIT_INPUT;
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
  int code = outputs_check(session);
  if (code != LIMPET_OPTIONS_GO) return code;
  session->model = limpet_model_open(session->path, run->strict, !run->quiet);
  if (!session->model) return LIMPET_EXIT_INPUT;
  session->data = limpet_data_create(session->model);
  if (!session->data) {
    limpet_complain("%s: not enough memory for this model", session->path);
    return LIMPET_EXIT_SIMULATION;
  }
  code = run->from ? limpet_rerun_open(session) : settings_choose(session);
  if (code == LIMPET_OPTIONS_GO && !run->from) code = controls_open(session);
  if (code == LIMPET_OPTIONS_GO && !run->from && !run->quiet) limits_warn(session);
  if (run->threads) session->settings.threads = run->threads;
  session->settings.profile = run->profile;
  session->settings.energy = run->log || run->html;
  return code;
}

static void session_close(limpet_session *session) {
  limpet_controls_free(&session->controls);
  if (session->from) limpet_log_info_destroy(session->from);
  if (session->data) limpet_data_destroy(session->data);
  if (session->model) limpet_model_destroy(session->model);
}

// ----------------------------------------------------------------------------------------------------------------- telling

static void json_tell(const limpet_session *session, int code) {
  json_t *root = limpet_summary_json(&session->summary, session->model, session->data, &session->settings);
  const char *ending = code == LIMPET_EXIT_SIMULATION ? "stopped" : code > LIMPET_EXIT_SIGNAL ? "interrupted" : "finished";
  json_object_set_new(root, "file", limpet_json_text(session->path));
  json_object_set_new(root, "ending", json_string(ending));
  json_object_set_new(root, "log", limpet_json_text(session->options->log));
  json_object_set_new(root, "html", limpet_json_text(session->options->html));
  if (session->from) json_object_set_new(root, "rerun", limpet_rerun_json(session));
  limpet_json_print(root, stdout, false);
  json_decref(root);
}

static void words_tell(const limpet_session *session) {
  limpet_summary_print(&session->summary, session->model, session->data, &session->settings);
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
    const bool written = code != LIMPET_EXIT_INPUT;  // otherwise it was said already that a log or replay failed
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
        "Reads a model (MJCF), simulates it, and ends with a summary: time, contacts, solver, energy, deepest\n"
        "penetration, creep in stiction, warnings. Controls come from the keyframe, then --controls, then --set.\n"
        "A controls file is CSV: a header with 'time' [s] and names of actuators, then rows of numbers; between\n"
        "rows a control is linear in time, before the first and after the last row it stays.\n",
    .examples =
        "  limpet run scene.xml                                       3 s with the file's time step\n"
        "  limpet run scene.xml --time 10s --dt 1ms --html out.html   a replay for the browser\n"
        "  limpet run robot.xml --keyframe home --set gripper=20mm    start pose and a constant control\n"
        "  limpet run robot.xml --controls pick.csv --log out.h5      controls over time, everything recorded\n"
        "  limpet run --from out.h5                                   the same again: are the bits equal?\n",
    .run = run,
};
