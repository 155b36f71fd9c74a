/* cli/settings.h: options that set one field of limpet_step_settings each, made from its table. */
#ifndef LIMPET_CLI_SETTINGS_H
#define LIMPET_CLI_SETTINGS_H

#include "options.h"

enum { LIMPET_SETTING_LIMIT = 32, LIMPET_SETTING_NAME_SIZE = 40, LIMPET_SETTING_TEXT_SIZE = 160 };

// What was given on the command line; where nothing was: NAN, -1, false.
typedef struct limpet_settings_choice {
  char name[LIMPET_SETTING_LIMIT][LIMPET_SETTING_NAME_SIZE];  // "--stiction-speed"
  char text[LIMPET_SETTING_LIMIT][LIMPET_SETTING_TEXT_SIZE];
  double number[LIMPET_SETTING_LIMIT];  // in SI units
  int count[LIMPET_SETTING_LIMIT];
  bool flag[LIMPET_SETTING_LIMIT];
} limpet_settings_choice;

/* Clears `choice` and appends the options that fill it to `options`, which holds `option_count` of
 * at most `capacity`. Returns the new count. */
int limpet_settings_options(limpet_settings_choice *choice, limpet_option *options,
                            int option_count, int capacity);

// The first option that was given, or NULL.
const char *limpet_settings_given(const limpet_settings_choice *choice);

/* The first option that was given and acts in another scheme than `scheme` alone, or NULL; `*of` is
 * that scheme. A setting of one scheme says so in its text: "scheme impulse: ...". */
const char *limpet_settings_idle(const limpet_settings_choice *choice, const char *scheme,
                                 const char **of);

// Writes what was given into `settings`.
void limpet_settings_apply(const limpet_settings_choice *choice, limpet_step_settings *settings);

#endif
