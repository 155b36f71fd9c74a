/* gradient/smoothing.h: smoothed derivatives of a step: limpet/gradient_smoothing.h. */
#ifndef LIMPET_GRADIENT_SMOOTHING_INTERNAL_H
#define LIMPET_GRADIENT_SMOOTHING_INTERNAL_H

#include "gradient/workspace.h"

// What smoothing keeps from call to call; made at the first one.
struct limpet_smoother {
  limpet_gradient *inner;  // of the smoothed step, or of one sample
  limpet_data *world;      // that makes it
};

/* Fills `gradient`, whose world is at the start of the step that `data` has made. Returns NULL, or
 * why there are none. */
const char *limpet_smoothing_fill(limpet_gradient *gradient, const limpet_data *data);
// limpet_gradient_adjoint of smoothed derivatives.
bool limpet_smoothing_adjoint(limpet_gradient *gradient, const double *weight_q,
                              const double *weight_v);
/* The gradient that derivatives by parameters are taken from: `gradient` itself, that of the
 * barrier's step, or NULL: a mean has none. */
limpet_gradient *limpet_smoothing_differentiated(limpet_gradient *gradient);
void limpet_smoother_destroy(struct limpet_smoother *smoother);

// Mean derivatives over scattered steps, as limpet_smoothing_fill: random_smoothing.c.
const char *limpet_smoothing_random(limpet_gradient *gradient, const limpet_data *data);
// Standard normal deviate of a coordinate (q, v, control in turn) of a pair of samples.
double limpet_smoothing_deviate(uint64_t seed, int pair, int coordinate);

#endif
