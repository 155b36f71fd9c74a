/* cli/settings.c: options that set one field of limpet_step_settings each. The table of its fields
 * says all: which are options, name, text, unit, range. The option of the field stiction_speed is
 * --stiction-speed; a switch that is on by default is switched off: --no-warm-start. */
#include "settings.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "quantity.h"

// The next field at or after `*at` that is an option, or NULL at the end; moves *at behind it.
static const limpet_field *option_field(int *at) {
  const limpet_field_table *table = limpet_step_settings_fields();
  while (*at < table->count) {
    const limpet_field *field = &table->fields[(*at)++];
    if (field->uses & LIMPET_FIELD_OPTION) return field;
  }
  return NULL;
}

// A switch that is on by default.
static bool switches_off(const limpet_field *field) {
  return field->type == LIMPET_FIELD_BOOL && field->value != 0.0;
}

static void option_name(const limpet_field *field, char name[LIMPET_SETTING_NAME_SIZE]) {
  snprintf(name, LIMPET_SETTING_NAME_SIZE, "--%s%s", switches_off(field) ? "no-" : "",
           limpet_field_last_name(field));
  for (char *at = strchr(name, '_'); at; at = strchr(at, '_')) *at = '-';
}

// What it does; its default, as the texts of other options end with theirs.
static void option_text(const limpet_field *field, char text[LIMPET_SETTING_TEXT_SIZE]) {
  const bool of_model = field->uses & LIMPET_FIELD_BY_MODEL;
  if (field->type == LIMPET_FIELD_BOOL)
    snprintf(text, LIMPET_SETTING_TEXT_SIZE, "%s%s", switches_off(field) ? "off: " : "",
             field->text);
  else
    snprintf(text, LIMPET_SETTING_TEXT_SIZE, "%s; %g%s", field->text, field->value,
             of_model ? ", or the contact model's" : "");
}

static limpet_option option_of(const limpet_field *field, limpet_settings_choice *choice, int i) {
  limpet_option option = {.name = choice->name[i],
                          .text = choice->text[i],
                          .unit = field->unit,
                          .minimum = field->minimum,
                          .maximum = field->maximum};
  switch (field->type) {
    case LIMPET_FIELD_DOUBLE:
      option.kind = LIMPET_OPTION_QUANTITY;
      option.target = &choice->number[i];
      option.argument = limpet_quantity_placeholder(field->unit);
      break;
    case LIMPET_FIELD_INT:
      option.kind = LIMPET_OPTION_COUNT;
      option.target = &choice->count[i];
      option.argument = "N";
      break;
    default:
      assert(field->type == LIMPET_FIELD_BOOL);
      option.kind = LIMPET_OPTION_FLAG;
      option.target = &choice->flag[i];
  }
  return option;
}

int limpet_settings_options(limpet_settings_choice *choice, limpet_option *options,
                            int option_count, int capacity) {
  const limpet_field *field;
  for (int at = 0, i = 0; (field = option_field(&at)) != NULL; ++i) {
    assert(i < LIMPET_SETTING_LIMIT && option_count < capacity);
    choice->number[i] = NAN;
    choice->count[i] = -1;
    choice->flag[i] = false;
    option_name(field, choice->name[i]);
    option_text(field, choice->text[i]);
    options[option_count++] = option_of(field, choice, i);
  }
  (void)capacity;
  return option_count;
}

static bool given(const limpet_settings_choice *choice, int i) {
  return !isnan(choice->number[i]) || choice->count[i] >= 0 || choice->flag[i];
}

const char *limpet_settings_given(const limpet_settings_choice *choice) {
  for (int at = 0, i = 0; option_field(&at); ++i)
    if (given(choice, i)) return choice->name[i];
  return NULL;
}

// The scheme that a field is of, NULL: of all.
static const char *scheme_of(const limpet_field *field) {
  for (int i = 0; limpet_schemes()[i]; ++i) {
    char head[64];
    const char *name = limpet_scheme_descriptor(limpet_schemes()[i])->name;
    const int length = snprintf(head, sizeof head, "scheme %s:", name);
    if (strncmp(field->text, head, (size_t)length) == 0) return name;
  }
  return NULL;
}

const char *limpet_settings_idle(const limpet_settings_choice *choice, const char *scheme,
                                 const char **of) {
  const limpet_field *field;
  for (int at = 0, i = 0; (field = option_field(&at)) != NULL; ++i) {
    *of = scheme_of(field);
    if (given(choice, i) && *of && strcmp(*of, scheme) != 0) return choice->name[i];
  }
  return NULL;
}

void limpet_settings_apply(const limpet_settings_choice *choice, limpet_step_settings *settings) {
  const limpet_field *field;
  for (int at = 0, i = 0; (field = option_field(&at)) != NULL; ++i) {
    if (!given(choice, i)) continue;
    const bool number = field->type == LIMPET_FIELD_DOUBLE, count = field->type == LIMPET_FIELD_INT;
    limpet_field_assign(field, settings, 0,
                        number  ? choice->number[i]
                        : count ? (double)choice->count[i]
                                : 1.0 - field->value);
  }
}
