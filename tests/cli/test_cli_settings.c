/* tests/cli/test_cli_settings.c: every setting that is an option has one, with the range of its
 * field, in `run` and `compare`; the summary in JSON shows every field. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "command_line.h"

// "--stiction-speed"; "--no-warm-start" of a switch that is on by default
static void option_name(const limpet_field *field, char name[64]) {
  const bool off = field->type == LIMPET_FIELD_BOOL && field->value != 0.0;
  snprintf(name, 64, "--%s%s", off ? "no-" : "", limpet_field_last_name(field));
  for (char *at = strchr(name, '_'); at; at = strchr(at, '_')) *at = '-';
}

static limpet_log_info *log_written(void) {
  char path[512];
  limpet_error error;
  snprintf(path, sizeof path, "%s/out.h5", command_folder);
  limpet_log_info *info = limpet_log_read(path, &error);
  assert_non_null(info);
  return info;
}

// The setting of that field as the log of the last run has it.
static double setting_logged(const limpet_field *field) {
  limpet_log_info *info = log_written();
  limpet_step_settings settings;
  assert_int_equal(limpet_log_settings(info, scene_model, &settings, NULL), LIMPET_OK);
  limpet_log_info_destroy(info);
  return limpet_field_number(field, &settings, 0);
}

static void expect_set(const limpet_field *field, const char *option, double value) {
  const bool report = !(field->uses & LIMPET_FIELD_RESULT);
  if (field->type == LIMPET_FIELD_BOOL)
    limpet("run scene.xml --time 0 --quiet --log out.h5 %s", option);
  else limpet("run scene.xml --time 0 --quiet --log out.h5 %s %.17g", option, value);
  assert_int_equal(command_code, 0);
  if (!report && setting_logged(field) != value)
    fail_msg("%s does not set %s to %g", option, field->name, value);
}

static void every_option_sets_its_field_within_its_range(void **state) {
  (void)state;
  const limpet_field_table *table = limpet_step_settings_fields();
  int count = 0;
  for (int i = 0; i < table->count; ++i) {
    const limpet_field *field = &table->fields[i];
    if (!(field->uses & LIMPET_FIELD_OPTION)) continue;
    char option[64];
    option_name(field, option);
    ++count;
    if (field->type == LIMPET_FIELD_BOOL) {
      expect_set(field, option, 1.0 - field->value);
      continue;
    }
    expect_set(field, option, field->minimum);
    expect_set(field, option, field->maximum);
    limpet("run scene.xml --time 0 --quiet %s %.17g", option, 2.0 * field->maximum);
    expect_error(2, option);
    limpet("run scene.xml --time 0 --quiet %s -1", option);
    expect_error(2, option);
  }
  assert_true(count >= 17);
}

static void help_shows_every_option(void **state) {
  (void)state;
  const limpet_field_table *table = limpet_step_settings_fields();
  static const char *const commands[] = {"run", "compare"};
  for (int c = 0; c < 2; ++c) {
    limpet("%s --help", commands[c]);
    for (int i = 0; i < table->count; ++i) {
      char option[64];
      option_name(&table->fields[i], option);
      if (!(table->fields[i].uses & LIMPET_FIELD_OPTION)) continue;
      expect_text(command_output, option);
      expect_text(command_output, table->fields[i].text);
      if (table->fields[i].type == LIMPET_FIELD_BOOL) continue;
      char standard[200];
      snprintf(standard, sizeof standard, "%s; %g", table->fields[i].text, table->fields[i].value);
      expect_text(command_output, standard);
    }
  }
}

static void a_setting_of_another_scheme_is_warned_of(void **state) {
  (void)state;
  limpet("run scene.xml --time 0 --accuracy 1e-4");
  assert_int_equal(command_code, 0);
  expect_text(command_errors, "warning: --accuracy does nothing here: only the scheme adaptive");
  limpet("run scene.xml --time 0 --scheme adaptive --accuracy 1e-4");
  assert_string_equal(command_errors, "");
}

// The default that the help names is the one that a run without the option uses.
static void help_names_the_default_model(void **state) {
  (void)state;
  char words[64];
  limpet("run scene.xml --time 0 --quiet --json");
  json_t *root = output_json();
  snprintf(words, sizeof words, "contact model; %s (", text_at(root, "settings/contact_model"));
  json_decref(root);
  limpet("run --help");
  expect_text(command_output, words);
}

// What shells complete, and the manual page, are made of the same tables as --help.
static void man_and_completions_have_every_option(void **state) {
  (void)state;
  static const char *const texts[] = {"completion bash", "completion zsh", "completion fish"};
  const limpet_field_table *table = limpet_step_settings_fields();
  for (int c = 0; c < 3; ++c) {
    limpet("%s", texts[c]);
    assert_int_equal(command_code, 0);
    for (int i = 0; i < table->count; ++i) {
      char option[64];
      option_name(&table->fields[i], option);
      if (table->fields[i].uses & LIMPET_FIELD_OPTION)
        expect_text(command_output, c == 2 ? option + 2 : option);  // fish leaves out the dashes
    }
  }
  limpet("man run");
  assert_int_equal(command_code, 0);
  static const char *const parts[] = {".SH NAME", ".SS \"run FILE", "\\-\\-iteration\\-limit",
                                      ".SH EXIT STATUS", ".SH ENVIRONMENT"};
  for (int i = 0; i < 5; ++i) expect_text(command_output, parts[i]);
}

static void summary_shows_every_setting(void **state) {
  (void)state;
  const limpet_field_table *table = limpet_step_settings_fields();
  limpet("run scene.xml --time 2ms --quiet --json --stiction-speed 3mm/s --no-warm-start");
  json_t *root = output_json();
  for (int i = 0; i < table->count; ++i) {
    char path[96];
    snprintf(path, sizeof path, "settings/%s", limpet_field_last_name(&table->fields[i]));
    json_at(root, path);
  }
  assert_true(number_at(root, "settings/stiction_speed") == 3e-3);
  assert_true(json_is_false(json_at(root, "settings/warm_start")));
  assert_string_equal(text_at(root, "settings/scheme"), "discrete");
  json_decref(root);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_option_sets_its_field_within_its_range),
      cmocka_unit_test(a_setting_of_another_scheme_is_warned_of),
      cmocka_unit_test(man_and_completions_have_every_option),
      cmocka_unit_test(help_shows_every_option),
      cmocka_unit_test(help_names_the_default_model),
      cmocka_unit_test(summary_shows_every_setting),
  };
  return cmocka_run_group_tests(tests, command_scene_open, command_scene_close);
}
