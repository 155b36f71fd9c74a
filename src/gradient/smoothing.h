/* gradient/smoothing.h: smoothed derivatives of a step: limpet/gradient_smoothing.h. */
#ifndef LIMPET_GRADIENT_SMOOTHING_INTERNAL_H
#define LIMPET_GRADIENT_SMOOTHING_INTERNAL_H

#include "gradient/workspace.h"

/* Fills `gradient`, whose world is at the start of the step that `data` has made. Returns NULL, or
 * why there are none. */
const char *limpet_smoothing_fill(limpet_gradient *gradient, const limpet_data *data);
// limpet_gradient_adjoint of smoothed derivatives.
bool limpet_smoothing_adjoint(limpet_gradient *gradient, const double *weight_q,
                              const double *weight_v);
/* The gradient that derivatives by parameters are taken from: `gradient` itself, that of the
 * barrier's step, or NULL: a mean has none. */
limpet_gradient *limpet_smoothing_differentiated(limpet_gradient *gradient);

// Mean derivatives over scattered steps, as limpet_smoothing_fill: random_smoothing.c.
const char *limpet_smoothing_random(limpet_gradient *gradient, const limpet_data *data);

#endif
