/* cli/settings.c: options that set one field of limpet_step_settings each. An entry of the table
 * says all: name, text, unit, range, and the field. A flag writes the value beside it. */
#include "settings.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

typedef struct setting_entry {
  limpet_option option;  // without a target
  size_t offset;         // of the field
  bool value;            // that a flag writes
} setting_entry;

#define NUMBER(name, argument, text, unit, minimum, maximum, field)               \
  {                                                                               \
    {name, LIMPET_OPTION_QUANTITY, NULL, argument, text, unit, minimum, maximum}, \
        offsetof(limpet_step_settings, field), false                              \
  }
#define COUNT(name, text, minimum, maximum, field)                        \
  {                                                                       \
    {name, LIMPET_OPTION_COUNT, NULL, "N", text, NULL, minimum, maximum}, \
        offsetof(limpet_step_settings, field), false                      \
  }
#define FLAG(name, text, field, value)                        \
  {                                                           \
    {name, LIMPET_OPTION_FLAG, NULL, NULL, text, NULL, 0, 0}, \
        offsetof(limpet_step_settings, field), value          \
  }

static const setting_entry table[] = {
    NUMBER("--stiction-speed", "SPEED", "slip speed of sticking contacts, v_s", "m/s", 1e-12, 1.0,
           stiction_speed),
    NUMBER("--friction-regularization", "NUMBER", "sigma: slip speed grows to sigma w mu gamma_n",
           "1", 0.0, 1e3, friction_regularization),
    NUMBER("--near-rigid-ratio", "NUMBER", "beta: period of near-rigid contacts over the step", "1",
           0.0, 1e3, near_rigid_ratio),
    COUNT("--friction-passes", "lagged: renewals of friction's bounds in a step; 0: as published",
          0, 1e6, friction_passes),
    NUMBER("--constraint-ratio", "NUMBER", "the same for limits and stiff actuators", "1", 0.0, 1e3,
           constraint_ratio),
    NUMBER("--equality-ratio", "NUMBER", "the same for couplers and loops", "1", 0.0, 1e3,
           equality_ratio),
    NUMBER("--speculative-distance", "LENGTH", "geoms closer than this take part before they touch",
           "m", 0.0, 1e3, speculative_distance),
    NUMBER("--error-reduction", "NUMBER",
           "scheme impulse: share of an overlap taken back in a step", "1", 0.0, 1.0,
           error_reduction),
    NUMBER("--softening", "NUMBER", "scheme impulse: regularisation of contacts", "1", 0.0, 1.0,
           softening),
    NUMBER("--bound-slack", "NUMBER", "two-phase: slack of the bound on all normal impulses", "1",
           1e-15, 1.0, bound_slack),
    FLAG("--explicit-euler", "scheme impulse: explicit Euler, not semi-implicit", explicit_euler,
         true),
    NUMBER("--tolerance", "NUMBER", "relative momentum residual of the solver", "1", 1e-15, 1.0,
           tolerance),
    COUNT("--iteration-limit", "Newton iterations of a step, at most", 1, 1e6, iteration_limit),
    FLAG("--single-point", "one contact point for each pair of geoms", single_point, true),
    FLAG("--no-curved-paths", "sticking contacts and loops go straight on in a step", curved_paths,
         false),
    FLAG("--no-warm-start", "every step starts from the free motion", warm_start, false),
    FLAG("--condition-number", "record that of the Hessian in the log", condition_number, true),
};
enum { SETTING_COUNT = (int)(sizeof table / sizeof *table) };
static_assert((int)SETTING_COUNT <= (int)LIMPET_SETTING_LIMIT,
              "limpet_settings_choice has room for every entry");

int limpet_settings_options(limpet_settings_choice *choice, limpet_option *options,
                            int option_count, int capacity) {
  assert(option_count + SETTING_COUNT <= capacity);
  (void)capacity;
  for (int i = 0; i < SETTING_COUNT; ++i) {
    limpet_option *option = &options[option_count++];
    *option = table[i].option;
    choice->number[i] = NAN;
    choice->count[i] = -1;
    choice->flag[i] = false;
    if (option->kind == LIMPET_OPTION_QUANTITY) option->target = &choice->number[i];
    else if (option->kind == LIMPET_OPTION_COUNT) option->target = &choice->count[i];
    else option->target = &choice->flag[i];
  }
  return option_count;
}

static bool given(const limpet_settings_choice *choice, int i) {
  return !isnan(choice->number[i]) || choice->count[i] >= 0 || choice->flag[i];
}

const char *limpet_settings_given(const limpet_settings_choice *choice) {
  for (int i = 0; i < SETTING_COUNT; ++i) {
    if (given(choice, i)) return table[i].option.name;
  }
  return NULL;
}

void limpet_settings_apply(const limpet_settings_choice *choice, limpet_step_settings *settings) {
  for (int i = 0; i < SETTING_COUNT; ++i) {
    void *field = (unsigned char *)settings + table[i].offset;
    if (!given(choice, i)) continue;
    switch (table[i].option.kind) {
      case LIMPET_OPTION_QUANTITY: *(double *)field = choice->number[i]; break;
      case LIMPET_OPTION_COUNT: *(int *)field = choice->count[i]; break;
      case LIMPET_OPTION_FLAG: *(bool *)field = table[i].value; break;
      case LIMPET_OPTION_TEXT:
      case LIMPET_OPTION_REPEATED: break;
    }
  }
}
