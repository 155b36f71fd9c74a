/* tests/step/test_settings.c: the table of the settings: every field has a default and a range that
 * is checked; presets, contact models, schemes and laws bring what they say. */
#include <setjmp.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "mjcf_text.h"

// ---------------------------------------------------------------------------------- the table

// Whatever stood there before, a field has its default afterwards.
static void every_field_is_filled(void **state) {
  (void)state;
  const limpet_field_table *table = limpet_step_settings_fields();
  limpet_step_settings one, two;
  memset(&one, 0x00, sizeof one);
  memset(&two, 0x01, sizeof two);
  limpet_fields_reset(table, &one);
  limpet_fields_reset(table, &two);
  for (int i = 0; i < table->count; ++i) {
    const limpet_field *field = &table->fields[i];
    if (memcmp((char *)&one + field->offset, (char *)&two + field->offset, field->size) != 0)
      fail_msg("%s has no default", field->name);
    if (field->type == LIMPET_FIELD_DESCRIPTOR)
      assert_non_null(*(const void *const *)limpet_field_elements(field, &one));
  }
}

/* A preset is the defaults but for what its row says, each of which differs from the default. */
static void presets_change_the_defaults(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(MODEL(""));
  const limpet_step_settings defaults = limpet_step_settings_default(model);
  limpet_step_settings settings = defaults;
  assert_false(limpet_step_settings_preset(&settings, model, "no such preset"));
  assert_memory_equal(&settings, &defaults, sizeof settings);
  for (const limpet_preset *preset = limpet_presets(); preset->name; ++preset) {
    assert_true(limpet_step_settings_preset(&settings, model, preset->name));
    assert_int_equal(limpet_step_settings_check(&settings, NULL), LIMPET_OK);
    for (int i = 0; i < preset->count; ++i) {
      const limpet_field *field =
          limpet_field_find(limpet_step_settings_fields(), preset->values[i].field);
      assert_non_null(field);
      assert_true(limpet_field_number(field, &settings, 0) == preset->values[i].value);
      assert_true(limpet_field_number(field, &defaults, 0) != preset->values[i].value);
      limpet_field_assign(field, &settings, 0, limpet_field_number(field, &defaults, 0));
    }
    if (preset->contact_model) {
      assert_ptr_equal(settings.contact_model, limpet_contact_model_find(preset->contact_model));
      assert_ptr_not_equal(settings.contact_model, defaults.contact_model);
      settings.contact_model = defaults.contact_model;
    }
    assert_memory_equal(&settings, &defaults, sizeof settings);
  }
  limpet_model_destroy(model);
}

/* Whatever contact models follow a preset, its numbers stay; those of "limpet" are each model's
 * own. */
static void presets_stay_with_any_contact_model(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(MODEL(""));
  for (const limpet_preset *preset = limpet_presets(); preset->name; ++preset) {
    limpet_step_settings settings;
    assert_true(limpet_step_settings_preset(&settings, model, preset->name));
    for (int m = 0; limpet_contact_models()[m]; ++m) {
      assert_true(
          limpet_step_settings_preset_model(&settings, preset->name, limpet_contact_models()[m]));
      assert_ptr_equal(settings.contact_model, limpet_contact_models()[m]);
      for (int i = 0; i < preset->count; ++i)
        assert_true(limpet_field_number(
                        limpet_field_find(limpet_step_settings_fields(), preset->values[i].field),
                        &settings, 0) == preset->values[i].value);
      limpet_step_settings alone = limpet_step_settings_default(model);
      limpet_step_settings_contact_model(&alone, limpet_contact_models()[m]);
      if (preset->count == 0) {
        assert_memory_equal(&settings, &alone, sizeof alone);
        assert_false(limpet_step_settings_preset_model(&settings, "none", alone.contact_model));
        assert_memory_equal(&settings, &alone, sizeof alone);
      }
    }
  }
  limpet_model_destroy(model);
}

static limpet_status check_with(const limpet_step_settings *settings, const limpet_field *field,
                                double value, limpet_error *error) {
  limpet_step_settings changed = *settings;
  limpet_field_assign(field, &changed, 0, value);
  return limpet_step_settings_check(&changed, error);
}

// Both ends of a range are allowed, what lies beyond is named.
static void every_range_is_checked(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(MODEL(""));
  const limpet_step_settings settings = limpet_step_settings_default(model);
  const limpet_field_table *table = limpet_step_settings_fields();
  limpet_error error;
  assert_int_equal(limpet_step_settings_check(&settings, &error), LIMPET_OK);
  for (int i = 0; i < table->count; ++i) {
    const limpet_field *field = &table->fields[i];
    if (!limpet_field_is_number(field) || field->type == LIMPET_FIELD_BOOL) continue;
    assert_false(isnan(field->minimum) || isnan(field->maximum));
    const double below = field->type == LIMPET_FIELD_INT ? field->minimum - 1.0
                                                         : nextafter(field->minimum, -INFINITY);
    const double above = field->type == LIMPET_FIELD_INT ? field->maximum + 1.0
                                                         : nextafter(field->maximum, INFINITY);
    assert_int_equal(check_with(&settings, field, field->minimum, &error), LIMPET_OK);
    assert_int_equal(check_with(&settings, field, field->maximum, &error), LIMPET_OK);
    assert_int_equal(check_with(&settings, field, below, &error), LIMPET_ERROR_INPUT);
    assert_non_null(strstr(error.message, field->name));
    if (isfinite(field->maximum))
      assert_int_equal(check_with(&settings, field, above, &error), LIMPET_ERROR_INPUT);
    if (field->type == LIMPET_FIELD_DOUBLE)
      assert_int_equal(check_with(&settings, field, NAN, &error), LIMPET_ERROR_INPUT);
  }
  limpet_model_destroy(model);
}

// --------------------------------------------------------------------------------- descriptors

/* A parameter that is a setting has its unit and range, and the default that `settings` has: what
 * `limpet list` prints is what a step does. Returns how many there are. */
static int check_parameters(const limpet_descriptor *descriptor,
                            const limpet_step_settings *settings) {
  int count = 0;
  for (int i = 0; i < descriptor->parameter_count; ++i) {
    const limpet_parameter parameter = limpet_step_parameter(&descriptor->parameters[i]);
    const limpet_field *field = limpet_field_find(limpet_step_settings_fields(), parameter.name);
    if (!descriptor->parameters[i].unit && !field)
      assert_non_null(limpet_field_find(limpet_material_fields(), parameter.name));
    if (!parameter.unit || !(parameter.minimum <= parameter.value) ||
        !(parameter.value <= parameter.maximum))
      fail_msg("%s: %s is out of its range or no setting", descriptor->name, parameter.name);
    if (!field) continue;
    assert_null(descriptor->parameters[i].unit);  // no second range
    if (limpet_field_number(field, settings, 0) != parameter.value)
      fail_msg("%s: the default of %s is not %g", descriptor->name, parameter.name,
               parameter.value);
    ++count;
  }
  return count;
}

static void parameters_are_settings(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(MODEL(""));
  limpet_step_settings settings = limpet_step_settings_default(model);
  int count = 0;
  for (int i = 0; limpet_contact_models()[i]; ++i) {
    limpet_step_settings_contact_model(&settings, limpet_contact_models()[i]);
    assert_ptr_equal(settings.contact_model, limpet_contact_models()[i]);
    count +=
        check_parameters(limpet_contact_model_descriptor(limpet_contact_models()[i]), &settings);
  }
  settings = limpet_step_settings_default(model);
  for (int i = 0; limpet_constraint_kinds()[i]; ++i)
    count += check_parameters(limpet_constraint_kind_descriptor(limpet_constraint_kinds()[i]),
                              &settings);
  for (int i = 0; limpet_schemes()[i]; ++i)
    count += check_parameters(limpet_scheme_descriptor(limpet_schemes()[i]), &settings);
  assert_true(count > 30);
  limpet_model_destroy(model);
}

static void laws_bring_their_parameters(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(MODEL(""));
  limpet_step_settings settings = limpet_step_settings_default(model);
  for (int i = 0; limpet_normal_laws()[i]; ++i) {
    const limpet_descriptor *descriptor = &limpet_normal_laws()[i]->descriptor;
    limpet_step_settings_normal_law(&settings, limpet_normal_laws()[i]);
    assert_true(descriptor->parameter_count <= LIMPET_NORMAL_PARAMETERS);
    for (int k = 0; k < descriptor->parameter_count; ++k)
      assert_true(settings.normal_parameter[k] == descriptor->parameters[k].value);
    assert_int_equal(limpet_step_settings_check(&settings, NULL), LIMPET_OK);
  }
  limpet_model_destroy(model);
}

// Settings of a scheme go with its contact model, whichever was chosen before.
static void schemes_and_contact_models_go_together(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(MODEL(""));
  limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_error error;
  for (int i = 0; limpet_schemes()[i]; ++i)
    for (int k = 0; limpet_schemes()[k]; ++k) {
      limpet_step_settings_scheme(&settings, limpet_schemes()[i]);
      limpet_step_settings_scheme(&settings, limpet_schemes()[k]);
      assert_int_equal(limpet_step_settings_check(&settings, NULL), LIMPET_OK);
    }
  int refused = 0;
  for (int i = 0; limpet_schemes()[i]; ++i)
    for (int k = 0; limpet_contact_models()[k]; ++k) {
      limpet_step_settings_scheme(&settings, limpet_schemes()[i]);
      limpet_step_settings_contact_model(&settings, limpet_contact_models()[k]);
      const bool taken = limpet_scheme_takes(limpet_schemes()[i], limpet_contact_models()[k]);
      assert_int_equal(limpet_step_settings_check(&settings, &error),
                       taken ? LIMPET_OK : LIMPET_ERROR_INPUT);
      refused += !taken;
    }
  assert_true(refused > 0 && strstr(error.message, "does not take the contact model"));
  limpet_model_destroy(model);
}

/* A range of a contact model is narrower than that of the setting: sap divides by the weight of its
 * friction. */
static void models_have_ranges_of_their_own(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(MODEL(""));
  limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_error error;
  settings.friction_regularization = 0.0;
  assert_int_equal(limpet_step_settings_check(&settings, NULL), LIMPET_OK);
  settings.contact_model = limpet_contact_model_find("sap");
  assert_int_equal(limpet_step_settings_check(&settings, &error), LIMPET_ERROR_INPUT);
  assert_string_equal(
      error.message,
      "the setting \"friction_regularization\" is 0; with the contact model \"sap\" "
      "it must be at least 1e-12");
  settings.friction_regularization = 1e-12;
  assert_int_equal(limpet_step_settings_check(&settings, NULL), LIMPET_OK);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(presets_change_the_defaults),
      cmocka_unit_test(every_field_is_filled),
      cmocka_unit_test(every_range_is_checked),
      cmocka_unit_test(parameters_are_settings),
      cmocka_unit_test(laws_bring_their_parameters),
      cmocka_unit_test(presets_stay_with_any_contact_model),
      cmocka_unit_test(schemes_and_contact_models_go_together),
      cmocka_unit_test(models_have_ranges_of_their_own),
  };
  return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
