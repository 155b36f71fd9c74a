/* gradient/barrier_law.h: the normal law of smoothed derivatives: limpet/gradient_smoothing.h. Its
 * parameters are energy [J] and range [m]. */
#ifndef LIMPET_GRADIENT_BARRIER_LAW_H
#define LIMPET_GRADIENT_BARRIER_LAW_H

#include "limpet/law.h"

extern const limpet_normal_law limpet_barrier_law;

#endif
