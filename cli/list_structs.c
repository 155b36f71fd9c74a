/* cli/list_structs.c: the fields of public structs, as their tables tell: in words, and as JSON
 * from which the docs and the views of other languages are made. */
#include "list_structs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "json.h"

enum { DEFAULT_SIZE = 160 };

static const limpet_field_table *(*const tables[])(void) = {
    limpet_step_settings_fields, limpet_step_info_fields,      limpet_data_fields,
    limpet_model_fields,         limpet_options_fields,        limpet_material_fields,
    limpet_impedance_fields,     limpet_contact_sensor_fields, limpet_load_options_fields,
};
enum { TABLE_COUNT = (int)(sizeof tables / sizeof *tables) };

static const char *number_text(const limpet_field *field, double value, char text[32]) {
  if (field->type == LIMPET_FIELD_BOOL) return value != 0.0 ? "true" : "false";
  snprintf(text, 32, "%.10g", value);
  return text;
}

// "0.1", "true", "lagged", "(0, 0, -9.81)"; NULL: there is none.
static const char *default_text(const limpet_field *field, char text[DEFAULT_SIZE]) {
  char number[32];
  if (field->word) return field->word;
  if (!field->values && isnan(field->value)) return NULL;
  if (!field->values) {
    snprintf(text, DEFAULT_SIZE, "%s", number_text(field, field->value, number));
    return text;
  }
  const int count = (int)limpet_field_count(field, NULL, 0);
  bool equal = true;
  for (int i = 0; i < count; ++i) equal &= field->values[i] == field->values[0];
  if (equal) return number_text(field, field->values[0], text);
  int length = 0;
  for (int i = 0; i < count; ++i)
    length += snprintf(text + length, DEFAULT_SIZE - (size_t)length, "%s%s", i ? ", " : "(",
                       number_text(field, field->values[i], number));
  snprintf(text + length, DEFAULT_SIZE - (size_t)length, ")");
  return text;
}

// -------------------------------------------------------------------------------- in words

static void field_print(const limpet_field *field) {
  char text[DEFAULT_SIZE], type[64], unit[96];
  const char *standard = default_text(field, text);
  snprintf(type, sizeof type, "%s%s%s%s", limpet_field_type_word(field->type),
           *field->shape ? " (" : "", field->shape, *field->shape ? ")" : "");
  snprintf(unit, sizeof unit, "%s%s%s", field->unit ? "[" : "", field->unit ? field->unit : "",
           field->unit ? "]" : "");
  printf("    %-38s %-34s %-14s", field->name, type, unit);
  if (standard) printf(" default %s", standard);
  if (standard && (isfinite(field->minimum) || isfinite(field->maximum)) &&
      field->type != LIMPET_FIELD_BOOL)
    printf(", %g to %g", field->minimum, field->maximum);
  printf("\n");
  if (*field->text) printf("        %s\n", field->text);
}

void limpet_structs_print(void) {
  for (int t = 0; t < TABLE_COUNT; ++t) {
    const limpet_field_table *table = tables[t]();
    printf("\n  %s\n", table->name);
    for (int i = 0; i < table->count; ++i) field_print(&table->fields[i]);
  }
}

// --------------------------------------------------------------------------------- in JSON

static size_t table_alignment(const limpet_field_table *table);

// [bytes]  what the place of a member is a multiple of
static size_t alignment(const limpet_field *field) {
  if (field->pointer || field->type == LIMPET_FIELD_OPAQUE) return _Alignof(void *);
  return field->type == LIMPET_FIELD_STRUCT ? table_alignment(field->fields()) : field->element;
}

static size_t table_alignment(const limpet_field_table *table) {
  size_t most = 1;
  for (int i = 0; i < table->count; ++i) {
    const size_t own = alignment(&table->fields[i]);
    if (own > most) most = own;
  }
  return most;
}

static json_t *uses_json(unsigned uses) {
  static const char *const words[] = {"state",    "motion", "result", "option",
                                      "by model", "packed", "step",   "clock"};
  json_t *list = json_array();
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (uses & (1u << i)) json_array_append_new(list, json_string(words[i]));
  return list;
}

static json_t *field_json(const limpet_field *field) {
  char text[DEFAULT_SIZE];
  json_t *object = json_pack(
      "{s:s, s:I, s:I, s:I, s:I, s:s, s:b, s:s}", "name", field->name, "offset",
      (json_int_t)field->offset, "size", (json_int_t)field->size, "element",
      (json_int_t)field->element, "alignment", (json_int_t)alignment(field), "type",
      limpet_field_type_word(field->type), "pointer", field->pointer, "shape", field->shape);
  json_object_set_new(object, "unit", limpet_json_text(field->unit));
  json_object_set_new(object, "default", limpet_json_text(default_text(field, text)));
  json_object_set_new(object, "minimum", limpet_json_number(field->minimum));
  json_object_set_new(object, "maximum", limpet_json_number(field->maximum));
  json_object_set_new(object, "stage", limpet_json_text(field->stage));
  json_object_set_new(object, "struct",
                      limpet_json_text(field->fields ? field->fields()->name : NULL));
  json_object_set_new(object, "uses", uses_json(field->uses));
  json_object_set_new(object, "text", limpet_json_text(field->text));
  return object;
}

json_t *limpet_structs_json(void) {
  json_t *list = json_array();
  for (int t = 0; t < TABLE_COUNT; ++t) {
    const limpet_field_table *table = tables[t]();
    json_t *fields = json_array();
    for (int i = 0; i < table->count; ++i)
      json_array_append_new(fields, field_json(&table->fields[i]));
    json_array_append_new(list, json_pack("{s:s, s:I, s:I, s:o}", "name", table->name, "size",
                                          (json_int_t)table->size, "alignment",
                                          (json_int_t)table_alignment(table), "fields", fields));
  }
  return list;
}

json_t *limpet_presets_json(void) {
  json_t *list = json_array();
  for (const limpet_preset *preset = limpet_presets(); preset->name; ++preset) {
    json_t *values = json_object();
    if (preset->contact_model)
      json_object_set_new(values, "contact_model", json_string(preset->contact_model));
    for (int i = 0; i < preset->count; ++i) {
      const limpet_preset_value *value = &preset->values[i];
      char text[32];
      json_object_set_new(
          values, value->field,
          json_string(number_text(limpet_field_find(limpet_step_settings_fields(), value->field),
                                  value->value, text)));
    }
    json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "name", preset->name, "text",
                                          preset->text, "values", values));
  }
  return list;
}
