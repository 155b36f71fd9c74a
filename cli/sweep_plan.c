/* cli/sweep_plan.c: which runs a sweep has.
 *
 * Halton sequence: coordinate d of point i is the radical inverse of i + 1 in the d-th prime:
 * sum of digit_k p^-(k+1). (Halton, Numerische Mathematik 2, 1960.) */
#include "sweep_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parameters.h"
#include "quantity.h"

// Whether the value of an assignment is a list or a range.
static bool varies(const char *assignment) {
  const char *equals = strrchr(assignment, '=');
  return equals && strpbrk(equals, ",:");
}

static int wrong(const char *assignment, const char *what) {
  limpet_complain("%s: %s; write LOW:HIGH with --samples, LOW:HIGH:COUNT, or A,B,C", assignment,
                  what);
  return LIMPET_EXIT_USAGE;
}

// One value with its unit; controls are in units of the actuator, as bare numbers.
static int value_read(limpet_builder *builder, const limpet_parameter_target *target,
                      const char *assignment, const char *text, double *value) {
  limpet_error error;
  char problem[320];
  if (target) {
    if (limpet_assignment_value(builder, target, assignment, text, value, &error) == LIMPET_OK)
      return LIMPET_OPTIONS_GO;
    limpet_complain("%s", error.message);
    return LIMPET_EXIT_INPUT;
  }
  if (limpet_quantity_parse(text, "1", value, problem, sizeof problem)) return LIMPET_OPTIONS_GO;
  return wrong(assignment, problem);
}

// The words between separators into `value`; their number, or -1 after a complaint.
static int values_read(limpet_builder *builder, const limpet_parameter_target *target,
                       const char *assignment, char separator, double *value) {
  const char *at = strrchr(assignment, '=') + 1;
  int count = 0;
  while (true) {
    char word[64];
    const size_t length = strcspn(at, (char[2]){separator, '\0'});
    if (count == LIMPET_SWEEP_VALUES || length == 0 || length >= sizeof word) {
      wrong(assignment, "too many values, or an empty one");
      return -1;
    }
    snprintf(word, sizeof word, "%.*s", (int)length, at);
    const bool number_of_values = separator == ':' && count == 2;
    if (value_read(builder, number_of_values ? NULL : target, assignment, word, &value[count]) !=
        LIMPET_OPTIONS_GO)
      return -1;
    ++count;
    if (!at[length]) return count;
    at += length + 1;
  }
}

static int values_of(limpet_builder *builder, const limpet_parameter_target *target,
                     const char *assignment, limpet_sweep_dimension *dimension) {
  const bool list = strchr(strrchr(assignment, '='), ',') != NULL;
  const int count = values_read(builder, target, assignment, list ? ',' : ':', dimension->value);
  if (count < 0) return LIMPET_EXIT_USAGE;
  dimension->count = count;
  if (list) return LIMPET_OPTIONS_GO;
  dimension->range = count == 2;
  if (count == 2) return LIMPET_OPTIONS_GO;

  // low, high and how many; rounded as numpy.linspace rounds, so that Python makes the same runs
  const double low = dimension->value[0], high = dimension->value[1], many = dimension->value[2];
  if (count != 3 || !(many >= 1.0 && many <= LIMPET_SWEEP_VALUES) || many != floor(many))
    return wrong(assignment, "COUNT is a whole number, 1 to 64");
  dimension->count = (int)many;
  const double step = many > 1.0 ? (high - low) / (many - 1.0) : 0.0;
  for (int i = 0; i < dimension->count; ++i) dimension->value[i] = i * step + low;
  if (many > 1.0) dimension->value[dimension->count - 1] = high;
  return LIMPET_OPTIONS_GO;
}

static int dimension_add(limpet_sweep_plan *plan, limpet_builder *builder, const char *assignment,
                         bool control) {
  if (plan->dimension_count == LIMPET_SWEEP_DIMENSIONS)
    return wrong(assignment, "at most 16 numbers vary at a time");
  limpet_sweep_dimension *dimension = &plan->dimension[plan->dimension_count++];
  *dimension = (limpet_sweep_dimension){.control = control};
  snprintf(dimension->name, sizeof dimension->name, "%.*s",
           (int)(strrchr(assignment, '=') - assignment), assignment);
  for (int d = 0; d + 1 < plan->dimension_count; ++d) {
    if (plan->dimension[d].control == control &&
        strcmp(plan->dimension[d].name, dimension->name) == 0) {
      limpet_complain("%s: '%s' varies already; give all values at once", assignment,
                      dimension->name);
      return LIMPET_EXIT_USAGE;
    }
  }
  if (control) return values_of(builder, NULL, assignment, dimension);
  limpet_error error;
  limpet_parameter_target target;
  int code = LIMPET_EXIT_INPUT;
  if (limpet_parameter_find(builder, dimension->name, &target, &error) == LIMPET_OK)
    code = values_of(builder, &target, assignment, dimension);
  else limpet_complain("%s", error.message);
  limpet_parameter_free(&target);
  return code;
}

// Moves what varies from a list of assignments to the plan.
static int take_varying(limpet_sweep_plan *plan, limpet_builder *builder, limpet_text_list *list,
                        bool control) {
  int kept = 0, code = LIMPET_OPTIONS_GO;
  for (int i = 0; i < list->count && code == LIMPET_OPTIONS_GO; ++i) {
    if (varies(list->text[i])) code = dimension_add(plan, builder, list->text[i], control);
    else list->text[kept++] = list->text[i];
  }
  list->count = kept;
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
  limpet_builder *builder = limpet_builder_open(path, &bare, &error);
  if (!builder) {
    limpet_complain("%s", error.message);
    return LIMPET_EXIT_INPUT;
  }
  if (parameters->count + controls->count == 0) {
    limpet_builder_destroy(builder);
    limpet_complain("nothing varies; give --param NAME.FIELD=VALUES or --set ACTUATOR=VALUES");
    return LIMPET_EXIT_USAGE;
  }
  int code = take_varying(plan, builder, parameters, false);
  if (code == LIMPET_OPTIONS_GO) code = take_varying(plan, builder, controls, true);
  limpet_builder_destroy(builder);
  return code == LIMPET_OPTIONS_GO ? count_runs(plan) : code;
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
