/* step/settings.c: settings of a step by the table of their fields: defaults, presets, ranges, and
 * what contact models, schemes and laws bring along. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/field.h"
#include "step/scheme.h"

limpet_step_settings limpet_step_settings_default(const limpet_model *model) {
  assert(model);
  limpet_step_settings settings;
  memset(&settings, 0, sizeof settings);
  limpet_fields_reset(limpet_step_settings_fields(), &settings);
  settings.time_step = model->options.time_step;
  return settings;
}

// NULL: there is none of that name.
static const limpet_preset *preset_find(const char *name) {
  const limpet_preset *preset = limpet_presets();
  while (preset->name && strcmp(preset->name, name) != 0) ++preset;
  return preset->name ? preset : NULL;
}

// The numbers of a preset: all, or those that contact models bring, too.
static void preset_assign(const limpet_preset *preset, bool all, limpet_step_settings *settings) {
  for (int i = 0; i < preset->count; ++i) {
    const limpet_preset_value *value = &preset->values[i];
    const limpet_field *field = limpet_field_find(limpet_step_settings_fields(), value->field);
    if (all || field->uses & LIMPET_FIELD_BY_MODEL)
      limpet_field_assign(field, settings, 0, value->value);
  }
}

bool limpet_step_settings_preset(limpet_step_settings *settings, const limpet_model *model,
                                 const char *name) {
  assert(settings && model && name);
  const limpet_preset *preset = preset_find(name);
  if (!preset) return false;
  *settings = limpet_step_settings_default(model);
  if (preset->contact_model)
    limpet_step_settings_contact_model(settings, limpet_contact_model_find(preset->contact_model));
  preset_assign(preset, true, settings);
  return true;
}

bool limpet_step_settings_preset_model(limpet_step_settings *settings, const char *name,
                                       const limpet_contact_model *model) {
  assert(settings && name && model);
  const limpet_preset *preset = preset_find(name);
  if (!preset) return false;
  limpet_step_settings_contact_model(settings, model);
  preset_assign(preset, false, settings);
  return true;
}

// What the contact model demands of its settings beyond the ranges of the fields.
static limpet_status model_check(const limpet_step_settings *settings, limpet_error *error) {
  const limpet_descriptor *model = limpet_contact_model_descriptor(settings->contact_model);
  for (int i = 0; i < model->parameter_count; ++i) {
    const limpet_parameter *parameter = &model->parameters[i];
    const limpet_field *field = limpet_field_find(limpet_step_settings_fields(), parameter->name);
    if (!field || parameter->unit || isnan(parameter->minimum)) continue;
    const double value = limpet_field_number(field, settings, 0);
    if (!(value >= parameter->minimum))
      return limpet_error_fill(error, LIMPET_ERROR_INPUT,
                               "the setting \"%s\" is %g; with the contact model \"%s\" it must be "
                               "at least %g",
                               field->name, value, model->name, parameter->minimum);
  }
  return LIMPET_OK;
}

limpet_status limpet_step_settings_check(const limpet_step_settings *settings,
                                         limpet_error *error) {
  assert(settings);
  const limpet_field_table *table = limpet_step_settings_fields();
  char demand[128];
  for (int i = 0; i < table->count; ++i) {
    const limpet_field *field = &table->fields[i];
    if (!limpet_field_is_number(field)) continue;
    const int count = (int)limpet_field_count(field, NULL, 0);
    for (int k = 0; k < count; ++k) {
      const double value = limpet_field_number(field, settings, k);
      if (!limpet_field_allows(field, value))
        return limpet_error_fill(error, LIMPET_ERROR_INPUT, "the setting \"%s\" is %g; it must %s",
                                 limpet_field_last_name(field), value,
                                 limpet_field_demand(field, demand, sizeof demand));
    }
  }
  if (!limpet_scheme_takes(settings->scheme, settings->contact_model))
    return limpet_error_fill(
        error, LIMPET_ERROR_INPUT,
        "the scheme \"%s\" does not take the contact model \"%s\"; choose the scheme first: "
        "\"impulse\" takes impulsive models, all others the rest",
        limpet_scheme_descriptor(settings->scheme)->name,
        limpet_contact_model_descriptor(settings->contact_model)->name);
  return model_check(settings, error);
}

// ----------------------------------------------------------------- models, schemes and laws

// What a contact model brings for a setting; the default where it brings nothing.
static double brought(const limpet_contact_model *model, const limpet_field *field) {
  const limpet_descriptor *descriptor = limpet_contact_model_descriptor(model);
  for (int i = 0; i < descriptor->parameter_count; ++i)
    if (strcmp(descriptor->parameters[i].name, field->name) == 0)
      return limpet_step_parameter(&descriptor->parameters[i]).value;
  return field->value;
}

void limpet_step_settings_contact_model(limpet_step_settings *settings,
                                        const limpet_contact_model *model) {
  assert(settings && model);
  const limpet_field_table *table = limpet_step_settings_fields();
  for (int i = 0; i < table->count; ++i)
    if (table->fields[i].uses & LIMPET_FIELD_BY_MODEL)
      limpet_field_assign(&table->fields[i], settings, 0, brought(model, &table->fields[i]));
  settings->contact_model = model;
}

void limpet_step_settings_scheme(limpet_step_settings *settings, const limpet_scheme *scheme) {
  assert(settings && scheme);
  const char *model = scheme->contact_model;
  settings->scheme = scheme;
  if (!model && !limpet_scheme_takes(scheme, settings->contact_model))
    model = limpet_field_find(limpet_step_settings_fields(), "contact_model")->word;
  if (model) limpet_step_settings_contact_model(settings, limpet_contact_model_find(model));
}

void limpet_step_settings_normal_law(limpet_step_settings *settings, const limpet_normal_law *law) {
  assert(settings && law);
  for (int i = 0; i < LIMPET_NORMAL_PARAMETERS; ++i)
    settings->normal_parameter[i] =
        i < law->descriptor.parameter_count ? law->descriptor.parameters[i].value : 0.0;
  settings->normal_law = law;
}

limpet_parameter limpet_step_parameter(const limpet_parameter *parameter) {
  assert(parameter && parameter->name);
  limpet_parameter full = *parameter;
  const limpet_field *field = limpet_field_find(limpet_step_settings_fields(), parameter->name);
  if (!field) field = limpet_field_find(limpet_material_fields(), parameter->name);
  if (parameter->unit || !field) return full;
  full.unit = field->unit ? field->unit : "1";
  if (isnan(full.minimum)) full.minimum = field->minimum;
  if (isnan(full.maximum)) full.maximum = field->maximum;
  if (isnan(full.value)) full.value = field->value;
  return full;
}
