/* record/log_settings.c: the fields of limpet_step_settings that decide results, by name: what a
 * log stores of them. Left out: threads, profile and condition_number, which change nothing, so
 * that logs of equal runs are equal; scheme, contact_model and normal_law, which are names. */
#include <limits.h>
#include <string.h>

#include "record/log.h"

typedef enum field_kind { FIELD_REAL, FIELD_WHOLE, FIELD_BOOLEAN } field_kind;

typedef struct settings_field {
  const char *name;
  field_kind kind;
  size_t offset;
} settings_field;

#define FIELD(kind, member) \
  { #member, kind, offsetof(limpet_step_settings, member) }

#define PARAMETER(index)                                                          \
  {                                                                               \
    "normal_parameter_" #index, FIELD_REAL,                                       \
        offsetof(limpet_step_settings, normal_parameter) + index * sizeof(double) \
  }

static const settings_field fields[] = {
    FIELD(FIELD_REAL, time_step),
    PARAMETER(0),
    PARAMETER(1),
    PARAMETER(2),
    PARAMETER(3),
    FIELD(FIELD_REAL, stiction_speed),
    FIELD(FIELD_REAL, friction_regularization),
    FIELD(FIELD_REAL, near_rigid_ratio),
    FIELD(FIELD_REAL, rigid_stiffness),
    FIELD(FIELD_REAL, constraint_ratio),
    FIELD(FIELD_REAL, equality_ratio),
    FIELD(FIELD_REAL, return_speed),
    FIELD(FIELD_REAL, speculative_distance),
    FIELD(FIELD_REAL, error_reduction),
    FIELD(FIELD_REAL, softening),
    FIELD(FIELD_REAL, bound_slack),
    FIELD(FIELD_BOOLEAN, explicit_euler),
    FIELD(FIELD_BOOLEAN, curved_paths),
    FIELD(FIELD_BOOLEAN, single_point),
    FIELD(FIELD_BOOLEAN, first_order_rotation),
    FIELD(FIELD_BOOLEAN, explicit_gyration),
    FIELD(FIELD_BOOLEAN, explicit_springs),
    FIELD(FIELD_BOOLEAN, mixed_weld_weight),
    FIELD(FIELD_BOOLEAN, late_tendon_limits),
    FIELD(FIELD_REAL, tolerance),
    FIELD(FIELD_WHOLE, iteration_limit),
    FIELD(FIELD_WHOLE, friction_passes),
    FIELD(FIELD_WHOLE, dense_limit),
    FIELD(FIELD_BOOLEAN, warm_start),
    FIELD(FIELD_BOOLEAN, energy),
};

int limpet_log_setting_count(void) { return (int)(sizeof fields / sizeof fields[0]); }

const char *limpet_log_setting_name(int index) { return fields[index].name; }

double limpet_log_setting_value(const limpet_step_settings *settings, int index) {
  const void *member = (const unsigned char *)settings + fields[index].offset;
  switch (fields[index].kind) {
    case FIELD_REAL: return *(const double *)member;
    case FIELD_WHOLE: return *(const int *)member;
    case FIELD_BOOLEAN: return *(const bool *)member ? 1.0 : 0.0;
  }
  return 0.0;
}

bool limpet_log_setting_assign(limpet_step_settings *settings, const char *name, double value) {
  for (int i = 0; i < limpet_log_setting_count(); ++i) {
    if (strcmp(fields[i].name, name) != 0) continue;
    void *member = (unsigned char *)settings + fields[i].offset;
    switch (fields[i].kind) {
      case FIELD_REAL: *(double *)member = value; break;
      case FIELD_WHOLE: *(int *)member = value < INT_MAX ? (int)value : INT_MAX; break;
      case FIELD_BOOLEAN: *(bool *)member = value != 0.0; break;
    }
    return true;
  }
  return false;
}
