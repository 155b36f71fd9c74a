/* model/integrate.h: positions of some joints of a model. */
#ifndef LIMPET_MODEL_INTEGRATE_H
#define LIMPET_MODEL_INTEGRATE_H

#include "limpet/data.h"

// limpet_integrate_position for the joints `first` to `end`, `end` excluded; the arrays are those
// of the whole model.
void limpet_integrate_joints(const limpet_model *model, int first, int end, double *q,
                             const double *q0, const double *v, double dt, bool first_order);

#endif
