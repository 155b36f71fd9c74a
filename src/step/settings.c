/* step/settings.c: defaults and presets of a step; docs/defaults.md explains the values. */
#include <string.h>

#include "step/scheme.h"

limpet_step_settings limpet_step_settings_default(const limpet_model *model) {
  return (limpet_step_settings){
      .scheme = &limpet_scheme_discrete,
      .contact_model = limpet_contact_model_find("lagged"),
      .time_step = model->options.time_step,
      .stiction_speed = 1e-6,
      .friction_regularization = 1e-4,
      .near_rigid_ratio = 0.1,
      .constraint_ratio = 0.1,
      .speculative_distance = 2e-4,
      .tolerance = 1e-6,
      .iteration_limit = 100,
      .dense_limit = 60,
      .warm_start = true,
      .threads = 1,
  };
}

bool limpet_step_settings_preset(limpet_step_settings *settings, const limpet_model *model, const char *name) {
  if (strcmp(name, "limpet") == 0) {
    *settings = limpet_step_settings_default(model);
    return true;
  }
  if (strcmp(name, "drake") == 0) {
    *settings = limpet_step_settings_default(model);
    settings->stiction_speed = 1e-4;
    settings->friction_regularization = 1e-3;
    settings->near_rigid_ratio = 1.0;
    settings->speculative_distance = 0.0;
    settings->single_point = true;
    settings->first_order_rotation = true;
    settings->explicit_springs = true;
    settings->warm_start = false;
    return true;
  }
  return false;
}
