/* gradient/step.c: a step with its derivatives and their adjoint, plain or smoothed. */
#include <assert.h>

#include "gradient/smoothing.h"

limpet_outcome limpet_gradient_step(const limpet_model *model, limpet_data *data,
                                    const limpet_step_settings *settings,
                                    const limpet_gradient_settings *gradient_settings,
                                    limpet_gradient *gradient) {
  assert(model && data && data->model == model && settings && gradient_settings && gradient);
  if (gradient_settings->smoothing.kind == LIMPET_SMOOTHING_NONE)
    return limpet_gradient_step_plain(model, data, settings, gradient_settings, gradient);
  const limpet_outcome outcome =
      limpet_gradient_begin(model, data, settings, gradient_settings, gradient);
  if (!gradient->reason) gradient->reason = limpet_smoothing_fill(gradient, data);
  limpet_gradient_end(gradient, data);
  return outcome;
}

bool limpet_gradient_adjoint(limpet_gradient *gradient, const double *weight_q,
                             const double *weight_v) {
  assert(gradient);
  const limpet_gradient_workspace *w = gradient->workspace;
  if (!w->data || w->data->step_count != w->step_count) return false;
  return w->wanted.smoothing.kind == LIMPET_SMOOTHING_NONE
             ? limpet_gradient_adjoint_plain(gradient, weight_q, weight_v)
             : limpet_smoothing_adjoint(gradient, weight_q, weight_v);
}
