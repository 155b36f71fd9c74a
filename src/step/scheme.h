/* step/scheme.h: what a stepping scheme is. */
#ifndef LIMPET_STEP_SCHEME_H
#define LIMPET_STEP_SCHEME_H

#include "step/free_motion.h"

struct limpet_scheme {
  limpet_descriptor descriptor;
  const char *contact_model;  // that the scheme is meant for; NULL: that of the settings stays
  bool impulsive;  // takes impulsive contact models, and only those; others take all but those
  /* One step. Calls limpet_step_sense (sensing.h) when contact and constraint results are there and
   * before q, v, time move: a scheme that forgets leaves the sensors of its models at zero. */
  limpet_outcome (*step)(const limpet_model *model, limpet_data *data,
                         const limpet_step_settings *settings);
  limpet_free_motion_function
      free_motion;  // of schemes that step by limpet_velocity_step; NULL: another kind
  bool from_rest;   // velocities at the start of the step do not count
};

extern const limpet_scheme limpet_scheme_discrete;
extern const limpet_scheme limpet_scheme_quasi_dynamic;
extern const limpet_scheme limpet_scheme_impulse;

#endif
