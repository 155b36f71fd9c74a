/* cli/start.c: how a simulation starts, for every command that simulates: options, settings, start
 * state and controls. */
#include "start.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "descriptor.h"
#include "suggest.h"
#include "text_file.h"

// ------------------------------------------------------------------------------------ options

int limpet_start_options_begin(limpet_start_options *start, limpet_option *options) {
  *start = (limpet_start_options){.time = NAN, .dt = NAN};
  const limpet_field *dt = limpet_field_find(limpet_step_settings_fields(), "time_step");
  const limpet_option table[LIMPET_START_OPTION_COUNT] = {
      {"--time", LIMPET_OPTION_QUANTITY, &start->time, "TIME", "how long to simulate; 3s", "s", 0.0,
       1e9},
      {"--dt", LIMPET_OPTION_QUANTITY, &start->dt, "TIME", "time step; the file's, or 2ms", "s",
       dt->minimum, dt->maximum},
      {"--keyframe", LIMPET_OPTION_TEXT, &start->keyframe, "NAME",
       "start state and controls; the file's pose", 0, 0, 0},
      {"--controls", LIMPET_OPTION_TEXT, &start->controls, "FILE.csv",
       "controls over time: columns time [s] and actuators", 0, 0, 0},
      {"--controller", LIMPET_OPTION_TEXT, &start->controller, "FILE.json",
       "feedback control; docs/control.md shows the file", 0, 0, 0},
      {"--set", LIMPET_OPTION_REPEATED, &start->set, "NAME=VALUE",
       "constant control of an actuator; may be repeated", 0, 0, 0},
      {"--preset", LIMPET_OPTION_TEXT, &start->preset, "NAME",
       "settings to start from: limpet or drake", 0, 0, 0},
      {"--normal-law", LIMPET_OPTION_TEXT, &start->normal_law, "LAW",
       "of coulomb, lagged, similar; hunt-crossley ('limpet list laws')", 0, 0, 0},
      {"--normal-parameter", LIMPET_OPTION_REPEATED, &start->normal_parameter, "NAME=VALUE",
       "of that law; may be repeated", 0, 0, 0},
  };
  memcpy(options, table, sizeof table);
  return LIMPET_START_OPTION_COUNT;
}

const char *limpet_start_option_given(const limpet_start_options *start) {
  if (!isnan(start->time)) return "--time";
  if (!isnan(start->dt)) return "--dt";
  if (start->keyframe) return "--keyframe";
  if (start->controls) return "--controls";
  if (start->controller) return "--controller";
  if (start->set.count) return "--set";
  if (start->preset) return "--preset";
  if (start->normal_law) return "--normal-law";
  if (start->normal_parameter.count) return "--normal-parameter";
  return limpet_settings_given(&start->settings);
}

// ----------------------------------------------------------------------------------- settings

// Complains that a table has no entry of that name, and which there are.
static int name_unknown(const char *option, const char *name, const char *list,
                        const char *const *names, int count) {
  limpet_suggestion best = {0};
  char hint[160];
  for (int i = 0; i < count; ++i) limpet_suggest(&best, name, names[i]);
  limpet_complain("%s: there is no '%s'%s; %s", option, name,
                  limpet_suggestion_text(hint, sizeof hint, &best), list);
  return LIMPET_EXIT_USAGE;
}

enum { NAME_LIMIT = 64 };

int limpet_scheme_choose(const char *name, const limpet_scheme **scheme) {
  *scheme = name ? limpet_scheme_find(name) : NULL;
  if (!name || *scheme) return LIMPET_OPTIONS_GO;
  const char *names[NAME_LIMIT];
  int count = 0;
  const limpet_scheme *const *all = limpet_schemes();
  for (; all[count] && count < NAME_LIMIT; ++count)
    names[count] = limpet_scheme_descriptor(all[count])->name;
  return name_unknown("--scheme", name, "'limpet list schemes' shows all", names, count);
}

int limpet_contact_model_choose(const char *name, const limpet_contact_model **contact) {
  *contact = name ? limpet_contact_model_find(name) : NULL;
  if (!name || *contact) return LIMPET_OPTIONS_GO;
  const char *names[NAME_LIMIT];
  int count = 0;
  const limpet_contact_model *const *all = limpet_contact_models();
  for (; all[count] && count < NAME_LIMIT; ++count)
    names[count] = limpet_contact_model_descriptor(all[count])->name;
  return name_unknown("--contact", name, "'limpet list models' shows all", names, count);
}

bool limpet_start_takes_law(const limpet_contact_model *model) {
  return limpet_contact_model_family(model) == LIMPET_CONTACT_COMPLIANT &&
         !limpet_contact_model_normal_law(model);
}

// Law and its parameters, after the contact model.
static int normal_law_choose(const limpet_start_options *start, limpet_step_settings *settings) {
  const limpet_contact_model *model = settings->contact_model;
  if ((start->normal_law || start->normal_parameter.count) && !limpet_start_takes_law(model)) {
    char law[64] = "no normal law";
    const limpet_normal_law *built_in = limpet_contact_model_normal_law(model);
    if (built_in) snprintf(law, sizeof law, "the law %s built in", built_in->descriptor.name);
    limpet_complain(
        "--normal-law: the contact model '%s' has %s; coulomb, lagged and similar take any",
        limpet_contact_model_descriptor(model)->name, law);
    return LIMPET_EXIT_USAGE;
  }
  if (start->normal_law) {
    const char *names[NAME_LIMIT];
    int count = 0;
    const limpet_normal_law *const *all = limpet_normal_laws(),
                                   *law = limpet_normal_law_find(start->normal_law);
    for (; all[count] && count < NAME_LIMIT; ++count) names[count] = all[count]->descriptor.name;
    if (!law)
      return name_unknown("--normal-law", start->normal_law, "'limpet list laws' shows all", names,
                          count);
    limpet_step_settings_normal_law(settings, law);
  }
  for (int i = 0; i < start->normal_parameter.count; ++i)
    if (!limpet_descriptor_assign("--normal-parameter", &settings->normal_law->descriptor,
                                  start->normal_parameter.text[i], settings->normal_parameter))
      return LIMPET_EXIT_USAGE;
  return LIMPET_OPTIONS_GO;
}

int limpet_start_settings(const limpet_start_options *start, const limpet_model *model,
                          const limpet_scheme *scheme, const limpet_contact_model *contact,
                          limpet_step_settings *settings) {
  *settings = limpet_step_settings_default(model);
  if (start->preset && !limpet_step_settings_preset(settings, model, start->preset)) {
    const char *names[NAME_LIMIT];
    int count = 0;
    for (; limpet_presets()[count].name && count < NAME_LIMIT; ++count)
      names[count] = limpet_presets()[count].name;
    return name_unknown("--preset", start->preset, "there are: limpet, drake", names, count);
  }
  if (scheme) limpet_step_settings_scheme(settings, scheme);
  if (contact)
    limpet_step_settings_preset_model(settings, start->preset ? start->preset : "limpet", contact);
  if (!limpet_scheme_takes(settings->scheme, settings->contact_model)) {
    const char *name = limpet_contact_model_descriptor(settings->contact_model)->name;
    const char *of = limpet_scheme_descriptor(settings->scheme)->name;
    if (limpet_contact_model_family(settings->contact_model) == LIMPET_CONTACT_IMPULSIVE)
      limpet_complain(
          "--contact %s: the scheme '%s' does not take this model; add '--scheme impulse' "
          "('impulse/%s' in compare)",
          name, of, name);
    else
      limpet_complain(
          "--contact %s: the scheme '%s' does not take this model; 'limpet list models' shows "
          "which models it takes",
          name, of);
    return LIMPET_EXIT_USAGE;
  }
  const int code = normal_law_choose(start, settings);
  if (code != LIMPET_OPTIONS_GO) return code;
  if (!isnan(start->dt)) settings->time_step = start->dt;
  limpet_settings_apply(&start->settings, settings);
  limpet_error error;
  if (limpet_step_settings_check(settings, &error)) {
    limpet_complain("%s", error.message);
    return LIMPET_EXIT_USAGE;
  }
  return LIMPET_OPTIONS_GO;
}

// --------------------------------------------------------------------------------- start state

// Whether an earlier --set names the actuator of this one.
static bool set_twice(const limpet_text_list *set, int index) {
  const char *assignment = set->text[index], *equals = strrchr(assignment, '=');
  const size_t length = equals ? (size_t)(equals - assignment) + 1 : 0;
  for (int i = 0; i < index && equals; ++i) {
    const char *end = strrchr(set->text[i], '=');
    if (end && (size_t)(end - set->text[i]) + 1 == length &&
        strncmp(set->text[i], assignment, length) == 0)
      return true;
  }
  return false;
}

int limpet_start_state(const limpet_start_options *start, const limpet_model *model,
                       const char *path, limpet_data *data, limpet_controls *controls) {
  *controls = (limpet_controls){0};
  if (start->keyframe) {
    const int keyframe = limpet_keyframe_open(model, path, start->keyframe);
    if (keyframe == LIMPET_NONE) return LIMPET_EXIT_USAGE;
    limpet_data_reset_keyframe(model, data, keyframe);
  }
  if (start->controls && !limpet_controls_read(controls, start->controls, model))
    return LIMPET_EXIT_INPUT;
  for (int i = 0; i < start->set.count; ++i) {
    const int actuator = limpet_control_set(model, start->set.text[i], data->control);
    if (actuator == LIMPET_NONE) return LIMPET_EXIT_USAGE;
    if (set_twice(&start->set, i)) {
      limpet_complain("--set %s: this actuator is set twice; choose one", start->set.text[i]);
      return LIMPET_EXIT_USAGE;
    }
    if (limpet_controls_has(controls, actuator)) {
      limpet_complain("--set %s: this actuator has a column in %s too; choose one",
                      start->set.text[i], start->controls);
      return LIMPET_EXIT_USAGE;
    }
  }
  return LIMPET_OPTIONS_GO;
}

// Whether --set names that actuator.
static bool set_names(const limpet_text_list *set, const char *name) {
  for (int i = 0; name && i < set->count; ++i) {
    const char *equals = strrchr(set->text[i], '=');
    const size_t length = equals ? (size_t)(equals - set->text[i]) : 0;
    if (strlen(name) == length && strncmp(set->text[i], name, length) == 0) return true;
  }
  return false;
}

int limpet_start_controller(const limpet_start_options *start, const limpet_model *model,
                            const limpet_controls *controls, limpet_controller **controller,
                            char **text) {
  limpet_error error;
  *controller = NULL;
  *text = NULL;
  if (!start->controller) return LIMPET_OPTIONS_GO;
  if (limpet_folder_complain(start->controller, "controller (JSON)")) return LIMPET_EXIT_INPUT;
  *text = limpet_text_read(start->controller);
  if (!*text) {
    limpet_complain("%s: there is no such file; give a controller (JSON) as docs/control.md shows",
                    start->controller);
    return LIMPET_EXIT_INPUT;
  }
  *controller = limpet_controller_create(model, *text, start->controller, &error);
  if (!*controller) {
    limpet_complain("%s", error.message);
    return LIMPET_EXIT_INPUT;
  }
  for (int i = 0; i < model->nu; ++i) {
    const char *name = limpet_model_name(model, LIMPET_OBJECT_ACTUATOR, i);
    const bool column = limpet_controls_has(controls, i);
    if (!limpet_controller_drives(*controller, i) || !(column || set_names(&start->set, name)))
      continue;
    limpet_complain("%s: the controller drives actuator '%s', and so does %s; choose one",
                    start->controller, name, column ? start->controls : "--set");
    return LIMPET_EXIT_USAGE;
  }
  return LIMPET_OPTIONS_GO;
}

int64_t limpet_start_step_count(const limpet_start_options *start, double time_step) {
  const double duration = isnan(start->time) ? 3.0 : start->time;
  return (int64_t)ceil(duration / time_step - 1e-6);
}
