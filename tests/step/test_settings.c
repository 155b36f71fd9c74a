/* tests/step/test_settings.c: docs/defaults.md says what the defaults and the preset
 * `drake` are, for every field of the header, whose comments say them, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limpet/limpet.h"
#include "mjcf_text.h"

typedef enum field_kind {
  FIELD_DOUBLE,
  FIELD_INT,
  FIELD_BOOL,
  FIELD_SCHEME,
  FIELD_CONTACT_MODEL,
  FIELD_NORMAL_LAW
} field_kind;

typedef struct field {
  const char *name;
  field_kind kind;
  size_t offset;
} field;

#define SETTING(name, kind) \
  { #name, kind, offsetof(limpet_step_settings, name) }
#define MATERIAL(name) \
  { #name, FIELD_DOUBLE, offsetof(limpet_material, name) }
#define JOINT(name) \
  { #name, FIELD_DOUBLE, offsetof(limpet_joint_description, name) }

static const field settings_fields[] = {
    SETTING(scheme, FIELD_SCHEME),
    SETTING(contact_model, FIELD_CONTACT_MODEL),
    SETTING(normal_law, FIELD_NORMAL_LAW),
    SETTING(normal_parameter, FIELD_DOUBLE),
    SETTING(time_step, FIELD_DOUBLE),
    SETTING(stiction_speed, FIELD_DOUBLE),
    SETTING(friction_regularization, FIELD_DOUBLE),
    SETTING(near_rigid_ratio, FIELD_DOUBLE),
    SETTING(rigid_stiffness, FIELD_DOUBLE),
    SETTING(constraint_ratio, FIELD_DOUBLE),
    SETTING(equality_ratio, FIELD_DOUBLE),
    SETTING(return_speed, FIELD_DOUBLE),
    SETTING(speculative_distance, FIELD_DOUBLE),
    SETTING(error_reduction, FIELD_DOUBLE),
    SETTING(softening, FIELD_DOUBLE),
    SETTING(bound_slack, FIELD_DOUBLE),
    SETTING(explicit_euler, FIELD_BOOL),
    SETTING(curved_paths, FIELD_BOOL),
    SETTING(single_point, FIELD_BOOL),
    SETTING(first_order_rotation, FIELD_BOOL),
    SETTING(explicit_gyration, FIELD_BOOL),
    SETTING(explicit_springs, FIELD_BOOL),
    SETTING(mixed_weld_weight, FIELD_BOOL),
    SETTING(late_tendon_limits, FIELD_BOOL),
    SETTING(tolerance, FIELD_DOUBLE),
    SETTING(iteration_limit, FIELD_INT),
    SETTING(friction_passes, FIELD_INT),
    SETTING(dense_limit, FIELD_INT),
    SETTING(warm_start, FIELD_BOOL),
    SETTING(threads, FIELD_INT),
    SETTING(condition_number, FIELD_BOOL),
    SETTING(profile, FIELD_BOOL),
    SETTING(energy, FIELD_BOOL),
};
static const field material_fields[] = {
    MATERIAL(friction),       MATERIAL(friction_torsional), MATERIAL(friction_rolling),
    MATERIAL(stiffness),      MATERIAL(dissipation),        MATERIAL(relaxation_time),
    MATERIAL(friction_ratio), MATERIAL(restitution),
};
static const field joint_fields[] = {JOINT(damping), JOINT(stiffness), JOINT(armature),
                                     JOINT(dry_friction)};

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static char *file_text(const char *relative) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", LIMPET_SOURCE_DIR, relative);
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("%s cannot be read", path);
  char *text = calloc(1, 1 << 20);
  assert_non_null(text);
  assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
  fclose(file);
  return text;
}

// Cell `index` (0: the name) of the row of `name` in the table whose head names `type`; false if
// there is no such row.
static bool table_cell(const char *page, const char *type, const char *name, int index,
                       char cell[64]) {
  char head[96], row[96];
  snprintf(head, sizeof head, "| field of `%s` |", type);
  snprintf(row, sizeof row, "\n| `%s` |", name);
  const char *begin = strstr(page, head);
  if (!begin) return false;
  const char *end = strstr(begin, "\n\n"), *at = strstr(begin, row);
  if (!at || (end && at > end)) return false;
  at += 2;
  for (int i = 0; i < index; ++i) at = strchr(at, '|') + 1;
  while (*at == ' ') ++at;
  const char *stop = strpbrk(at, "|\n");
  while (stop > at && stop[-1] == ' ') --stop;
  snprintf(cell, 64, "%.*s", (int)(stop - at), at);
  return true;
}

static bool says(const field *f, const void *record, const char *cell) {
  const void *value = (const char *)record + f->offset;
  switch (f->kind) {
    case FIELD_DOUBLE: return strtod(cell, NULL) == *(const double *)value && *cell;
    case FIELD_INT: return strtol(cell, NULL, 10) == *(const int *)value && *cell;
    case FIELD_BOOL: return strcmp(cell, *(const bool *)value ? "true" : "false") == 0;
    case FIELD_SCHEME:
      return strcmp(cell, limpet_scheme_descriptor(*(const limpet_scheme *const *)value)->name) ==
             0;
    case FIELD_CONTACT_MODEL:
      return strcmp(cell,
                    limpet_contact_model_descriptor(*(const limpet_contact_model *const *)value)
                        ->name) == 0;
    case FIELD_NORMAL_LAW:
      return strcmp(cell, (*(const limpet_normal_law *const *)value)->descriptor.name) == 0;
  }
  return false;
}

// Column `column` of a table holds the values of `record`; a blank cell means column 2.
static void check_table(const char *type, const field *fields, int count, const void *record,
                        int column) {
  char *page = file_text("docs/defaults.md"), cell[64];
  for (int i = 0; i < count; ++i) {
    if (!table_cell(page, type, fields[i].name, column, cell))
      fail_msg("docs/defaults.md lacks %s.%s", type, fields[i].name);
    if (!*cell) table_cell(page, type, fields[i].name, 2, cell);
    if (!says(&fields[i], record, cell))
      fail_msg("docs/defaults.md says '%s' for %s.%s", cell, type, fields[i].name);
  }
  free(page);
}

// The end of a field's comment in the header: behind the last semicolon of the line.
static bool header_says(const field *f, const void *record, const char *line_end) {
  const char *begin = line_end;
  while (begin[-1] != ';') --begin;
  begin += strspn(begin, " \n/");  // the value may stand on a line of its own
  char text[64];
  snprintf(text, sizeof text, "%.*s", (int)(line_end - begin), begin);
  return says(f, record, text);
}

static void page_shows_the_defaults(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(MODEL(""));
  const limpet_step_settings settings = limpet_step_settings_default(model);
  limpet_step_settings drake, limpet;
  assert_true(limpet_step_settings_preset(&drake, model, "drake"));
  assert_true(limpet_step_settings_preset(&limpet, model, "limpet"));
  assert_false(limpet_step_settings_preset(&limpet, model, "no such preset"));
  check_table("limpet_step_settings", settings_fields, COUNT(settings_fields), &settings, 2);
  check_table("limpet_step_settings", settings_fields, COUNT(settings_fields), &drake, 3);
  check_table("limpet_step_settings", settings_fields, COUNT(settings_fields), &limpet, 2);
  const limpet_material material = limpet_material_default();
  check_table("limpet_material", material_fields, COUNT(material_fields), &material, 2);
  const limpet_joint_description joint = limpet_joint_description_default();
  check_table("limpet_joint_description", joint_fields, COUNT(joint_fields), &joint, 2);
  limpet_model_destroy(model);
}

/* Every field that the header declares stands in the table above, so that no default is forgotten,
 * and its comment ends with the default; the time step's with words. */
static void every_field_has_a_default(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(MODEL(""));
  const limpet_step_settings settings = limpet_step_settings_default(model);
  char *header = file_text("include/limpet/step.h");
  const char *at = strstr(header, "typedef struct limpet_step_settings {"),
             *end = strstr(header, "} limpet_step_settings;");
  assert_true(at && end);
  int count = 0;
  for (const char *stop; (stop = strchr(at, ';')) && stop < end;) {
    const char *end_of_name = stop;
    if (end_of_name[-1] == ']')
      while (*end_of_name != '[') --end_of_name;
    const char *begin = end_of_name;
    while (strchr("abcdefghijklmnopqrstuvwxyz_", begin[-1])) --begin;
    const field *found = NULL;
    for (int i = 0; i < COUNT(settings_fields); ++i)
      if (strlen(settings_fields[i].name) == (size_t)(end_of_name - begin) &&
          strncmp(settings_fields[i].name, begin, (size_t)(end_of_name - begin)) == 0)
        found = &settings_fields[i];
    if (!found)
      fail_msg("limpet_step_settings.%.*s is in no table of defaults", (int)(end_of_name - begin),
               begin);
    const char *line_end = strchr(stop, '\n');
    // a wrapped comment goes on far right; a heading stands at the fields' indent
    for (size_t indent; (indent = strspn(line_end + 1, " ")) > 4 && line_end[1 + indent] == '/';)
      line_end = strchr(line_end + 1, '\n');
    if (strcmp(found->name, "time_step") != 0 && !header_says(found, &settings, line_end))
      fail_msg("the comment of limpet_step_settings.%s does not end with its default", found->name);
    ++count;
    at = line_end;
  }
  assert_int_equal(count, COUNT(settings_fields));
  free(header);
  limpet_model_destroy(model);
}

// Parameters of a descriptor that have the names of fields have their defaults: what `limpet list`
// prints is what a step does.
static void check_parameters(const limpet_descriptor *descriptor, const field *fields, int count,
                             const void *record) {
  for (int i = 0; i < descriptor->parameter_count; ++i)
    for (int k = 0; k < count; ++k) {
      char value[32];
      const limpet_parameter *parameter = &descriptor->parameters[i];
      snprintf(value, sizeof value, "%.17g", parameter->value);
      if (strcmp(parameter->name, fields[k].name) == 0 && !says(&fields[k], record, value))
        fail_msg("%s: the default of %s is not %s", descriptor->name, parameter->name, value);
      assert_true(parameter->minimum <= parameter->value && parameter->value <= parameter->maximum);
    }
}

static void descriptors_show_the_defaults(void **state) {
  (void)state;
  limpet_model *model = mjcf_load(MODEL(""));
  limpet_step_settings settings = limpet_step_settings_default(model);
  const limpet_material material = limpet_material_default();
  for (int i = 0; limpet_contact_models()[i]; ++i) {
    limpet_step_settings_contact_model(&settings, limpet_contact_models()[i]);
    assert_ptr_equal(settings.contact_model, limpet_contact_models()[i]);
    const limpet_descriptor *descriptor =
        limpet_contact_model_descriptor(limpet_contact_models()[i]);
    check_parameters(descriptor, settings_fields, COUNT(settings_fields), &settings);
    check_parameters(descriptor, material_fields, COUNT(material_fields), &material);
  }
  for (int i = 0; limpet_normal_laws()[i]; ++i) {
    const limpet_descriptor *descriptor = &limpet_normal_laws()[i]->descriptor;
    limpet_step_settings_normal_law(&settings, limpet_normal_laws()[i]);
    assert_true(descriptor->parameter_count <= LIMPET_NORMAL_PARAMETERS);
    for (int k = 0; k < descriptor->parameter_count; ++k)
      assert_true(settings.normal_parameter[k] == descriptor->parameters[k].value);
  }
  settings = limpet_step_settings_default(model);
  for (int i = 0; limpet_constraint_kinds()[i]; ++i)
    check_parameters(limpet_constraint_kind_descriptor(limpet_constraint_kinds()[i]),
                     settings_fields, COUNT(settings_fields), &settings);
  for (int i = 0; limpet_schemes()[i]; ++i)
    check_parameters(limpet_scheme_descriptor(limpet_schemes()[i]), settings_fields,
                     COUNT(settings_fields), &settings);
  limpet_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(page_shows_the_defaults),
      cmocka_unit_test(every_field_has_a_default),
      cmocka_unit_test(descriptors_show_the_defaults),
  };
  return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
