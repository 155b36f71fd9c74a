/* cli/compare_print.c: a comparison in words and as JSON: one table, methods as columns, a unit for
 * each row. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "json.h"
#include "quantity.h"

// -------------------------------------------------------------------------------------- table

enum {
  TABLE_WIDTH = 100,
  LABEL_WIDTH = 26,
  UNIT_WIDTH = 8,
  CELL_WIDTH = 14
};  // columns; of a cell at least

// Width of a cell: that of the longest name and two blanks.
static int cell_width(const limpet_comparison *comparison) {
  int width = CELL_WIDTH;
  for (int i = 0; i < comparison->method_count; ++i) {
    const int name = (int)strlen(comparison->method[i].name) + 2;
    if (name > width) width = name;
  }
  return width;
}

// Word of the scheme, where all methods have one.
static const char *scheme_text(const limpet_comparison *comparison, char *text, size_t size) {
  const limpet_scheme *scheme = comparison->method[0].settings.scheme;
  snprintf(text, size, "; scheme %s", limpet_scheme_descriptor(scheme)->name);
  for (int i = 1; i < comparison->method_count; ++i)
    if (comparison->method[i].settings.scheme != scheme) *text = '\0';
  return text;
}

static void head_print(const limpet_comparison *comparison) {
  const limpet_model *model = comparison->model;
  const limpet_start_options *start = &comparison->options->start;
  char step[LIMPET_QUANTITY_TEXT_SIZE], energy[LIMPET_QUANTITY_TEXT_SIZE], scheme[64];
  printf("model        %s: %d bod%s, %d velocit%s, %d actuator%s%s\n",
         model->name ? model->name : "(unnamed)", model->body_count - 1,
         model->body_count == 2 ? "y" : "ies", model->nv, model->nv == 1 ? "y" : "ies", model->nu,
         model->nu == 1 ? "" : "s", scheme_text(comparison, scheme, sizeof scheme));
  printf("start        %s%s, energy %s\n", start->keyframe ? "keyframe " : "the pose of the file",
         start->keyframe ? start->keyframe : "",
         limpet_quantity_text(energy, comparison->energy_start, "J"));
  int64_t made = 0;
  for (int i = 0; i < comparison->method_count; ++i)
    if (comparison->method[i].measures.steps > made) made = comparison->method[i].measures.steps;
  printf("simulated    %" PRId64, made);
  if (made < comparison->step_count) printf(" of %" PRId64, comparison->step_count);
  printf(" steps of %s by each method\n\n",
         limpet_quantity_text(step, comparison->method[0].settings.time_step, "s"));
}

/* What is shown of a quantity in SI: below 1 pm, 1 pm/s, 1 pJ lies round-off of scenes of any size
 * that robots have, which reads 0. JSON has all digits. */
static double shown(const limpet_compare_row *row, const limpet_method *method) {
  static const double least = 1e-12;
  const double value = limpet_compare_value(row, &method->result);
  return fabs(value) < least ? 0.0 : value;  // NAN stays
}

// A row of the methods [first, end) in one unit, that of the largest of all methods.
static void row_print(const limpet_comparison *comparison, const limpet_compare_row *row, int first,
                      int end, int width) {
  double largest = 0.0, factor;
  char symbol[LIMPET_QUANTITY_TEXT_SIZE], unit[LIMPET_QUANTITY_TEXT_SIZE + 2] = "";
  for (int i = 0; i < comparison->method_count; ++i)
    largest = fmax(largest, fabs(shown(row, &comparison->method[i])));  // NAN does not count
  limpet_quantity_scale(largest, row->unit, &factor, symbol);
  if (strcmp(row->unit, "1") == 0) factor = 1.0;
  else snprintf(unit, sizeof unit, "[%s]", symbol);
  printf("%-*s %-*s", LABEL_WIDTH, row->label, UNIT_WIDTH, unit);
  for (int i = first; i < end; ++i) {
    const double value = shown(row, &comparison->method[i]);
    if (isnan(value)) printf("%*s", width, "-");
    else printf("%*.4g", width, value / factor);
  }
  printf("\n");
}

// ----------------------------------------------------------------------- what the numbers say

// Method with the largest, or smallest, value of a field at `offset`; LIMPET_NONE when none has
// one.
static int extreme(const limpet_comparison *comparison, size_t offset, bool largest) {
  const limpet_compare_row row = {.offset = offset};
  int best = LIMPET_NONE;
  double best_value = 0.0;
  for (int i = 0; i < comparison->method_count; ++i) {
    const double value = shown(&row, &comparison->method[i]);
    if (isnan(value) ||
        (best != LIMPET_NONE && (largest ? value <= best_value : value >= best_value)))
      continue;
    best = i;
    best_value = value;
  }
  return best;
}

static void unsolved_tell(const limpet_comparison *comparison) {
  for (int i = 0; i < comparison->method_count; ++i) {
    const limpet_method *method = &comparison->method[i];
    if (method->stopped) {
      printf("%s stopped at %.6g s: its numbers are those until then.\n", method->name,
             method->data->time);
    } else if (method->measures.unsolved > 0) {
      printf("%s missed the tolerance in %" PRId64 " of %" PRId64
             " steps: take its numbers with care.\n",
             method->name, method->measures.unsolved, method->measures.steps);
    }
  }
}

// A line for each warning, under the name of its method.
static void warnings_tell(const limpet_comparison *comparison) {
  for (int i = 0; i < comparison->method_count; ++i) {
    const limpet_method *method = &comparison->method[i];
    char label[LIMPET_METHOD_NAME_SIZE + 16];
    snprintf(label, sizeof label, "%s warns: ", method->name);
    limpet_warnings_print(&method->measures.warnings, comparison->model, method->data,
                          &method->settings, label);
  }
}

static void gliding_tell(const limpet_comparison *comparison) {
  const size_t offset = offsetof(limpet_method_result, gliding_distance);
  const int most = extreme(comparison, offset, true), least = extreme(comparison, offset, false);
  if (most == least || most == LIMPET_NONE) return;
  const limpet_method *worst = &comparison->method[most], *best = &comparison->method[least];
  const double gap = worst->result.gliding_distance;
  if (gap < 1e-6 || best->result.gliding_distance > 0.1 * gap)
    return;  // [m]  below a micrometre nobody sees it
  char text[LIMPET_QUANTITY_TEXT_SIZE], none[LIMPET_QUANTITY_TEXT_SIZE + 16] = "none";
  if (best->result.gliding_distance > 0.0)
    limpet_quantity_text(none, best->result.gliding_distance, "m");
  printf("Sliding contacts keep a gap of up to %s under %s, %s under %s.\n",
         limpet_quantity_text(text, gap, "m"), worst->name, none, best->name);
}

static void difference_tell(const limpet_comparison *comparison) {
  const int most = extreme(comparison, offsetof(limpet_method_result, position_difference), true);
  if (most == LIMPET_NONE) return;
  const limpet_method *method = &comparison->method[most];
  const limpet_compare_row row = {.offset = offsetof(limpet_method_result, position_difference)};
  if (!(shown(&row, method) > 0.0)) {
    printf("All methods have every body at the same place at the end.\n");
    return;
  }
  char text[LIMPET_QUANTITY_TEXT_SIZE];
  printf("At the end no body is farther than %s from its place under %s (%s).\n",
         limpet_quantity_text(text, method->result.position_difference, "m"),
         comparison->method[0].name, method->name);
}

void limpet_compare_print(const limpet_comparison *comparison) {
  head_print(comparison);
  const int count = comparison->method_count, width = cell_width(comparison);
  const int fitting = (TABLE_WIDTH - LABEL_WIDTH - UNIT_WIDTH - 1) / width,
            in_a_row = fitting > 0 ? fitting : 1;
  for (int first = 0; first < count; first += in_a_row) {
    const int end = first + in_a_row < count ? first + in_a_row : count;
    printf("%-*s %-*s", LABEL_WIDTH, "", UNIT_WIDTH, "");
    for (int i = first; i < end; ++i) printf("%*s", width, comparison->method[i].name);
    printf("\n");
    for (int i = 0; i < LIMPET_COMPARE_ROW_COUNT; ++i)
      row_print(comparison, &limpet_compare_rows[i], first, end, width);
    printf("\n");
  }
  unsolved_tell(comparison);
  warnings_tell(comparison);
  gliding_tell(comparison);
  difference_tell(comparison);
  if (comparison->options->html) printf("replay       %s\n", comparison->options->html);
}

// ------------------------------------------------------------------------------------ in JSON

static json_t *method_json(const limpet_model *model, const limpet_method *method) {
  json_t *object = json_pack("{s:s, s:s, s:s, s:b, s:I, s:f}", "name", method->name, "scheme",
                             limpet_scheme_descriptor(method->settings.scheme)->name, "contact",
                             limpet_contact_model_descriptor(method->settings.contact_model)->name,
                             "stopped", method->stopped, "steps",
                             (json_int_t)method->measures.steps, "time", method->data->time);
  for (int i = 0; i < LIMPET_COMPARE_ROW_COUNT; ++i) {
    const limpet_compare_row *row = &limpet_compare_rows[i];
    json_object_set_new(object, row->key,
                        limpet_json_number(limpet_compare_value(row, &method->result)));
  }
  json_object_set_new(object, "q", limpet_json_array(method->data->q, model->nq));
  json_object_set_new(object, "v", limpet_json_array(method->data->v, model->nv));
  json_object_set_new(object, "state_hash",
                      limpet_json_hash(limpet_data_state_hash(model, method->data)));
  return object;
}

json_t *limpet_compare_json(const limpet_comparison *comparison, const char *ending) {
  const limpet_model *model = comparison->model;
  json_t *methods = json_array(), *units = json_object();
  for (int i = 0; i < comparison->method_count; ++i)
    json_array_append_new(methods, method_json(model, &comparison->method[i]));
  for (int i = 0; i < LIMPET_COMPARE_ROW_COUNT; ++i)
    json_object_set_new(units, limpet_compare_rows[i].key,
                        json_string(limpet_compare_rows[i].unit));
  return json_pack("{s:s, s:s, s:o, s:o, s:o, s:s, s:f, s:f, s:I, s:o, s:o, s:o, s:o}", "schema",
                   "limpet.compare/1", "version", limpet_version(), "file",
                   limpet_json_text(comparison->path), "model", limpet_json_text(model->name),
                   "model_hash", limpet_json_hash(model->hash), "ending", ending, "time_step",
                   comparison->method[0].settings.time_step, "start_time", comparison->start_time,
                   "steps", (json_int_t)comparison->step_count, "energy_start",
                   limpet_json_number(comparison->energy_start), "units", units, "methods", methods,
                   "html", limpet_json_text(comparison->options->html));
}
