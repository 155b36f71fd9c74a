/* step/settings.c: defaults and presets of a step; docs/defaults.md explains the values. */
#include <math.h>
#include <string.h>

#include "constraint/kind.h"
#include "step/scheme.h"

limpet_step_settings limpet_step_settings_default(const limpet_model *model) {
  // values that a model, constraint or scheme is described with come from its descriptor
  const limpet_contact_model *contact_model = limpet_contact_model_find("lagged");
  const limpet_descriptor *contact = limpet_contact_model_descriptor(contact_model);
  const limpet_descriptor *limit = &limpet_constraint_joint_limit.descriptor;
  const limpet_descriptor *equality = &limpet_constraint_coupler.descriptor;
  const limpet_descriptor *scheme = &limpet_scheme_discrete.descriptor,
                          *impulse = &limpet_scheme_impulse.descriptor;
  const limpet_descriptor *two_phase =
      limpet_contact_model_descriptor(limpet_contact_model_find("two-phase"));
  return (limpet_step_settings){
      .scheme = &limpet_scheme_discrete,
      .contact_model = contact_model,
      .normal_law = limpet_normal_law_find("hunt-crossley"),
      .time_step = model->options.time_step,
      .stiction_speed = limpet_parameter_default(contact, "stiction_speed"),
      .friction_regularization = limpet_parameter_default(contact, "friction_regularization"),
      .near_rigid_ratio = limpet_parameter_default(contact, "near_rigid_ratio"),
      .friction_passes = (int)limpet_parameter_default(contact, "friction_passes"),
      .rigid_stiffness = INFINITY,
      .constraint_ratio = limpet_parameter_default(limit, "constraint_ratio"),
      .equality_ratio = limpet_parameter_default(equality, "equality_ratio"),
      .return_speed = limpet_parameter_default(limit, "return_speed"),
      .speculative_distance = limpet_parameter_default(scheme, "speculative_distance"),
      .tolerance = limpet_parameter_default(scheme, "tolerance"),
      .iteration_limit = (int)limpet_parameter_default(scheme, "iteration_limit"),
      .dense_limit = (int)limpet_parameter_default(scheme, "dense_limit"),
      .error_reduction = limpet_parameter_default(impulse, "error_reduction"),
      .softening = limpet_parameter_default(impulse, "softening"),
      .bound_slack = limpet_parameter_default(two_phase, "bound_slack"),
      .curved_paths = true,
      .warm_start = true,
      .threads = 1,
  };
}

void limpet_step_settings_contact_model(limpet_step_settings *settings,
                                        const limpet_contact_model *model) {
  const limpet_descriptor *descriptor = limpet_contact_model_descriptor(model);
  const char *const names[] = {"stiction_speed", "friction_regularization", "near_rigid_ratio",
                               "bound_slack"};
  double *const fields[] = {&settings->stiction_speed, &settings->friction_regularization,
                            &settings->near_rigid_ratio, &settings->bound_slack};
  for (int i = 0; i < (int)(sizeof names / sizeof *names); ++i) {
    const double value = limpet_parameter_default(descriptor, names[i]);
    if (!isnan(value)) *fields[i] = value;
  }
  settings->contact_model = model;
}

void limpet_step_settings_scheme(limpet_step_settings *settings, const limpet_scheme *scheme) {
  settings->scheme = scheme;
  if (scheme->contact_model)
    limpet_step_settings_contact_model(settings, limpet_contact_model_find(scheme->contact_model));
}

void limpet_step_settings_normal_law(limpet_step_settings *settings, const limpet_normal_law *law) {
  for (int i = 0; i < LIMPET_NORMAL_PARAMETERS; ++i)
    settings->normal_parameter[i] =
        i < law->descriptor.parameter_count ? law->descriptor.parameters[i].value : 0.0;
  settings->normal_law = law;
}

bool limpet_step_settings_preset(limpet_step_settings *settings, const limpet_model *model,
                                 const char *name) {
  if (strcmp(name, "limpet") == 0) {
    *settings = limpet_step_settings_default(model);
    return true;
  }
  if (strcmp(name, "drake") == 0) {
    *settings = limpet_step_settings_default(model);
    settings->stiction_speed = 1e-4;
    settings->friction_regularization = 1e-3;
    settings->near_rigid_ratio = 1.0;
    settings->friction_passes = 0;
    settings->rigid_stiffness = 1e6;
    settings->equality_ratio = 0.1;
    settings->return_speed = INFINITY;
    settings->speculative_distance = 0.0;
    settings->curved_paths = false;
    settings->single_point = true;
    settings->first_order_rotation = true;
    settings->explicit_gyration = true;
    settings->explicit_springs = true;
    settings->mixed_weld_weight = true;
    settings->late_tendon_limits = true;
    settings->warm_start = false;
    return true;
  }
  return false;
}
