/* step/scheme.h: what a stepping scheme is. */
#ifndef LIMPET_STEP_SCHEME_H
#define LIMPET_STEP_SCHEME_H

#include "limpet/step.h"

struct limpet_scheme {
  limpet_descriptor descriptor;
  limpet_outcome (*step)(const limpet_model *model, limpet_data *data, const limpet_step_settings *settings);
};

extern const limpet_scheme limpet_scheme_discrete;

#endif
