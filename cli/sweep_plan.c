/* cli/sweep_plan.c: which runs a sweep has.
 *
 * Halton sequence: coordinate d of point i is the radical inverse of i + 1 in the d-th prime:
 * sum of digit_k p^-(k+1). (Halton, Numerische Mathematik 2, 1960.) */
#include "sweep_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controls.h"
#include "parameters.h"
#include "quantity.h"

// Whether the value of an assignment is a list or a range.
static bool varies(const char *assignment) {
  const char *equals = strrchr(assignment, '=');
  return equals && strpbrk(equals, ",:");
}

// What varies: a number of the model, or a control.
typedef struct varied {
  const char *option, *assignment;  // "--param" or "--set", and what stands behind it
  limpet_builder *builder;
  const limpet_parameter_target *target;  // NULL: a control
  const char *unit;                       // of a control
} varied;

static int wrong(const varied *what, const char *problem) {
  limpet_complain("%s %s: %s; write LOW:HIGH with --samples, LOW:HIGH:COUNT, or A,B,C",
                  what->option, what->assignment, problem);
  return LIMPET_EXIT_USAGE;
}

static int quantity_read(const varied *what, const char *text, const char *unit, double *value) {
  char problem[320];
  if (limpet_quantity_parse(text, unit, value, problem, sizeof problem)) return LIMPET_OPTIONS_GO;
  return wrong(what, problem);
}

// One value with its unit.
static int value_read(const varied *what, const char *text, double *value) {
  limpet_error error;
  if (!what->target) return quantity_read(what, text, what->unit, value);
  if (limpet_assignment_value(what->builder, what->target, what->assignment, text, value, &error) ==
      LIMPET_OK)
    return LIMPET_OPTIONS_GO;
  limpet_complain("%s", error.message);
  return LIMPET_EXIT_USAGE;
}

static int out_of_memory(const varied *what) {
  limpet_complain("%s %s: not enough memory for its values", what->option, what->assignment);
  return LIMPET_EXIT_SIMULATION;
}

// The words between separators into values of the dimension.
static int values_read(const varied *what, char separator, limpet_sweep_dimension *dimension) {
  const char *assignment = what->assignment;
  const char *at = strrchr(assignment, '=') + 1;
  size_t most = 1;
  for (const char *c = at; *c; ++c) most += *c == separator;
  if (separator == ':' && most > 3) return wrong(what, "more than two colons");
  dimension->value = calloc(most, sizeof *dimension->value);
  if (!dimension->value) return out_of_memory(what);
  while (true) {
    char word[64];
    double *value = &dimension->value[dimension->count];
    const size_t length = strcspn(at, (char[2]){separator, '\0'});
    if (length == 0) return wrong(what, "an empty value");
    if (length >= sizeof word) return wrong(what, "a value of more than 63 characters");
    snprintf(word, sizeof word, "%.*s", (int)length, at);
    const bool number_of_values = separator == ':' && dimension->count == 2;
    const int code =
        number_of_values ? quantity_read(what, word, "1", value) : value_read(what, word, value);
    if (code != LIMPET_OPTIONS_GO) return code;
    ++dimension->count;
    if (!at[length]) return LIMPET_OPTIONS_GO;
    at += length + 1;
  }
}

static int values_of(const varied *what, limpet_sweep_dimension *dimension) {
  const char *assignment = what->assignment;
  const bool list = strchr(strrchr(assignment, '='), ',') != NULL;
  const int code = values_read(what, list ? ',' : ':', dimension);
  if (code != LIMPET_OPTIONS_GO || list) return code;
  dimension->range = dimension->count == 2;
  if (dimension->range) return LIMPET_OPTIONS_GO;

  // low, high and how many; rounded as numpy.linspace rounds, so that Python makes the same runs
  const double low = dimension->value[0], high = dimension->value[1], many = dimension->value[2];
  if (!(many >= 1.0 && many <= LIMPET_SWEEP_VALUES) || many != floor(many))
    return wrong(what, "COUNT is a whole number, 1 to 1000000");
  free(dimension->value);
  dimension->count = (int)many;
  dimension->value = calloc((size_t)dimension->count, sizeof *dimension->value);
  if (!dimension->value) return out_of_memory(what);
  const double step = many > 1.0 ? (high - low) / (many - 1.0) : 0.0;
  for (int i = 0; i < dimension->count; ++i) dimension->value[i] = i * step + low;
  if (many > 1.0) dimension->value[dimension->count - 1] = high;
  return LIMPET_OPTIONS_GO;
}

// The unit of the control that an assignment names; NULL after a complaint.
static const char *control_unit(const limpet_sweep_dimension *dimension, const char *assignment,
                                const limpet_model *model) {
  char known[1000];
  const int actuator = limpet_control_find(model, dimension->name, known, sizeof known);
  if (actuator != LIMPET_NONE) return limpet_control_unit(model, actuator);
  limpet_complain("--set %s: there is no actuator '%s'%s", assignment, dimension->name, known);
  return NULL;
}

static int dimension_add(limpet_sweep_plan *plan, limpet_builder *builder, const char *assignment,
                         const limpet_model *model) {
  const bool control = model != NULL;
  varied what = {
      .option = control ? "--set" : "--param", .assignment = assignment, .builder = builder};
  if (plan->dimension_count == LIMPET_SWEEP_DIMENSIONS)
    return wrong(&what, "at most 16 numbers vary at a time");
  limpet_sweep_dimension *dimension = &plan->dimension[plan->dimension_count++];
  *dimension = (limpet_sweep_dimension){.control = control};
  snprintf(dimension->name, sizeof dimension->name, "%.*s",
           (int)(strrchr(assignment, '=') - assignment), assignment);
  for (int d = 0; d + 1 < plan->dimension_count; ++d) {
    if (plan->dimension[d].control == control &&
        strcmp(plan->dimension[d].name, dimension->name) == 0) {
      limpet_complain("%s %s: '%s' varies already; give all values at once", what.option,
                      assignment, dimension->name);
      return LIMPET_EXIT_USAGE;
    }
  }
  if (control) {
    what.unit = control_unit(dimension, assignment, model);
    return what.unit ? values_of(&what, dimension) : LIMPET_EXIT_USAGE;
  }
  limpet_error error;
  limpet_parameter_target target;
  int code = LIMPET_EXIT_USAGE;
  if (limpet_parameter_find(builder, dimension->name, &target, &error) == LIMPET_OK)
    what.target = &target, code = values_of(&what, dimension);
  else limpet_complain("--param %s", error.message);
  limpet_parameter_free(&target);
  return code;
}

// Moves what varies from a list of assignments to the plan; of controls with the compiled model.
static int take_varying(limpet_sweep_plan *plan, limpet_builder *builder, limpet_text_list *list,
                        const limpet_model *model) {
  int kept = 0, code = LIMPET_OPTIONS_GO;
  for (int i = 0; i < list->count && code == LIMPET_OPTIONS_GO; ++i) {
    if (varies(list->text[i])) code = dimension_add(plan, builder, list->text[i], model);
    else list->text[kept++] = list->text[i];
  }
  list->count = kept;
  return code;
}

static bool any_varies(const limpet_text_list *list) {
  for (int i = 0; i < list->count; ++i)
    if (varies(list->text[i])) return true;
  return false;
}

static int take_controls(limpet_sweep_plan *plan, limpet_builder *builder, limpet_text_list *list) {
  limpet_error error;
  limpet_model *model = limpet_builder_compile(builder, &error);
  if (!model) {
    limpet_complain("%s", error.message);
    return LIMPET_EXIT_INPUT;
  }
  const int code = take_varying(plan, builder, list, model);
  limpet_model_destroy(model);
  return code;
}

static int count_runs(limpet_sweep_plan *plan) {
  static const double most = 1e8;  // runs
  double count = 1.0;
  for (int d = 0; d < plan->dimension_count; ++d) {
    if (plan->dimension[d].range && plan->samples == 0) {
      limpet_complain("%s varies in a range; say how many runs: --samples N",
                      plan->dimension[d].name);
      return LIMPET_EXIT_USAGE;
    }
    count *= plan->dimension[d].count;
  }
  if (plan->samples > 0) count = plan->samples;
  if (count > most) {
    limpet_complain("%.0f runs are too many; give fewer values, or --samples", count);
    return LIMPET_EXIT_USAGE;
  }
  plan->run_count = (int)count;
  return LIMPET_OPTIONS_GO;
}

int limpet_sweep_plan_make(limpet_sweep_plan *plan, const char *path, const limpet_loading *loading,
                           limpet_text_list *parameters, limpet_text_list *controls, int samples) {
  *plan = (limpet_sweep_plan){.samples = samples};
  limpet_loading bare = *loading;
  bare.parameters.count = 0;
  limpet_error error;
  int code;
  limpet_builder *builder = limpet_builder_open(path, &bare, &error, &code);
  if (!builder) {
    limpet_complain("%s", error.message);
    return code;
  }
  if (parameters->count + controls->count == 0) {
    limpet_builder_destroy(builder);
    limpet_complain("nothing varies; give --param NAME.FIELD=VALUES or --set ACTUATOR=VALUES");
    return LIMPET_EXIT_USAGE;
  }
  code = take_varying(plan, builder, parameters, NULL);
  if (code == LIMPET_OPTIONS_GO && any_varies(controls))
    code = take_controls(plan, builder, controls);
  limpet_builder_destroy(builder);
  return code == LIMPET_OPTIONS_GO ? count_runs(plan) : code;
}

void limpet_sweep_plan_free(limpet_sweep_plan *plan) {
  for (int d = 0; d < plan->dimension_count; ++d) free(plan->dimension[d].value);
}

static double radical_inverse(int index, int base) {
  double result = 0.0, digit = 1.0 / base;
  for (; index > 0; index /= base, digit /= base) result += digit * (index % base);
  return result;
}

void limpet_sweep_plan_values(const limpet_sweep_plan *plan, int run,
                              double values[LIMPET_SWEEP_DIMENSIONS]) {
  static const int primes[LIMPET_SWEEP_DIMENSIONS] = {2,  3,  5,  7,  11, 13, 17, 19,
                                                      23, 29, 31, 37, 41, 43, 47, 53};
  // the last dimension varies fastest
  for (int d = plan->dimension_count - 1; d >= 0; --d) {
    const limpet_sweep_dimension *dimension = &plan->dimension[d];
    const double u = radical_inverse(run + 1, primes[d]);
    const double *value = dimension->value;
    if (plan->samples == 0) {
      values[d] = value[run % dimension->count];
      run /= dimension->count;
    } else {
      values[d] = dimension->range ? value[0] + u * (value[1] - value[0])
                                   : value[(int)(u * dimension->count)];
    }
  }
}
