/* cli/start.h: how a simulation starts, for every command that simulates: options, settings, start
 * state and controls. */
#ifndef LIMPET_CLI_START_H
#define LIMPET_CLI_START_H

#include "controls.h"
#include "options.h"
#include "settings.h"

typedef struct limpet_start_options {  // NAN, NULL, 0: not given
  double time, dt;                     // [s]
  const char *keyframe, *controls, *controller, *preset, *normal_law;
  limpet_text_list set, normal_parameter;
  limpet_settings_choice settings;
} limpet_start_options;

enum { LIMPET_START_OPTION_TIME = 0, LIMPET_START_OPTION_COUNT = 9 };
/* Makes `start` one in which nothing is given, and writes the first rows of an option table, which
 * read into it. Returns their number; the rows of start->settings are to follow
 * (limpet_settings_options). */
int limpet_start_options_begin(limpet_start_options *start, limpet_option *options);
// The first option that was given, "--time", or NULL.
const char *limpet_start_option_given(const limpet_start_options *start);

/* What was chosen by name: NULL where the settings' own counts. Each returns LIMPET_OPTIONS_GO, or
 * an exit code after a complaint that suggests the nearest name. `name` may be NULL. */
int limpet_scheme_choose(const char *name, const limpet_scheme **scheme);
int limpet_contact_model_choose(const char *name, const limpet_contact_model **contact);

// Whether a contact model takes any normal law: a compliant one without a law of its own.
bool limpet_start_takes_law(const limpet_contact_model *model);

/* Defaults of the model, then the preset, then scheme and contact model (NULL: those of the preset;
 * without a preset the contact model brings its own defaults), then the normal law, then what was
 * given. Returns LIMPET_OPTIONS_GO or an exit code. */
int limpet_start_settings(const limpet_start_options *start, const limpet_model *model,
                          const limpet_scheme *scheme, const limpet_contact_model *contact,
                          limpet_step_settings *settings);

// Says which settings were given that act in another scheme alone.
void limpet_start_settings_warn(const limpet_start_options *start,
                                const limpet_step_settings *settings);

/* Start state and controls: the file's pose or a keyframe, then --controls, then --set. `path`: of
 * the model, for messages. Returns LIMPET_OPTIONS_GO or an exit code; `controls` is to be freed in
 * any case. */
int limpet_start_state(const limpet_start_options *start, const limpet_model *model,
                       const char *path, limpet_data *data, limpet_controls *controls);
/* The controller of --controller, NULL where none was asked for, and its text by malloc.
 * `controls`: those of limpet_start_state, which may not drive what the controller drives. Returns
 * LIMPET_OPTIONS_GO or an exit code. */
int limpet_start_controller(const limpet_start_options *start, const limpet_model *model,
                            const limpet_controls *controls, limpet_controller **controller,
                            char **text);
// Steps until the time that was asked for, 3 s if none was.
int64_t limpet_start_step_count(const limpet_start_options *start, double time_step);
// Says what is likely a mistake: joints that start outside their limits, loops that are open, geoms
// in each other, a step [s] that is too long, a controller (NULL: none) far from its path. Runs
// kinematics, and resets the controller.
void limpet_start_warn(const limpet_start_options *start, const limpet_model *model,
                       limpet_data *data, double time_step, limpet_controller *controller);

#endif
