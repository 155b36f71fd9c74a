/* step/activation.h: activation states of actuators over one step. */
#ifndef LIMPET_STEP_ACTIVATION_H
#define LIMPET_STEP_ACTIVATION_H

#include "limpet/data.h"

/* activation <- activation after dt, from data->activation_rate: act + dt rate, or act + rate tau
 * (1 - exp(-dt/tau)) for the exact filter; kept within the activation's range. */
void limpet_activation_integrate(const limpet_model *model, limpet_data *data, double dt);

#endif
