/* cli/list.c: `limpet list`: contact models, normal laws, elastic laws, constraints, schemes, shape
 * pairs, sensors, controllers and cost terms, as their descriptors tell of themselves. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "json.h"
#include "list_structs.h"
#include "options.h"
#include "suggest.h"

enum { DESCRIPTOR_LIMIT = 128 };

static int models_collect(const limpet_descriptor **list) {
  const limpet_contact_model *const *all = limpet_contact_models();
  int count = 0;
  for (; all[count] && count < DESCRIPTOR_LIMIT; ++count)
    list[count] = limpet_contact_model_descriptor(all[count]);
  return count;
}

static int laws_collect(const limpet_descriptor **list) {
  const limpet_normal_law *const *all = limpet_normal_laws();
  int count = 0;
  for (; all[count] && count < DESCRIPTOR_LIMIT; ++count) list[count] = &all[count]->descriptor;
  return count;
}

static int elastic_collect(const limpet_descriptor **list) {
  const limpet_elastic_law *const *all = limpet_elastic_laws();
  int count = 0;
  for (; all[count] && count < DESCRIPTOR_LIMIT; ++count)
    list[count] = limpet_elastic_law_descriptor(all[count]);
  return count;
}

static int constraints_collect(const limpet_descriptor **list) {
  const limpet_constraint_kind *const *all = limpet_constraint_kinds();
  int count = 0;
  for (; all[count] && count < DESCRIPTOR_LIMIT; ++count)
    list[count] = limpet_constraint_kind_descriptor(all[count]);
  return count;
}

static int schemes_collect(const limpet_descriptor **list) {
  const limpet_scheme *const *all = limpet_schemes();
  int count = 0;
  for (; all[count] && count < DESCRIPTOR_LIMIT; ++count)
    list[count] = limpet_scheme_descriptor(all[count]);
  return count;
}

static int shapes_collect(const limpet_descriptor **list) {
  const limpet_descriptor *all = limpet_shape_pairs();
  int count = 0;
  for (; all[count].name && count < DESCRIPTOR_LIMIT; ++count) list[count] = &all[count];
  return count;
}

static int sensors_collect(const limpet_descriptor **list) {
  const limpet_sensor_kind *const *all = limpet_sensor_kinds();
  int count = 0;
  for (; all[count] && count < DESCRIPTOR_LIMIT; ++count)
    list[count] = limpet_sensor_kind_descriptor(all[count]);
  return count;
}

static int controllers_collect(const limpet_descriptor **list) {
  const limpet_controller_kind *const *all = limpet_controller_kinds();
  int count = 0;
  for (; all[count] && count < DESCRIPTOR_LIMIT; ++count)
    list[count] = limpet_controller_kind_descriptor(all[count]);
  return count;
}

static int cost_terms_collect(const limpet_descriptor **list) {
  const limpet_descriptor *const *all = limpet_plan_term_kinds();
  int count = 0;
  for (; all[count] && count < DESCRIPTOR_LIMIT; ++count) list[count] = all[count];
  return count;
}

static const struct {
  const char *name, *title;
  int (*collect)(const limpet_descriptor **list);
} tables[] = {
    {"models", "Contact models (limpet run --contact NAME)", models_collect},
    {"laws", "Normal laws of the models coulomb, lagged and similar (limpet run --normal-law NAME)",
     laws_collect},
    {"elastic", "Elastic laws of deformable bodies (docs/theory/fem.md)", elastic_collect},
    {"constraints", "Constraints", constraints_collect},
    {"schemes", "Stepping schemes (limpet run --scheme NAME)", schemes_collect},
    {"shapes", "Pairs of shapes", shapes_collect},
    {"sensors", "Sensors (MJCF <sensor>)", sensors_collect},
    {"controllers", "Controllers (limpet run --controller FILE.json, docs/control.md)",
     controllers_collect},
    {"cost-terms", "Terms of a cost (limpet optimize, docs/trajectory-optimisation.md)",
     cost_terms_collect},
    {"structs",
     "Fields of public structs (docs/defaults.md says why the defaults are what they are)", NULL}};
enum { TABLE_COUNT = (int)(sizeof tables / sizeof *tables) };

// ------------------------------------------------------------------------------------ in words

// A paragraph, broken at blanks before column 100, each line indented by four.
static void paragraph_print(const char *text) {
  enum { WIDTH = 96 };
  while (*text) {
    size_t length = strlen(text);
    if (length > WIDTH) {
      length = WIDTH;
      while (length > 0 && text[length] != ' ') --length;
      if (length == 0) length = strcspn(text, " ");
    }
    printf("    %.*s\n", (int)length, text);
    text += length;
    while (*text == ' ') ++text;
  }
}

static void parameters_print(const limpet_descriptor *descriptor) {
  for (int i = 0; i < descriptor->parameter_count; ++i) {
    const limpet_parameter full = limpet_step_parameter(&descriptor->parameters[i]),
                           *parameter = &full;
    printf("      %-26s %-12s default %-10g ", parameter->name, parameter->unit, parameter->value);
    if (isinf(parameter->maximum)) printf("at least %g\n", parameter->minimum);
    else printf("from %g to %g\n", parameter->minimum, parameter->maximum);
    printf("          %s\n", parameter->text);
  }
}

// What a sensor has besides its descriptor: how many numbers, in what unit, from what it needs to
// know.
static void sensor_print(const char *name, bool is_sensor) {
  const limpet_sensor_kind *kind = is_sensor ? limpet_sensor_kind_find(name) : NULL;
  if (!kind) return;
  const int size = limpet_sensor_kind_size(kind);
  if (size > 0) printf("    %d number%s", size, size == 1 ? "" : "s");
  else printf("    any number of them");
  printf(", unit %s, stage %s\n", limpet_sensor_kind_unit(kind),
         limpet_sensor_stage_word(limpet_sensor_kind_stage(kind)));
}

// The family of a contact model, and the schemes that take it.
static void model_print(const char *name, bool is_model) {
  const limpet_contact_model *model = is_model ? limpet_contact_model_find(name) : NULL;
  if (!model) return;
  printf("    family: %s\n    schemes:",
         limpet_contact_family_name(limpet_contact_model_family(model)));
  for (int i = 0; limpet_schemes()[i]; ++i)
    if (limpet_scheme_takes(limpet_schemes()[i], model))
      printf(" %s", limpet_scheme_descriptor(limpet_schemes()[i])->name);
  printf("\n");
}

static void table_print(int table) {
  printf("%s\n", tables[table].title);
  if (!tables[table].collect) {
    limpet_structs_print();
    return;
  }
  const limpet_descriptor *list[DESCRIPTOR_LIMIT];
  const int count = tables[table].collect(list);
  for (int i = 0; i < count; ++i) {
    printf("\n  %s\n", list[i]->name);
    if (list[i]->text) paragraph_print(list[i]->text);
    sensor_print(list[i]->name, tables[table].collect == sensors_collect);
    model_print(list[i]->name, tables[table].collect == models_collect);
    if (list[i]->reference) printf("    reference: %s\n", list[i]->reference);
    parameters_print(list[i]);
  }
}

// ------------------------------------------------------------------------------------- in JSON

static json_t *descriptor_json(const limpet_descriptor *descriptor) {
  json_t *parameters = json_array();
  for (int i = 0; i < descriptor->parameter_count; ++i) {
    const limpet_parameter full = limpet_step_parameter(&descriptor->parameters[i]),
                           *parameter = &full;
    json_array_append_new(
        parameters, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "name", parameter->name, "unit",
                              parameter->unit, "default", limpet_json_number(parameter->value),
                              "minimum", limpet_json_number(parameter->minimum), "maximum",
                              limpet_json_number(parameter->maximum), "text",
                              limpet_json_text(parameter->text)));
  }
  return json_pack("{s:o, s:o, s:o, s:o}", "name", limpet_json_text(descriptor->name), "text",
                   limpet_json_text(descriptor->text), "reference",
                   limpet_json_text(descriptor->reference), "parameters", parameters);
}

static void sensor_complete(json_t *entry, const limpet_sensor_kind *kind) {
  json_object_set_new(entry, "unit", json_string(limpet_sensor_kind_unit(kind)));
  json_object_set_new(entry, "stage",
                      json_string(limpet_sensor_stage_word(limpet_sensor_kind_stage(kind))));
  json_object_set_new(entry, "size", json_integer(limpet_sensor_kind_size(kind)));
}

static json_t *table_json(int table) {
  if (!tables[table].collect) return limpet_structs_json();
  const limpet_descriptor *list[DESCRIPTOR_LIMIT];
  const int count = tables[table].collect(list);
  json_t *array = json_array();
  for (int i = 0; i < count; ++i) {
    json_t *entry = descriptor_json(list[i]);
    if (tables[table].collect == sensors_collect)
      sensor_complete(entry, limpet_sensor_kind_find(list[i]->name));
    if (tables[table].collect == models_collect) {
      const limpet_contact_model *model = limpet_contact_model_find(list[i]->name);
      json_object_set_new(
          entry, "family",
          json_string(limpet_contact_family_name(limpet_contact_model_family(model))));
    }
    json_array_append_new(array, entry);
  }
  return array;
}

// Index of the table of that name; -1 after a complaint.
static int table_find(const char *name) {
  limpet_suggestion best = {0};
  char hint[96], all[256];
  size_t length = 0;
  for (int i = 0; i < TABLE_COUNT; ++i) {
    if (strcmp(name, tables[i].name) == 0) return i;
    limpet_suggest(&best, name, tables[i].name);
    length +=
        (size_t)snprintf(all + length, sizeof all - length, "%s%s", i ? ", " : "", tables[i].name);
  }
  limpet_complain("there is no list '%s'%s; there are: %s", name,
                  limpet_suggestion_text(hint, sizeof hint, &best), all);
  return -1;
}

static int run(const limpet_command *command, int argc, char **argv) {
  bool json = false;
  limpet_text_list arguments;
  const limpet_option options[] = {
      {"--json", LIMPET_OPTION_FLAG, &json, NULL, "the lists as JSON", 0, 0, 0}};
  const int code = limpet_options_parse(command, options, 1, argc, argv, &arguments);
  if (code != LIMPET_OPTIONS_GO) return code;
  if (arguments.count > 1) return limpet_options_misused(command);
  const int wanted = arguments.count == 0 ? TABLE_COUNT : table_find(arguments.text[0]);
  if (wanted < 0) return LIMPET_EXIT_USAGE;
  json_t *root = json ? json_pack("{s:s}", "schema", "limpet.list/1") : NULL;
  for (int i = 0; i < TABLE_COUNT; ++i) {
    if (wanted != TABLE_COUNT && wanted != i) continue;
    if (root) json_object_set_new(root, tables[i].name, table_json(i));
    else printf("%s", wanted == TABLE_COUNT && i > 0 ? "\n" : ""), table_print(i);
  }
  if (root && wanted == TABLE_COUNT) json_object_set_new(root, "presets", limpet_presets_json());
  if (root) limpet_json_print(root, stdout, false);
  json_decref(root);
  return LIMPET_EXIT_FINE;
}

const limpet_command limpet_command_list = {
    .name = "list",
    .synopsis =
        "list [models|laws|elastic|constraints|schemes|shapes|sensors|controllers|cost-terms|"
        "structs] [--json]",
    .summary = "what can be chosen by name, with its parameters, and the fields of structs",
    .text =
        "Lists contact models, normal laws, elastic laws, constraints, schemes, pairs of shapes, "
        "sensors,\n"
        "controllers, cost terms: each with a paragraph, a reference, and its parameters with "
        "unit, default and range.\n",
    .examples =
        "  limpet list            everything\n"
        "  limpet list models     what --contact takes\n",
    .run = run,
};
